"""Faults of corpora and of filter rules."""

from __future__ import annotations

from minpairs.errors import MinpairsError


class CorpusError(MinpairsError):
    """A training corpus cannot be read, or holds no text."""


class FilterError(MinpairsError):
    """A file of filter rules is wrong, or a filter does not do what it says."""
