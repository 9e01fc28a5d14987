"""Labels of rows (paradigm, cluster) as codes from 0."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from minpairs.errors import MeasureError, nearest

Codes = NDArray[np.intp]


def label_codes(kind: str, labels: Sequence[object], n: int) -> tuple[list[str], Codes]:
    """Names in the order of first use, and the position of each row's name, shape (n,).

    Args:
        kind: what the labels are, for errors: ``groups`` or ``clusters``.
        labels: one a row, texts or whole numbers.
        n: number of rows there must be.

    Raises:
        MeasureError: another number of labels, or one that is missing; names the row.
    """
    if len(labels) != n:
        row = min(len(labels), n)
        lacking = f"row {row} has no label" if row < n else f"row {row} has a label but no item"
        raise MeasureError(f"{kind} has {len(labels)} entries, but there are {n} items: {lacking}")
    index: dict[Hashable, int] = {}
    codes = np.empty(n, dtype=np.intp)
    for row, label in enumerate(labels):
        if type(label) is not str:
            label = _label(kind, label, row)  # noqa: PLW2901
        codes[row] = index.setdefault(label, len(index))
    return [str(name) for name in index], codes


def _label(kind: str, label: object, row: int) -> str:
    if isinstance(label, str | int | np.integer) and not isinstance(label, bool):
        return str(label)
    raise MeasureError(f"row {row}: {kind} has {label!r}; a label is a text or a whole number")


def owners_of(
    names: Sequence[str], codes: Codes, phenomena: Mapping[str, str] | None
) -> list[str | None]:
    """The phenomenon of each group, or None for each where none were named.

    Args:
        names: the groups.
        codes: group of each row.
        phenomena: phenomenon of each group; may name groups that do not occur.

    Raises:
        MeasureError: a group has none; names its first row.
    """
    if phenomena is None:
        return [None] * len(names)
    for code, name in enumerate(names):
        if name not in phenomena:
            row = int(np.argmax(codes == code))
            raise MeasureError(
                f"row {row}: group {name!r} has no phenomenon: {nearest(name, phenomena)}"
            )
    return [phenomena[name] for name in names]
