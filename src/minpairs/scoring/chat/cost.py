"""What a run will cost, before it is started, and what it did cost."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from minpairs.scoring.chat.answers import Answer

# Tokenizers differ; these are round numbers for today's. A message's frame takes a few tokens.
_CHARACTERS_PER_TOKEN = 4
_TOKENS_PER_MESSAGE = 8
_TOKENS_PER_REPLY = 2


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of a million tokens, in whatever currency.

    Attributes:
        prompt: what is sent.
        completion: what comes back.
    """

    prompt: float
    completion: float

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Price of so many tokens."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1e6


@dataclass(frozen=True, slots=True)
class Usage:
    """What the answers took.

    Attributes:
        replies: number of answers.
        prompt_tokens: as counted by the server, all together.
        completion_tokens: the same of the replies.
        uncounted: answers for which the server gave no counts.
        seconds: mean time of an answer.
    """

    replies: int
    prompt_tokens: int
    completion_tokens: int
    uncounted: int
    seconds: float

    @classmethod
    def of(cls, answers: Sequence[Answer]) -> Usage:
        """Adds up answers."""
        prompts = [answer.prompt_tokens for answer in answers]
        replies = [answer.completion_tokens for answer in answers]
        return cls(
            len(answers),
            sum(count or 0 for count in prompts),
            sum(count or 0 for count in replies),
            sum(None in counts for counts in zip(prompts, replies, strict=True)),
            fmean(answer.latency for answer in answers) if answers else 0.0,
        )


@dataclass(frozen=True, slots=True)
class Estimate:
    """About how many tokens some requests take.

    Attributes:
        requests: number of requests.
        prompt_tokens: about so many are sent.
        completion_tokens: about so many come back, if every reply is a letter.
        most_completion_tokens: if every reply is as long as it may be.
    """

    requests: int
    prompt_tokens: int
    completion_tokens: int
    most_completion_tokens: int


def estimate(prompts: Sequence[str], max_tokens: int) -> Estimate:
    """Estimates from the length of the prompts; no tokenizer is asked."""
    return Estimate(
        len(prompts),
        sum(map(_tokens, prompts)),
        _TOKENS_PER_REPLY * len(prompts),
        max_tokens * len(prompts),
    )


def _tokens(prompt: str) -> int:
    if prompt.isascii():
        return -(-len(prompt) // _CHARACTERS_PER_TOKEN) + _TOKENS_PER_MESSAGE
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in prompt)
    return wide + -(-(len(prompt) - wide) // _CHARACTERS_PER_TOKEN) + _TOKENS_PER_MESSAGE
