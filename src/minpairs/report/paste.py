"""From pasted numbers to a table: what the metric's web page does, without the web."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from minpairs.errors import MeasureError, nearest
from minpairs.metric_inputs import find_config, judge
from minpairs.report.model import Table
from minpairs.report.tables import results_table

_LABELS = ("group", "cluster", "phenomenon")


def judge_text(text: str, config: str = "pairwise", ties: str = "strict") -> Table:
    """Judges pasted rows or the text of a CSV file.

    Columns are separated by tabs, semicolons, commas or spaces. With a heading, columns are found
    by name, and ``group``, ``cluster`` and ``phenomenon`` may be among them; without one, they are
    the configuration's inputs in order. For interactions with several orders the inputs are
    repeated, once for each order.

    Args:
        text: the rows, one item a line.
        config: ``pairwise``, ``slor`` or ``interaction``.
        ties: ``strict``, ``half`` or ``paper``.

    Raises:
        KeyError: unknown configuration.
        MeasureError: the text does not fit the configuration; names the line.
    """
    inputs = find_config(config).inputs
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise MeasureError(f"no rows: paste one item a line with columns {', '.join(inputs)}")
    rows = [(number, _cells(line)) for number, line in lines]
    heading = rows[0][1]
    if all(map(_is_number, heading)):
        names = _by_position(len(heading), inputs, config)
    else:
        names = [name.strip().lower() for name in heading]
        rows = rows[1:]
        _check_names(names, inputs, config)
    if not rows:
        raise MeasureError("there is a heading but no row under it")
    for number, cells in rows:
        if len(cells) != len(names):
            raise MeasureError(f"line {number}: {len(cells)} columns, expected {len(names)}")
    columns = {name: _column(name, names, rows) for name in inputs}
    labels = {name: _labels(name, names, rows) for name in _LABELS}
    groups, phenomena = labels["group"], labels["phenomenon"]
    evaluation = judge(
        config,
        columns,
        groups=groups,
        clusters=labels["cluster"],
        phenomena=_phenomena(groups, phenomena, rows) if phenomena else None,
        ties=ties,
    )
    return results_table(evaluation, unit="group")


Row = tuple[int, list[str]]


def _cells(line: str) -> list[str]:
    for separator in "\t;,":
        if separator in line:
            return [cell.strip() for cell in next(csv.reader([line], delimiter=separator))]
    return line.split()


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _by_position(width: int, inputs: Sequence[str], config: str) -> list[str]:
    orders, rest = divmod(width, len(inputs))
    if rest or orders == 0 or (orders > 1 and config != "interaction"):
        raise MeasureError(f"line 1: {width} columns, but {config} has {', '.join(inputs)}")
    return list(inputs) * orders


def _check_names(names: Sequence[str], inputs: Sequence[str], config: str) -> None:
    for name in inputs:
        if name not in names:
            raise MeasureError(f"{config} needs column {name!r}; the heading has {names}")
        if names.count(name) > 1 and config != "interaction":
            raise MeasureError(f"column {name!r} comes {names.count(name)} times")
    for name in names:
        if name not in inputs and name not in _LABELS:
            raise MeasureError(f"unknown column {name!r}: {nearest(name, (*inputs, *_LABELS))}")


def _column(
    name: str, names: Sequence[str], rows: Sequence[Row]
) -> list[float] | list[list[float]]:
    positions = [position for position, other in enumerate(names) if other == name]
    numbers = [[_number(cells[i], name, line) for i in positions] for line, cells in rows]
    return [row[0] for row in numbers] if len(positions) == 1 else numbers


def _number(cell: str, name: str, line: int) -> float:
    # float() reads "nan", "inf" and "1_000" too: none of them is a score.
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", cell):
        raise MeasureError(f"line {line}: {name} is {cell!r}, not a number")
    return float(cell)


def _labels(name: str, names: Sequence[str], rows: Sequence[Row]) -> list[str] | None:
    if name not in names:
        return None
    position = names.index(name)
    for line, cells in rows:
        if not cells[position]:
            raise MeasureError(f"line {line}: {name} is empty")
    return [cells[position] for _, cells in rows]


def _phenomena(
    groups: Sequence[str] | None, phenomena: Sequence[str], rows: Sequence[Row]
) -> dict[str, str]:
    if groups is None:
        raise MeasureError("a phenomenon is a set of groups: add a column 'group'")
    found: dict[str, str] = {}
    for (line, _), group, phenomenon in zip(rows, groups, phenomena, strict=True):
        if found.setdefault(group, phenomenon) != phenomenon:
            raise MeasureError(
                f"line {line}: group {group!r} has phenomena {found[group]!r} and {phenomenon!r}"
            )
    return found
