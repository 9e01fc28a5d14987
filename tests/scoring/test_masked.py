"""Pseudo-log-likelihoods: equal to a loop that masks one token at a time."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import bert, fill, wordpiece_tokenizer
from transformers import (
    AlbertConfig,
    AlbertForMaskedLM,
    DistilBertConfig,
    DistilBertForMaskedLM,
    ElectraConfig,
    ElectraForMaskedLM,
    RobertaConfig,
    RobertaForMaskedLM,
)

from minpairs.errors import ModelError, TextError
from minpairs.scoring import load_scorer

TEXTS = (
    "the cats near the window sleep.",
    "nobody saw the dog sleeping.",
    "nobody saw the dog sleeper.",
    "a letter came.",
    "他看见了一只猫。",
    "她看见了一只猫。",
)


def reference(model, tokenizer, text: str, pll: str, context: str = "") -> list[float]:
    """Salazar et al. 2020, and Kauf and Ivanova 2023, written out."""
    coded = tokenizer(context + text)
    ids, words = coded["input_ids"], coded.word_ids()
    skipped = len(tokenizer(context, add_special_tokens=False)["input_ids"])
    results = []
    for position in range(1 + skipped, len(ids) - 1):
        masked = list(ids)
        masked[position] = tokenizer.mask_token_id
        if pll == "within_word_l2r":
            for later in range(position + 1, len(ids)):
                if words[later] == words[position]:
                    masked[later] = tokenizer.mask_token_id
        with torch.inference_mode():
            logits = model(torch.tensor([masked])).logits[0, position].double()
        results.append(logits.log_softmax(-1)[ids[position]].item())
    return results


@pytest.mark.parametrize("pll", ["original", "within_word_l2r"])
def test_scores_equal_a_plain_loop(pll):
    model, tokenizer = bert(), wordpiece_tokenizer()
    scores = load_scorer(model, tokenizer=tokenizer, pll=pll).score(TEXTS, keep_tokens=True)
    for text, score in zip(TEXTS, scores, strict=True):
        expected = reference(model, tokenizer, text, pll)
        assert score.token_logprobs == pytest.approx(expected, abs=1e-4)
        assert score.tokens == len(expected)


def test_the_two_variants_differ_just_where_a_word_has_pieces():
    tokenizer = wordpiece_tokenizer()
    original, within = (
        load_scorer(bert(), tokenizer=tokenizer, pll=pll).score(TEXTS)
        for pll in ("original", "within_word_l2r")
    )
    for text, one, other in zip(TEXTS, original, within, strict=True):
        pieces = any(token.startswith("##") for token in tokenizer.tokenize(text))
        assert (one.logprob != pytest.approx(other.logprob, abs=1e-6)) == pieces


def _family(name: str, size: int):
    shared = {
        "vocab_size": size,
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 64,
        "max_position_embeddings": 40,
        "pad_token_id": 0,
    }
    if name == "roberta":
        return RobertaForMaskedLM(RobertaConfig(**shared))
    if name == "electra":
        return ElectraForMaskedLM(ElectraConfig(**shared, embedding_size=16))
    if name == "albert":
        return AlbertForMaskedLM(AlbertConfig(**shared, embedding_size=16))
    config = DistilBertConfig(
        vocab_size=size, dim=32, n_layers=2, n_heads=4, hidden_dim=64, max_position_embeddings=40
    )
    return DistilBertForMaskedLM(config)


@pytest.mark.parametrize("family", ["roberta", "electra", "albert", "distilbert"])
def test_the_head_runs_at_the_masked_position_only_and_changes_nothing(family):
    tokenizer = wordpiece_tokenizer()
    model = fill(_family(family, len(tokenizer)))
    scores = load_scorer(model, tokenizer=tokenizer, kind="masked").score(TEXTS, keep_tokens=True)
    for text, score in zip(TEXTS, scores, strict=True):
        expected = reference(model, tokenizer, text, "original")
        assert score.token_logprobs == pytest.approx(expected, abs=1e-4)


@settings(max_examples=20, deadline=None)
@given(
    texts=st.lists(st.sampled_from(TEXTS), min_size=1, max_size=9),
    batch_tokens=st.sampled_from([1, 20, 64, 4096]),
)
def test_batch_size_order_and_duplicates_never_change_a_score(texts, batch_tokens):
    model, tokenizer = bert(), wordpiece_tokenizer()
    scorer = load_scorer(model, tokenizer=tokenizer, batch_tokens=batch_tokens)
    for text, score in zip(texts, scorer.score(texts), strict=True):
        expected = sum(reference(model, tokenizer, text, "original"))
        assert score.logprob == pytest.approx(expected, abs=1e-4)


def test_identical_masked_rows_are_run_once():
    scorer = load_scorer(bert(), tokenizer=wordpiece_tokenizer())
    he, she = scorer.score(["他看见了一只猫。", "她看见了一只猫。"])
    assert he.tokens == she.tokens == 8
    assert scorer.backend.rows_run == 8 + 8 - 1  # the row that masks the first character is shared


def test_texts_that_share_a_row_meet_in_one_batch_though_others_sort_between_them():
    texts = ["他看见了一只猫。", "他看一只猫见了。", "他见看了一只猫。", "她看见了一只猫。"]
    scorer = load_scorer(bert(), tokenizer=wordpiece_tokenizer(), batch_tokens=160)
    scorer.score(texts)  # two texts of 8 rows and 10 tokens make a batch
    assert scorer.backend.rows_run == 4 * 8 - 1


def test_the_last_layer_is_cut_where_it_is_like_bert_s_and_nowhere_else():
    tokenizer = wordpiece_tokenizer()
    for family, like_bert in (("roberta", True), ("electra", True), ("distilbert", False)):
        scorer = load_scorer(fill(_family(family, len(tokenizer))), tokenizer=tokenizer)
        scorer.score(TEXTS)
        assert (scorer.backend._layer is not None) == like_bert


def test_a_context_is_read_and_not_scored():
    model, tokenizer = bert(), wordpiece_tokenizer()
    (score,) = load_scorer(model, tokenizer=tokenizer).score([" the cat came."], ["a letter came."])
    expected = reference(model, tokenizer, " the cat came.", "original", "a letter came.")
    assert score.tokens == 4
    assert score.logprob == pytest.approx(sum(expected), abs=1e-4)


def test_unknown_tokens_are_counted():
    (score,) = load_scorer(bert(), tokenizer=wordpiece_tokenizer()).score(["他看见了一只龘。"])
    assert (score.unknown_tokens, score.tokens) == (1, 8)


def test_a_text_of_unknown_characters_only_is_an_error():
    with pytest.raises(TextError, match="only characters that the model's vocabulary"):
        load_scorer(bert(), tokenizer=wordpiece_tokenizer()).score(["龘龘"])


def test_a_special_token_in_a_text_is_an_error():
    with pytest.raises(TextError, match="spells out a special token"):
        load_scorer(bert(), tokenizer=wordpiece_tokenizer()).score(["the [MASK] came."])


def test_a_text_longer_than_the_model_is_an_error():
    with pytest.raises(TextError, match="reads at most 32"):
        load_scorer(bert(), tokenizer=wordpiece_tokenizer()).score(["the cat " * 20])


def test_roberta_s_positions_start_after_its_padding():
    tokenizer = wordpiece_tokenizer()
    model = fill(_family("roberta", len(tokenizer)))
    scorer = load_scorer(model, tokenizer=tokenizer)
    assert scorer.score(["a " * 37])[0].tokens == 37  # with [CLS] and [SEP]: 39 of 40 positions
    with pytest.raises(TextError, match="reads at most 39"):
        scorer.score(["a " * 38])


def test_a_tokenizer_without_a_mask_is_an_error():
    tokenizer = wordpiece_tokenizer()
    tokenizer.mask_token = None
    with pytest.raises(ModelError, match="no mask token"):
        load_scorer(bert(), tokenizer=tokenizer)
