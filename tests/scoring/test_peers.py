"""The same scores as minicons and lm-evaluation-harness, or a test that says why not."""

from __future__ import annotations

import pytest
from tiny_models import SENTENCES, byte_tokenizer, causal

from minpairs.scoring import load_scorer

pytestmark = pytest.mark.peers
FAMILIES = ("opt", "gpt2", "llama")
CONTEXT = "The cat sleeps."


def total(logprobs):
    return logprobs.sum().item()


def minicons_scorer(family: str):
    from minicons import scorer

    return scorer.IncrementalLMScorer(causal(family), "cpu", tokenizer=byte_tokenizer())


def harness(family: str):
    from lm_eval.models.huggingface import HFLM

    return HFLM(pretrained=causal(family), tokenizer=byte_tokenizer(), batch_size=3)


def harness_logprobs(model, requests: list[tuple[str, str]]) -> list[float]:
    from lm_eval.api.instance import Instance

    instances = [
        Instance("loglikelihood", {}, request, index) for index, request in enumerate(requests)
    ]
    return [logprob for logprob, _ in model.loglikelihood(instances)]


@pytest.mark.parametrize("family", FAMILIES)
def test_sums_equal_minicons_with_a_beginning_token(family):
    theirs = minicons_scorer(family).sequence_score(
        list(SENTENCES), reduction=total, bos_token=True
    )
    ours = load_scorer(causal(family), tokenizer=byte_tokenizer()).score(SENTENCES)
    assert [score.logprob for score in ours] == pytest.approx(theirs, abs=1e-3)


@pytest.mark.parametrize("family", FAMILIES)
def test_sums_equal_minicons_without_a_beginning_token(family):
    theirs = minicons_scorer(family).sequence_score(list(SENTENCES), reduction=total)
    scorer = load_scorer(causal(family), tokenizer=byte_tokenizer(), bos="none")
    assert [score.logprob for score in scorer.score(SENTENCES)] == pytest.approx(theirs, abs=1e-3)


@pytest.mark.parametrize("family", FAMILIES)
def test_conditional_scores_equal_minicons(family):
    # minicons joins with a separator, a space by default; we join as it stands.
    theirs = minicons_scorer(family).conditional_score(
        [CONTEXT] * 2, ["A letter came.", "Yes."], reduction=total, bos_token=True
    )
    ours = load_scorer(causal(family), tokenizer=byte_tokenizer()).score(
        [" A letter came.", " Yes."], [CONTEXT] * 2
    )
    assert [score.logprob for score in ours] == pytest.approx(theirs, abs=1e-3)


@pytest.mark.parametrize("family", FAMILIES)
def test_sums_equal_lm_eval(family):
    theirs = harness_logprobs(harness(family), [("", text) for text in SENTENCES])
    ours = load_scorer(causal(family), tokenizer=byte_tokenizer()).score(SENTENCES)
    assert [score.logprob for score in ours] == pytest.approx(theirs, abs=1e-3)


def test_lm_eval_puts_no_beginning_token_before_a_context():
    # It prepends one only where the context is empty, so that the same text has two readings.
    theirs = harness_logprobs(harness("opt"), [(CONTEXT, " A letter came.")])
    model = causal("opt")
    without = load_scorer(model, tokenizer=byte_tokenizer(), bos="none")
    assert without.score([" A letter came."], [CONTEXT])[0].logprob == pytest.approx(
        theirs[0], abs=1e-3
    )
    with_bos = load_scorer(model, tokenizer=byte_tokenizer())
    assert with_bos.score([" A letter came."], [CONTEXT])[0].logprob != pytest.approx(
        theirs[0], abs=1e-3
    )


def test_minicons_doubles_a_beginning_token_that_the_tokenizer_adds():
    # Known fault of minicons 0.3.39; a beginning token is ours once, whoever adds it.
    from minicons import scorer

    tokenizer = byte_tokenizer(adds_bos=True)
    theirs = scorer.IncrementalLMScorer(causal(), "cpu", tokenizer=tokenizer)
    doubled = theirs.sequence_score([SENTENCES[0]], reduction=total, bos_token=True)[0]
    once = load_scorer(causal(), tokenizer=tokenizer).score([SENTENCES[0]])[0].logprob
    plain = load_scorer(causal(), tokenizer=byte_tokenizer()).score([SENTENCES[0]])[0].logprob
    assert once == pytest.approx(plain, abs=1e-4)
    assert doubled != pytest.approx(once, abs=1e-2)


def test_minicons_gives_one_token_without_beginning_zero():
    # We refuse instead: a log-probability of zero says that the text is certain.
    assert minicons_scorer("opt").sequence_score(["A"], reduction=total) == [0.0]
