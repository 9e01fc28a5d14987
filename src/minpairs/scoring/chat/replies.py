"""What a server sends back, read into the few facts that are kept."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from minpairs.scoring.chat.keys import Key
from minpairs.scoring.chat.questions import LETTERS


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply; see ``Answer`` for the fields."""

    text: str
    logprobs: tuple[float, float] | None
    prompt_tokens: int | None
    completion_tokens: int | None
    finish_reason: str | None
    model: str | None
    latency: float = 0.0
    tries: int = 1

    def timed(self, latency: float, tries: int) -> Reply:
        """The same with what it took."""
        return replace(self, latency=round(latency, 4), tries=tries)


def read_reply(output: Any, key: Key) -> Reply:
    """Reads ``huggingface_hub``'s ChatCompletionOutput, whose fields may all be absent.

    Raises:
        ValueError: there is no choice with a message in it.
    """
    if not isinstance(output.choices, list) or not output.choices:
        raise ValueError("no choices in it")
    choice = output.choices[0]
    if choice.message is None:
        raise ValueError("no message in it")
    content = choice.message.content
    if content is not None and not isinstance(content, str):
        raise ValueError(f"the message's content is {type(content).__name__}, not a string")
    return Reply(
        text=key.hide(content or ""),
        logprobs=_letter_logprobs(choice.logprobs),
        prompt_tokens=_count(output.usage, "prompt_tokens"),
        completion_tokens=_count(output.usage, "completion_tokens"),
        finish_reason=_text(choice.finish_reason, key),
        model=_text(output.model, key),
    )


def _letter_logprobs(logprobs: Any) -> tuple[float, float] | None:
    """Log-probabilities of A and B as first token, nats; None where the server gives neither.

    Spellings with a space around them are added up. A letter that is not among the likeliest tokens
    gets the log-probability of the least likely of them, which bounds its own from above.
    """
    content = getattr(logprobs, "content", None)
    if not content or not getattr(content[0], "top_logprobs", None):
        return None
    entries = [(str(entry.token), float(entry.logprob)) for entry in content[0].top_logprobs]
    if any(math.isnan(value) or value > 1e-6 for _, value in entries):
        raise ValueError("its log-probabilities are no log-probabilities")
    # Some servers fill up their list with tokens of probability zero.
    top = [(token, value) for token, value in entries if value > -math.inf]
    found = [
        _log_sum(value for token, value in top if token.strip() == letter) for letter in LETTERS
    ]
    if all(value is None for value in found):
        return None
    floor = min(value for _, value in top)
    a, b = (floor if value is None else value for value in found)
    return a, b


def _log_sum(values: Iterable[float]) -> float | None:
    kept = list(values)
    if not kept:
        return None
    highest = max(kept)
    return min(0.0, highest + math.log(sum(math.exp(value - highest) for value in kept)))


def _count(usage: Any, name: str) -> int | None:
    value = getattr(usage, name, None)
    return value if isinstance(value, int) else None


def _text(value: Any, key: Key) -> str | None:
    return key.hide(value) if isinstance(value, str) else None
