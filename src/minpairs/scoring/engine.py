"""Scores texts with any kind of model: each distinct text once, in batches, in the order asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from minpairs._version import __version__
from minpairs.benchmarks.schema import Text
from minpairs.errors import MinpairsError, ModelError, TextError
from minpairs.scoring.encoding import quote
from minpairs.scoring.memory import gave_out, give_back_memory
from minpairs.scoring.model_checks import warn_if_improbable
from minpairs.scoring.processes import Processes
from minpairs.scoring.score import Backend, Encoded, Score
from minpairs.scoring.unigrams import Unigrams

Progress = Callable[[int, int], None]
_TEXTS = 1 << 18  # encoded at a time: those of millions would fill the memory, and show no progress


class Journal(Protocol):
    """Where finished scores are kept, so that a run that was stopped goes on."""

    def get(self, text: Text) -> Score | None:
        """The score of a text that was scored before."""

    def add(self, scores: Sequence[Score]) -> None:
        """Keeps scores durably before it returns."""


@dataclass
class Scorer:
    """A model that scores texts.

    Attributes:
        backend: the model and how it is read.
        revision: hash that identifies the model's files or weights.
        dtype: precision of the model's numbers.
        unigrams: token frequencies for SLOR, if there are any.
        processes: those that share the work; each returns all scores.
        fault: what is wrong with a model that knows nothing of sentences; see ``check_answers``.
        vocabulary: number of tokens that a neural model chooses from.
    """

    backend: Backend
    revision: str
    dtype: str
    unigrams: Unigrams | None = None
    processes: Processes = field(default_factory=Processes)
    fault: str | None = None
    vocabulary: int | None = None

    @property
    def kind(self) -> str:
        """``causal``, ``masked`` or ``ngram``."""
        return self.backend.kind

    @property
    def name(self) -> str:
        """What the user called the model."""
        return self.backend.name

    def settings(self) -> dict[str, str]:
        """Everything that decides the numbers, for signatures and for telling runs apart."""
        settings = {"kind": self.kind, "revision": self.revision, **self.backend.settings()}
        if self.kind != "ngram":
            settings["dtype"] = self.dtype
        if self.unigrams is not None:
            settings["unigrams"] = self.unigrams.signature
        if self.fault is not None:
            settings["fault"] = self.fault
        settings["minpairs"] = __version__
        return settings

    def score(
        self,
        texts: Sequence[str],
        contexts: Sequence[str] | None = None,
        *,
        keep_tokens: bool = False,
        progress: Progress | None = None,
        journal: Journal | None = None,
    ) -> list[Score]:
        """Log-probabilities of texts, each after its context.

        Context and text are joined as they stand: in English a text that continues a context
        begins with its space. Every distinct text is scored once; batch size, order, padding and
        duplicates do not change a score.

        Args:
            texts: what is scored.
            contexts: what is read before each, unscored; by default nothing.
            keep_tokens: also return each token and its log-probability.
            progress: called with the number of distinct texts done and the number in all.
            journal: where scores are looked up before and kept after scoring.

        Returns:
            One score for each text, in the same order.

        Raises:
            TextError: a text is empty, too long, or has nothing that the model can score.
            ModelError: the model gave a number that is not finite.
        """
        requests = _requests(texts, contexts)
        distinct = dict.fromkeys(requests)
        found: dict[Text, Score] = {}
        for text in distinct:
            known = journal.get(text) if journal is not None else None
            if known is not None and (known.token_texts or not keep_tokens):
                found[text] = known
        # Processes open the journal at different moments: what any of them lacks is to be done.
        lacking = self.processes.gather([text for text in distinct if text not in found])
        missing = {text for texts_of_one in lacking for text in texts_of_one}
        pending = [text for text in distinct if text in missing]
        scored = self._score_all(pending, keep_tokens, progress, len(distinct), journal)
        if self.vocabulary is not None:
            warn_if_improbable(self.name, scored, self.vocabulary)
        found.update((Text(score.continuation, score.context), score) for score in scored)
        return [found[text] for text in requests]

    def _score_all(
        self,
        texts: Sequence[Text],
        keep_tokens: bool,
        progress: Progress | None,
        total: int,
        journal: Journal | None,
    ) -> list[Score]:
        """Scores texts, this process its share of them; returns those of all processes."""
        done = total - len(texts)
        if progress:
            progress(done, total)
        mine: list[Score] = []
        failure: MinpairsError | None = None
        try:
            for first in range(0, len(texts), _TEXTS):
                for scores in self._score_some(texts[first : first + _TEXTS], keep_tokens):
                    if journal is not None:
                        journal.add(scores)
                    mine += scores
                    if progress:
                        progress(min(done + len(mine) * self.processes.size, total), total)
        except MinpairsError as error:
            failure = error
        self.processes.agree(failure)
        everyone = [score for scores in self.processes.gather(mine) for score in scores]
        if len(everyone) != len(texts):
            raise ModelError(
                f"{self.name}: {len(texts)} texts, but {len(everyone)} scores: "
                "the processes did not divide the work alike; are their machines alike?"
            )
        return everyone

    def _score_some(self, texts: Sequence[Text], keep_tokens: bool) -> Iterator[list[Score]]:
        """Scores of texts whose encodings fit in memory, batch after batch of this process."""
        encoded = self.backend.encode(texts)
        batches = self.backend.plan(encoded)
        costs = [sum(self.backend.cost(encoded[index]) for index in batch) for batch in batches]
        for batch in (batches[task] for task in self.processes.share(costs)):
            results = self._run([encoded[index] for index in batch])
            yield [
                self._score(texts[index], encoded[index], values, keep_tokens)
                for index, values in zip(batch, results, strict=True)
            ]

    def _run(self, batch: Sequence[Encoded]) -> list[NDArray[np.float64]]:
        """Runs a batch; where memory does not suffice, its halves."""
        try:
            return self.backend.run(batch)
        except MinpairsError:
            raise
        except Exception as error:  # whatever a model's own code raises
            tokens = len(batch[0].ids or batch[0].units)
            if not gave_out(error):
                raise ModelError(
                    f"{self.name} fails on a batch of {len(batch)} texts, the first of {tokens} "
                    f"tokens: {type(error).__name__}: {error}"
                ) from error
            if len(batch) == 1:
                raise ModelError(
                    f"{self.name}: not enough memory for a single text of {tokens} tokens: {error}"
                ) from error
        give_back_memory()
        middle = len(batch) // 2
        return [*self._run(batch[:middle]), *self._run(batch[middle:])]

    def _score(
        self, text: Text, encoded: Encoded, values: NDArray[np.float64], keep_tokens: bool
    ) -> Score:
        logprob = float(values.sum())
        if not math.isfinite(logprob):  # so is the sum of numbers one of which is not
            raise ModelError(
                f"{self.name} gave the log-probability {logprob} to {quote(text)} in {self.dtype}; "
                "try --dtype float32, and check that tokenizer and model belong together"
            )
        wants_tokens = keep_tokens or self.unigrams is not None
        tokens = self.backend.token_texts(encoded) if wants_tokens else ()
        unigrams = all_unigrams = None
        if self.unigrams is not None:
            unigrams = all_unigrams = self.unigrams.logprob(tokens)
            if encoded.unscored:
                all_unigrams = self.unigrams.logprob(self.backend.token_texts(encoded.whole()))
        words = text.continuation.split()
        return Score(
            context=text.context,
            continuation=text.continuation,
            logprob=logprob,
            tokens=len(values),
            words=len(words),
            characters=sum(map(len, words)),
            unknown_tokens=encoded.unknown,
            unigram_logprob=unigrams,
            all_tokens=len(values) + encoded.unscored,
            all_unigram_logprob=all_unigrams,
            token_texts=tokens if keep_tokens else (),
            token_logprobs=tuple(values.tolist()) if keep_tokens else (),
        )


def _requests(texts: Sequence[str], contexts: Sequence[str] | None) -> list[Text]:
    if isinstance(texts, str) or isinstance(contexts, str):
        raise TextError("texts and contexts are lists of strings, not one string")
    if contexts is None:
        return [Text(text) for text in texts]
    if len(contexts) != len(texts):
        raise TextError(f"{len(texts)} texts, but {len(contexts)} contexts")
    return [Text(text, context) for text, context in zip(texts, contexts, strict=True)]
