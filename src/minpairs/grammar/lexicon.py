"""Lexicon tables: one TSV a word class, one row a lemma, every column documented."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from minpairs.errors import LexiconError, nearest
from minpairs.grammar._yaml import read_yaml

FEATURES_FILE = "features.yaml"
COMPUTED = ("form", "characters", "words")


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of a table: a lemma's surface form and its features, each a set of values.

    ``form`` holds a single space between words; ``features`` includes the computed ones.
    """

    table: str
    line: int
    form: str
    features: Mapping[str, frozenset[str]] = field(repr=False)

    @property
    def key(self) -> tuple[object, ...]:
        """What orders entries: their content, never their line."""
        return (self.form, sorted((name, sorted(values)) for name, values in self.features.items()))


@dataclass(frozen=True, slots=True)
class Column:
    """A documented column; ``values`` is None when any value may stand in it."""

    name: str
    about: str
    values: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A word class: its entries in canonical order, and what its columns mean."""

    name: str
    path: Path
    about: str
    columns: Mapping[str, Column]
    entries: tuple[Entry, ...]

    @property
    def features(self) -> tuple[str, ...]:
        """Names a template may use: the columns and the computed features."""
        return (*self.columns, *(name for name in COMPUTED if name not in self.columns))


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All tables of a benchmark."""

    folder: Path
    tables: Mapping[str, Table]


def load_lexicon(folder: Path) -> Lexicon:
    """Reads ``folder/*.tsv`` as documented in ``folder/features.yaml``.

    Raises:
        LexiconError: naming file, line, column and the nearest valid name.
    """
    from minpairs.grammar._features import documentation
    from minpairs.grammar._tables import read_table

    folder = Path(folder)
    if not folder.is_dir():
        raise LexiconError(f"{folder}: there is no such lexicon folder")
    document = read_yaml(folder / FEATURES_FILE, LexiconError)
    documented = documentation(document)
    files = {path.stem: path for path in sorted(folder.glob("*.tsv"))}
    for name in documented:
        if name not in files:
            raise document.fault((name,), f"there is no table {name}.tsv; {nearest(name, files)}")
    for name, path in files.items():
        if name not in documented:
            raise LexiconError(
                f"{path}, line 1: table {name!r} is not documented in {document.path}; "
                + nearest(name, documented)
            )
    return Lexicon(
        folder, {name: read_table(path, *documented[name]) for name, path in files.items()}
    )


def computed(form: str) -> dict[str, frozenset[str]]:
    """The features that every entry has: ``form``, its ``characters`` and its ``words``."""
    return {
        "form": frozenset({form}),
        "characters": frozenset({str(len(form.replace(" ", "")))}),
        "words": frozenset({str(len(form.split(" ")))}),
    }


def join_values(values: Iterable[str]) -> str:
    """A set of values as a cell writes it, in a fixed order."""
    return "|".join(sorted(values))
