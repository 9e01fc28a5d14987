"""Unigram frequencies of a model's training text, for SLOR."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from minpairs.errors import ModelError
from minpairs.parsing import read_json, read_parquet

Smoothing = Literal["add_one", "as_released"]
RELEASED: Smoothing = "as_released"
SMOOTHING_KEY = "minpairs.smoothing"  # where a Parquet file says how its counts are smoothed


@dataclass(frozen=True)
class Unigrams:
    """Token counts over a model's training text, with that model's tokenizer.

    Attributes:
        counts: token to number of occurrences.
        vocabulary: number of tokens the model knows (at least the counted ones).
        smoothing: ``add_one`` gives token ``t`` the probability ``(c(t)+1) / (total+vocabulary)``;
            ``as_released`` gives ``c(t)/total``, and ``1/total`` to unseen tokens, as the authors'
            code of the let-alone study does (it does not sum to one).
    """

    counts: Mapping[str, int]
    vocabulary: int
    smoothing: Smoothing = "add_one"

    @cached_property
    def signature(self) -> str:
        """Smoothing and a hash of the counts."""
        text = json.dumps(sorted(self.counts.items()), ensure_ascii=True)
        return f"{self.smoothing}:{hashlib.sha256(text.encode()).hexdigest()[:8]}"

    def logprob(self, tokens: Sequence[str]) -> float:
        """Sum of the tokens' natural log-probabilities (nats)."""
        total = self._total
        if self.smoothing == "as_released":
            return sum(math.log(max(self.counts.get(token, 0), 1) / total) for token in tokens)
        whole = math.log(total + self.vocabulary)
        return sum(math.log(self.counts.get(token, 0) + 1) - whole for token in tokens)

    @cached_property
    def _total(self) -> int:
        return sum(self.counts.values())


def load_unigrams(path: Path, vocabulary: int, smoothing: Smoothing | None = None) -> Unigrams:
    """Reads counts from JSON (``{token: count}``) or Parquet (columns ``token``, ``count``).

    Args:
        path: the file.
        vocabulary: number of tokens that the model knows.
        smoothing: by default what a Parquet file says in its metadata, else ``add_one``.

    Raises:
        ModelError: the file is not such a table, or has a count below one.
    """
    place = f"{path} (a unigram table)"
    if path.suffix == ".parquet":
        table = read_parquet(path, place, ModelError, columns=["token", "count"])
        tokens = table["token"].to_pylist()
        counts = dict(zip(tokens, table["count"].to_pylist(), strict=True))
        if len(counts) < len(tokens):
            raise ModelError(f"{path}: a token stands twice; count each once")
        smoothing = smoothing or _smoothing(table.schema.metadata)
    else:
        counts = read_json(path, ModelError)
    if not isinstance(counts, dict) or not counts:
        raise ModelError(f"{path} holds no unigram counts")
    for token, count in counts.items():
        if not isinstance(token, str):
            raise ModelError(f"{path}: token {token!r} is no text")
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise ModelError(f"{path}: token {token!r} has count {count!r}; counts are 1 or more")
    return Unigrams(counts, max(vocabulary, len(counts)), smoothing or "add_one")


def _smoothing(metadata: Mapping[bytes, bytes] | None) -> Smoothing:
    released = (metadata or {}).get(SMOOTHING_KEY.encode()) == RELEASED.encode()
    return RELEASED if released else "add_one"
