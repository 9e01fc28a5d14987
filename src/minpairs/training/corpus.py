"""Training corpora: found by name, cut into parts, read part by part.

A part is what one process reads at a time, so memory depends on the size of a part alone. Where a
part begins is computed from its number, not from what was read before it: parts can be read in any
order, by any number of processes, and always hold the same sentences.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from minpairs.benchmarks.suites import parse_spec
from minpairs.errors import nearest
from minpairs.training import _readers as readers
from minpairs.training.errors import CorpusError
from minpairs.training.sentences import split_sentences
from minpairs.training.sources import BABYLM, PARAGRAPHS, UNITS, SourceFormat, Unit

__all__ = ["Corpus", "Part", "Sentences", "open_corpus"]

Kind = Literal["text", "jsonl", "parquet", "dataset"]

PART_BYTES = 8 << 20  # reading and filtering a part takes about 300 MB
_PART_ROWS = 100_000
_KINDS: dict[str, Kind] = {
    ".train": "text",
    ".dev": "text",
    ".test": "text",
    ".txt": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}


@dataclass(frozen=True, slots=True)
class Sentences:
    """Sentences in the order of the corpus, and the source of each."""

    texts: list[str]
    sources: list[str]


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of one file or dataset.

    Attributes:
        number: its place in the corpus, from 0.
        kind: what it is read as.
        source: the source of its sentences, where its rows do not name their own.
        path: the file; None for a dataset.
        start: where it begins: a byte of a text, a row group of a Parquet file, a row of a dataset.
        end: where the next one begins. In texts both move on to the next line (or paragraph).
    """

    number: int
    kind: Kind
    source: str
    path: Path | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus that can be read more than once.

    Attributes:
        name: what it was opened as.
        parts: all of it, in order.
        identity: for each file (or the dataset) its name and the SHA-256 of its bytes (or its
            fingerprint).
        column: the column of rows that holds the text.
        unit: what a line is, for all sources; None: as ``BABYLM`` says, else ``paragraph``, and
            ``wrapped`` for texts in rows.
        language: ISO code, for the ends of sentences.
        dataset: the rows, where the corpus is a dataset.
    """

    name: str
    parts: tuple[Part, ...]
    identity: tuple[tuple[str, str], ...]
    column: str = "text"
    unit: Unit | None = None
    language: str = "en"
    dataset: Any = None

    def read(self, part: Part) -> Sentences:
        """The sentences of a part.

        Raises:
            CorpusError: it is not UTF-8, not JSON, or a row has no text.
        """
        if part.kind == "text":
            form = self._form(part.source)
            assert part.path is not None
            text = readers.read_text(part.path, part.start, part.end, form.unit == "wrapped")
            texts = split_sentences(text, form, self.language)
            return Sentences(texts, [part.source] * len(texts))
        rows = readers.read_rows(
            part.kind, part.path, self.dataset, part.start, part.end, self.column
        )
        found = Sentences([], [])
        for text, source in rows:
            texts = split_sentences(text, self._form_of_row(source or part.source), self.language)
            found.texts.extend(texts)
            found.sources.extend([source or part.source] * len(texts))
        return found

    def sentences(self) -> Iterator[str]:
        """All sentences, in order; one part at a time is in memory."""
        for part in self.parts:
            yield from self.read(part).texts

    def _form(self, source: str) -> SourceFormat:
        form = BABYLM.get(source, PARAGRAPHS)
        return form if self.unit is None else SourceFormat(self.unit, form.label)

    def _form_of_row(self, source: str) -> SourceFormat:
        form = BABYLM.get(source, SourceFormat("wrapped"))
        return form if self.unit is None else SourceFormat(self.unit, form.label)


def open_corpus(
    spec: str | Path | Any,
    *,
    column: str = "text",
    unit: Unit | None = None,
    language: str = "en",
    split: str = "train",
    part_bytes: int = PART_BYTES,
) -> Corpus:
    """Finds a corpus; nothing of it is kept in memory.

    Args:
        spec: a file (``.train``, ``.dev``, ``.test``, ``.txt``, ``.jsonl``, ``.ndjson``,
            ``.parquet``); a folder of such files (``*.train`` alone where there are any, as in
            BabyLM); a folder of ``Dataset.save_to_disk``; ``FOLDER:CONFIG`` or ``ORG/NAME:CONFIG``
            for a dataset with a card; or a ``datasets.Dataset``. A config ``corpus.*`` is what
            ``minpairs filter`` wrote: its rows are sentences and are not cut again.
        column: of rows, the one with the text. A column ``source`` names their sources.
        unit: what a line of text is; None: as is usual for the source.
        language: ISO code of the texts.
        split: of a dataset.
        part_bytes: size of a part.

    Raises:
        CorpusError: there is no such corpus, or nothing in it.
    """
    if unit is not None and unit not in UNITS:
        raise CorpusError(f"unknown unit {unit!r}; {nearest(str(unit), UNITS)}")
    options: dict[str, Any] = {"column": column, "unit": unit, "language": language}
    if not isinstance(spec, str | Path):
        return _dataset(spec, "dataset", options)
    path = Path(spec)
    if path.is_file():
        return _files([path], str(spec), part_bytes, options)
    if path.is_dir() and (path / "state.json").is_file():
        import datasets

        try:
            rows = datasets.load_from_disk(str(path))
        except Exception as error:  # damaged files: what comes of them is of any class
            raise CorpusError(f"cannot load {path}: {error}") from error
        return _dataset(rows, path.name, options)
    if path.is_dir() and not readers.has_configs(path / "README.md"):
        return _files(_corpus_files(path), str(spec), part_bytes, options)
    folder, configs = parse_spec(str(spec))
    if not Path(folder).is_dir() and "/" not in folder:
        raise CorpusError(f"{spec}: there is no such file or folder, and no dataset of that name")
    if configs is None or len(configs) > 1:
        raise CorpusError(f"{spec}: name one config, as in {folder}:corpus.no_let")
    rows = readers.load_rows(folder, configs[0], split)
    if configs[0].startswith("corpus."):
        options["unit"] = "line"
    return _dataset(rows, str(spec), options)


def _corpus_files(folder: Path) -> list[Path]:
    found = sorted(p for p in folder.iterdir() if p.is_file() and p.suffix in _KINDS)
    training = [path for path in found if path.suffix == ".train"]
    if not found:
        below = sorted(p.name for p in folder.iterdir() if p.is_dir())
        hint = f"; its folders are {', '.join(below)}: name one of them" if below else ""
        raise CorpusError(f"{folder} holds no corpus ({', '.join(_KINDS)}){hint}")
    return training or found


def _files(paths: list[Path], name: str, part_bytes: int, options: dict[str, Any]) -> Corpus:
    parts: list[Part] = []
    identity = []
    for path in paths:
        if path.suffix not in _KINDS:
            raise CorpusError(f"{path}: unknown kind of file; {nearest(path.suffix, _KINDS)}")
        kind = _KINDS[path.suffix]
        if kind == "parquet":
            cuts = readers.row_groups(path, part_bytes)
        else:
            cuts = [*range(0, path.stat().st_size, part_bytes), path.stat().st_size]
        for start, end in pairwise(cuts):
            parts.append(Part(len(parts), kind, path.name.split(".")[0], path, start, end))
        with path.open("rb") as file:
            identity.append((path.name, hashlib.file_digest(file, "sha256").hexdigest()))
    if not parts:
        raise CorpusError(f"{name} is empty")
    return Corpus(name, tuple(parts), tuple(identity), **options)


def _dataset(rows: Any, name: str, options: dict[str, Any]) -> Corpus:
    import datasets

    if not isinstance(rows, datasets.Dataset):
        raise CorpusError(f"{name} is a {type(rows).__name__}; give one split (a datasets.Dataset)")
    if options["column"] not in rows.column_names:
        hint = nearest(options["column"], rows.column_names)
        raise CorpusError(f"{name} has no column {options['column']!r}; {hint}")
    if not len(rows):
        raise CorpusError(f"{name} is empty")
    kept = [name for name in (options["column"], "source") if name in rows.column_names]
    cuts = [*range(0, len(rows), _PART_ROWS), len(rows)]
    source = name.rpartition("/")[2].partition(":")[0]
    parts = tuple(
        Part(number, "dataset", source, None, start, end)
        for number, (start, end) in enumerate(pairwise(cuts))
    )
    identity = ((name, str(rows._fingerprint)),)
    return Corpus(name, parts, identity, **options, dataset=rows.select_columns(kept))
