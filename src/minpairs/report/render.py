"""Three renderings of a table: for the terminal, for Markdown, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table as RichTable
from rich.text import Text

from minpairs.report.model import Cell, Column, Estimate, Kind, Table
from minpairs.statistics import Interval

ABSENT = "–"
_MARGIN = 2
_NAME_WIDTH = 12
_INTERVALS = ("interval", "points_interval", "range")


@dataclass(frozen=True, slots=True)
class _Printed:
    """A table that is cut into blocks of columns where the terminal is too narrow for it."""

    table: Table

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> RenderResult:
        table = self.table
        if table.caption:
            yield Text(table.caption, style="bold")
        for block in _blocks(table, options.max_width):
            yield _grid(table, block, options.max_width)
        for note in table.footnotes:
            yield Text(note, style="dim")
        for line in filter(None, table.signatures):
            yield Text(line, overflow="fold")


def to_rich(table: Table) -> RenderableType:
    """The table for ``rich.console.Console.print``, with its footnotes and signatures.

    No number is ever cut: columns that do not fit the terminal come in a second block, beside the
    same first column.
    """
    return _Printed(table)


def to_markdown(table: Table) -> str:
    """The table in GitHub's Markdown, ending with a newline."""
    rules = (":--" if column.kind == "text" else "--:" for column in table.columns)
    lines = [
        _markdown_row(column.title for column in table.columns),
        "|" + "|".join(rules) + "|",
        *(_markdown_row(_written(table, row)) for row in table.rows),
        *(
            _markdown_row(f"**{cell}**" if cell else "" for cell in _written(table, row))
            for row in table.summary
        ),
    ]
    parts = ["\n".join(lines), *table.footnotes, *map(_code, filter(None, table.signatures))]
    if table.caption:
        parts.insert(0, f"**{table.caption}**")
    return "\n\n".join(parts) + "\n"


def to_csv(table: Table) -> str:
    """The table as CSV with a header, numbers unrounded, and the signature as a last column.

    Where several models are columns, their signatures are a last row under these.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    last = len(table.signatures) == 1 or table.models_in_rows
    models = list(dict.fromkeys(row[0] for row in table.rows)) if table.models_in_rows else []
    # Rows of no model of ours (a paper's) have none.
    signatures = dict(zip(models, table.signatures, strict=False))
    header = [key for column in table.columns for key in _csv_keys(column)]
    writer.writerow([*header, "signature"] if last else header)
    for row in (*table.rows, *table.summary):
        cells = [
            value
            for column, cell in zip(table.columns, row, strict=True)
            for value in _csv_cells(column, cell)
        ]
        own = signatures.get(row[0], "") if models else "".join(table.signatures[:1])
        writer.writerow([*cells, own] if last else cells)
    if len(table.signatures) > 1 and not last:
        blank = [""] * (len(header) - len(table.signatures) - 1)
        writer.writerow(["signature", *blank, *table.signatures])
    return buffer.getvalue()


def write_cell(kind: Kind, cell: Cell) -> str:
    """A cell as readers see it."""
    if cell is None:
        return ABSENT
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Estimate):
        return f"{100 * cell.value:.1f} [{_write_interval('interval', cell.interval)}]"
    if isinstance(cell, Interval):
        return _write_interval(kind, cell)
    return f"{cell:,}" if isinstance(cell, int) else _write_number(kind, cell)


def _write_interval(kind: Kind, interval: Interval) -> str:
    if kind == "range":
        return f"{_signed(interval.low, 3)} to {_signed(interval.high, 3)}"
    if kind == "points_interval":
        return f"{_signed(100 * interval.low, 1)} to {_signed(100 * interval.high, 1)}"
    return f"{100 * interval.low:.1f}–{100 * interval.high:.1f}"


def _write_number(kind: Kind, number: float) -> str:
    if kind == "percent":
        return f"{100 * number:.1f}"
    if kind == "points":
        return _signed(100 * number, 1)
    if kind == "p" and number < 0.001:
        return "<0.001"
    return f"{round(number, 3) + 0.0:.3f}"  # no -0.000


def _signed(number: float, digits: int) -> str:
    """With its sign; nothing that rounds to zero has one."""
    written = f"{number:+.{digits}f}"
    return written[1:] if float(written) == 0 else written


def _written(table: Table, row: tuple[Cell, ...]) -> list[str]:
    return [write_cell(column.kind, cell) for column, cell in zip(table.columns, row, strict=True)]


def _grid(table: Table, block: list[int], width: int) -> RichTable:
    """The columns of a block as a grid."""
    grid = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for position, wide in zip(block, _widths(table, block, width), strict=True):
        column = table.columns[position]
        grid.add_column(
            # Text, not str: a name in brackets is not markup.
            Text(column.title),
            justify="left" if column.kind == "text" else "right",
            overflow="fold",
            width=wide,
        )
    for row in table.rows:
        cells = _written(table, row)
        grid.add_row(*(Text(cells[position]) for position in block))
    if table.summary:
        grid.add_section()
    for row in table.summary:
        cells = _written(table, row)
        grid.add_row(*(Text(cells[position]) for position in block), style="bold")
    return grid


def _blocks(table: Table, width: int) -> list[list[int]]:
    """Positions of the columns in each block; every block begins with the first column."""
    least = [_width_range(table, position)[0] + _MARGIN for position in range(len(table.columns))]
    blocks: list[list[int]] = [[]]
    used = least[0]
    for position in range(1, len(least)):
        if blocks[-1] and used + least[position] > width:
            blocks.append([])
            used = least[0]
        blocks[-1].append(position)
        used += least[position]
    return [[0, *block] for block in blocks]


def _widths(table: Table, block: list[int], width: int) -> list[int]:
    """A width for each column of a block: the least, and what is left over in their order."""
    ranges = [_width_range(table, position) for position in block]
    spare = width - sum(least + _MARGIN for least, _ in ranges)
    widths = []
    for least, most in ranges:
        more = max(0, min(spare, most - least))
        spare -= more
        widths.append(least + more)
    return widths


def _width_range(table: Table, position: int) -> tuple[int, int]:
    """The width below which a column breaks a number or a long name, and that which it can use."""
    column = table.columns[position]
    widest = max(
        (cell_len(write_cell(column.kind, row[position])) for row in (*table.rows, *table.summary)),
        default=1,
    )
    words = max(map(cell_len, column.title.split()), default=1)
    least = max(words, min(widest, _NAME_WIDTH) if column.kind == "text" else widest)
    return least, max(least, widest, cell_len(column.title))


def _markdown_row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def _code(line: str) -> str:
    fence = "``" if "`" in line else "`"
    return f"{fence}{line}{fence}"


def _csv_keys(column: Column) -> list[str]:
    ends = [f"{column.key}_low", f"{column.key}_high"]
    if column.kind in _INTERVALS:
        return ends
    return [column.key, *ends] if column.kind == "estimate" else [column.key]


def _csv_cells(column: Column, cell: Cell) -> list[str | int | float]:
    if isinstance(cell, Interval):
        return [cell.low, cell.high]
    if isinstance(cell, Estimate):
        return [cell.value, cell.interval.low, cell.interval.high]
    return [""] * len(_csv_keys(column)) if cell is None else [cell]
