"""Dataset folders as their cards describe them, checked before anything leaves the machine."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from minpairs.benchmarks.hub import content_hash
from minpairs.errors import SuiteError
from minpairs.hub.benchmark import FILE as REGISTRATION
from minpairs.parsing import read_card, read_parquet

CARD = "README.md"
_HASH = re.compile(r"sha256 ([0-9a-f]{64})")
_SHOWN = re.compile(r"!\[[^\]]*\]\(([^)\s:]+)\)")  # a figure of the folder: no address, no title


@dataclass(frozen=True, slots=True)
class CardConfig:
    """A config as a card describes it.

    Attributes:
        name: of the config.
        sha256: hash of its rows.
        rows: their number.
        columns: their columns.
        files: the files that hold them, by their paths in the folder.
    """

    name: str
    sha256: str
    rows: int
    columns: tuple[str, ...]
    files: tuple[str, ...]


def card_configs(folder: Path) -> list[CardConfig]:
    """The configs that a folder's card lists.

    Raises:
        SuiteError: there is no card, or it is not one that `minpairs` wrote.
    """
    path = folder / CARD
    if not path.is_file():
        raise SuiteError(f"{path} is missing; write the folder with `minpairs generate`")
    data = read_card(path, str(path), SuiteError)
    try:
        infos = {info["config_name"]: info for info in data["dataset_info"]}
        return [_config(entry, infos[entry["config_name"]]) for entry in data["configs"]]
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        raise SuiteError(
            f"{path} is not a card of ours ({type(error).__name__}: {error}); "
            "write the folder with `minpairs generate`, `minpairs import` or `minpairs filter`"
        ) from error


def checked_files(folder: Path) -> list[str]:
    """The files that make a dataset, after every row has been compared with the card.

    Returns:
        Paths in the folder: the card, what it shows, the registration as a benchmark where there
        is one, and the data. No other file belongs to the dataset.

    Raises:
        SuiteError: a file is missing or cannot be read, or its rows are not those of the card.
    """
    configs = card_configs(folder)
    tables: dict[str, pa.Table] = {}
    for config in configs:
        for file in config.files:
            if file not in tables:
                tables[file] = _read(folder, file)
        _check(folder / CARD, config, [tables[file] for file in config.files])
    shown = _SHOWN.findall((folder / CARD).read_text(encoding="utf-8"))
    for file in shown:
        if not (folder / file).is_file() or ".." in Path(file).parts:
            raise SuiteError(f"{folder / CARD} shows {file!r}, which is not in the folder")
    registered = [REGISTRATION] if (folder / REGISTRATION).is_file() else []
    return [CARD, *registered, *sorted(set(shown)), *sorted(tables)]


def _config(entry: dict[str, Any], info: dict[str, Any]) -> CardConfig:
    stated = _HASH.fullmatch(entry["description"])
    if stated is None:
        raise ValueError(f"config {entry['config_name']!r} states no hash")
    (split,) = entry["data_files"]
    files = [split["path"]] if isinstance(split["path"], str) else split["path"]
    return CardConfig(
        entry["config_name"],
        stated[1],
        info["splits"][0]["num_examples"],
        tuple(feature["name"] for feature in info["features"]),
        tuple(files),
    )


def _read(folder: Path, file: str) -> pa.Table:
    if ".." in Path(file).parts or Path(file).is_absolute():
        raise SuiteError(f"{folder / CARD} names {file!r}, which lies outside the folder")
    return read_parquet(folder / file, str(folder / file), SuiteError)


def _check(card: Path, config: CardConfig, tables: Sequence[pa.Table]) -> None:
    rows = sum(table.num_rows for table in tables)
    hashes = [content_hash(table) for table in tables]
    # A config that joins others' files has the hash of their hashes (benchmarks.hub).
    found = hashes[0] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()
    if found != config.sha256 or rows != config.rows:
        raise SuiteError(
            f"{card}: config {config.name!r} is said to have {config.rows:,} rows of sha256 "
            f"{config.sha256[:16]}, but its files hold {rows:,} of {found[:16]}; "
            "write the folder again, and edit no file in it by hand"
        )
