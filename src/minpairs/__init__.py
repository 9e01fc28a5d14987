"""minpairs: does a language model prefer the sentence a speaker would accept?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minpairs._version import __version__
from minpairs.benchmarks.schema import INTERACTION, MINIMAL_PAIR, Design, Inequality, Text
from minpairs.errors import MinpairsError

if TYPE_CHECKING:
    from minpairs.scoring import Score, Scorer, load_scorer

__all__ = [
    "INTERACTION",
    "MINIMAL_PAIR",
    "Design",
    "Inequality",
    "MinpairsError",
    "Score",
    "Scorer",
    "Text",
    "__version__",
    "load_scorer",
]


def __getattr__(name: str) -> Any:
    # torch and transformers take seconds to import: only when something is scored.
    if name in {"Score", "Scorer", "load_scorer"}:
        from minpairs import scoring

        return getattr(scoring, name)
    raise AttributeError(f"module 'minpairs' has no attribute {name!r}")
