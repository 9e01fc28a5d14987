"""Benchmark folders on this machine, whose card names Parquet files: read as they are.

``datasets`` would read the same files, but it parses the card and copies the data anew for each
configuration: seconds for a benchmark of some twenty.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from minpairs.errors import SuiteError
from minpairs.parsing import read_parquet


def parquet_files(folder: Path, card: Mapping[str, Any], split: str) -> dict[str, list[Path]]:
    """For each configuration of a card the Parquet files of a split, in order.

    Returns:
        Nothing where the card says it otherwise than by a list of splits and their paths, or where
        any file is not Parquet: that is for ``datasets`` to read.

    Raises:
        SuiteError: a path matches no file, or one outside the folder.
    """
    found: dict[str, list[Path]] = {}
    for config in _list(card.get("configs")):
        paths = []
        for files in _list(config.get("data_files") if isinstance(config, dict) else None):
            if not isinstance(files, dict) or set(files) != {"split", "path"}:
                return {}
            patterns = files["path"] if isinstance(files["path"], list) else [files["path"]]
            if files["split"] == split:
                paths += [path for pattern in patterns for path in _matches(folder, str(pattern))]
        if not paths or any(path.suffix != ".parquet" for path in paths):
            return {}
        found[str(config.get("config_name", "default"))] = paths
    return found


def read_tables(paths: list[Path]) -> pa.Table:
    """The rows of some Parquet files, one after the other.

    Raises:
        SuiteError: a file is damaged, or their columns differ.
    """
    tables = [read_parquet(path, str(path), SuiteError) for path in paths]
    try:
        return pa.concat_tables(tables)
    except pa.ArrowException as error:
        raise SuiteError(f"{paths[0]} and the files beside it differ: {error}") from error


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _matches(folder: Path, pattern: str) -> list[Path]:
    place = f"{folder}/README.md: data_files {pattern!r}"
    if ".." in Path(pattern).parts:
        raise SuiteError(f"{place} leads out of the folder")
    try:
        paths = sorted(path for path in folder.glob(pattern) if path.is_file())
    except (ValueError, NotImplementedError) as error:
        raise SuiteError(f"{place}: {error}") from error
    if not paths:
        raise SuiteError(f"{place} names no file that is there")
    return paths
