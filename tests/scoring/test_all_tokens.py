"""All tokens of a text beside the scored ones: what the let-alone authors' SLOR is made of."""

from __future__ import annotations

import math

import pytest
from scored_runs import own_pairs
from tiny_models import SENTENCES, byte_tokenizer, causal

from minpairs.benchmarks.schema import Text
from minpairs.cells import cell_values
from minpairs.scoring import load_scorer
from minpairs.scoring.unigrams import Unigrams

TEXT = SENTENCES[0]


def scorer(**options):
    made = load_scorer(causal(), tokenizer=byte_tokenizer(), **options)
    tokens = byte_tokenizer().tokenize(TEXT)
    made.unigrams = Unigrams({token: 1 + i for i, token in enumerate(dict.fromkeys(tokens))}, 320)
    return made


def test_without_a_beginning_token_the_first_token_is_among_all_but_not_scored():
    made = scorer(bos="none")
    (score,) = made.score([TEXT])
    tokens = byte_tokenizer().tokenize(TEXT)
    assert (score.tokens, score.all_tokens) == (len(tokens) - 1, len(tokens))
    assert score.unigram_logprob == pytest.approx(made.unigrams.logprob(tokens[1:]))
    assert score.all_unigram_logprob == pytest.approx(made.unigrams.logprob(tokens))
    assert score.all_unigram_logprob < score.unigram_logprob


def test_with_a_beginning_token_all_are_scored():
    (score,) = scorer().score([TEXT])
    assert score.all_tokens == score.tokens
    assert score.all_unigram_logprob == score.unigram_logprob


def test_after_a_context_all_tokens_are_those_of_the_continuation():
    (score,) = scorer(bos="none").score([" Nobody saw it."], contexts=["A letter came."])
    assert score.all_tokens == score.tokens
    assert score.all_unigram_logprob == score.unigram_logprob


def test_a_scored_end_is_among_all_tokens():
    (score,) = scorer(bos="none", eos=True).score([TEXT])
    assert score.all_tokens == score.tokens + 1


def test_without_counts_all_tokens_are_still_counted():
    (score,) = load_scorer(causal(), tokenizer=byte_tokenizer(), bos="none").score([TEXT])
    assert score.all_tokens == score.tokens + 1
    assert score.all_unigram_logprob is None


def test_slor_as_released_is_the_authors_two_means():
    """Mean over tokens 2..N of the model, less the mean over tokens 1..N of the counts."""
    made = scorer(bos="none")
    suite = own_pairs([TEXT], [SENTENCES[1]])
    scores = made.score([TEXT, SENTENCES[1]], keep_tokens=True)
    table = {Text(s.continuation, s.context): s for s in scores}
    found = cell_values([suite], table, "slor_as_released")["acceptable"][0]
    model = math.fsum(scores[0].token_logprobs) / len(scores[0].token_logprobs)
    tokens = byte_tokenizer().tokenize(TEXT)
    counts = math.fsum(made.unigrams.logprob([token]) for token in tokens) / len(tokens)
    assert found == pytest.approx(model - counts)
