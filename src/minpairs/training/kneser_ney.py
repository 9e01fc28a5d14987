"""Interpolated modified Kneser-Ney smoothing, as KenLM's ``lmplz`` estimates it.

Chen & Goodman (1998), with the interpolation of Heafield et al. (2013). All arrays: an n-gram of
order ``n`` is a row of a table, and names its first and its last ``n - 1`` units by their rows in
the table below, so that counting is sorting integers, and smoothing is three lookups.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minpairs.training.errors import CorpusError
from minpairs.training.vocabulary import BEGINNING, CodedCorpus

MAX_ORDER = 6  # KenLM's own limit, as it is commonly built
FALLBACK = (0.5, 1.0, 1.5)  # lmplz --discount_fallback

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Discounts:
    """What is taken from n-grams of an order.

    Attributes:
        amounts: from adjusted counts of one, two, and three or more.
        estimated: False where the corpus is too small to tell, and ``FALLBACK`` was used.
    """

    amounts: tuple[float, float, float]
    estimated: bool


@dataclass(frozen=True, slots=True)
class Table:
    """The n-grams of one order, sorted by context and then by last unit.

    Attributes:
        context: row of the first ``n - 1`` units in the table below (for unigrams 0).
        unit: number of the last unit.
        suffix: row of the last ``n - 1`` units in the table below (for unigrams 0).
        log10_prob: base-10 log-probability of the last unit after the others; float32.
        log10_backoff: base-10 back-off weight; float32; 0 for the highest order.
        discounts: what was taken from the counts.
    """

    context: Ints
    unit: Ints
    suffix: Ints
    log10_prob: NDArray[np.float32]
    log10_backoff: NDArray[np.float32]
    discounts: Discounts

    def __len__(self) -> int:
        return len(self.unit)


@dataclass(frozen=True, slots=True)
class KneserNey:
    """A back-off model.

    Attributes:
        vocabulary: the unit of each number.
        tables: its n-grams, unigrams first; a unigram's row is its unit's number.
    """

    vocabulary: tuple[str, ...]
    tables: tuple[Table, ...]

    @property
    def order(self) -> int:
        """Units of the longest n-grams."""
        return len(self.tables)


@dataclass(slots=True)
class _Counts:
    """N-grams of one order, with adjusted counts (raw ones for the highest order)."""

    context: Ints
    unit: Ints
    suffix: Ints
    adjusted: Ints
    of_counts: NDArray[np.int64]  # how many have adjusted count 0, 1, 2, 3, 4


def estimate(corpus: CodedCorpus, order: int) -> KneserNey:
    """Estimates a model of one to six units.

    At order 5 the peak is about 70 bytes a token (10 million tokens of 22 million n-grams: 0.7 GB).

    Args:
        corpus: sentences from ``<s>`` to ``</s>``.
        order: units of the longest n-grams.

    Raises:
        CorpusError: the order is out of range, or no sentence is as long.
    """
    if not 1 <= order <= MAX_ORDER:
        raise CorpusError(f"order {order}: choose 1 to {MAX_ORDER}")
    counts = _count(corpus, order)
    tables: list[Table] = []
    lower: Floats = np.full(1, 1 / (len(corpus.vocabulary) - 1))  # all units but <s>
    for level in counts:
        discounts = _discounts(level.of_counts)
        lower, weights = _interpolate(level, discounts, lower)
        if tables:
            # What a context leaves to lower orders is its back-off weight, stored with it.
            tables[-1].log10_backoff[:] = _log10(weights)
        else:
            lower[BEGINNING] = 1.0  # never predicted: KenLM gives it probability one
        tables.append(
            Table(
                level.context,
                level.unit,
                level.suffix,
                np.minimum(_log10(lower), np.float32(0)),
                np.zeros(len(lower), dtype=np.float32),
                discounts,
            )
        )
        level.adjusted = np.empty(0, dtype=np.int32)  # no longer needed: memory
    return KneserNey(corpus.vocabulary, tuple(tables))


def _count(corpus: CodedCorpus, order: int) -> list[_Counts]:
    ids = corpus.ids
    size = len(corpus.vocabulary)
    levels = []
    here: Ints = ids  # at each place, the row of the n-gram that ends there; -1: none
    raw = np.bincount(ids, minlength=size).astype(np.int32)
    raw[BEGINNING] = 0  # given, never predicted
    zeros = np.zeros(size, dtype=np.int32)
    level = _Counts(zeros, np.arange(size, dtype=np.int32), zeros, raw, np.zeros(5, dtype=np.int64))
    starts = np.arange(size) == BEGINNING  # n-grams that begin with <s>: nothing can precede them
    last = _last_place(ids, order)
    for n in range(2, order + 1):
        below_raw, below_here = raw, here
        above, raw, here = _extend(ids, below_here, size)
        if not len(above.unit):
            raise CorpusError(
                f"no sentence has {n} units, with <s> and </s>: choose an order below {n}"
            )
        # Adjusted: how many different units precede. What begins with <s> keeps its raw count.
        preceded = np.bincount(above.suffix, minlength=len(level.unit)).astype(np.int32)
        level.adjusted = np.where(starts, below_raw, preceded)
        level.of_counts = _counts_of(level, below_raw, below_here[last])
        levels.append(level)
        level, starts = above, starts[above.context]
    level.adjusted = raw
    level.of_counts = _counts_of(level, raw, -1)
    levels.append(level)
    return levels


def _extend(ids: Ints, here: Ints, size: int) -> tuple[_Counts, Ints, Ints]:
    """The n-grams one unit longer than those that end ``here``, their counts, and places."""
    places = np.flatnonzero((here[:-1] >= 0) & (ids[1:] != BEGINNING)) + 1
    keys = here[places - 1].astype(np.int64) * size + ids[places]
    ordering = np.argsort(keys)
    keys = keys[ordering]
    first = np.empty(len(keys), dtype=np.bool_)
    first[:1] = True
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    rows = np.empty(len(keys), dtype=np.int32)
    rows[ordering] = np.cumsum(first, dtype=np.int32) - 1
    longer = np.full(len(ids), -1, dtype=np.int32)
    longer[places] = rows
    distinct = keys[first]
    level = _Counts(
        (distinct // size).astype(np.int32),
        (distinct % size).astype(np.int32),
        here[places[ordering[first]]],
        np.empty(0, dtype=np.int32),
        np.zeros(5, dtype=np.int64),
    )
    raw = np.diff(np.append(np.flatnonzero(first), len(keys))).astype(np.int32)
    return level, raw, longer


def _last_place(ids: Ints, order: int) -> int:
    """Where the n-gram ends that comes last when n-grams are sorted from their last unit back."""
    places = np.flatnonzero(ids == ids.max())
    for back in range(1, order):
        units = ids[places - back]
        places = places[units == units.max()]
        if len(places) == 1 or units.max() == BEGINNING:
            break  # found, or all are the same up to the beginning of their sentences
    return int(places[0])


def _counts_of(level: _Counts, raw: Ints, last: int) -> NDArray[np.int64]:
    adjusted = level.adjusted
    if last >= 0:
        # lmplz counts the last n-gram that it sees by its raw count: small models show it.
        adjusted = adjusted.copy()
        adjusted[last] = raw[last]
    return np.bincount(np.minimum(adjusted, 5), minlength=6)[:5]


def _discounts(of_counts: NDArray[np.int64]) -> Discounts:
    """Chen & Goodman's equation 26, in lmplz's precision, which decides what is out of range."""
    if of_counts[1:4].all():
        single = np.float32
        n = of_counts.astype(single)
        y = n[1] / single(float(of_counts[1]) + 2.0 * float(of_counts[2]))
        amounts = tuple(float(single(k) - single(k + 1) * y * n[k + 1] / n[k]) for k in (1, 2, 3))
        if all(0 <= amount <= k for k, amount in enumerate(amounts, start=1)):
            return Discounts((amounts[0], amounts[1], amounts[2]), estimated=True)
    return Discounts(FALLBACK, estimated=False)


def _interpolate(level: _Counts, discounts: Discounts, lower: Floats) -> tuple[Floats, Floats]:
    """Probabilities of n-grams, and interpolation weights of their contexts."""
    adjusted = level.adjusted
    contexts = len(lower)
    taken = np.array([0.0, *discounts.amounts])[np.minimum(adjusted, 3)]
    whole, weight = (
        np.bincount(level.context, weights=values, minlength=contexts).astype(np.float64)
        for values in (adjusted, taken)
    )
    # A unit that nothing follows (</s>, and <unk> where it was never met) is no context.
    used = whole > 0
    weight[used] /= whole[used]
    weight[~used] = 1.0
    probability: Floats = (adjusted - taken) / whole[level.context]
    probability += weight[level.context] * lower[level.suffix]
    return probability, weight


def _log10(values: Floats) -> NDArray[np.float32]:
    # -99 is what ARPA files write for the logarithm of nothing.
    result = np.full(len(values), -99.0)
    np.log10(values, out=result, where=values > 0)
    return result.astype(np.float32)
