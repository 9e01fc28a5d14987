"""A table as HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from minpairs.report.model import Cell, Column, Table
from minpairs.report.render import write_cell

_SIGNATURE = "font-size: 85%; overflow-wrap: anywhere; white-space: normal"


def to_html(table: Table) -> str:
    """The table as an HTML fragment that notebooks style; every name in it is escaped."""
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    head = "".join(
        f'<th scope="col" style="text-align: {_align(column)}">{escape(column.title)}</th>'
        for column in table.columns
    )
    body = "".join(_row(table, row) for row in table.rows)
    foot = "".join(_row(table, row, bold=True) for row in table.summary)
    notes = "".join(f"<br>{escape(note)}" for note in table.footnotes).removeprefix("<br>")
    signatures = "".join(
        f'<p><code style="{_SIGNATURE}">{escape(line)}</code></p>' for line in table.signatures
    )
    return (
        f"<div><table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
        + (f"<tfoot>{foot}</tfoot>" if foot else "")
        + f"</table><p>{notes}</p>{signatures}</div>"
    )


def _row(table: Table, row: Iterable[Cell], *, bold: bool = False) -> str:
    weight = "; font-weight: bold" if bold else ""
    cells = "".join(
        f'<td style="text-align: {_align(column)}{weight}">'
        f"{escape(write_cell(column.kind, cell))}</td>"
        for column, cell in zip(table.columns, row, strict=True)
    )
    return f"<tr>{cells}</tr>"


def _align(column: Column) -> str:
    return "left" if column.kind == "text" else "right"
