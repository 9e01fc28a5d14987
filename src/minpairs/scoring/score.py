"""What scoring takes in and gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from minpairs.benchmarks.schema import Text


@dataclass(frozen=True, slots=True)
class Score:
    """A model's log-probability of one text.

    Attributes:
        context: text that was read before, and not scored; may be empty.
        continuation: text that was scored.
        logprob: natural log-probability summed over the scored tokens (nats); for a masked model
            the pseudo-log-likelihood.
        tokens: number of scored tokens. One less than the text has where the first token could not
            be scored (no beginning token).
        words: number of whitespace-separated words of ``continuation``.
        characters: number of characters of ``continuation``, white space left out.
        unknown_tokens: scored tokens that the vocabulary does not know.
        unigram_logprob: sum of unigram log-probabilities over the same tokens (nats), or ``None``
            where the scorer has no unigram table.
        all_tokens: number of tokens of ``continuation``, scored or not; ``None`` in results that
            were written before this was kept.
        all_unigram_logprob: sum of unigram log-probabilities over all of these (nats), or ``None``
            where the scorer has no unigram table.
        token_texts: the scored tokens as the tokenizer writes them; empty unless asked for.
        token_logprobs: their log-probabilities (nats), in the same order; empty unless asked for.
    """

    context: str
    continuation: str
    logprob: float
    tokens: int
    words: int
    characters: int
    unknown_tokens: int = 0
    unigram_logprob: float | None = None
    all_tokens: int | None = None
    all_unigram_logprob: float | None = None
    token_texts: tuple[str, ...] = ()
    token_logprobs: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text as a model reads it.

    Attributes:
        ids: every token the model reads, special tokens included.
        scored: positions in ``ids`` of the tokens to be scored (contiguous).
        unknown: how many of the scored tokens are unknown to the vocabulary.
        words: for each position the index of its word, ``-1`` for special tokens; empty where the
            scorer does not need words.
        units: the text's units, where the model reads these and no numbers.
        unscored: how many tokens of the text come before ``scored``, as there is nothing before
            them to read.
    """

    ids: tuple[int, ...]
    scored: range
    unknown: int = 0
    words: tuple[int, ...] = ()
    units: tuple[str, ...] = ()
    unscored: int = 0

    def whole(self) -> Encoded:
        """The same text with all of its tokens marked as scored."""
        return replace(self, scored=range(self.scored.start - self.unscored, self.scored.stop))


@runtime_checkable
class Backend(Protocol):
    """One kind of model: encodes texts, decides which share a batch, and runs a batch."""

    kind: str
    name: str

    def encode(self, texts: Sequence[Text]) -> list[Encoded]:
        """Tokenizes; raises TextError for a text that cannot be scored."""

    def plan(self, encoded: Sequence[Encoded]) -> list[list[int]]:
        """Groups texts (by index) into batches, the costliest first where memory is at stake."""

    def cost(self, encoded: Encoded) -> float:
        """What a text costs to run, in positions, for dividing work."""

    def run(self, batch: Sequence[Encoded]) -> list[NDArray[np.float64]]:
        """Log-probabilities (nats) of each text's scored tokens."""

    def token_texts(self, encoded: Encoded) -> tuple[str, ...]:
        """The scored tokens, as the tokenizer writes them."""

    def settings(self) -> dict[str, str]:
        """Everything that decides the numbers: part of the signature and of the score key."""
