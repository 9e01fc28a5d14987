"""Scoring: log-probabilities of texts under causal, masked and n-gram models."""

from minpairs.scoring.engine import Scorer
from minpairs.scoring.loading import load_scorer
from minpairs.scoring.score import Score

__all__ = ["Score", "Scorer", "load_scorer"]
