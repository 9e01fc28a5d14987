"""Scores that no working model gives: what a reader must know before believing an accuracy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from minpairs.measures import Floats, Scores

# A guess that gives a million tokens the same probability; vocabularies are smaller.
EVEN_GUESS = -math.log(1e6)
CERTAIN = -1e-6  # nats a token; log-softmax in float32 is exact to about 1e-7
_SAME = 1e-9
MANY_TIES = 0.5
ALL_TIED = "Every item counts as a tie, and no tie as right."


def no_information(recorded: Mapping[str, Scores]) -> bool:
    """Whether every scored token got the same log-probability, so that only lengths differ.

    It takes more than one pair to say so: its two texts may be one and the same to the tokenizer.
    """
    logprob, tokens = _joined(recorded)
    per_token = logprob / tokens
    spread = float(per_token.max() - per_token.min())
    return len(per_token) > 2 and spread <= _SAME * max(1.0, float(np.abs(per_token).max()))


def suspicions(recorded: Mapping[str, Scores], tied: int, items: int) -> tuple[str, ...]:
    """What is wrong with the scores of a model, as sentences for a table's foot.

    Args:
        recorded: what was recorded of each cell, by cell.
        tied: number of tied items.
        items: number of items.
    """
    logprob, tokens = _joined(recorded)
    found = []
    if no_information(recorded):
        found.append(
            "BROKEN MODEL? Every token got the same log-probability "
            f"({logprob[0] / tokens[0]:.3f} nats): the scores say nothing but how long a text is. "
            f"{ALL_TIED}"
        )
    elif tied > MANY_TIES * items:
        found.append(
            f"BROKEN MODEL? {tied:,} of {items:,} items are ties: the model gives both sides the "
            "same score. Was the precision too low, are the texts the same to the tokenizer, or "
            "does what differs lie outside an n-gram model's window?"
        )
    certain = int((logprob >= CERTAIN * tokens).sum())
    if certain:
        found.append(
            f"BROKEN MODEL? {certain:,} of {len(logprob):,} texts have probability 1 "
            "(log-probability 0): a model that is certain of every token knows nothing."
        )
    mean = float(logprob.sum() / tokens.sum())
    if mean < EVEN_GUESS:
        found.append(
            f"BROKEN MODEL? Its mean log-probability is {mean:.1f} nats a token, worse than an "
            f"even guess among a million tokens ({EVEN_GUESS:.1f}). Is it certain of one token "
            "everywhere, or do tokenizer and model not belong together?"
        )
    return tuple(found)


def _joined(recorded: Mapping[str, Scores]) -> tuple[Floats, Floats]:
    parts: Iterable[Scores] = recorded.values()
    pairs = [(scores.logprob, scores.tokens) for scores in parts]
    return np.concatenate([pair[0] for pair in pairs]), np.concatenate([pair[1] for pair in pairs])
