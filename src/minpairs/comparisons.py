"""Models compared in pairs on the same items: McNemar's exact test, Holm's correction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from minpairs.benchmarks.suites import Suite
from minpairs.judgements import Judgement
from minpairs.labels import label_codes
from minpairs.measures import Floats
from minpairs.statistics import Codes, Interval, McNemar, holm, mcnemar, mean_interval

ALL = "all items"
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two models on the items that both were judged on.

    Attributes:
        first: one model.
        second: the other.
        items: which items: a suite, or ``all items``.
        n: how many items both have.
        first_accuracy: of the first model on these items.
        second_accuracy: of the second.
        interval: 95 % interval of first less second, clustered where items share material; None
            where it cannot be had (one item or cluster).
        test: McNemar's exact test.
        adjusted: its p-value after Holm's correction for all comparisons made together.
    """

    first: str
    second: str
    items: str
    n: int
    first_accuracy: float
    second_accuracy: float
    interval: Interval | None
    test: McNemar
    adjusted: float

    @property
    def difference(self) -> float:
        """First less second; positive: the first model is right more often."""
        return self.first_accuracy - self.second_accuracy


def compare_models(judgements: Mapping[str, Judgement]) -> list[Comparison]:
    """Every pair of models on one benchmark.

    Items are the same when their texts are, white space apart (word-segmented items are the same
    items). Interactions are compared suite by suite, as what is predicted differs between them;
    minimal pairs over all items.

    Args:
        judgements: of one benchmark, by model; all of one design.

    Returns:
        Comparisons of pairs that share items, the p-values corrected for their number.
    """
    if len(judgements) < 2:
        return []
    parts = {model: _by_scope(judgement) for model, judgement in judgements.items()}
    found = []
    for (first, left), (second, right) in combinations(parts.items(), 2):
        for scope in left:
            if scope in right:
                found.append((first, second, scope, *_align(left[scope], right[scope])))
    pairs = [pair for pair in found if len(pair[3])]
    tests = [mcnemar(a, b) for _, _, _, a, b, _ in pairs]
    adjusted = holm([test.p_value for test in tests])
    return [
        Comparison(
            first,
            second,
            scope,
            len(a),
            float(a.mean()),
            float(b.mean()),
            _of_accuracies(mean_interval(a - b, clusters)),
            test,
            p,
        )
        for (first, second, scope, a, b, clusters), test, p in zip(
            pairs, tests, adjusted, strict=True
        )
    ]


@dataclass(frozen=True, slots=True)
class _Items:
    """Credits of one model's items, by the items' texts."""

    keys: Sequence[Key]
    credit: Floats
    clusters: Sequence[str] | None


def _by_scope(judgement: Judgement) -> dict[str, _Items]:
    """The items of each suite, or all together for designs of a single prediction."""
    separate = len(judgement.design.inequalities) > 1
    scopes: dict[str, list[tuple[Suite, int]]] = {}
    start = 0
    for suite in judgement.suites:
        scopes.setdefault(suite.config if separate else ALL, []).append((suite, start))
        start += len(suite)
    return {
        scope: _Items(
            [key for suite, _ in members for key in _keys(suite)],
            np.concatenate([judgement.credit[at : at + len(suite)] for suite, at in members]),
            _clusters([suite for suite, _ in members]),
        )
        for scope, members in scopes.items()
    }


def _keys(suite: Suite) -> list[Key]:
    columns = [
        ["".join(f"{text.context}\t{text.continuation}".split(" ")) for text in suite.texts(cell)]
        for cell in suite.design.cells
    ]
    seen: Counter[Key] = Counter()
    keys = []
    for texts in zip(*columns, strict=True):
        key = (suite.config, *texts)
        seen[key] += 1
        keys.append((*key, str(seen[key])))  # an item that comes twice is two items
    return keys


def _clusters(suites: Sequence[Suite]) -> list[str] | None:
    labels = [suite.labels("cluster") for suite in suites]
    if any(column is None for column in labels):
        return None
    return [label for column in labels if column for label in column]


def _align(left: _Items, right: _Items) -> tuple[Floats, Floats, Codes | None]:
    """The credits of the items that both have, in the left model's order, and their clusters."""
    place = {key: row for row, key in enumerate(right.keys)}
    rows = [(row, place[key]) for row, key in enumerate(left.keys) if key in place]
    mine = np.array([row for row, _ in rows], dtype=np.intp)
    theirs = np.array([row for _, row in rows], dtype=np.intp)
    clusters = None
    if left.clusters is not None and rows:
        labels = [left.clusters[row] for row in mine]
        clusters = label_codes("clusters", labels, len(labels))[1]
    return left.credit[mine], right.credit[theirs], clusters


def _of_accuracies(interval: Interval | None) -> Interval | None:
    """No difference of accuracies is beyond one, whatever few clusters allow for."""
    if interval is None:
        return None
    return Interval(max(interval.low, -1.0), min(interval.high, 1.0))
