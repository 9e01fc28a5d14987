"""What half precision does to verdicts, measured in the run itself, and mended where it matters.

A margin is how far one prediction of an item holds. A random sample of margins is computed in
float32 too. How far these differ says how far the others may; those within a bound of zero are
close, and adaptive runs score their texts in float32.
"""

from __future__ import annotations

import bisect
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from minpairs.benchmarks.schema import Text
from minpairs.benchmarks.suites import Suite
from minpairs.cells import cell_values
from minpairs.errors import MeasureError
from minpairs.measures import Floats, differences
from minpairs.scoring.score import Score

SAMPLE = 300
# Of simulated runs of 10,000 margins, 0.1 % had a wrong verdict with normal errors, 0.9 % with
# Laplace's; a factor of 2 costs a third more, and without raising leaves more with heavy tails.
_FACTOR = 1.5
_CONFIDENCE = 0.99

Rescore = Callable[[Sequence[Text]], Mapping[Text, Score]]


@dataclass(frozen=True, slots=True)
class Precision:
    """The precision of a run's verdicts.

    Attributes:
        dtype: the half precision.
        measure: whose margins were compared.
        margins: number of margins in the run: an item has one for each prediction.
        sample: number of margins computed in float32 at random.
        largest: largest difference between a margin in half and in float32 in the sample.
        bound: margins that are no larger are close: 1.5 times ``largest``, or of the largest that
            was seen, where a margin that was scored again differed by more than the bound.
        exceeding: with 99 % confidence at most this share of margins err by more than ``largest``.
        close: number of margins within ``bound``.
        rescored: number of margins whose verdict is float32's: the sample and, in adaptive runs,
            the close ones.
        seen: largest difference of all margins that were computed in float32.
    """

    dtype: str
    measure: str
    margins: int
    sample: int
    largest: float
    bound: float
    exceeding: float
    close: int
    rescored: int
    seen: float

    def __str__(self) -> str:
        done = (
            f"all of them were scored in float32 (largest difference of the {self.rescored} "
            f"computed in both: {self.seen:.3g})"
            if self.rescored >= self.close
            else "their verdicts are uncertain"
        )
        return (
            f"{self.dtype}: margins ({self.measure}) differ from float32 by at most "
            f"{self.largest:.3g} in {self.sample} random ones (with 99 % confidence by more in "
            f"at most {100 * self.exceeding:.2g} % of all); {self.close} of {self.margins} margins "
            f"are no larger than {self.bound:.3g}, and {done}."
        )


def refine(
    suites: Sequence[Suite],
    half: Mapping[Text, Score],
    rescore: Rescore,
    *,
    dtype: str,
    measure_name: str = "sum",
    sample: int = SAMPLE,
    seed: int = 0,
    adaptive: bool,
) -> Precision:
    """Compares half-precision margins with float32's, and mends close ones in adaptive runs.

    Args:
        suites: the items.
        half: scores of all their texts in half precision.
        rescore: scores texts in float32, and keeps the scores.
        dtype: the half precision.
        measure_name: measure whose margins decide.
        sample: number of random margins to compare; all where there are fewer.
        seed: of the sample.
        adaptive: whether close margins are scored in float32.

    Raises:
        MeasureError: ``sample`` is less than 1.
    """
    if sample < 1:
        raise MeasureError("the precision sample needs at least one margin")
    places = _Places(suites)
    margins = np.abs(_margins(places, range(len(places)), half, None, measure_name))
    exact: dict[Text, Score] = {}

    def errors(chosen: Sequence[int]) -> Floats:
        exact.update(rescore(places.texts(chosen)))
        before = _margins(places, chosen, half, None, measure_name)
        return np.abs(_margins(places, chosen, half, exact, measure_name) - before)

    drawn = random.Random(f"{seed}:precision").sample(range(len(places)), min(sample, len(places)))
    largest = seen = float(errors(sorted(drawn)).max())
    bound = _FACTOR * largest
    mended = set(drawn)
    close = np.flatnonzero(margins <= bound)
    while adaptive and (lacking := sorted(set(close.tolist()) - mended)):
        seen = max(seen, float(errors(lacking).max()))
        mended |= set(lacking)
        if seen > bound:  # the sample was too kind
            bound = _FACTOR * seen
        close = np.flatnonzero(margins <= bound)
    return Precision(
        dtype=dtype,
        measure=measure_name,
        margins=len(places),
        sample=len(drawn),
        largest=largest,
        bound=bound,
        exceeding=-math.expm1(math.log(1 - _CONFIDENCE) / len(drawn)),
        close=len(close),
        rescored=len(mended),
        seen=seen,
    )


class _Places:
    """Where each margin of some suites is: counted over suites, their items, and predictions."""

    def __init__(self, suites: Sequence[Suite]) -> None:
        self._suites = suites
        sizes = [len(suite) * len(suite.design.inequalities) for suite in suites]
        self._ends = list(accumulate(sizes))

    def __len__(self) -> int:
        return self._ends[-1]

    def of(self, margin: int) -> tuple[int, int, int]:
        """Suite, row and prediction of a margin."""
        number = bisect.bisect_right(self._ends, margin)
        before = self._ends[number - 1] if number else 0
        row, prediction = divmod(margin - before, len(self._suites[number].design.inequalities))
        return number, row, prediction

    def texts(self, margins: Sequence[int]) -> list[Text]:
        """What ascending margins are made from, each text once."""
        found: dict[Text, None] = {}
        for items, rows, predictions in self.by_suite(margins):
            groups = items.design.compared()
            weighed = [dict(one.terms).keys() for one in items.design.inequalities]
            cells = [[c for group in groups if own & set(group) for c in group] for own in weighed]
            columns = {cell: items.texts(cell) for cell in items.design.cells}
            for row, prediction in zip(rows, predictions, strict=True):
                found |= dict.fromkeys(columns[cell][row] for cell in cells[prediction])
        return list(found)

    def by_suite(self, margins: Sequence[int]) -> Iterator[tuple[Suite, list[int], list[int]]]:
        """The items of ascending margins, a suite at a time, with each margin's row and prediction.

        Rows count within the items that are given.
        """
        for number, together in groupby(map(self.of, margins), key=itemgetter(0)):
            where = [(row, prediction) for _, row, prediction in together]
            rows = {row: place for place, row in enumerate(dict.fromkeys(row for row, _ in where))}
            suite = self._suites[number]
            items = suite if len(rows) == len(suite) else suite.rows(list(rows))
            yield items, [rows[row] for row, _ in where], [prediction for _, prediction in where]


def _margins(
    places: _Places,
    chosen: Sequence[int],
    half: Mapping[Text, Score],
    exact: Mapping[Text, Score] | None,
    measure_name: str,
) -> Floats:
    """Some margins, ascending, from float32 scores where all that they compare have one."""
    parts = []
    for items, rows, predictions in places.by_suite(chosen):
        values = cell_values([items], half, measure_name, exact)
        parts.append(differences(values, items.design)[rows, predictions])
    joined: NDArray[np.float64] = np.concatenate(parts)
    return joined
