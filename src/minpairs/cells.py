"""Items' cells looked up among scores, and measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from minpairs.benchmarks.schema import Text
from minpairs.benchmarks.suites import Suite
from minpairs.errors import ResultsError
from minpairs.measures import Floats, Scores, measure
from minpairs.scoring.score import Score


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
        exact: scores of higher precision, taken for items all of whose texts are there: two cells
            of different precision would not be comparable.

    Raises:
        ResultsError: a text was not scored.
        MeasureError: the measure needs what was not recorded.
    """
    found = [_suite_scores(suite, scores, exact) for suite in suites]
    names = [f"{suite.name}:{row}" for suite in suites for row in range(len(suite))]
    return {
        cell: measure(
            measure_name,
            _columns([score for of_suite in found for score in of_suite[cell]]),
            [f"{name}:{cell}" for name in names],
        )
        for cell in suites[0].design.cells
    }


def _suite_scores(
    suite: Suite, scores: Lookup, exact: Lookup | None
) -> Mapping[str, Sequence[Score]]:
    texts = {cell: suite.texts(cell) for cell in suite.design.cells}
    found: dict[str, list[Score]] = {cell: [] for cell in texts}
    for row in range(len(suite)):
        item = {cell: texts[cell][row] for cell in texts}
        refined = {cell: exact.get(text) for cell, text in item.items()} if exact else {}
        chosen = (
            refined
            if refined and None not in refined.values()
            else {cell: scores.get(text) for cell, text in item.items()}
        )
        for cell, score in chosen.items():
            if score is None:
                raise ResultsError(
                    f"{suite.name}, row {row}, cell {cell!r} has no score; "
                    "run the same `minpairs score` command again to finish it"
                )
            found[cell].append(score)
    return found


def _columns(scores: Sequence[Score]) -> Scores:
    unigrams = [score.unigram_logprob for score in scores]
    return Scores(
        logprob=np.array([score.logprob for score in scores], dtype=np.float64),
        tokens=np.array([score.tokens for score in scores], dtype=np.float64),
        words=np.array([score.words for score in scores], dtype=np.float64),
        characters=np.array([score.characters for score in scores], dtype=np.float64),
        unigram_logprob=None if None in unigrams else np.array(unigrams, dtype=np.float64),
    )
