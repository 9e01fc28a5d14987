"""The engine: duplicates, order, progress, journal, memory, numbers that are not finite."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from minpairs.benchmarks.schema import Text
from minpairs.errors import ModelError, TextError
from minpairs.scoring.engine import Scorer
from minpairs.scoring.score import Encoded
from minpairs.scoring.unigrams import Unigrams


class Letters:
    """A backend that gives every letter a log-probability of -1, and records what it runs."""

    kind = "causal"
    name = "letters"

    def __init__(self, memory: int = 100) -> None:
        self.memory = memory
        self.batches: list[int] = []

    def encode(self, texts: Sequence[Text]) -> list[Encoded]:
        self.texts = [text.continuation for text in texts]
        return [
            Encoded(tuple(map(ord, text.continuation)), range(len(text.continuation)))
            for text in texts
        ]

    def plan(self, encoded):
        return [list(range(len(encoded)))] if encoded else []

    def cost(self, encoded):
        return len(encoded.ids)

    def run(self, batch):
        if len(batch) > self.memory:
            raise MemoryError("too many")
        self.batches.append(len(batch))
        return [np.full(len(text.scored), -1.0) for text in batch]

    def token_texts(self, encoded):
        return tuple(map(chr, encoded.ids))

    def settings(self):
        return {"alphabet": "latin"}


class Memory(dict):
    """A journal that is a dictionary."""

    def add(self, scores):
        self.update({Text(score.continuation, score.context): score for score in scores})


def scorer(**options) -> Scorer:
    return Scorer(Letters(**options), "r1", "float32")


def test_scores_come_in_the_order_asked_and_each_distinct_text_is_scored_once():
    one = scorer()
    assert [score.logprob for score in one.score(["abc", "a", "abc", "ab"])] == [-3, -1, -3, -2]
    assert one.backend.texts == ["abc", "a", "ab"]


def test_the_same_text_after_another_context_is_another_text():
    one = scorer()
    one.score(["ab", "ab"], ["x", "y"])
    assert one.backend.texts == ["ab", "ab"]


def test_lengths_are_recorded():
    (score,) = scorer().score(["two words"])
    assert (score.words, score.characters, score.tokens) == (2, 8, 9)


def test_nothing_to_score_is_no_error():
    assert scorer().score([]) == []


def test_progress_counts_distinct_texts():
    seen = []
    scorer().score(["a", "b", "a"], progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 2), (2, 2)]


def test_what_the_journal_has_is_not_scored_again():
    journal = Memory()
    scorer().score(["a", "b"], journal=journal)
    again = scorer()
    scores = again.score(["b", "c", "a"], journal=journal)
    assert again.backend.texts == ["c"]
    assert [score.continuation for score in scores] == ["b", "c", "a"]


def test_tokens_that_the_journal_lacks_are_scored_again():
    journal = Memory()
    scorer().score(["ab"], journal=journal)
    (score,) = scorer().score(["ab"], journal=journal, keep_tokens=True)
    assert (score.token_texts, score.token_logprobs) == (("a", "b"), (-1.0, -1.0))


def test_where_memory_does_not_suffice_batches_are_halved():
    one = scorer(memory=2)
    scores = one.score(["a", "bb", "ccc", "dddd", "eeeee"])
    assert one.backend.batches == [2, 1, 2]
    assert [score.logprob for score in scores] == [-1, -2, -3, -4, -5]


def test_a_single_text_that_memory_does_not_hold_is_an_error():
    with pytest.raises(ModelError, match="not enough memory for a single text of 3 tokens"):
        scorer(memory=0).score(["abc"])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_not_finite_is_an_error(value, monkeypatch):
    one = scorer()
    monkeypatch.setattr(one.backend, "run", lambda batch: [np.array([-1.0, value])])
    with pytest.raises(ModelError, match=r"'ab'.*float32"):
        one.score(["ab"])


def test_unequal_numbers_of_texts_and_contexts_are_an_error():
    with pytest.raises(TextError, match="2 texts, but 1 contexts"):
        scorer().score(["a", "b"], ["c"])


def test_one_string_is_no_list_of_texts():
    with pytest.raises(TextError, match="not one string"):
        scorer().score("abc")


def test_unigrams_are_summed_over_the_scored_tokens():
    one = Scorer(Letters(), "r1", "float32", Unigrams({"a": 3, "b": 1}, vocabulary=4))
    (score,) = one.score(["abc"])
    # add-one over 4 occurrences and 4 tokens: 4/8, 2/8, 1/8
    assert score.unigram_logprob == pytest.approx(np.log(4 / 8 * 2 / 8 * 1 / 8))


def test_unigrams_as_released_are_not_smoothed():
    unigrams = Unigrams({"a": 3, "b": 1}, vocabulary=4, smoothing="as_released")
    assert unigrams.logprob(["a", "b", "c"]) == pytest.approx(np.log(3 / 4 * 1 / 4 * 1 / 4))


def test_settings_say_everything_that_decides_a_number():
    assert set(scorer().settings()) == {"kind", "revision", "alphabet", "dtype", "minpairs"}
