"""Files that people have, as columns of values with the line of each row: CSV, TSV, JSONL, Parquet.

Archives and gzip are read as they were downloaded. Texts are taken as they stand.
"""

from __future__ import annotations

import csv
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from minpairs.errors import SuiteError, nearest
from minpairs.parsing import parse_json, read_parquet

TABLES = (".csv", ".tsv", ".jsonl", ".parquet")
# Zip files that are encrypted or packed by other means raise RuntimeError or NotImplementedError.
_ARCHIVE_FAULTS = (
    *(OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError),
    *(RuntimeError, NotImplementedError, ValueError),
)
_ARCHIVES = (".zip", ".tar", ".tgz", ".tar.gz")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of a source, decompressed.

    Attributes:
        name: its path within the source; what errors call it.
        data: its bytes.
    """

    name: str
    data: bytes

    @property
    def suffix(self) -> str:
        """``.csv`` of ``a/b.csv.gz``."""
        return _suffix(self.name)

    @property
    def stem(self) -> str:
        """``b`` of ``a/b.csv.gz``."""
        return PurePosixPath(self.name).name.removesuffix(".gz").removesuffix(self.suffix)

    @property
    def text(self) -> str:
        """The file as text; a byte order mark is dropped.

        Raises:
            SuiteError: the file is not UTF-8; names the line.
        """
        try:
            return self.data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            raise SuiteError(
                f"{self.name}, line {line}: byte 0x{self.data[error.start]:02x} is not UTF-8; "
                "save the file as UTF-8"
            ) from error


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table, with the place of each row.

    Attributes:
        file: what errors call it.
        columns: values by column name; None where a JSON line lacks the column.
        places: where each row stands, as ``FILE, line N``.
    """

    file: str
    columns: Mapping[str, Sequence[Any]]
    places: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.places)

    def column(self, name: str) -> Sequence[Any]:
        """One column; raises SuiteError with the nearest name where there is none such."""
        if name not in self.columns:
            raise SuiteError(f"{self.file} has no column {name!r}; {nearest(name, self.columns)}")
        return self.columns[name]


def source_files(source: Path, suffixes: Sequence[str]) -> list[SourceFile]:
    """The files of a source that have one of the suffixes (``.gz`` after it or not), by name.

    Args:
        source: a file, a folder (searched to the bottom), or a zip or tar archive.
        suffixes: such as ``.csv``.

    Raises:
        SuiteError: the source is missing, is damaged, or has no such file.
    """
    if not source.exists():
        raise SuiteError(f"{source} does not exist")
    try:
        files = [
            SourceFile(name, gzip.decompress(data) if name.endswith(".gz") else data)
            for name, data in sorted(_members(source, suffixes))
        ]
    except _ARCHIVE_FAULTS as error:
        raise SuiteError(f"cannot read {source}: {error}") from error
    if not files:
        raise SuiteError(f"{source} holds no file that ends in {' or '.join(suffixes)}")
    return files


def read_sheet(file: SourceFile) -> Sheet:
    """Reads a CSV, TSV, JSON Lines or Parquet file.

    Raises:
        SuiteError: another kind of file, or one that cannot be read; names the line.
    """
    if file.suffix == ".csv":
        return _delimited(file, ",")
    if file.suffix == ".tsv":
        return _delimited(file, "\t")
    if file.suffix == ".jsonl":
        return _json_lines(file)
    if file.suffix == ".parquet":
        return _parquet(file)
    raise SuiteError(
        f"{file.name}: cannot read {file.suffix!r} files; {nearest(file.suffix, TABLES)}"
    )


def _suffix(name: str) -> str:
    return PurePosixPath(name.removesuffix(".gz")).suffix.lower()


def _members(source: Path, suffixes: Sequence[str]) -> list[tuple[str, bytes]]:
    if source.is_dir():
        paths = {path.relative_to(source).as_posix(): path for path in source.rglob("*")}
        return [
            (name, path.read_bytes())
            for name, path in paths.items()
            if path.is_file() and _wanted(name, suffixes)
        ]
    if source.suffix == ".zip":
        with zipfile.ZipFile(source) as archive:
            names = [name for name in archive.namelist() if _wanted(name, suffixes)]
            return [(name, archive.read(name)) for name in names]
    if source.name.endswith(_ARCHIVES):
        with tarfile.open(source) as tar:
            members = [member for member in tar if member.isfile()]
            opened = [(m.name, tar.extractfile(m)) for m in members if _wanted(m.name, suffixes)]
            return [(name, file.read()) for name, file in opened if file is not None]
    return [(source.name, source.read_bytes())]


def _wanted(name: str, suffixes: Sequence[str]) -> bool:
    hidden = any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)
    return _suffix(name) in suffixes and not hidden


def _delimited(file: SourceFile, delimiter: str) -> Sheet:
    reader = csv.reader(io.StringIO(file.text, newline=""), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    places: list[str] = []
    line = 1
    try:
        for row in reader:
            place = f"{file.name}, line {line}"
            line = reader.line_num + 1
            if not row:
                continue
            if rows and len(row) != len(rows[0]):
                raise SuiteError(
                    f"{place}: {len(row)} columns, but the header has {len(rows[0])}; "
                    "a column is missing, or a field with a separator needs quotes"
                )
            rows.append(row)
            places.append(place)
    except csv.Error as error:
        raise SuiteError(
            f"{file.name}, line {line}: {error}; a quote within a quoted field is doubled"
        ) from error
    if not rows:
        raise SuiteError(f"{file.name} is empty")
    header = rows[0]
    twice = next((name for name in header if header.count(name) > 1), None)
    if twice is not None:
        raise SuiteError(f"{places[0]}: column {twice!r} stands twice; rename one")
    columns = {name: [row[i] for row in rows[1:]] for i, name in enumerate(header)}
    return Sheet(file.name, columns, tuple(places[1:]))


def _json_lines(file: SourceFile) -> Sheet:
    rows: list[dict[str, Any]] = []
    places: list[str] = []
    for number, line in enumerate(file.text.split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{file.name}, line {number}"
        row = parse_json(line, place, SuiteError)
        if not isinstance(row, dict):
            raise SuiteError(f"{place} is not a JSON object: each line is one, {{…}}")
        rows.append(row)
        places.append(place)
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: [row.get(name) for row in rows] for name in names}
    return Sheet(file.name, columns, tuple(places))


def _parquet(file: SourceFile) -> Sheet:
    table = read_parquet(io.BytesIO(file.data), file.name, SuiteError)
    columns = {name: table[name].to_pylist() for name in table.column_names}
    places = (f"{file.name}, row {row}" for row in range(1, table.num_rows + 1))
    return Sheet(file.name, columns, tuple(places))
