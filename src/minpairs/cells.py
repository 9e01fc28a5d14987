"""Items' cells looked up among scores, and measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from minpairs.benchmarks.schema import Text
from minpairs.benchmarks.suites import Suite
from minpairs.errors import ResultsError
from minpairs.interactions import Differences, differences_in
from minpairs.measures import Floats, Scores, measure
from minpairs.scoring.score import Score

if TYPE_CHECKING:
    from minpairs.results import Run


class Lookup(Protocol):
    """Scores by text."""

    def get(self, text: Text, /) -> Score | None:
        """The score of a text, if it is there."""


def cell_values(
    suites: Sequence[Suite], scores: Lookup, measure_name: str, exact: Lookup | None = None
) -> dict[str, Floats]:
    """Each cell of all items of some suites of one design, measured: arrays of shape ``(n,)``.

    Args:
        suites: the items.
        scores: where their texts' scores are.
        measure_name: a key of ``measures.MEASURES``.
        exact: scores of higher precision; see :func:`item_scores`.

    Raises:
        ResultsError: a text was not scored.
        MeasureError: the measure needs what was not recorded.
    """
    return measured(suites, cell_scores(suites, scores, exact), measure_name)


def cell_scores(
    suites: Sequence[Suite], scores: Lookup, exact: Lookup | None = None
) -> dict[str, Scores]:
    """What was recorded of each cell of all items; see :func:`cell_values`."""
    found = [_suite_scores(suite, scores, exact) for suite in suites]
    return {
        cell: _columns([score for of_suite in found for score in of_suite[cell]])
        for cell in suites[0].design.cells
    }


def measured(
    suites: Sequence[Suite], recorded: Mapping[str, Scores], measure_name: str
) -> dict[str, Floats]:
    """The recorded cells measured; an item at fault is named after its suite and row."""
    names = item_names(suites)
    return {
        cell: measure(measure_name, scores, [f"{name}:{cell}" for name in names])
        for cell, scores in recorded.items()
    }


def item_names(suites: Sequence[Suite]) -> list[str]:
    """``benchmark.config:row`` of each item."""
    return [f"{suite.name}:{row}" for suite in suites for row in range(len(suite))]


def differences_of(run: Run, suite: Suite, measure_name: str = "slor") -> Differences:
    """ΔS of every item of a run's suite, with the construction and with its control.

    Raises:
        ResultsError: a text was not scored.
        MeasureError: the suite is no interaction, or the measure needs what was not recorded.
    """
    values = cell_values([suite], run.scores, measure_name, run.exact)
    return differences_in(values, suite.design)


def item_scores(
    item: Mapping[str, Text],
    compared: Sequence[Sequence[str]],
    scores: Lookup,
    exact: Lookup | None = None,
) -> dict[str, Score | None]:
    """The score of each cell of an item, ``None`` where there is none.

    Args:
        item: text of each cell.
        compared: ``Design.compared()`` of its design.
        scores: where they are.
        exact: scores of higher precision, taken where all cells that are compared with each other
            have one: two cells of different precision are not comparable.
    """
    found = {cell: scores.get(text) for cell, text in item.items()}
    if exact is None:
        return found
    for group in compared:
        refined = {cell: exact.get(item[cell]) for cell in group}
        if None not in refined.values():
            found |= refined
    return found


def _suite_scores(
    suite: Suite, scores: Lookup, exact: Lookup | None
) -> Mapping[str, Sequence[Score]]:
    texts = {cell: suite.texts(cell) for cell in suite.design.cells}
    compared = suite.design.compared()
    found: dict[str, list[Score]] = {cell: [] for cell in texts}
    for row in range(len(suite)):
        item = {cell: texts[cell][row] for cell in texts}
        for cell, score in item_scores(item, compared, scores, exact).items():
            if score is None:
                raise ResultsError(
                    f"{suite.name}, row {row}, cell {cell!r} has no score; "
                    "run the same `minpairs score` command again to finish it"
                )
            found[cell].append(score)
    return found


def _columns(scores: Sequence[Score]) -> Scores:
    return Scores(
        logprob=np.array([score.logprob for score in scores], dtype=np.float64),
        tokens=np.array([score.tokens for score in scores], dtype=np.float64),
        words=np.array([score.words for score in scores], dtype=np.float64),
        characters=np.array([score.characters for score in scores], dtype=np.float64),
        unigram_logprob=_optional([score.unigram_logprob for score in scores]),
        all_tokens=_optional([score.all_tokens for score in scores]),
        all_unigram_logprob=_optional([score.all_unigram_logprob for score in scores]),
    )


def _optional(numbers: Sequence[float | None]) -> Floats | None:
    """A column that is there for all texts or counts as not recorded."""
    return None if None in numbers else np.array(numbers, dtype=np.float64)
