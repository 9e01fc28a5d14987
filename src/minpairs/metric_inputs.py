"""The metric's configurations: from columns of numbers to an evaluation, without ``evaluate``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from minpairs.benchmarks.schema import MINIMAL_PAIR, Design, interaction
from minpairs.errors import MeasureError
from minpairs.evaluation import Evaluation, evaluate_items
from minpairs.measures import Floats, Scores, as_array, column, measure, same_length
from minpairs.signature import Signature, versions

Cells = Mapping[str, Floats]


@dataclass(frozen=True, slots=True)
class Config:
    """One configuration of the metric.

    Attributes:
        inputs: names of its columns.
        prepare: from columns to the cells of a design.
        description: what the columns hold.
        measure: name for the signature; None where the scores may be of any measure.
    """

    inputs: tuple[str, ...]
    prepare: Callable[[Mapping[str, Any]], tuple[Design, Cells]]
    description: str
    measure: str | None = None


def _pairwise(columns: Mapping[str, Any]) -> tuple[Design, Cells]:
    return MINIMAL_PAIR, {cell: column(columns[cell], cell) for cell in MINIMAL_PAIR.cells}


def _slor(columns: Mapping[str, Any]) -> tuple[Design, Cells]:
    cells = {}
    for cell in MINIMAL_PAIR.cells:
        names = {
            "logprob": cell,
            "tokens": f"{cell}_tokens",
            "unigram_logprob": f"{cell}_unigram",
        }
        fields = {field: column(columns[name], name) for field, name in names.items()}
        same_length({name: fields[field] for field, name in names.items()})
        try:
            cells[cell] = measure("slor", Scores(**fields))
        except MeasureError as error:
            raise MeasureError(f"{cell}: {error}") from None
    return MINIMAL_PAIR, cells


_CONDITIONS = ("construction", "construction_manipulated", "control", "control_manipulated")


def _interaction(columns: Mapping[str, Any]) -> tuple[Design, Cells]:
    tables = {name: _orders(columns[name], name) for name in _CONDITIONS}
    widths = {name: len(table) for name, table in tables.items()}
    orders = widths["construction"]
    for name, width in widths.items():
        if width != orders:
            raise MeasureError(f"row 0: {name} has {width} orders, but construction has {orders}")
    if orders == 2:
        names: tuple[str, ...] = ("base", "swapped")
    else:
        names = tuple(f"order{number}" for number in range(1, orders + 1))
    design = interaction("construction", "control", names)
    cells = {
        f"{order}_{name}": tables[name][position]
        for position, order in enumerate(names)
        for name in _CONDITIONS
    }
    return design, cells


def _orders(values: ArrayLike, name: str) -> list[Floats]:
    """One column for each order, from rows that are a number or a list of one number an order."""
    array = as_array(values)
    if array.ndim == 2 and array.shape[1] > 0:
        return [column(array[:, order], name) for order in range(array.shape[1])]
    rows = list(array)
    if array.ndim != 1 or not rows or not _is_list(rows[0]):
        return [column(array, name)]
    # Rows of unequal length, or empty ones: name the first that differs.
    width = max(1, len(rows[0]))
    row = next(row for row, orders in enumerate(rows) if not _is_list(orders, width))
    raise MeasureError(
        f"row {row}: {name} is {rows[row]!r}; every row needs one number for each order, "
        f"as many as row 0 has"
    )


def _is_list(row: object, width: int | None = None) -> bool:
    return isinstance(row, list | tuple | np.ndarray) and width in (None, len(row))


DEFAULT = "pairwise"
CONFIGS: Mapping[str, Config] = {
    "pairwise": Config(
        MINIMAL_PAIR.cells, _pairwise, "one score for each member of a pair; higher is better"
    ),
    "slor": Config(
        tuple(
            f"{cell}{suffix}"
            for suffix in ("", "_unigram", "_tokens")
            for cell in MINIMAL_PAIR.cells
        ),
        _slor,
        "for each member of a pair the sum of its tokens' log-probabilities, the sum of their "
        "unigram log-probabilities (both natural logarithms), and their number",
        measure="slor",
    ),
    "interaction": Config(
        _CONDITIONS,
        _interaction,
        "for each item four scores, each a number or a list with one number for each order",
    ),
}


def find_config(name: str) -> Config:
    """The configuration called ``name``.

    Raises:
        KeyError: there is none; names those there are.
    """
    if name not in CONFIGS:
        raise KeyError(f"unknown configuration {name!r}: choose one of {', '.join(CONFIGS)}")
    return CONFIGS[name]


def check_columns(config: str, columns: Mapping[str, Any]) -> tuple[Design, Cells]:
    """The design and its cells, from the columns of a configuration.

    Raises:
        KeyError: unknown configuration.
        MeasureError: a column is missing, of another length, or holds a bad value; names the row.
    """
    chosen = find_config(config)
    for name in chosen.inputs:
        if columns.get(name) is None:
            given = [key for key, value in columns.items() if value is not None]
            raise MeasureError(
                f"{config} needs column {name!r}; given: {', '.join(given) or 'none'}"
            )
    design, cells = chosen.prepare(columns)
    if same_length(cells) == 0:
        raise MeasureError("there are no items: an accuracy needs at least one")
    return design, cells


def judge(
    config: str,
    columns: Mapping[str, Any],
    *,
    groups: Sequence[object] | None = None,
    clusters: Sequence[object] | None = None,
    phenomena: Mapping[str, str] | None = None,
    ties: str = "strict",
    interval: str = "wilson",
    signature: Mapping[str, object] | Signature | str | None = None,
) -> Evaluation:
    """Evaluates the columns of a configuration; see ``evaluation.evaluate_items``.

    Args:
        config: ``pairwise``, ``slor`` or ``interaction``.
        columns: its inputs, each one entry a row; other columns are ignored.
        groups: paradigm or suite of each row.
        clusters: what a row shares with others (template, lexical item).
        phenomena: phenomenon of each group.
        ties: ``strict``, ``half`` or ``paper``.
        interval: ``wilson`` or ``as_released``.
        signature: what is known of the scores (model, data, dtype, ...), to which the measure, the
            rule for ties and the version are added.

    Raises:
        KeyError: unknown configuration.
        MeasureError: bad columns, labels or options; names the row where there is one.
    """
    design, cells = check_columns(config, columns)
    return evaluate_items(
        cells,
        design,
        groups=groups,
        clusters=clusters,
        phenomena=phenomena,
        ties=ties,
        interval=interval,
        signature=_sign(find_config(config), design, ties, signature),
    )


def _sign(
    config: Config, design: Design, ties: str, given: Mapping[str, object] | Signature | str | None
) -> Signature:
    if isinstance(given, str):
        given = Signature.parse(given)
    if isinstance(given, Signature):
        given = dict(given.fields)
    own = {
        "design": design.name,
        "ties": ties,
        **versions(),
        **({"measure": config.measure} if config.measure else {}),
    }
    fields = dict(given or {})
    for name in ("design", "measure", "ties"):
        if name in own and fields.get(name, own[name]) != own[name]:
            raise MeasureError(
                f"signature says {name}:{fields[name]}, but this was computed with "
                f"{name}:{own[name]}"
            )
    return Signature.of({**fields, **own})
