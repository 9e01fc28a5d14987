"""Pseudo-log-likelihoods: both variants everywhere, in bounded memory, by today's calls."""

from __future__ import annotations

import pytest
import torch
from tiny_models import bert, byte_tokenizer, causal, wordpiece_tokenizer

from minpairs.errors import ModelError
from minpairs.scoring import load_scorer

CONTEXT, CONTINUATION = "a letter came.", " nobody saw the dog sleeping."


def reference(pll: str) -> list[float]:
    """Kauf and Ivanova 2023 after a context, written out."""
    model, tokenizer = bert(), wordpiece_tokenizer()
    coded = tokenizer(CONTEXT + CONTINUATION)
    ids, words = coded["input_ids"], coded.word_ids()
    first = 1 + len(tokenizer.tokenize(CONTEXT))
    results = []
    for position in range(first, len(ids) - 1):
        hidden = [
            later
            for later in range(position, len(ids))
            if later == position or (pll != "original" and words[later] == words[position])
        ]
        masked = [4 if at in hidden else token for at, token in enumerate(ids)]
        with torch.inference_mode():
            logits = model(torch.tensor([masked])).logits[0, position].double()
        results.append(logits.log_softmax(-1)[ids[position]].item())
    return results


@pytest.mark.parametrize("pll", ["original", "within_word_l2r"])
def test_both_variants_are_there_after_a_context_too(pll):
    scorer = load_scorer(bert(), tokenizer=wordpiece_tokenizer(), pll=pll)
    (score,) = scorer.score([CONTINUATION], [CONTEXT], keep_tokens=True)
    assert score.token_logprobs == pytest.approx(reference(pll), abs=1e-4)


def test_the_variant_that_was_chosen_is_in_the_settings_and_changes_a_word_of_several_pieces():
    scores = {}
    for pll in ("original", "within_word_l2r"):
        scorer = load_scorer(bert(), tokenizer=wordpiece_tokenizer(), pll=pll)
        assert scorer.settings()["pll"] == pll
        scores[pll] = scorer.score(["sleeping"])[0].logprob
    assert scores["original"] != pytest.approx(scores["within_word_l2r"], abs=1e-3)


@pytest.mark.parametrize("words", [2, 8, 28])
def test_logits_are_held_for_masked_positions_only_however_long_the_text(words):
    model = bert()
    held = []
    model.register_forward_hook(lambda _, __, output: held.append(output.logits.shape))
    scorer = load_scorer(model, tokenizer=wordpiece_tokenizer(), batch_tokens=60)
    held.clear()
    scorer.score(["cat " * words])
    # The check of the first batch apart, a row of at most 60 // length has one position each.
    rows = max(1, 60 // (words + 2))
    assert max(shape[0] * shape[1] for shape in held) <= rows


def test_a_causal_model_asked_for_as_masked_is_told_what_it_is(tmp_path):
    causal().save_pretrained(tmp_path)
    byte_tokenizer().save_pretrained(tmp_path)
    with pytest.raises(ModelError, match=r"as a masked model.*it is a causal model"):
        load_scorer(tmp_path, kind="masked")


@pytest.mark.parametrize(
    ("model", "tokenizer"), [(bert, wordpiece_tokenizer), (causal, byte_tokenizer)]
)
def test_a_tokenizer_is_only_ever_called(model, tokenizer, monkeypatch):
    # Version 5 of transformers took the other methods away.
    chosen = tokenizer()
    for name in ("encode", "encode_plus", "batch_encode_plus", "prepare_for_model", "pad"):
        monkeypatch.setattr(type(chosen), name, None, raising=False)
    scorer = load_scorer(model(), tokenizer=chosen)
    assert scorer.score(["the cat came."], ["a letter came. "])[0].tokens > 0
