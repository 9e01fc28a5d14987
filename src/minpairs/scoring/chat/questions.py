"""From items to questions: two cells of an item as choices A and B, and which of them fits."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Literal, get_args

from minpairs.benchmarks.schema import Design
from minpairs.benchmarks.suites import Suite
from minpairs.errors import MeasureError, SuiteError

Letter = Literal["A", "B"]
LETTERS: tuple[Letter, ...] = get_args(Letter)


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two cells between which a model chooses.

    Attributes:
        name: of the prediction: for interactions the order of the focus phrases.
        construction: whose cells they are, as speakers write it; None for other designs.
        control: whether these are an interaction's control, where neither choice contradicts.
        fits: the cell that is predicted to be chosen.
        other: the other cell.
    """

    name: str
    construction: str | None
    control: bool
    fits: str
    other: str


@dataclass(frozen=True, slots=True)
class Question:
    """One request: a text and two choices, or two sentences.

    Attributes:
        suite: name of the suite.
        row: of the item in the suite, from 0.
        contrast: what is contrasted.
        fits: the letter under which the fitting choice stands.
        text: what the choices follow; None where they are whole sentences.
        a: choice A.
        b: choice B.
    """

    suite: str
    row: int
    contrast: Contrast
    fits: Letter
    text: str | None
    a: str
    b: str

    @property
    def construction(self) -> str | None:
        """The construction, as speakers write it."""
        return self.contrast.construction

    @property
    def key(self) -> str:
        """Hash of all that decides the prompt (under one template); equal questions are one."""
        content = json.dumps([self.construction, self.text, self.a, self.b])
        return hashlib.sha256(content.encode()).hexdigest()[:24]


def contrasts(design: Design) -> list[Contrast]:
    """The pairs of cells that a design's predictions compare.

    ``a > b`` is one pair; an interaction ``a - b > c - d`` is two, of which the second is the
    control.

    Raises:
        MeasureError: a prediction is of neither form.
    """
    found = []
    for inequality in design.inequalities:
        better = [cell for cell, weight in inequality.terms if weight == 1]
        worse = [cell for cell, weight in inequality.terms if weight == -1]
        if len(better) + len(worse) != len(inequality.terms) or len(better) != len(worse):
            raise MeasureError(
                f"prediction {inequality.name!r} of design {design.name!r} ({inequality}) is no "
                "choice between two cells; a chat model can be asked about a > b and a - b > c - d"
            )
        pairs = [(better[0], worse[0])]
        if len(better) == 2:
            pairs.append((worse[1], better[1]))
        elif len(better) > 2:
            raise MeasureError(
                f"prediction {inequality.name!r} of design {design.name!r} compares "
                f"{len(inequality.terms)} cells; a chat model chooses between two"
            )
        for position, (fits, other) in enumerate(pairs):
            found.append(
                Contrast(
                    inequality.name,
                    _construction(fits, inequality.name) if len(pairs) == 2 else None,
                    position == 1,
                    fits,
                    other,
                )
            )
    return found


def questions(suite: Suite, *, control: bool = True) -> list[Question]:
    """Every question about a suite: item by item, each contrast in both choice orders.

    Args:
        suite: the items.
        control: also ask about an interaction's control.

    Raises:
        MeasureError: the design's predictions are no choices between two cells.
        SuiteError: the two choices are the same, or follow different contexts.
    """
    wanted = [c for c in contrasts(suite.design) if control or not c.control]
    cells = {cell: suite.texts(cell) for c in wanted for cell in (c.fits, c.other)}
    found = []
    for row in range(len(suite)):
        for contrast in wanted:
            fits, other = cells[contrast.fits][row], cells[contrast.other][row]
            place = f"{suite.name}, row {row}: cells {contrast.fits!r} and {contrast.other!r}"
            if fits.context != other.context:
                raise SuiteError(
                    f"{place} have different contexts, so they are no choice after one"
                )
            first, second = fits.continuation.strip(), other.continuation.strip()
            if first == second:
                raise SuiteError(f"{place} are the same text, so there is nothing to choose")
            text = fits.context.strip() or None
            for letter in LETTERS:
                a, b = (first, second) if letter == "A" else (second, first)
                found.append(Question(suite.name, row, contrast, letter, text, a, b))
    return found


def _construction(cell: str, order: str) -> str:
    return cell.removeprefix(f"{order}_").replace("_", " ")
