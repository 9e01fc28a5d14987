"""A table as data: typed cells under named columns, to be rendered elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from minpairs.errors import MinpairsError
from minpairs.statistics import Interval

# percent, interval, points and points_interval are fractions of one, shown times a hundred.
Kind = Literal[
    "text",
    "count",
    "percent",  # a share; an int in such a column is a count
    "interval",  # of a share
    "estimate",  # a share with its interval
    "points",  # a difference of shares, with its sign
    "points_interval",
    "number",
    "range",  # the interval of a number
    "p",  # a p-value
]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A share with its interval, in one cell."""

    value: float
    interval: Interval


Cell = str | int | float | Interval | Estimate | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Attributes:
        key: its name in CSV, where shares are fractions of one and intervals are two columns.
        title: its heading for readers, where shares are percentages.
        kind: how its cells are written.
    """

    key: str
    title: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Table:
    """A table: one row a paradigm or suite, then summary rows.

    Attributes:
        columns: the columns.
        rows: a cell for each column; an int in a percent column is a count.
        summary: rows set apart at the foot (macro, micro).
        caption: what the table shows.
        footnotes: how to read it.
        signatures: how the numbers were made: one for the table, or one for each model.
        models_in_rows: whether models are named in the first column (several signatures are then
            in the order in which they come there first), or are the last columns.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    summary: tuple[tuple[Cell, ...], ...] = ()
    caption: str = ""
    footnotes: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()
    models_in_rows: bool = False

    def __post_init__(self) -> None:
        for row in (*self.rows, *self.summary):
            if len(row) != len(self.columns):
                raise MinpairsError(
                    f"table {self.caption!r}: row {row[:1]} has {len(row)} cells "
                    f"for {len(self.columns)} columns"
                )
