"""The LSTM is a transformers model like any other, and its tokens are the corpus's units."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tiny_models import fill
from transformers import AutoModelForCausalLM, AutoTokenizer

from minpairs import load_scorer
from minpairs.errors import ModelError
from minpairs.scoring.segmentation import segmenter
from minpairs.training.lstm import LstmConfig, LstmForCausalLM
from minpairs.training.unit_tokenizer import unit_tokenizer

VOCABULARY = ("<unk>", "<s>", "</s>", "我", "喜欢", "喝", "咖啡", "咖", "啡", "茶")
IDS = torch.tensor([[1, 3, 4, 6, 2], [1, 9, 3, 2, 2]])


def tiny(**options) -> LstmForCausalLM:
    shape = {"vocab_size": len(VOCABULARY), "embedding_size": 8, "hidden_size": 8}
    return fill(LstmForCausalLM(LstmConfig(**shape | options)))


def saved(folder, segmentation="words", **options) -> LstmForCausalLM:
    model = tiny(**options)
    model.save_pretrained(folder)
    unit_tokenizer(VOCABULARY, segmentation).save_pretrained(folder)
    return model


@pytest.mark.parametrize("tied", [True, False])
def test_the_auto_classes_load_what_was_saved(tmp_path, tied):
    model = saved(tmp_path, tie_word_embeddings=tied)
    loaded = AutoModelForCausalLM.from_pretrained(tmp_path)
    assert isinstance(loaded, LstmForCausalLM)
    assert torch.equal(loaded.eval()(IDS).logits, model(IDS).logits)
    assert (loaded.lm_head.weight is loaded.embed_tokens.weight) == tied


def test_tied_embeddings_of_two_sizes_are_refused():
    with pytest.raises(ModelError, match="need one size"):
        tiny(tie_word_embeddings=True, embedding_size=4)


def test_a_row_does_not_depend_on_the_rows_beside_it():
    model = tiny()
    assert torch.allclose(model(IDS).logits[1], model(IDS[1:]).logits[0], atol=1e-6)


def test_padding_on_the_right_changes_nothing():
    model = tiny()
    mask = torch.tensor([[1, 1, 1, 0, 0]])
    padded = model(IDS[1:], attention_mask=mask).logits[0, :3]
    assert torch.allclose(padded, model(IDS[1:, :3]).logits[0], atol=1e-6)


def test_padding_on_the_left_is_refused():
    with pytest.raises(ModelError, match="pad on the right"):
        tiny()(IDS, attention_mask=torch.tensor([[0, 1, 1, 1, 1], [1, 1, 1, 1, 1]]))


@pytest.mark.parametrize(("kept", "positions"), [(2, [3, 4]), (torch.tensor([0, 3]), [0, 3])])
def test_logits_are_computed_only_where_they_are_asked_for(kept, positions):
    model = tiny()
    assert torch.allclose(
        model(IDS, logits_to_keep=kept).logits, model(IDS).logits[:, positions], atol=1e-6
    )


def test_the_loss_is_the_mean_over_labels():
    model = tiny()
    labels = IDS.clone()
    labels[1, 3:] = -100
    logprobs = model(IDS).logits.log_softmax(-1)
    scored = [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1)]
    expected = -sum(logprobs[row, at, IDS[row, at + 1]] for row, at in scored) / len(scored)
    assert model(IDS, labels=labels).loss.item() == pytest.approx(expected.item(), rel=1e-5)
    share = model(IDS, labels=labels, num_items_in_batch=12).loss
    assert share.item() == pytest.approx(expected.item() / 2, rel=1e-5)


def test_it_is_scored_as_a_causal_model(tmp_path):
    model = saved(tmp_path)
    scorer = load_scorer(str(tmp_path), device="cpu")
    texts = ["我 喜欢 咖啡", "茶", "我 喜欢 喝 茶 我 喜欢"]
    for text, score in zip(texts, scorer.score(texts), strict=True):
        ids = torch.tensor([[1, *(VOCABULARY.index(unit) for unit in text.split())]])
        logprobs = model(ids).logits[0].log_softmax(-1)
        expected = sum(logprobs[at, unit] for at, unit in enumerate(ids[0, 1:]))
        assert score.logprob == pytest.approx(expected.item(), abs=1e-5)
    assert not scorer.backend.use_trees


def test_unknown_words_are_counted(tmp_path):
    saved(tmp_path)
    (score,) = load_scorer(str(tmp_path), device="cpu").score(["我 喜欢 水"])
    assert score.unknown_tokens == 1


@pytest.mark.parametrize("segmentation", ["characters", "words", "jieba"])
def test_a_tokenizer_cuts_the_same_after_loading(tmp_path, segmentation):
    saved(tmp_path, segmentation)
    loaded = AutoTokenizer.from_pretrained(tmp_path)
    text = "我 喜欢\u3000喝咖啡。"
    expected = [unit if unit in VOCABULARY else "<unk>" for unit in segmenter(segmentation)(text)]
    assert loaded.tokenize(text) == expected
    assert loaded(text)["input_ids"] == [VOCABULARY.index(unit) for unit in expected]
    assert loaded.pad_token == loaded.eos_token == "</s>"


def test_a_jieba_tokenizer_knows_where_its_words_are():
    tokenizer = unit_tokenizer(VOCABULARY, "jieba")
    offsets = tokenizer("我 喜欢喝", return_offsets_mapping=True)["offset_mapping"]
    assert offsets == [(0, 1), (2, 4), (4, 5)]


TOKENIZERS = {name: unit_tokenizer(VOCABULARY, name) for name in ("characters", "words")}


@given(text=st.text(st.sampled_from("我喜茶a \t\n\r\x0b\x1c\x85\xa0\u2028\u3000é\u0301👩\u200d")))
@pytest.mark.parametrize("segmentation", ["characters", "words"])
def test_a_tokenizer_cuts_as_the_n_gram_models_do(segmentation, text):
    found = TOKENIZERS[segmentation](text, return_offsets_mapping=True)["offset_mapping"]
    assert [text[start:end] for start, end in found] == segmenter(segmentation)(text)
