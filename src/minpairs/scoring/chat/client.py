"""One question to an OpenAI-compatible server, asked until there is an answer."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import httpx2
from huggingface_hub import AsyncInferenceClient
from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

from minpairs.errors import ModelError
from minpairs.scoring.chat.keys import Key
from minpairs.scoring.chat.replies import Reply, read_reply
from minpairs.scoring.chat.retries import Pace, Retries, retry_after

_log = logging.getLogger(__name__)

_BUSY = frozenset({408, 409, 425, 429})  # these and 5xx may pass; other errors will not
# How many likeliest first tokens to ask for: servers differ in how many they allow, if any.
_ALTERNATIVES = (20, 5, 0)
_RESERVED = frozenset({"model", "messages", "stream", "n", "logprobs", "top_logprobs"})
_HINTS = {
    401: "name the environment variable that holds the server's key with --key-variable",
    403: "name the environment variable that holds the server's key with --key-variable",
    404: "check --base-url (it usually ends in /v1) and the name of the model",
}


class NoAnswerError(ModelError):
    """A question got no answer after all tries; others may still get theirs."""


class _PassingError(Exception):
    """A failure after which it makes sense to try again."""

    def __init__(self, reason: str, *, asked: float | None = None, shared: bool = False) -> None:
        super().__init__(reason)
        self.asked = asked  # seconds for which the server asked us to wait
        self.shared = shared  # whether other questions would fail as well


@dataclass
class ChatClient:
    """A chat model behind an OpenAI-compatible server; a context manager.

    Attributes:
        model: the server's name for it.
        base_url: of the server.
        key: what the server wants to see.
        body: further fields of each request (JSON); one that is None is left out, one of the same
            name as ours replaces it.
        max_tokens: most tokens of a reply.
        timeout: seconds for one request.
        retries: how often and how long to wait after failures that may pass.
        logprobs: ask for log-probabilities of the letters, as long as the server accepts it.
    """

    model: str
    base_url: str
    key: Key
    body: Mapping[str, Any] = field(default_factory=dict)
    max_tokens: int = 8
    timeout: float = 60.0
    retries: Retries = field(default_factory=Retries)
    logprobs: bool = True

    def __post_init__(self) -> None:
        for name in _RESERVED & set(self.body):
            raise ModelError(f"--body may not hold {name!r}, which minpairs sets itself")
        self._warned = False  # whether a failure has been reported
        self._accepted = False  # whether the server has answered any request
        self._level = 0 if self.logprobs else len(_ALTERNATIVES) - 1
        self._pace = Pace()

    async def __aenter__(self) -> Self:
        self._client = AsyncInferenceClient(
            base_url=self.base_url, api_key=self.key.reveal(), timeout=self.timeout
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()  # type: ignore[no-untyped-call]

    async def ask(self, prompt: str) -> Reply:
        """The reply to a prompt, after as many tries as it takes.

        Raises:
            NoAnswerError: every try failed for a reason that may pass (busy server, timeout, broken
                connection, damaged answer).
            ModelError: the server refuses, which will not change by trying again.
        """
        tries = 0
        while True:
            tries += 1
            await self._pace.wait()
            start = time.monotonic()
            try:
                reply = await self._request(prompt)
            except _PassingError as failure:
                reason = str(failure)
                seconds = self.retries.pause(tries, failure.asked)
                if seconds is None:
                    raise NoAnswerError(
                        f"{self.model} at {self.base_url} gave no answer in {tries} "
                        f"{'try' if tries == 1 else 'tries'}; the last one: {reason}"
                    ) from None
                # Said aloud once; a run that is held back all the time should not fill the screen.
                level = logging.INFO if self._warned else logging.WARNING
                self._warned = True
                _log.log(level, "%s: %s; asking again in %.1f s", self.base_url, reason, seconds)
                if failure.shared:
                    self._pace.hold(seconds)
                else:
                    await asyncio.sleep(seconds)
            else:
                self._accepted = True
                return reply.timed(time.monotonic() - start, tries)

    def fields(self, level: int | None = None) -> dict[str, Any]:
        """The fields of a request beside model and messages."""
        alternatives = _ALTERNATIVES[self._level if level is None else level]
        ours: dict[str, Any] = {"temperature": 0, "max_tokens": self.max_tokens}
        if alternatives:
            ours |= {"logprobs": True, "top_logprobs": alternatives}
        return {name: value for name, value in {**ours, **self.body}.items() if value is not None}

    async def _request(self, prompt: str) -> Reply:
        """One try; fewer alternatives are asked for where the server does not allow as many."""
        while True:
            level = self._level
            try:
                async with asyncio.timeout(self.timeout):
                    output = await self._client.chat_completion(
                        [{"role": "user", "content": prompt}],
                        model=self.model,
                        extra_body=self.fields(level),
                    )
                return read_reply(output, self.key)
            except HfHubHTTPError as error:
                status = error.response.status_code
                refused = status in {400, 422}
                if refused and not self._accepted and level < len(_ALTERNATIVES) - 1:
                    # Another question may have found out in the meantime.
                    self._level = max(self._level, level + 1)
                    continue
                # `from None`: what is chained holds the request, and with it the key.
                raise self._failure(error, status) from None
            except TimeoutError:  # ours, or huggingface_hub's
                raise _PassingError(f"no answer within {self.timeout:g} s") from None
            except httpx2.RequestError as error:
                detail = self.key.hide(str(error)) or type(error).__name__
                raise _PassingError(f"the connection failed ({detail})", shared=True) from None
            except OfflineModeIsEnabled:
                raise ModelError(
                    "HF_HUB_OFFLINE is set, and huggingface_hub then refuses every request, to "
                    "local servers too; unset it to ask a chat model"
                ) from None
            except (ValueError, TypeError, AttributeError, LookupError) as error:
                # huggingface_hub parses without checks: JSON that is cut short or of another form.
                detail = self.key.hide(f"{type(error).__name__}: {error}")
                raise _PassingError(f"the answer is damaged ({detail})") from None

    def _failure(self, error: HfHubHTTPError, status: int) -> Exception:
        detail = self.key.hide(" ".join(_message(error.response.text).split()))[:300]
        said = f"status {status}" + (f" ({detail})" if detail else "")
        if status in _BUSY or status >= 500:
            asked = retry_after(error.response.headers.get("retry-after"))
            return _PassingError(said, asked=asked, shared=status in {429, 503})
        who = f"{self.model} at {self.base_url}"
        if status in {400, 422} and self._accepted:
            return NoAnswerError(f"{who} refused one question, but not others: {said}")
        hint = _HINTS.get(status, "see --body for what else a request may need")
        return ModelError(f"{who} refused: {said}; {hint}")


def _message(body: str) -> str:
    """What the body of an error says: servers put it under ``error``, ``message`` or ``detail``."""
    try:
        content = json.loads(body)
    except ValueError:
        return body
    for name in ("error", "message", "detail"):
        if isinstance(content, dict) and content.get(name):
            content = content[name]
    return content if isinstance(content, str) else json.dumps(content)
