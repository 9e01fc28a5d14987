"""Items, cells and predictions: an item is a set of named texts, a prediction a linear inequality.

A minimal pair has two cells and predicts ``acceptable > unacceptable``. A let-alone item has eight
cells (two orders of a 2x2) and predicts, for each order, that the manipulation costs more with the
construction than with its control. BLiMP, AANN, COMPS and SyntaxGym suites are of the same form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from minpairs.errors import MeasureError

_TERM = re.compile(r"([+-]?)\s*(?:(\d+(?:\.\d+)?)\s*\*\s*)?([A-Za-z_]\w*)\s*")


def _linear(name: str, formula: str, side: str) -> list[tuple[str, float]]:
    terms: list[tuple[str, float]] = []
    position = 0
    text = side.strip()
    if text == "0":
        return terms
    while position < len(text):
        match = _TERM.match(text, position)
        if match is None or (terms and not match.group(1)):
            raise MeasureError(
                f"prediction {name!r}: cannot read {text[position:]!r} in {formula!r}"
            )
        sign, size, cell = match.groups()
        terms.append((cell, (-1.0 if sign == "-" else 1.0) * float(size or 1)))
        position = match.end()
    if not terms:
        raise MeasureError(f"prediction {name!r}: one side of {formula!r} is empty")
    return terms


def holds_items(config: str) -> bool:
    """Whether a config of a benchmark is a suite of items.

    ``corpus.*`` and ``unigrams.*`` hold a training text and its token counts, as ``minpairs
    filter`` writes them.
    """
    return not config.startswith(("corpus.", "unigrams."))


class Text(NamedTuple):
    """What a model scores: the log-probability of ``continuation`` after ``context``.

    The two are joined as they stand; nothing is added between them.
    """

    continuation: str
    context: str = ""


@dataclass(frozen=True, slots=True)
class Inequality:
    """``sum(coefficient * score(cell)) > 0``; ``terms`` maps cell names to coefficients."""

    name: str
    terms: tuple[tuple[str, float], ...]

    @classmethod
    def parse(cls, name: str, formula: str) -> Inequality:
        """Reads ``"a - b > c - d"``: cell names with ``+``, ``-``, ``2 *``, and one ``>`` or ``<``.

        Raises:
            MeasureError: the formula is not a linear inequality over cell names.
        """
        sides = re.split(r"[<>]", formula)
        if len(sides) != 2:
            raise MeasureError(f"prediction {name!r}: {formula!r} needs exactly one '>' or '<'")
        left, right = (_linear(name, formula, side) for side in sides)
        sign = 1.0 if ">" in formula else -1.0
        terms: dict[str, float] = {}
        for side, weight in ((left, sign), (right, -sign)):
            for cell, coefficient in side:
                terms[cell] = terms.get(cell, 0.0) + weight * coefficient
        return cls(name, tuple((cell, value) for cell, value in terms.items() if value))

    def __str__(self) -> str:
        parts = []
        for cell, value in self.terms:
            size = "" if abs(value) == 1 else f"{abs(value):g} * "
            parts.append(f"{'-' if value < 0 else '+'} {size}{cell}")
        return " ".join(parts).removeprefix("+ ") + " > 0"


@dataclass(frozen=True, slots=True)
class Design:
    """The form of a suite's items.

    Attributes:
        name: ``minimal_pair``, ``interaction`` or a suite's own.
        cells: names of the texts each item has.
        inequalities: an item is right when every one of them holds strictly.
        chance: accuracy expected of scores without information.
    """

    name: str
    cells: tuple[str, ...]
    inequalities: tuple[Inequality, ...]
    chance: float

    def __post_init__(self) -> None:
        known = set(self.cells)
        for inequality in self.inequalities:
            for cell, _ in inequality.terms:
                if cell not in known:
                    raise MeasureError(
                        f"prediction {inequality.name!r} of design {self.name!r} names cell "
                        f"{cell!r}, but items have {', '.join(self.cells)}"
                    )

    def compared(self) -> tuple[tuple[str, ...], ...]:
        """Cells that some inequality compares, directly or through others, group by group.

        An interaction's two orders are two groups; a cell that is in no inequality is its own.
        """
        group_of = {cell: {cell} for cell in self.cells}
        for inequality in self.inequalities:
            joined = set().union(*(group_of[cell] for cell, _ in inequality.terms))
            group_of |= dict.fromkeys(joined, joined)
        groups = (tuple(c for c in self.cells if c in group) for group in group_of.values())
        return tuple(dict.fromkeys(groups))


def interaction(
    construction: str = "let_alone",
    control: str = "and",
    orders: tuple[str, ...] = ("base", "swapped"),
) -> Design:
    """The 2x2 of the let-alone study, for each order of the two focus phrases.

    The manipulation must cost more with the construction than with the control (paper, section 3:
    ΔSLOR(construction) > ΔSLOR(control)); with both orders required, chance is 1/2 per order.
    """
    cells: list[str] = []
    inequalities = []
    for order in orders:
        for conjunction in (construction, control):
            cells += [f"{order}_{conjunction}", f"{order}_{conjunction}_manipulated"]
        inequalities.append(
            Inequality.parse(
                order,
                f"{order}_{construction} - {order}_{construction}_manipulated"
                f" > {order}_{control} - {order}_{control}_manipulated",
            )
        )
    return Design("interaction", tuple(cells), tuple(inequalities), 0.5 ** len(orders))


MINIMAL_PAIR = Design(
    "minimal_pair",
    ("acceptable", "unacceptable"),
    (Inequality.parse("acceptability", "acceptable > unacceptable"),),
    0.5,
)
INTERACTION = interaction()


def designs() -> Mapping[str, Design]:
    """The designs that templates may name."""
    return {design.name: design for design in (MINIMAL_PAIR, INTERACTION)}
