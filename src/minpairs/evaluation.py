"""Accuracies of items by group, by phenomenon and overall, with intervals: the result objects.

An item's group is its paradigm or suite. Overall, two accuracies are kept apart by name: *micro*,
over all items, and *macro*, the unweighted mean over groups, which benchmarks report.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from minpairs.benchmarks.schema import Design
from minpairs.errors import MeasureError, nearest
from minpairs.interactions import (
    Deltas,
    Differences,
    differences_in,
    form_of,
    has_two_orders,
)
from minpairs.labels import Codes, label_codes, owners_of
from minpairs.measures import Floats, Verdicts, differences, verdicts
from minpairs.signature import Signature
from minpairs.statistics import (
    Interval,
    as_released,
    clustered_wilson,
    interval_of_mean,
    shared_cluster_correlation,
    wilson,
)

INTERVALS = ("wilson", "as_released")


@dataclass(frozen=True, slots=True)
class InequalityResult:
    """How often one inequality holds by itself (for interactions: the accuracy in one order).

    Attributes:
        name: of the inequality.
        accuracy: mean credit, ties by the same rule as for items.
        interval: 95 % interval.
        clustered_interval: the same, clustered; None without clusters.
        right: number of items for which it holds strictly.
        ties: number of items for which it is an equality.
        mean_difference: mean over items of left side minus right side.
    """

    name: str
    accuracy: float
    interval: Interval
    clustered_interval: Interval | None
    right: int
    ties: int
    mean_difference: float


@dataclass(frozen=True, slots=True)
class GroupResult:
    """The accuracy of a set of items, or the unweighted mean of several such sets.

    Attributes:
        name: of the paradigm, suite, phenomenon or overall figure.
        accuracy: mean credit; of a mean of groups, the mean of their accuracies.
        interval: 95 % interval.
        clustered_interval: the same, clustered; None without clusters, or where the items of a
            group all lie in one cluster.
        right: number of items for which every inequality holds strictly, whatever ``ties`` says.
        ties: number of tied items.
        n: number of items.
        chance: accuracy expected of scores without information.
        mean_difference: mean over items and inequalities of left side minus right side.
        inequalities: each inequality by itself, in the design's order.
        order_bias: for designs that ask the same of two orders, the share of items that are right
            in one order and wrong in the other; None for other designs.
        deltas: for interactions, what the manipulation costs with the construction and with its
            control, and the distribution of the difference; None for other designs, and for the
            mean of several groups.
        phenomenon: to which a paradigm belongs, if it was said.
        groups: number of groups whose accuracies were averaged; 1 for a set of items.
    """

    name: str
    accuracy: float
    interval: Interval
    clustered_interval: Interval | None
    right: int
    ties: int
    n: int
    chance: float
    mean_difference: float
    inequalities: tuple[InequalityResult, ...]
    order_bias: float | None
    deltas: Deltas | None = None
    phenomenon: str | None = None
    groups: int = 1


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All that is reported of one model's scores on one set of items.

    Attributes:
        design: name of the items' design.
        micro: over all items.
        macro: unweighted mean over groups.
        groups: each group, in the order of its first item.
        phenomena: mean over the paradigms of each phenomenon; empty if none were named.
        ties: the rule for ties: ``strict``, ``half`` or ``paper``.
        interval: how plain intervals were made: ``wilson`` or ``as_released``.
        clusters: number of clusters, if clusters were given.
        signature: how the numbers were made, if known.
        warnings: why the scores should not be believed; see ``suspicions``.
    """

    design: str
    micro: GroupResult
    macro: GroupResult
    groups: tuple[GroupResult, ...]
    phenomena: tuple[GroupResult, ...]
    ties: str
    interval: str
    clusters: int | None
    signature: Signature | None = None
    warnings: tuple[str, ...] = ()

    def group(self, name: str) -> GroupResult:
        """The group of that name.

        Raises:
            MeasureError: there is none; names the nearest.
        """
        found = {group.name: group for group in self.groups}
        if name not in found:
            raise MeasureError(f"no group {name!r}: {nearest(name, found)}")
        return found[name]


@dataclass(frozen=True, slots=True)
class _Items:
    """Judged items: differences of shape (n, k); verdicts over all k and over each alone."""

    design: Design
    differences: Floats
    verdicts: Verdicts
    single: tuple[Verdicts, ...]
    clusters: Codes | None
    interval: str
    deltas: Differences | None = None

    def __getitem__(self, rows: Codes) -> _Items:
        return replace(
            self,
            differences=self.differences[rows],
            verdicts=_rows(self.verdicts, rows),
            single=tuple(_rows(verdict, rows) for verdict in self.single),
            clusters=None if self.clusters is None else self.clusters[rows],
            deltas=None if self.deltas is None else self.deltas[rows],
        )


def evaluate_items(
    values: Mapping[str, ArrayLike],
    design: Design,
    *,
    groups: Sequence[object] | None = None,
    clusters: Sequence[object] | None = None,
    phenomena: Mapping[str, str] | None = None,
    ties: str = "strict",
    interval: str = "wilson",
    signature: Signature | None = None,
    ids: Sequence[object] | None = None,
) -> Evaluation:
    """Judges n items and counts them by group, by phenomenon and overall.

    Args:
        values: measured cells by name, each of shape (n,).
        design: the items' cells and inequalities.
        groups: paradigm or suite of each item; one group named ``all`` by default.
        clusters: what an item shares with others (template, lexical item); the same label in two
            groups is the same cluster.
        phenomena: phenomenon of each group; must name every group if given.
        ties: ``strict``, ``half`` or ``paper``; see ``measures.verdicts``.
        interval: ``wilson``, or ``as_released`` for ±1.96 standard errors.
        signature: kept with the result.
        ids: what to call the items in errors; their rows (from 0) when not given.

    Raises:
        MeasureError: bad values, labels or options; names the row where there is one.
    """
    if interval not in INTERVALS:
        raise MeasureError(f"unknown interval {interval!r}: {nearest(interval, INTERVALS)}")
    margins = differences(values, design, ids)
    n = len(margins)
    names, group_codes = label_codes("groups", groups if groups is not None else ["all"] * n, n)
    cluster_names, cluster_codes = (
        (None, None) if clusters is None else label_codes("clusters", clusters, n)
    )
    if cluster_names is not None and len(cluster_names) < 2:
        raise MeasureError(
            f"clusters: all items lie in one cluster ({cluster_names[0]!r}); "
            "give finer ones (template or lexical item), or none"
        )
    owners = owners_of(names, group_codes, phenomena)
    items = _Items(
        design,
        margins,
        verdicts(margins, ties),
        tuple(verdicts(margins[:, [j]], ties) for j in range(margins.shape[1])),
        cluster_codes,
        interval,
        differences_in(values, design) if form_of(design) else None,
    )
    order = np.argsort(group_codes, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(group_codes))[:-1])
    results = tuple(
        _count(name, items[rows], phenomenon)
        for name, rows, phenomenon in zip(names, parts, owners, strict=True)
    )
    sharing = _Sharing.of(items, group_codes)
    everyone = range(len(names))
    return Evaluation(
        design=design.name,
        micro=_count("micro", items),
        macro=_mean("macro", results, everyone, sharing),
        groups=results,
        phenomena=tuple(
            _mean(phenomenon, results, [i for i in everyone if owners[i] == phenomenon], sharing)
            for phenomenon in dict.fromkeys(owner for owner in owners if owner is not None)
        ),
        ties=ties,
        interval=interval,
        clusters=None if cluster_names is None else len(cluster_names),
        signature=signature,
    )


@dataclass(frozen=True, slots=True)
class _Sharing:
    """Correlations between groups through shared clusters: of items and of each inequality."""

    items: Floats | None
    single: tuple[Floats | None, ...]

    @classmethod
    def of(cls, items: _Items, groups: Codes) -> _Sharing:
        clusters = items.clusters
        if clusters is None:
            return cls(None, (None,) * len(items.single))
        return cls(
            shared_cluster_correlation(items.verdicts.credit, groups, clusters),
            tuple(
                shared_cluster_correlation(verdict.credit, groups, clusters)
                for verdict in items.single
            ),
        )


def _count(name: str, items: _Items, phenomenon: str | None = None) -> GroupResult:
    accuracy, interval, clustered = _accuracy(items.verdicts, items)
    inequalities = []
    for j, (inequality, verdict) in enumerate(
        zip(items.design.inequalities, items.single, strict=True)
    ):
        single_accuracy, single_interval, single_clustered = _accuracy(verdict, items)
        inequalities.append(
            InequalityResult(
                name=inequality.name,
                accuracy=single_accuracy,
                interval=single_interval,
                clustered_interval=single_clustered,
                right=int(verdict.right.sum()),
                ties=int(verdict.tied.sum()),
                mean_difference=float(items.differences[:, j].mean()),
            )
        )
    return GroupResult(
        name=name,
        accuracy=accuracy,
        interval=interval,
        clustered_interval=clustered,
        right=int(items.verdicts.right.sum()),
        ties=int(items.verdicts.tied.sum()),
        n=len(items.differences),
        chance=items.design.chance,
        mean_difference=float(items.differences.mean()),
        inequalities=tuple(inequalities),
        order_bias=_order_bias(items),
        deltas=None if items.deltas is None else items.deltas.summary(items.clusters),
        phenomenon=phenomenon,
    )


def _accuracy(verdict: Verdicts, items: _Items) -> tuple[float, Interval, Interval | None]:
    credit = verdict.credit
    accuracy = float(credit.mean())
    plain = wilson if items.interval == "wilson" else as_released
    clustered = None
    if items.clusters is not None and (items.clusters != items.clusters[0]).any():
        clustered = clustered_wilson(credit, items.clusters)
    return accuracy, plain(accuracy, len(credit)), clustered


def _order_bias(items: _Items) -> float | None:
    """The share of items whose two orders get opposite verdicts."""
    if not has_two_orders(items.design):
        return None
    first, second = items.differences.T
    return float((first * second < 0).mean())


def _mean(
    name: str, results: Sequence[GroupResult], members: Iterable[int], sharing: _Sharing
) -> GroupResult:
    indices = list(members)
    chosen = [results[i] for i in indices]
    accuracy, interval, clustered = _mean_accuracy(chosen, sharing.items, indices)
    inequalities = []
    for j, first in enumerate(chosen[0].inequalities):
        singles = [result.inequalities[j] for result in chosen]
        single_accuracy, single_interval, single_clustered = _mean_accuracy(
            singles, sharing.single[j], indices
        )
        inequalities.append(
            InequalityResult(
                name=first.name,
                accuracy=single_accuracy,
                interval=single_interval,
                clustered_interval=single_clustered,
                right=sum(single.right for single in singles),
                ties=sum(single.ties for single in singles),
                mean_difference=_average([single.mean_difference for single in singles]),
            )
        )
    biases = [result.order_bias for result in chosen if result.order_bias is not None]
    return GroupResult(
        name=name,
        accuracy=accuracy,
        interval=interval,
        clustered_interval=clustered,
        right=sum(result.right for result in chosen),
        ties=sum(result.ties for result in chosen),
        n=sum(result.n for result in chosen),
        chance=chosen[0].chance,
        mean_difference=_average([result.mean_difference for result in chosen]),
        inequalities=tuple(inequalities),
        order_bias=_average(biases) if biases else None,
        groups=len(chosen),
    )


def _mean_accuracy(
    results: Sequence[GroupResult] | Sequence[InequalityResult],
    correlation: Floats | None,
    indices: list[int],
) -> tuple[float, Interval, Interval | None]:
    accuracies = [result.accuracy for result in results]
    plain = interval_of_mean(accuracies, [result.interval for result in results])
    clustered = [r.clustered_interval for r in results if r.clustered_interval is not None]
    mean = _average(accuracies)
    if len(clustered) < len(results):
        return mean, plain, None
    part = None if correlation is None else correlation[np.ix_(indices, indices)]
    return mean, plain, interval_of_mean(accuracies, clustered, part)


def _average(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _rows(verdict: Verdicts, rows: Codes) -> Verdicts:
    return Verdicts(verdict.right[rows], verdict.tied[rows], verdict.credit[rows])
