"""What half precision does to verdicts, measured in the run itself, and mended where it matters.

A random sample of items is scored in float32 too. How far their margins differ says how far the
others' may; items whose margin is within twice the largest difference seen are close, and adaptive
runs score them in float32.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minpairs.benchmarks.schema import Design, Text
from minpairs.benchmarks.suites import Suite
from minpairs.cells import cell_values
from minpairs.errors import MeasureError
from minpairs.measures import Floats, differences
from minpairs.scoring.score import Score

SAMPLE = 300
_FACTOR = 2.0
_CONFIDENCE = 0.99

Rescore = Callable[[Sequence[Text]], Mapping[Text, Score]]


@dataclass(frozen=True, slots=True)
class Precision:
    """The precision of a run's verdicts.

    Attributes:
        dtype: the half precision.
        measure: whose margins were compared.
        items: number of items in the run.
        sample: number of items scored in float32 at random.
        largest: largest difference between a margin in half and in float32 in the sample.
        bound: twice that: items with a smaller margin are close.
        exceeding: with 99 % confidence at most this share of margins err by more than ``largest``.
        close: number of items with a margin within ``bound``.
        rescored: number of items whose verdict is float32's: the sample and, in adaptive runs, the
            close ones.
    """

    dtype: str
    measure: str
    items: int
    sample: int
    largest: float
    bound: float
    exceeding: float
    close: int
    rescored: int

    def __str__(self) -> str:
        done = (
            "all of them were scored in float32"
            if self.rescored >= self.close
            else "their verdicts are uncertain"
        )
        return (
            f"{self.dtype}: margins ({self.measure}) differ from float32 by at most "
            f"{self.largest:.3g} in {self.sample} random items (with 99 % confidence by more in "
            f"at most {100 * self.exceeding:.2g} % of all); {self.close} of {self.items} items "
            f"have a margin within twice that, and {done}."
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
    """Compares half-precision scores with float32's, and mends close items in adaptive runs.

    Args:
        suites: the items.
        half: scores of all their texts in half precision.
        rescore: scores texts in float32, and keeps the scores.
        dtype: the half precision.
        measure_name: measure whose margins decide.
        sample: number of random items to compare; all where there are fewer.
        seed: of the sample.
        adaptive: whether close items are scored in float32.

    Raises:
        MeasureError: ``sample`` is less than 1.
    """
    if sample < 1:
        raise MeasureError("the precision sample needs at least one item")
    items = sum(map(len, suites))
    margins = _margins(suites, half, measure_name)
    drawn = random.Random(f"{seed}:precision").sample(range(items), min(sample, items))
    sampled = _taken(suites, sorted(drawn))
    exact = rescore(_texts(sampled))
    errors = np.abs(
        _margins(sampled, exact, measure_name, smallest=False)
        - _margins(sampled, half, measure_name, smallest=False)
    )
    largest = float(errors.max())
    close = np.flatnonzero(margins <= _FACTOR * largest)
    mended = set(drawn)
    if adaptive:
        rescore(_texts(_taken(suites, close.tolist())))
        mended |= set(close.tolist())
    return Precision(
        dtype=dtype,
        measure=measure_name,
        items=items,
        sample=len(drawn),
        largest=largest,
        bound=_FACTOR * largest,
        exceeding=-math.expm1(math.log(1 - _CONFIDENCE) / len(drawn)),
        close=len(close),
        rescored=len(mended),
    )


def _margins(
    suites: Sequence[Suite], scores: Mapping[Text, Score], measure_name: str, smallest: bool = True
) -> Floats:
    """Each item's smallest absolute difference, or all its differences, in the order of items."""
    parts: list[Floats] = []
    for design, together in _by_design(suites):
        values = cell_values(together, scores, measure_name)
        found = differences(values, design)
        parts.append(np.abs(found).min(axis=1) if smallest else found.ravel())
    joined: NDArray[np.float64] = np.concatenate(parts)
    return joined


def _by_design(suites: Sequence[Suite]) -> Iterable[tuple[Design, list[Suite]]]:
    """Neighbouring suites of one design, so that the order of items is kept."""
    together: list[Suite] = []
    for suite in suites:
        if together and suite.design != together[0].design:
            yield together[0].design, together
            together = []
        together.append(suite)
    if together:
        yield together[0].design, together


def _taken(suites: Sequence[Suite], indices: Sequence[int]) -> list[Suite]:
    """Some items, by their index over all suites; in the order of the suites."""
    taken = []
    start = 0
    chosen = set(indices)
    for suite in suites:
        rows = [row for row in range(len(suite)) if start + row in chosen]
        if rows:
            taken.append(suite.rows(rows))
        start += len(suite)
    return taken


def _texts(suites: Sequence[Suite]) -> list[Text]:
    return list(dict.fromkeys(text for suite in suites for text in suite.every_text()))
