"""minpairs: does a language model prefer the sentence a speaker would accept?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minpairs._version import __version__
from minpairs.benchmarks.schema import INTERACTION, MINIMAL_PAIR, Design, Inequality, Text
from minpairs.errors import MinpairsError

if TYPE_CHECKING:
    from minpairs.evaluating import Result, evaluate
    from minpairs.scoring import Score, Scorer, load_scorer

__all__ = [
    "INTERACTION",
    "MINIMAL_PAIR",
    "Design",
    "Inequality",
    "MinpairsError",
    "Result",
    "Score",
    "Scorer",
    "Text",
    "__version__",
    "evaluate",
    "load_scorer",
]


def __getattr__(name: str) -> Any:
    # torch and transformers take seconds to import: only when something is scored.
    if name in {"Score", "Scorer", "load_scorer"}:
        from minpairs import scoring

        return getattr(scoring, name)
    if name in {"Result", "evaluate"}:
        from minpairs import evaluating

        return getattr(evaluating, name)
    raise AttributeError(f"module 'minpairs' has no attribute {name!r}")
