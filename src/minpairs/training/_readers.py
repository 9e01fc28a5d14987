"""Reading parts of files and datasets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from minpairs.parsing import parse_json, read_card, read_parquet
from minpairs.training.errors import CorpusError
from minpairs.training.sentences import ends_paragraph

_LONGEST_LINE = 64 << 20  # bytes: a longer one is no line of text, and would fill the memory
_BOM = b"\xef\xbb\xbf"

Row = tuple[str, str | None]


def read_text(path: Path, start: int, end: int, wrapped: bool = False) -> str:
    """The lines that begin in ``[start, end)``; wrapped: the paragraphs that do.

    Raises:
        CorpusError: bytes that are not UTF-8, or a line that is none.
    """
    with path.open("rb") as file:
        first = _boundary(file, start, wrapped, path)
        last = _boundary(file, end, wrapped, path)
        file.seek(first)
        data = file.read(max(last - first, 0))
    if first == 0:
        data = data.removeprefix(_BOM)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"{path}, byte {first + error.start}: not UTF-8 ({error.reason}); convert the file"
        ) from error


def _boundary(file: BinaryIO, position: int, wrapped: bool, path: Path) -> int:
    """The first line (wrapped: paragraph) that begins at ``position`` or later."""
    if position == 0:
        return 0
    file.seek(position - 1)
    line = _line(file, path)
    if not wrapped or not line:
        return file.tell()
    line = _line(file, path)  # the first whole one: of the other only the rest was seen
    while line and not ends_paragraph(line):
        line = _line(file, path)
    return file.tell()


def _line(file: BinaryIO, path: Path) -> bytes:
    line = file.readline(_LONGEST_LINE)
    if len(line) == _LONGEST_LINE:
        raise CorpusError(
            f"{path}, byte {file.tell()}: a line of more than {_LONGEST_LINE >> 20} MiB; "
            "texts have one sentence or paragraph a line"
        )
    return line


def read_rows(
    kind: str, path: Path | None, dataset: Any, start: int, end: int, column: str
) -> Iterator[Row]:
    """The texts of rows and their sources (None where the rows name none).

    Raises:
        CorpusError: no such column, or a row whose text is no text.
    """
    if kind == "dataset":
        yield from _table_rows(dataset.with_format("arrow")[start:end], column, "dataset", start)
    elif kind == "parquet":
        assert path is not None
        for group in range(start, end):
            table = read_parquet(path, str(path), CorpusError, group=group)
            if column not in table.column_names:
                raise CorpusError(f"{path} has no column {column!r}; it has {table.column_names}")
            yield from _table_rows(table, column, str(path), 0)
    else:
        assert path is not None
        yield from _json_rows(path, start, end, column)


def _table_rows(table: pa.Table, column: str, where: str, first: int) -> Iterator[Row]:
    texts = table[column].to_pylist()
    named = "source" in table.column_names
    sources = table["source"].to_pylist() if named else [None] * len(texts)
    for number, (text, source) in enumerate(zip(texts, sources, strict=True), start=first):
        if not isinstance(text, str):
            raise CorpusError(f"{where}, row {number}: column {column!r} holds {text!r}, no text")
        yield text, None if source is None else str(source)


def _json_rows(path: Path, start: int, end: int, column: str) -> Iterator[Row]:
    for number, line in enumerate(read_text(path, start, end).split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number} from byte {start}"
        record = parse_json(line, where, CorpusError)
        if not isinstance(record, dict) or not isinstance(record.get(column), str):
            raise CorpusError(f"{where}: has no text under {column!r}")
        source = record.get("source")
        yield record[column], source if isinstance(source, str) else None


def row_groups(path: Path, part_bytes: int) -> list[int]:
    """Where parts of a Parquet file begin, in row groups, and the number of these."""
    try:
        meta = pq.ParquetFile(path).metadata
    except (OSError, ValueError, pa.ArrowException) as error:
        raise CorpusError(f"{path} is not a Parquet file: {error}") from error
    cuts = [0]
    size = 0
    for group in range(meta.num_row_groups):
        if size and size + meta.row_group(group).total_byte_size > part_bytes:
            cuts.append(group)
            size = 0
        size += meta.row_group(group).total_byte_size
    return [*cuts, meta.num_row_groups] if meta.num_row_groups else []


def has_configs(card: Path) -> bool:
    """Whether a folder's README is a dataset card that lists configs."""
    if not card.is_file():
        return False
    try:
        return bool(read_card(card, str(card), CorpusError).get("configs"))
    except CorpusError:  # a README of another kind
        return False


def load_rows(folder: str, config: str, split: str) -> Any:
    """One split of one config of a dataset.

    Raises:
        CorpusError: it cannot be loaded.
    """
    import datasets

    try:
        return datasets.load_dataset(folder, config, split=split)
    except Exception as error:  # a damaged card or file: what comes of it is of any class
        raise CorpusError(f"cannot load {folder}:{config}, split {split}: {error}") from error
