"""The interval of an accuracy whose judgements share both pairs and people."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from minpairs.statistics import LEVEL, Interval, effective_n, wilson

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


def crossed_interval(credit: Floats, items: Codes, people: Codes) -> Interval:
    """Wilson's interval of an accuracy for other pairs and other people than these.

    Judgements of one pair go together, and so do those of one person: the variance is that
    clustered by pair, plus that clustered by person, minus that of independent judgements, with
    Student's t on the smaller number less one. Where all judgements agree the variance cannot be
    estimated, and the smaller number stands in for the number of judgements. With one person (or
    one pair) the interval speaks of other pairs (people) only.

    In simulations of 15 pairs and 16 people, or 100 and 22, that differ from one another it covers
    92 % or more, where the plain interval covers 40 to 65 %; with 4 people it errs on the wide
    side, and with 2 it says next to nothing.

    Args:
        credit: 1 for right and 0 for wrong, shape (n,).
        items: pair of each judgement as codes, shape (n,).
        people: annotator of each judgement as codes, shape (n,).

    Source:
        Cameron, Gelbach and Miller 2011, J. Business & Economic Statistics 29:238-249.
    """
    n, accuracy = len(credit), float(credit.mean())
    # effective_n wants codes without gaps.
    clusterings = [np.unique(codes, return_inverse=True)[1] for codes in (items, people)]
    clusterings = [codes for codes in clusterings if codes.max() > 0]
    if not clusterings:
        return wilson(accuracy, n)
    fewest = min(int(codes.max()) + 1 for codes in clusterings)
    quantile = float(stdtrit(fewest - 1, (1 + LEVEL) / 2))
    if accuracy in {0.0, 1.0}:
        return wilson(accuracy, fewest, quantile)
    inverse = sum(1 / effective_n(credit, codes) for codes in clusterings)
    return wilson(accuracy, 1 / (inverse - (len(clusterings) - 1) / n), quantile)
