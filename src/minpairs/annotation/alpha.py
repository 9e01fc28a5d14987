"""Krippendorff's alpha for nominal judgements, and how forced choices are coded for it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from minpairs.annotation.study import Pair


def nominal_alpha(counts: NDArray[np.int64]) -> float | None:
    """Krippendorff's alpha, nominal, with any number of judges a unit.

    ``1 - observed / expected disagreement``; units with fewer than two judgements count for
    nothing.

    Args:
        counts: judges who gave each unit each value, shape (units, values).

    Returns:
        At most 1, 0 where agreement is as by chance; None where it is not defined: no unit was
        judged twice, or all judgements are the same.

    Source:
        Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, sections C and D.
    """
    counts = counts[counts.sum(axis=1) > 1].astype(np.float64)
    judges = counts.sum(axis=1)
    n = judges.sum()
    if n == 0:
        return None
    totals = counts.sum(axis=0)
    expected = (n**2 - totals @ totals) / (n - 1)
    if expected == 0:
        return None
    observed = ((judges**2 - (counts**2).sum(axis=1)) / (judges - 1)).sum()
    return float(1 - observed / expected)


def choice_counts(
    pairs: Sequence[Pair], tallies: Mapping[str, tuple[int, int]]
) -> NDArray[np.int64]:
    """How often the first and the second member of each pair were chosen, shape (pairs, 2).

    What is first must not depend on what is acceptable. Coded as right and wrong, nearly all
    judgements of a good benchmark have one value, chance agreement is near 1, and alpha falls to
    0 as people come to agree. So members are numbered as if by coin, from a hash of the
    pair, with each number acceptable in half of a paradigm's pairs.

    Args:
        pairs: the pairs of one paradigm or more.
        tallies: for each pair's id, how often its acceptable member was chosen and how often the
            other.
    """
    counts = np.zeros((len(pairs), 2), dtype=np.int64)
    ranked = sorted(range(len(pairs)), key=lambda i: (pairs[i].paradigm, _hash(pairs[i])))
    for rank, i in enumerate(ranked):
        right, wrong = tallies.get(pairs[i].id, (0, 0))
        counts[i] = (right, wrong) if rank % 2 else (wrong, right)
    return counts


def _hash(pair: Pair) -> str:
    return hashlib.sha256(f"{pair.id}\n{pair.acceptable}\n{pair.unacceptable}".encode()).hexdigest()
