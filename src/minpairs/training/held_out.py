"""Which sentences of a corpus a model does not learn from, so that its loss can be watched."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from minpairs.training.errors import CorpusError


def choose_held_out(sentences: int, share: float, seed: int) -> NDArray[np.int64]:
    """The places of the held-out sentences, in order; at least one where ``share`` is not 0.

    Raises:
        CorpusError: nothing would be left.
    """
    number = round(share * sentences)
    if share > 0:
        number = max(number, 1)
    if number >= sentences:
        raise CorpusError(
            f"the corpus has {sentences} sentences: {number} held out leave nothing to learn from"
        )
    return np.sort(np.random.default_rng(seed).permutation(sentences)[:number])
