"""Answers: a reply read strictly, and the file in which every answer is kept as it arrives."""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from minpairs.errors import ResultsError
from minpairs.scoring.chat.questions import Letter

_LETTER = re.compile(r"\s*([AB])[.)]?\s*")


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one question.

    Attributes:
        key: of the question.
        suite: where it was asked first.
        item: row of the item there.
        cells: the cell that fits and the other.
        fits: letter of the choice that fits.
        reply: the reply as it came.
        letter: what it says, if it says a letter and nothing else.
        logprob_a: log-probability (nats) of the letter A as the reply's first token, where the
            server gives it; for a letter that is not among the likeliest tokens, that of the least
            likely of them, which it cannot exceed.
        logprob_b: the same of B.
        prompt_tokens: as counted by the server, if it says.
        completion_tokens: the same of the reply.
        finish_reason: why the reply ended, if the server says.
        model: what the server calls the model that answered.
        latency: seconds from the request that succeeded to its answer.
        tries: requests that were made, the failed ones included.
        time: when the answer came, UTC, ISO 8601.
    """

    key: str
    suite: str
    item: int
    cells: tuple[str, str]
    fits: Letter
    reply: str
    letter: Letter | None
    logprob_a: float | None
    logprob_b: float | None
    prompt_tokens: int | None
    completion_tokens: int | None
    finish_reason: str | None
    model: str | None
    latency: float
    tries: int
    time: str


def read_letter(reply: str) -> Letter | None:
    r"""The letter that a reply consists of, or None.

    White space around it and one period or closing parenthesis after it are allowed, nothing else:
    ``"A"``, ``" B.\n"`` and ``"A)"`` are letters; ``"a"``, ``"(A)"``, ``"A. It fits"`` and
    ``"Answer: A"`` are not.
    """
    match = _LETTER.fullmatch(reply)
    if match is None:
        return None
    return "A" if match[1] == "A" else "B"


@dataclass
class AnswerStore:
    """Answers on disk, one JSON object a line; each is on disk before the next step is taken.

    A run that is killed leaves at most one line unfinished. It is left out when the file is read,
    and cut off before more is written.
    """

    path: Path

    def __post_init__(self) -> None:
        self._answers: dict[str, Answer] = {}
        self._whole = 0  # bytes of finished lines
        if self.path.exists():
            self._read()

    def __len__(self) -> int:
        return len(self._answers)

    def get(self, key: str) -> Answer | None:
        """The answer to a question, if there is one."""
        return self._answers.get(key)

    @contextmanager
    def writing(self) -> Iterator[Callable[[Answer], None]]:
        """Holds the file for this run alone, so that nothing is asked and paid for twice.

        Yields:
            A function that keeps an answer: it is on disk when the function returns.

        Raises:
            ResultsError: another run is writing to it.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise ResultsError(
                    f"{self.path}: another run is writing answers here; wait until it ends"
                ) from error
            self._read()  # what another run has added since
            file.truncate(self._whole)

            def add(answer: Answer) -> None:
                file.write(json.dumps(asdict(answer)).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
                self._answers[answer.key] = answer

            yield add

    def _read(self) -> None:
        content = self.path.read_bytes()
        self._whole = content.rfind(b"\n") + 1
        for number, line in enumerate(content[: self._whole].splitlines(), 1):
            answer = _answer(line, f"{self.path}, line {number}")
            self._answers[answer.key] = answer


def _answer(line: bytes, place: str) -> Answer:
    try:
        record: dict[str, Any] = json.loads(line)
        record["cells"] = tuple(record["cells"])
        answer = Answer(**record)
        _check_types(answer)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ResultsError(
            f"{place} is damaged ({error!r}); remove the line, and run again to ask once more"
        ) from error
    return answer


def _check_types(answer: Answer) -> None:
    """By hand, as a server's reply may hold half a surrogate pair, which pydantic refuses."""
    texts = (answer.key, answer.suite, answer.reply, answer.time, *answer.cells)
    numbers = (answer.logprob_a, answer.logprob_b, answer.latency, answer.tries, answer.item)
    if not all(isinstance(text, str) for text in texts) or len(answer.cells) != 2:
        raise TypeError("a field is no text")
    if not all(number is None or isinstance(number, int | float) for number in numbers):
        raise TypeError("a field is no number")
    if answer.fits not in ("A", "B") or answer.letter not in ("A", "B", None):
        raise ValueError("a letter is not A or B")
