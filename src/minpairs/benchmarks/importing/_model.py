"""What every format is read into: suites whose rows remember where they came from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from minpairs.benchmarks.designs import Layout
from minpairs.benchmarks.reading import Sheet
from minpairs.benchmarks.schema import MINIMAL_PAIR
from minpairs.errors import SuiteError

PAIRS = Layout(
    MINIMAL_PAIR, {"acceptable": (None, "sentence_good"), "unacceptable": (None, "sentence_bad")}
)


@dataclass(frozen=True, slots=True)
class ImportedSuite:
    """Items of one config, as read.

    Attributes:
        config: name of the config.
        columns: the table to be written, one entry an item.
        layout: which columns make the cells.
        places: where each item stands in the source, as ``FILE, line N``.
    """

    config: str
    columns: Mapping[str, Sequence[Any]]
    layout: Layout
    places: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.places)

    def texts(self, cell: str) -> list[tuple[Any, Any]]:
        """Context (empty where the cell has none) and continuation of one cell, for every item."""
        context, continuation = self.layout.columns[cell]
        contexts = [""] * len(self) if context is None else self.columns[context]
        return list(zip(contexts, self.columns[continuation], strict=True))

    def table(self) -> pa.Table:
        """The items as they are written."""
        return pa.table(dict(self.columns))


@dataclass(frozen=True, slots=True)
class Pair:
    """A minimal pair as read.

    Attributes:
        paradigm: its paradigm, as the source calls it.
        good: the acceptable sentence.
        bad: the unacceptable one.
        place: where it stands.
        phenomenon: its phenomenon, if the source names one.
        extra: further columns, as text.
    """

    paradigm: str
    good: Any
    bad: Any
    place: str
    phenomenon: str | None = None
    extra: Mapping[str, str | None] = field(default_factory=dict)


_RESERVED = frozenset(
    {"pair_id", "UID", "phenomenon", "sentence_good", "sentence_bad", "words_good", "words_bad"}
)


def pair_suites(pairs: Iterable[Pair]) -> list[ImportedSuite]:
    """One suite a paradigm, in order of first appearance, with the columns of generated pairs.

    Raises:
        SuiteError: two paradigms whose names make the same config name.
    """
    found: dict[str, list[Pair]] = {}
    for pair in pairs:
        found.setdefault(pair.paradigm, []).append(pair)
    names = config_names(found)
    return [_pair_suite(names[paradigm], paradigm, group) for paradigm, group in found.items()]


def sheet_pairs(
    sheet: Sheet,
    paradigms: Sequence[Any],
    *,
    good: str = "sentence_good",
    bad: str = "sentence_bad",
    phenomenon: str | None = None,
    skip: Sequence[str] = (),
) -> list[Pair]:
    """The pairs of a table.

    Args:
        sheet: the table.
        paradigms: the paradigm of each row.
        good: column of the acceptable sentences.
        bad: column of the unacceptable ones.
        phenomenon: column of phenomena, or None.
        skip: columns not to be kept beside those named.

    Raises:
        SuiteError: a column or the name of a paradigm is missing; names file and line.
    """
    goods, bads = sheet.column(good), sheet.column(bad)
    labels = sheet.column(phenomenon) if phenomenon else [None] * len(sheet)
    used = {good, bad, phenomenon, *skip} | _RESERVED
    extra = [name for name in sheet.columns if name not in used and name]
    pairs = []
    for i, place in enumerate(sheet.places):
        if paradigms[i] is None or not str(paradigms[i]).strip():
            raise SuiteError(f"{place}: the paradigm has no name")
        pairs.append(
            Pair(
                str(paradigms[i]),
                goods[i],
                bads[i],
                place,
                None if labels[i] is None else str(labels[i]),
                {name: as_text(sheet.columns[name][i]) for name in extra},
            )
        )
    return pairs


def config_names(names: Iterable[str]) -> dict[str, str]:
    """Names of configs by names as released: what datasets refuses becomes ``_``.

    ``all`` and ``default`` mean something else to ``load_suites`` and datasets: they get a ``_``.

    Raises:
        SuiteError: two names become the same.
    """
    safe: dict[str, str] = {}
    owners: dict[str, str] = {}
    for name in names:
        config = re.sub(r"[^\w.=+-]", "_", name.strip().replace("#", "number"))
        config = re.sub(r"^\.+", "_", config)  # no name of a folder above, or of a hidden one
        config += "_" if config in ("all", "default") else ""
        if config in owners:
            raise SuiteError(f"{owners[config]!r} and {name!r} both become {config!r}; rename one")
        safe[name], owners[config] = config, name
    return safe


def as_text(value: object) -> str | None:
    """A value of a further column as text; None where it is missing."""
    return None if value is None else str(value)


def _pair_suite(config: str, paradigm: str, pairs: Sequence[Pair]) -> ImportedSuite:
    columns: dict[str, list[Any]] = {
        "pair_id": list(range(len(pairs))),
        "UID": [paradigm] * len(pairs),
    }
    if all(pair.phenomenon is not None for pair in pairs):
        columns["phenomenon"] = [pair.phenomenon for pair in pairs]
    columns["sentence_good"] = [pair.good for pair in pairs]
    columns["sentence_bad"] = [pair.bad for pair in pairs]
    for name in dict.fromkeys(name for pair in pairs for name in pair.extra):
        values = [pair.extra.get(name) for pair in pairs]
        if any(value is not None for value in values):
            columns[name] = values
    return ImportedSuite(config, columns, PAIRS, tuple(pair.place for pair in pairs))
