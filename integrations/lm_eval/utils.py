"""Verdicts from log-probabilities, as minpairs counts them: right means strictly greater."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

Results = Sequence[tuple[float, bool]]


def minimal_pair(doc: Mapping[str, Any], results: Results) -> dict[str, float]:  # noqa: ARG001
    """An accepted sentence and the one it is to beat."""
    good, bad = logprobs(results)
    return {"acc": float(good > bad), "tie": float(good == bad)}


def interaction(doc: Mapping[str, Any], results: Results) -> dict[str, float]:
    """Eight cells: for each order a construction, then its control, each plain and manipulated.

    An item is right when, in both orders, the manipulation costs more with the construction. It is
    tied when it is not right, and wrong in no order.
    """
    check_contexts(doc)
    cells = logprobs(results)
    base, swapped = difference(*cells[:4]), difference(*cells[4:])
    right = base > 0 and swapped > 0
    return {
        "acc": float(right),
        "acc_base": float(base > 0),
        "acc_swapped": float(swapped > 0),
        "tie": float(not right and base >= 0 and swapped >= 0),
    }


def difference(
    construction: float, construction_manipulated: float, control: float, control_manipulated: float
) -> float:
    """How much more a manipulation costs with the construction; 0 within its rounding error."""
    terms = (construction, -construction_manipulated, -control, control_manipulated)
    error = 2 * sys.float_info.epsilon * sum(map(abs, terms))
    total = sum(terms)
    return 0.0 if abs(total) <= error else total


def logprobs(results: Results) -> list[float]:
    """The choices' log-probabilities; a number that is not finite is never a verdict."""
    found = [logprob for logprob, _ in results]
    if not all(math.isfinite(logprob) for logprob in found):
        raise ValueError(f"log-probabilities {found}: load the model in float32")
    return found


def check_contexts(doc: Mapping[str, Any]) -> None:
    """A cell and its manipulation have one context: only so may whole texts be compared."""
    for name, context in doc.items():
        if name.endswith("_manipulated_context"):
            plain = name.replace("_manipulated", "")
            if doc[plain] != context:
                raise ValueError(f"{name} {context!r} differs from {plain} {doc[plain]!r}")
