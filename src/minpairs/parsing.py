"""JSON, Parquet and cards from outside: a fault becomes an error of ours that names the place.

Each function reads or refuses; none executes anything that stands in a file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError

from minpairs.errors import MinpairsError

# What pyarrow raises for damaged files; its own errors are no single family.
_PARQUET_FAULTS = (
    *(OSError, ValueError, KeyError, NotImplementedError, MemoryError),
    pa.ArrowException,
)


def first_fault(error: ValidationError) -> str:
    """The first of pydantic's complaints, as ``FIELD: what is wrong``."""
    first = error.errors(include_url=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'it'}: {first['msg']}"


def parse_json(text: str | bytes, place: str, error: type[MinpairsError]) -> Any:
    """A JSON value.

    Args:
        text: the JSON.
        place: what the error calls it: a file, or a file and a line.
        error: what to raise.

    Raises:
        MinpairsError: of the given class: no JSON, no UTF-8, nested too deeply, or a text with half
            a surrogate pair, which no file can hold.
    """
    try:
        value = json.loads(text)
        if "\\u" in text if isinstance(text, str) else b"\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as fault:
        raise error(f"{place}: a text holds half a surrogate pair: {fault.reason}") from fault
    except RecursionError as fault:
        raise error(f"{place} is not JSON that can be read: it is nested too deeply") from fault
    except ValueError as fault:
        raise error(f"{place} is not JSON: {fault}") from fault
    return value


def read_json(path: Path, error: type[MinpairsError]) -> Any:
    """The JSON value in a file.

    Raises:
        MinpairsError: of the given class: it cannot be read, or as :func:`parse_json`.
    """
    try:
        content = path.read_bytes()
    except OSError as fault:
        raise error(f"cannot read {path}: {fault}") from fault
    return parse_json(content, str(path), error)


def read_parquet(
    source: Path | IO[bytes],
    place: str,
    error: type[MinpairsError],
    *,
    columns: Sequence[str] | None = None,
    group: int | None = None,
) -> pa.Table:
    """A Parquet file (or some columns, or one row group of it), every value checked.

    Args:
        source: the file.
        place: what the error calls it.
        error: what to raise.
        columns: only these; each must be there.
        group: only this row group.

    Raises:
        MinpairsError: of the given class: no Parquet, damaged, two columns of one name, a column
            that is missing, or text that is not UTF-8.
    """
    try:
        file = pq.ParquetFile(source)
        names = file.schema_arrow.names
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise error(f"{place}: column {twice!r} stands twice; rename one")
        for name in columns or ():
            if name not in names:
                raise error(f"{place} has no column {name!r}; it has {', '.join(names) or 'none'}")
        wanted = None if columns is None else list(columns)
        table = file.read(wanted) if group is None else file.read_row_group(group, wanted)
        table.validate(full=True)
    except MinpairsError:
        raise
    except _PARQUET_FAULTS as fault:
        raise error(f"cannot read {place}: {fault}") from fault
    return table


def read_card(path_or_name: Path | str, place: str, error: type[MinpairsError]) -> dict[str, Any]:
    """The YAML on top of a dataset card: of a file, or of a repository on the Hub.

    Raises:
        MinpairsError: of the given class: no UTF-8, or no YAML of plain values.
        EntryNotFoundError: the repository has no card.
    """
    import yaml
    from huggingface_hub import DatasetCard

    try:
        return dict(DatasetCard.load(path_or_name).data.to_dict())
    except (ValueError, TypeError, RecursionError, yaml.YAMLError) as fault:
        said = " ".join(str(fault).split())
        raise error(f"{place} cannot be read as a dataset card: {said}") from fault
