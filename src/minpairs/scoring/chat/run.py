"""Puts all questions to a server: so many at a time, each distinct one once, answers kept."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from minpairs.errors import ModelError
from minpairs.scoring.chat.answers import Answer, AnswerStore, read_letter
from minpairs.scoring.chat.client import ChatClient, NoAnswerError
from minpairs.scoring.chat.cost import Usage
from minpairs.scoring.chat.prompt import Prompt, prompts_for
from minpairs.scoring.chat.questions import Question
from minpairs.scoring.chat.replies import Reply
from minpairs.scoring.engine import Progress

_log = logging.getLogger(__name__)
# So many failures in a row, and the server is at fault, not a question. Before the first answer
# fewer will do.
_FAILURES_IN_A_ROW = 5
_FAILURES_AT_FIRST = 2
_UNREADABLE_AT_FIRST = 10


@dataclass(frozen=True, slots=True)
class Asked:
    """What a run did.

    Attributes:
        distinct: number of distinct questions.
        known: how many of them had their answer before.
        answered: how many got it now.
        failures: why the others did not.
        usage: what all these answers took, the known ones included.
    """

    distinct: int
    known: int
    answered: int
    failures: tuple[str, ...]
    usage: Usage


def ask_all(
    questions: Sequence[Question],
    client: ChatClient,
    store: AnswerStore,
    *,
    prompt: Prompt | None = None,
    concurrency: int = 8,
    progress: Progress | None = None,
) -> Asked:
    """Asks every question that has no answer yet.

    Answers are on disk as they arrive; a run that is stopped loses the questions under way.

    Args:
        questions: all questions; equal ones are asked once.
        client: the model.
        store: where answers are kept.
        prompt: the template; by default ours.
        concurrency: most requests under way at any time.
        progress: called with the number of questions done and the number in all.

    Raises:
        ModelError: the server refuses, or fails on several questions in a row.
        TemplateError: the template cannot put one of the questions.
        ResultsError: another run is writing to the store, or it is damaged.
    """
    distinct = {question.key: question for question in reversed(questions)}
    ordered = [distinct[key] for key in dict.fromkeys(question.key for question in questions)]
    texts = prompts_for(ordered, prompt)
    with store.writing() as keep:
        pending = [
            (question, text)
            for question, text in zip(ordered, texts, strict=True)
            if store.get(question.key) is None
        ]
        known = len(ordered) - len(pending)
        state = _State(iter(pending), keep, progress, known, len(ordered))
        state.report()
        if pending:
            asyncio.run(_work(client, state, min(concurrency, len(pending))))
    answers = [answer for question in ordered if (answer := store.get(question.key))]
    failures = tuple(state.failures)
    return Asked(len(ordered), known, state.answered, failures, Usage.of(answers))


@dataclass
class _State:
    """What the workers of a run share."""

    pending: Iterator[tuple[Question, str]]
    keep: Callable[[Answer], None]
    progress: Progress | None
    known: int
    total: int
    answered: int = 0
    readable: int = 0
    failures: list[str] = field(default_factory=list)
    in_a_row: int = 0
    stopped: bool = False

    def report(self) -> None:
        if self.progress:
            self.progress(self.known + self.answered, self.total)

    def add(self, question: Question, reply: Reply) -> None:
        answer = _answer(question, reply)
        self.keep(answer)
        self.answered += 1
        self.in_a_row = 0
        self.readable += answer.letter is not None
        if self.answered == _UNREADABLE_AT_FIRST and not self.readable:
            _log.warning(
                "none of the first %d replies is a letter; the last is %r (finish reason %s): "
                "see --prompt-file and --max-tokens",
                self.answered,
                reply.text[:80],
                reply.finish_reason,
            )
        self.report()

    def fail(self, error: NoAnswerError) -> None:
        self.failures.append(str(error))
        self.in_a_row += 1
        if self.in_a_row >= (_FAILURES_IN_A_ROW if self.answered else _FAILURES_AT_FIRST):
            raise ModelError(
                f"{error}. {self.known + self.answered} of {self.total} answers are kept: "
                "run the same command again to go on"
            )


async def _work(client: ChatClient, state: _State, workers: int) -> None:
    async with client:
        results = await asyncio.gather(
            *(_worker(client, state) for _ in range(workers)), return_exceptions=True
        )
    for result in results:
        if isinstance(result, BaseException):
            raise result


async def _worker(client: ChatClient, state: _State) -> None:
    """Asks one question after another; when one worker fails, the others end with their answer."""
    try:
        for question, text in state.pending:
            try:
                reply = await client.ask(text)
            except NoAnswerError as error:
                state.fail(error)
            else:
                state.add(question, reply)
            if state.stopped:
                return
    except BaseException:
        state.stopped = True
        raise


def _answer(question: Question, reply: Reply) -> Answer:
    a, b = reply.logprobs or (None, None)
    return Answer(
        key=question.key,
        suite=question.suite,
        item=question.row,
        cells=(question.contrast.fits, question.contrast.other),
        fits=question.fits,
        reply=reply.text,
        letter=read_letter(reply.text),
        logprob_a=a,
        logprob_b=b,
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        finish_reason=reply.finish_reason,
        model=reply.model,
        latency=reply.latency,
        tries=reply.tries,
        time=datetime.now(UTC).isoformat(timespec="milliseconds"),
    )
