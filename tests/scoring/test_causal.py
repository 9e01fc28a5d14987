"""Causal scores: equal to a plain loop, whatever the batch, order, padding or tokenizer."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import SENTENCES, byte_tokenizer, causal

from minpairs.errors import ModelError, TextError
from minpairs.scoring import load_scorer

FAMILIES = ("opt", "gpt2", "llama")


def reference(model, ids: list[int]) -> list[float]:
    """One text at a time, full logits: the log-probability of every token but the first."""
    with torch.inference_mode():
        logits = model(torch.tensor([ids])).logits[0, :-1]
    logprobs = logits.double().log_softmax(-1)
    return logprobs.gather(1, torch.tensor(ids[1:])[:, None])[:, 0].tolist()


def with_bos(tokenizer, text: str) -> list[int]:
    return [tokenizer.bos_token_id, *tokenizer(text, add_special_tokens=False)["input_ids"]]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("tree_nodes", [0, 8, 512])
def test_scores_equal_a_plain_loop(family, tree_nodes):
    model, tokenizer = causal(family), byte_tokenizer()
    scores = load_scorer(model, tokenizer=tokenizer, tree_nodes=tree_nodes).score(
        SENTENCES, keep_tokens=True
    )
    for text, score in zip(SENTENCES, scores, strict=True):
        expected = reference(model, with_bos(tokenizer, text))
        assert score.token_logprobs == pytest.approx(expected, abs=1e-4)
        assert score.logprob == pytest.approx(sum(expected), abs=1e-4)
        assert score.tokens == len(expected)


@pytest.mark.parametrize("family", FAMILIES)
def test_trees_are_used_and_run_each_prefix_once(family):
    scorer = load_scorer(causal(family), tokenizer=byte_tokenizer())
    scorer.score(SENTENCES)
    assert scorer.backend.use_trees
    before = scorer.backend.positions_run
    scorer.score(SENTENCES)  # checked before, so only the tree is run
    tokenizer = byte_tokenizer()
    prefixes = {
        tuple(ids[:length])
        for ids in (with_bos(tokenizer, text) for text in SENTENCES)
        for length in range(1, len(ids))
    }
    assert scorer.backend.positions_run - before == len(prefixes)


@settings(max_examples=25, deadline=None)
@given(
    texts=st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=12),
    batch_tokens=st.sampled_from([1, 7, 32, 1000]),
    tree_nodes=st.sampled_from([0, 4, 16, 512]),
)
def test_batch_size_order_and_duplicates_never_change_a_score(texts, batch_tokens, tree_nodes):
    model, tokenizer = causal("llama"), byte_tokenizer()
    alone = {
        text: load_scorer(model, tokenizer=tokenizer, tree_nodes=0).score([text])[0].logprob
        for text in set(texts)
    }
    scorer = load_scorer(
        model, tokenizer=tokenizer, batch_tokens=batch_tokens, tree_nodes=tree_nodes
    )
    for text, score in zip(texts, scorer.score(texts), strict=True):
        assert score.continuation == text
        assert score.logprob == pytest.approx(alone[text], abs=1e-4)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    "tokenizer_options",
    [
        {"padding_side": "left"},
        {"pad": None},
        {"pad": "</s>"},
        {"adds_bos": True},
        {"adds_eos": True},
        {"adds_bos": True, "adds_eos": True, "padding_side": "left"},
    ],
    ids=str,
)
def test_padding_and_tokens_that_the_tokenizer_adds_never_change_a_score(family, tokenizer_options):
    model = causal(family)
    plain = load_scorer(model, tokenizer=byte_tokenizer()).score(SENTENCES)
    other = load_scorer(
        model, tokenizer=byte_tokenizer(**tokenizer_options), tree_nodes=0, batch_tokens=64
    ).score(SENTENCES)
    assert [score.tokens for score in other] == [score.tokens for score in plain]
    assert [score.logprob for score in other] == pytest.approx(
        [score.logprob for score in plain], abs=1e-4
    )


def test_without_a_beginning_token_the_first_token_is_not_scored():
    model, tokenizer = causal(), byte_tokenizer(bos=None)
    (score,) = load_scorer(model, tokenizer=tokenizer, bos="none").score(["A letter came."])
    ids = tokenizer("A letter came.", add_special_tokens=False)["input_ids"]
    assert score.tokens == len(ids) - 1
    assert score.logprob == pytest.approx(sum(reference(model, ids)), abs=1e-4)


def test_auto_takes_the_configuration_s_beginning_token_if_the_tokenizer_knows_it():
    model = causal("opt")  # its configuration says 0, which is <s>
    tokenizer = byte_tokenizer(bos=None)
    assert load_scorer(model, tokenizer=tokenizer).settings()["bos"] == "auto(<s>)"
    model.config.bos_token_id = 200  # an ordinary token: a default that means nothing here
    assert load_scorer(model, tokenizer=tokenizer).settings()["bos"] == "auto(none)"


def test_a_beginning_token_can_be_chosen():
    model, tokenizer = causal(), byte_tokenizer()
    scorer = load_scorer(model, tokenizer=tokenizer, bos="</s>")
    assert scorer.settings()["bos"] == "</s>"
    ids = [1, *tokenizer("Yes.", add_special_tokens=False)["input_ids"]]
    assert scorer.score(["Yes."])[0].logprob == pytest.approx(sum(reference(model, ids)), abs=1e-4)


def test_a_beginning_token_that_the_model_lacks_is_an_error_with_the_nearest():
    with pytest.raises(ModelError, match="'<bos>' is not a token of this model"):
        load_scorer(causal(), tokenizer=byte_tokenizer(), bos="<bos>")


def test_the_end_token_is_scored_only_when_asked():
    model, tokenizer = causal(), byte_tokenizer()
    without = load_scorer(model, tokenizer=tokenizer).score(["A letter came."])[0]
    scored = load_scorer(model, tokenizer=tokenizer, eos=True).score(["A letter came."])[0]
    ids = [*with_bos(tokenizer, "A letter came."), tokenizer.eos_token_id]
    assert scored.tokens == without.tokens + 1
    assert scored.logprob == pytest.approx(sum(reference(model, ids)), abs=1e-4)


def test_a_continuation_is_scored_after_its_context():
    model, tokenizer = causal(), byte_tokenizer()
    scorer = load_scorer(model, tokenizer=tokenizer)
    (score,) = scorer.score([" A letter came."], ["The cat sleeps."])
    ids = with_bos(tokenizer, "The cat sleeps. A letter came.")
    continuation = len(tokenizer(" A letter came.", add_special_tokens=False)["input_ids"])
    assert score.tokens == continuation
    assert score.logprob == pytest.approx(sum(reference(model, ids)[-continuation:]), abs=1e-4)


def test_context_and_continuation_add_up_to_the_whole():
    scorer = load_scorer(causal("gpt2"), tokenizer=byte_tokenizer())
    context, continuation = "The cat sleeps.", " A letter came."
    whole, first = scorer.score([context + continuation, context])
    (second,) = scorer.score([continuation], [context])
    assert first.logprob + second.logprob == pytest.approx(whole.logprob, abs=1e-4)


def test_a_token_that_spans_context_and_continuation_is_scored():
    tokenizer = byte_tokenizer()
    scorer = load_scorer(causal(), tokenizer=tokenizer)
    assert "Ġcat" in tokenizer.get_vocab()
    (score,) = scorer.score(["at sleeps."], ["The c"], keep_tokens=True)
    assert score.token_texts[0] == "Ġcat"


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_an_empty_text_is_an_error(text):
    with pytest.raises(TextError, match="text 1 is empty"):
        load_scorer(causal(), tokenizer=byte_tokenizer()).score(["Yes.", text])


def test_a_text_longer_than_the_context_is_an_error_that_names_it():
    scorer = load_scorer(causal(positions=16), tokenizer=byte_tokenizer())
    with pytest.raises(TextError, match=r"'Yes\. Yes\..*has \d+ tokens to read.*at most 16"):
        scorer.score(["Yes. " * 20 + "Yes."])


@pytest.mark.parametrize("family", FAMILIES)
def test_a_text_that_just_fits_is_scored(family):
    tokenizer = byte_tokenizer()
    ids = with_bos(tokenizer, SENTENCES[0])
    model = causal(family, positions=len(ids) - 1)  # the last token is never read
    (score,) = load_scorer(model, tokenizer=tokenizer).score([SENTENCES[0]])
    assert score.tokens == len(ids) - 1
    smaller = load_scorer(causal(family, positions=len(ids) - 2), tokenizer=tokenizer)
    with pytest.raises(TextError, match="at most"):
        smaller.score([SENTENCES[0]])


def test_one_token_without_a_beginning_token_is_an_error():
    scorer = load_scorer(causal(), tokenizer=byte_tokenizer(), bos="none")
    with pytest.raises(TextError, match="the first token needs a beginning token"):
        scorer.score(["A"])


def test_one_token_with_a_beginning_token_is_scored():
    (score,) = load_scorer(causal(), tokenizer=byte_tokenizer()).score(["A"])
    assert score.tokens == 1
    assert score.logprob < 0


def test_a_special_token_in_a_text_is_an_error():
    with pytest.raises(TextError, match="spells out a special token"):
        load_scorer(causal(), tokenizer=byte_tokenizer()).score(["The </s> cat."])


def test_text_is_never_changed():
    scorer = load_scorer(causal(), tokenizer=byte_tokenizer())
    plain, spaced, trailing = scorer.score(["Yes.", " Yes.", "Yes. "])
    assert len({plain.logprob, spaced.logprob, trailing.logprob}) == 3


def test_a_model_in_training_mode_is_scored_without_dropout():
    model = causal("gpt2").train()
    scorer = load_scorer(model, tokenizer=byte_tokenizer(), tree_nodes=0)
    first, second = (scorer.score(["A letter came."])[0].logprob for _ in range(2))
    assert first == second
    assert model.training  # and is left as it was


def test_another_precision_leaves_the_caller_s_model_as_it_is():
    model = causal("llama")
    load_scorer(model, tokenizer=byte_tokenizer(), dtype="bf16")
    assert model.dtype == torch.float32


def test_a_number_that_is_not_finite_is_an_error_that_names_the_text():
    model = causal("llama")
    with torch.no_grad():
        model.lm_head.weight[5] = float("nan")
    with pytest.raises(ModelError, match=r"nan to 'A letter came\.'.*--dtype float32"):
        load_scorer(model, tokenizer=byte_tokenizer()).score(["A letter came."])


def test_half_precision_scores_are_near_and_finite():
    texts = list(SENTENCES)
    full = load_scorer(causal("llama"), tokenizer=byte_tokenizer()).score(texts)
    half = load_scorer(causal("llama"), tokenizer=byte_tokenizer(), dtype="bf16").score(texts)
    for exact, rounded in zip(full, half, strict=True):
        assert rounded.logprob == pytest.approx(exact.logprob, rel=0.05)
