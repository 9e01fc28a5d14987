"""Suites of items, loaded from Hub folders and repositories, or from a file of pairs."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from minpairs.benchmarks.designs import Columns, Layout, check_columns, from_card
from minpairs.benchmarks.local import parquet_files, read_tables
from minpairs.benchmarks.reading import SourceFile, read_sheet
from minpairs.benchmarks.schema import MINIMAL_PAIR, Design, Text, holds_items, interaction
from minpairs.errors import MinpairsError, SuiteError, nearest
from minpairs.parsing import read_card

_MANIPULATED = re.compile(r"(?P<order>[^_]+)_(?P<construction>\w+)_manipulated(_continuation)?")
_UNION = "all"  # the configuration that repeats all others


@dataclass(frozen=True, slots=True)
class Suite:
    """Items of one configuration of a benchmark.

    Attributes:
        benchmark: name of the dataset.
        config: name of its configuration.
        table: one row an item, as loaded.
        design: the items' cells and predictions.
        columns: for each cell the columns of its context (or ``None``) and its continuation.
        data_hash: SHA-256 (16 hexadecimal digits) of the items' texts.
    """

    benchmark: str
    config: str
    table: pa.Table
    design: Design
    columns: Mapping[str, Columns]
    data_hash: str

    @property
    def name(self) -> str:
        """``benchmark.config``."""
        return f"{self.benchmark}.{self.config}"

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def texts(self, cell: str) -> list[Text]:
        """One cell of every item."""
        return _texts(self.table, self.columns[cell])

    def item(self, row: int) -> dict[str, Text]:
        """Every cell of one item."""
        alone = self.table.slice(row, 1)
        return {cell: _texts(alone, columns)[0] for cell, columns in self.columns.items()}

    def labels(self, column: str) -> list[str] | None:
        """A column of labels, or ``None`` where the suite has no such column."""
        if column not in self.table.column_names:
            return None
        return [str(value) for value in self.table[column].to_pylist()]

    def sample(self, limit: int | None, seed: int) -> Suite:
        """At most ``limit`` items, drawn by seed and kept in order; all where there are no more."""
        if limit is None or limit >= len(self):
            return self
        rows = sorted(random.Random(f"{seed}:{self.name}").sample(range(len(self)), limit))
        return self.rows(rows)

    def rows(self, rows: Sequence[int]) -> Suite:
        """Some of the items."""
        return _suite(
            self.benchmark, self.config, self.table.take(list(rows)), self.design, self.columns
        )

    def by_words(self) -> Suite:
        """The same items with their true words set apart by spaces, for models of words.

        Raises:
            SuiteError: the items do not say what their words are.
        """
        table = self.table
        for _, column in self.columns.values():
            words = column.replace("sentence_", "words_")
            if words == column or words not in table.column_names:
                raise SuiteError(
                    f"{self.name} has no column of words for {column!r}; gold segmentation needs "
                    "words_good and words_bad (or choose characters, words or jieba)"
                )
            joined = pa.array([" ".join(cut) for cut in table[words].to_pylist()])
            table = table.set_column(table.column_names.index(column), column, joined)
        return _suite(self.benchmark, self.config, table, self.design, self.columns)

    def every_text(self) -> list[Text]:
        """All cells of all items, cell by cell."""
        return [text for cell in self.design.cells for text in self.texts(cell)]


def _texts(table: pa.Table, columns: Columns) -> list[Text]:
    context, continuation = columns
    texts = table[continuation].to_pylist()
    contexts = [""] * len(texts) if context is None else table[context].to_pylist()
    return [Text(text, before) for text, before in zip(texts, contexts, strict=True)]


def load_suites(
    dataset: str, configs: Sequence[str] | None = None, *, split: str = "test"
) -> list[Suite]:
    """Loads a benchmark's suites: a Hub folder, or a Hub repository (``org/name``).

    A config's design is the one that the card gives it under ``designs:``, else the one that its
    columns show (see :func:`from_table`).

    Args:
        dataset: path of a local folder with a card, or a repository on the Hub.
        configs: which configurations; by default all but the one that repeats the others,
            variants (``npi.much_less``), which are named when they are wanted, and those that are
            no suites (``corpus.*``, ``unigrams.*``).
        split: which split.

    Raises:
        SuiteError: the dataset, a configuration or a column is missing.
    """
    folder = Path(dataset)
    if not folder.is_dir() and "/" not in dataset:
        # datasets would answer from its cache with whatever had this name last.
        raise SuiteError(
            f"there is no folder {dataset!r} here; make it with `minpairs generate {dataset}`, "
            f"or name a repository on the Hub (org/{dataset})"
        )
    try:
        card = _card(dataset)
        files = parquet_files(folder, card, split) if folder.is_dir() else {}
        known = list(files) or _configs(dataset)
        layouts = from_card(card.get("designs"), known, f"the card of {dataset}")
        tables = {
            config: read_tables(files[config]) if files else _rows(dataset, config, split)
            for config in _wanted(dataset, known, configs)
        }
    except MinpairsError:
        raise
    except Exception as error:  # a damaged card or file: what comes of it is of any class
        raise SuiteError(f"cannot load {dataset}: {error}") from error
    name = folder.resolve().name if folder.is_dir() else dataset.rpartition("/")[2]
    return [
        from_table(name, config, table, layouts.get(config)) for config, table in tables.items()
    ]


def _configs(dataset: str) -> list[str]:
    import datasets

    return list(datasets.get_dataset_config_names(dataset))


def _rows(dataset: str, config: str, split: str) -> pa.Table:
    import datasets

    return datasets.load_dataset(dataset, config, split=split).with_format("arrow")[:]


def _wanted(dataset: str, known: Sequence[str], configs: Sequence[str] | None) -> list[str]:
    suites = [name for name in known if holds_items(name)]
    if not suites:
        raise SuiteError(f"{dataset} holds no suites, only {', '.join(sorted(known))}")
    for config in configs or ():
        if config not in known:
            raise SuiteError(
                f"{dataset} has no configuration {config!r}; {nearest(config, suites)}"
            )
        if config not in suites:
            raise SuiteError(
                f"{dataset}:{config} is no suite: it holds a training text or its token counts; "
                "read it with load_dataset"
            )
    return list(configs or _default_configs(suites))


def _default_configs(known: Sequence[str]) -> list[str]:
    main = [name for name in known if name != _UNION]
    return [name for name in main if name.rpartition(".")[0] not in known] or list(known)


def load_pairs(
    path: Path, *, acceptable: str, unacceptable: str, group: str | None = None
) -> list[Suite]:
    """Minimal pairs from a CSV, TSV, JSON Lines or Parquet file, one suite for each group.

    Raises:
        SuiteError: the file cannot be read, or has no such column.
    """
    table = _read_table(path)
    for column in (acceptable, unacceptable, *([group] if group else [])):
        if column not in table.column_names:
            raise SuiteError(
                f"{path} has no column {column!r}; {nearest(column, table.column_names)}"
            )
    columns = {"acceptable": (None, acceptable), "unacceptable": (None, unacceptable)}
    name = path.name.split(".")[0]
    try:
        if group is None:
            return [_suite(name, "pairs", table, MINIMAL_PAIR, columns)]
        return [
            _suite(name, label, table.take(rows), MINIMAL_PAIR, columns)
            for label, rows in _rows_by_label(table[group].to_pylist(), group).items()
        ]
    except SuiteError as error:
        raise SuiteError(f"{path}: {error}") from error


def _rows_by_label(labels: Sequence[object], group: str) -> dict[str, list[int]]:
    rows: dict[str, list[int]] = {}
    for row, label in enumerate(labels):
        if label is None or not str(label).strip():
            raise SuiteError(f"row {row}: column {group!r} is empty")
        if not isinstance(label, str | int):
            raise SuiteError(f"row {row}: column {group!r} holds {label!r}, no name")
        rows.setdefault(str(label), []).append(row)
    return rows


def from_table(benchmark: str, config: str, table: pa.Table, layout: Layout | None = None) -> Suite:
    """A suite from rows, by a layout or by what their columns are called.

    Without a layout, ``sentence_good`` and ``sentence_bad`` make a minimal pair; columns named
    ``ORDER_CONSTRUCTION`` and ``ORDER_CONSTRUCTION_manipulated`` make an interaction.

    Raises:
        SuiteError: the layout names a missing column, or the columns are those of no known design.
    """
    names = table.column_names
    if layout is not None:
        check_columns(layout, names, f"{benchmark}.{config}")
        return _suite(benchmark, config, table, layout.design, layout.columns)
    if {"sentence_good", "sentence_bad"} <= set(names):
        columns = {"acceptable": (None, "sentence_good"), "unacceptable": (None, "sentence_bad")}
        return _suite(benchmark, config, table, MINIMAL_PAIR, columns)
    found = [match for name in names if (match := _MANIPULATED.fullmatch(name))]
    constructions = list(dict.fromkeys(match["construction"] for match in found))
    if len(constructions) == 2 and "and" in constructions:
        (construction,) = (name for name in constructions if name != "and")
        orders = tuple(dict.fromkeys(match["order"] for match in found))
        design = interaction(construction, "and", orders)
        cells = {cell: _cell_columns(cell, names, f"{benchmark}.{config}") for cell in design.cells}
        return _suite(benchmark, config, table, design, cells)
    raise SuiteError(
        f"{benchmark}.{config} has the columns {', '.join(names)}: neither sentence_good and "
        "sentence_bad, nor the cells of an interaction (base_let_alone_manipulated …); "
        "a card says under `designs:` what other columns are"
    )


def parse_spec(spec: str) -> tuple[str, list[str] | None]:
    """Splits ``climp:classifier,ba_construction`` into a dataset and its configurations."""
    dataset, colon, configs = spec.partition(":")
    if not colon:
        return spec, None
    names = [name.strip() for name in configs.split(",")]
    if not dataset or not all(names):
        raise SuiteError(f"{spec!r} is not DATASET or DATASET:CONFIG,CONFIG…")
    return dataset, names


def _suite(
    benchmark: str,
    config: str,
    table: pa.Table,
    design: Design,
    columns: Mapping[str, Columns],
) -> Suite:
    suite = Suite(benchmark, config, table, design, columns, "")
    if not len(suite):
        raise SuiteError(f"{suite.name} has no items")
    digest = hashlib.sha256()
    for cell in design.cells:
        for row, text in enumerate(suite.texts(cell)):
            if not isinstance(text.continuation, str) or not text.continuation.strip():
                raise SuiteError(f"{suite.name}, row {row}: cell {cell!r} is empty")
            if not isinstance(text.context, str):
                raise SuiteError(f"{suite.name}, row {row}: the context of {cell!r} is no text")
            if "\0" in text.context + text.continuation:
                raise SuiteError(f"{suite.name}, row {row}: cell {cell!r} holds a NUL character")
            digest.update(json.dumps([cell, text.context, text.continuation]).encode())
    return replace(suite, data_hash=digest.hexdigest()[:16])


def _card(dataset: str) -> dict[str, Any]:
    """The YAML of a dataset's card; nothing where it has none."""
    from huggingface_hub.errors import EntryNotFoundError

    folder = Path(dataset)
    if folder.is_dir() and not (folder / "README.md").is_file():
        return {}
    try:
        source = folder / "README.md" if folder.is_dir() else dataset
        return read_card(source, f"the card of {dataset}", SuiteError)
    except EntryNotFoundError:
        return {}  # a repository without a card: its columns say what they are, or from_table fails


def _cell_columns(cell: str, names: Sequence[str], suite: str) -> Columns:
    if cell in names:
        return None, cell
    context, continuation = f"{cell}_context", f"{cell}_continuation"
    for column in (context, continuation):
        if column not in names:
            raise SuiteError(f"{suite} has no column {column!r}; {nearest(column, names)}")
    return context, continuation


def _read_table(path: Path) -> pa.Table:
    try:
        sheet = read_sheet(SourceFile(path.name, path.read_bytes()))
        return pa.table(dict(sheet.columns))
    except (OSError, OverflowError, pa.ArrowException) as error:
        raise SuiteError(f"cannot read {path}: {error}") from error
