"""One lexicon table: a TSV file and its rows, checked against the documentation."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from unicodedata import is_normalized

from minpairs.errors import LexiconError, nearest
from minpairs.grammar._yaml import read_text
from minpairs.grammar.lexicon import FEATURES_FILE, Column, Entry, Table, computed


def read_table(path: Path, about: str, columns: Mapping[str, Column]) -> Table:
    """Reads a table.

    Raises:
        LexiconError: naming file, line, column and the nearest valid name.
    """
    lines = read_text(path, LexiconError).split("\n")
    if lines[-1] == "":
        lines.pop()
    numbered = [(i, text) for i, text in enumerate(lines, 1) if not text.startswith("#")]
    if not numbered:
        raise LexiconError(f"{path}, line 1: has no header line")
    texts = (text for _, text in numbered)
    cells = csv.reader(texts, delimiter="\t", quoting=csv.QUOTE_NONE)
    rows = zip((line for line, _ in numbered), _checked(path, cells), strict=True)
    line, header = next(rows)
    _check_header(f"{path}, line {line}", header, columns)
    entries: list[Entry] = []
    seen: dict[tuple[str, frozenset[str]], int] = {}
    for line, row in rows:
        entry = _entry(path, line, row, [columns[name] for name in header])
        homonym = (entry.form, entry.features.get("sense", frozenset()))
        first = seen.setdefault(homonym, line)
        if first != line:
            raise LexiconError(
                f"{path}, line {line}, column form: {entry.form!r} already stands on line {first}; "
                "merge the rows, or tell homonyms apart in a column 'sense'"
            )
        entries.append(entry)
    if not entries:
        raise LexiconError(f"{path}, line {line}: the table has no rows")
    ordered = tuple(sorted(entries, key=lambda entry: entry.key))
    return Table(path.stem, path, about, columns, ordered)


def _checked(path: Path, cells: Iterator[list[str]]) -> Iterator[list[str]]:
    try:
        yield from cells
    except csv.Error as error:
        raise LexiconError(f"{path}: {error}; a cell is one form or a few values") from error


def _check_header(place: str, header: Sequence[str], columns: Mapping[str, Column]) -> None:
    for i, name in enumerate(header):
        if name not in columns:
            hint = nearest(name, columns)
            raise LexiconError(
                f"{place}, column {i + 1}: {name!r} is not documented in {FEATURES_FILE}; {hint}"
            )
        if name in header[:i]:
            raise LexiconError(f"{place}, column {i + 1}: {name!r} stands twice")
    for name in columns:
        if name not in header:
            raise LexiconError(
                f"{place}: column {name!r}, documented in {FEATURES_FILE}, is missing; "
                + nearest(name, header)
            )
    if header[0] != "form":
        raise LexiconError(f"{place}, column 1: the first column must be 'form'")


def _entry(path: Path, line: int, row: Sequence[str], columns: Sequence[Column]) -> Entry:
    if len(row) != len(columns):
        raise LexiconError(
            f"{path}, line {line}: has {len(row)} cells, but the header has {len(columns)} columns"
        )
    features = {
        column.name: _values(f"{path}, line {line}, column {column.name}", column, cell)
        for column, cell in zip(columns, row, strict=True)
    }
    if len(features["form"]) != 1:
        raise LexiconError(f"{path}, line {line}, column form: must be one form, not {row[0]!r}")
    return Entry(path.stem, line, row[0], features | computed(row[0]))


def _values(place: str, column: Column, cell: str) -> frozenset[str]:
    values = cell.split("|") if cell else []
    for i, value in enumerate(values):
        if not value:
            raise LexiconError(f"{place}: {cell!r} has an empty value")
        if value.split() != value.split(" "):
            raise LexiconError(
                f"{place}: {value!r} has blanks at its ends, doubled, or other than a plain space"
            )
        if not value.isprintable():
            raise LexiconError(f"{place}: {value!r} holds an invisible character")
        if not is_normalized("NFC", value):
            raise LexiconError(f"{place}: {value!r} is not in Unicode form NFC; write it composed")
        if value in values[:i]:
            raise LexiconError(f"{place}: {value!r} stands twice")
        if column.values is not None and value not in column.values:
            hint = nearest(value, column.values)
            raise LexiconError(f"{place}: {value!r} is not one of its values; {hint}")
    return frozenset(values)
