"""Faults of studies."""

from __future__ import annotations

from minpairs.errors import MinpairsError


class StudyError(MinpairsError):
    """A study cannot be planned or carried out as asked."""
