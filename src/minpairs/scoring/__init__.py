"""Scoring: log-probabilities of texts under causal, masked and n-gram models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minpairs.scoring.score import Score

if TYPE_CHECKING:
    from minpairs.scoring.engine import Scorer
    from minpairs.scoring.loading import load_scorer

__all__ = ["Score", "Scorer", "load_scorer"]


def __getattr__(name: str) -> Any:
    # Reports read scores without a model, and torch takes seconds to import.
    if name == "Scorer":
        from minpairs.scoring.engine import Scorer

        return Scorer
    if name == "load_scorer":
        from minpairs.scoring.loading import load_scorer

        return load_scorer
    raise AttributeError(f"module 'minpairs.scoring' has no attribute {name!r}")
