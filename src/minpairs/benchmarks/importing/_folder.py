"""From a source of some format to a Hub folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from minpairs.benchmarks.card import NO_VALIDATION
from minpairs.benchmarks.hub import CardText, write_folder
from minpairs.benchmarks.importing._checks import Faults, check
from minpairs.benchmarks.importing._formats import FORMATS, Format, Options
from minpairs.benchmarks.importing._model import PAIRS, ImportedSuite
from minpairs.benchmarks.reading import source_files
from minpairs.benchmarks.schema import INTERACTION
from minpairs.errors import SuiteError, nearest

_UNION = "all"


@dataclass(frozen=True, slots=True)
class Imported:
    """What was imported.

    Attributes:
        suites: the items, by config.
        faults: what is wrong with them, and was kept.
        notes: what was done to them.
    """

    suites: tuple[ImportedSuite, ...]
    faults: tuple[Faults, ...]
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return sum(map(len, self.suites))


def read_source(kind: str, source: Path, options: Options | None = None) -> Imported:
    """Reads and checks a source.

    Args:
        kind: a key of ``FORMATS``.
        source: a file, a folder, or an archive of files.
        options: what single formats can be asked for.

    Raises:
        SuiteError: an unknown format, or a source that cannot be read as one of this format (a
            missing column, a ragged row, an empty cell, bytes that are no text).
    """
    if kind not in FORMATS:
        raise SuiteError(f"unknown format {kind!r}; {nearest(kind, FORMATS)}")
    files = source_files(source, FORMATS[kind].suffixes)
    suites, notes = FORMATS[kind].read(files, options or Options())
    if not sum(map(len, suites)):
        raise SuiteError(f"{source} holds no items")
    return Imported(tuple(suites), tuple(check(suites)), tuple(notes))


def import_source(
    kind: str, source: Path, out: Path, *, keep: bool = False, options: Options | None = None
) -> Imported:
    """Writes a source as a Hub folder, which ``load_dataset`` and ``load_suites`` read.

    Args:
        kind: a key of ``FORMATS``.
        source: a file, a folder, or an archive of files.
        out: the folder to be written.
        keep: import identical and duplicate items, stray white space and mixed-width punctuation
            as they stand.
        options: what single formats can be asked for.

    Raises:
        SuiteError: as ``read_source``; or there are faults and ``keep`` is not set.
    """
    imported = read_source(kind, source, options)
    if imported.faults and not keep:
        listed = "\n".join(f"  {faults}" for faults in imported.faults)
        raise SuiteError(
            f"{source} has faults; --keep imports it as it stands (and says so on its card):\n"
            f"{listed}"
        )
    tables = {suite.config: suite.table() for suite in imported.suites}
    # Pairs and interactions are known by their columns; other designs stand on the card.
    designs = {
        suite.config: suite.layout
        for suite in imported.suites
        if suite.layout != PAIRS and suite.layout.design != INTERACTION
    }
    card = _card(out.resolve().name, FORMATS[kind], source, imported, tables)
    write_folder(tables, out, card, designs)
    return imported


def _card(
    name: str, kind: Format, source: Path, imported: Imported, tables: dict[str, pa.Table]
) -> CardText:
    schemas = [table.schema for table in tables.values()]
    joined = len(schemas) > 1 and all(schema.equals(schemas[0]) for schema in schemas)
    sections = (
        ("What was done to the items", imported.notes),
        ("Faults of the source, kept", imported.faults),
    )
    return CardText(
        name=name,
        language=kind.language,
        about=f"{kind.title}: {len(imported):,} items, imported from `{source.name}`.",
        paradigms=_phenomena(imported.suites),
        union=_UNION if joined else None,
        sections=tuple(
            (title, "\n".join(f"- {line}" for line in lines)) for title, lines in sections if lines
        ),
        licence=kind.licence,
        licence_text=kind.licence_text,
        validation=f"{NO_VALIDATION.removesuffix('.')} by us; see the source.",
        creators="",
    )


def _phenomena(suites: Sequence[ImportedSuite]) -> dict[str, str]:
    return {
        suite.config: str(suite.columns["phenomenon"][0])
        for suite in suites
        if len(set(suite.columns.get("phenomenon", ()))) == 1
    }
