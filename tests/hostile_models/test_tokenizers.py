"""Tokenizers that do not fit their model, or do not read a text whole."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import bert, byte_tokenizer, causal, wordpiece_tokenizer
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from minpairs.benchmarks.schema import Text
from minpairs.errors import ModelError, TextError
from minpairs.scoring import load_scorer
from minpairs.scoring.encoding import split_tokens

LETTERS = {letter: index for index, letter in enumerate("<abcdefgh")}


def letters(model) -> PreTrainedTokenizerFast:
    """A tokenizer of the letters a to h, without a token for anything else."""
    core = Tokenizer(model)
    core.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Split("", "isolated")]
    )
    return PreTrainedTokenizerFast(tokenizer_object=core, bos_token="<")


def test_a_character_that_the_tokenizer_would_drop_is_an_error():
    # Byte-pair encoding without an unknown token reads 'a龘b' as 'ab'.
    tokenizer = letters(models.BPE(LETTERS, []))
    assert tokenizer("a龘b")["input_ids"] == tokenizer("ab")["input_ids"]
    scorer = load_scorer(causal(), tokenizer=tokenizer)
    assert scorer.score(["ab"])[0].tokens == 2
    with pytest.raises(TextError, match="passes over '龘' in 'a龘b'"):
        scorer.score(["ab", "a龘b"])


@pytest.mark.parametrize("text", ["龘ab", "ab龘", "ab！"])
def test_so_it_is_at_the_ends_and_with_punctuation(text):
    scorer = load_scorer(causal(), tokenizer=letters(models.BPE(LETTERS, [])))
    with pytest.raises(TextError, match="passes over"):
        scorer.score([text])


def test_a_character_dropped_from_a_context_is_an_error_too():
    scorer = load_scorer(causal(), tokenizer=letters(models.BPE(LETTERS, [])))
    with pytest.raises(TextError, match="passes over '龘'"):
        scorer.score(["ab"], ["a龘 "])


@pytest.mark.parametrize(
    "model",
    [models.WordLevel(LETTERS, "[UNK]"), models.WordPiece(LETTERS, unk_token="[UNK]")],
    ids=["word level", "WordPiece"],
)
def test_a_tokenizer_that_fails_on_an_unknown_character_is_an_error_that_names_the_text(model):
    scorer = load_scorer(causal(), tokenizer=letters(model))
    with pytest.raises(TextError, match=r"the tokenizer cannot read 'a龘b'.*UNK"):
        scorer.score(["ab", "a龘b"])


ALL_BYTES = byte_tokenizer()
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def with_bytes(kind: str) -> PreTrainedTokenizerFast:
    """Letters, and bytes for every other character, as in Llama and Gemma."""
    tokens = ["<unk>", "<", *BYTES, "▁", "a", "b"]
    if kind == "Unigram":
        model = models.Unigram([(token, -1.0) for token in tokens], 0, byte_fallback=True)
    else:
        vocabulary = {token: index for index, token in enumerate(tokens)}
        model = models.BPE(vocabulary, [], unk_token="<unk>", byte_fallback=True)
    core = Tokenizer(model)
    core.pre_tokenizer = pre_tokenizers.Metaspace()
    return PreTrainedTokenizerFast(tokenizer_object=core, bos_token="<", unk_token="<unk>")


@pytest.mark.parametrize("kind", ["BPE", "Unigram"])
@pytest.mark.parametrize("text", ["a龘b", "龘龘", "a…b", "é a", "😀 b"])
def test_a_character_that_is_read_as_bytes_is_read(kind, text):
    (score,) = load_scorer(causal(), tokenizer=with_bytes(kind)).score([text])
    assert score.tokens >= len(text.encode()) - text.count(" ")


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12))
def test_no_text_is_refused_by_a_tokenizer_that_reads_all_bytes(text):
    text = f"a{text}b"
    ids, first, _ = split_tokens(ALL_BYTES, [Text(text)], special=False)[0]
    assert first == 0
    assert ALL_BYTES.decode(ids, clean_up_tokenization_spaces=False) == text


def test_white_space_marks_and_format_characters_may_be_taken_off():
    scorer = load_scorer(bert(), tokenizer=wordpiece_tokenizer())
    plain, strange = scorer.score(["the cat came.", "the\u00a0 cat\u200b came."])
    assert strange.logprob == plain.logprob


def test_a_lone_surrogate_is_an_error():
    with pytest.raises(TextError, match="cannot read"):
        load_scorer(causal(), tokenizer=byte_tokenizer()).score(["a\ud800b"])


def test_a_vocabulary_larger_than_the_embedding_is_an_error_on_loading():
    model = causal("llama")
    model.resize_token_embeddings(40)
    with pytest.raises(ModelError, match="317 tokens, outside the model's 40 embeddings"):
        load_scorer(model, tokenizer=byte_tokenizer())


def test_an_added_token_without_an_embedding_is_an_error_where_a_text_has_it():
    tokenizer = byte_tokenizer()
    tokenizer.add_tokens(["filler", "more", "again", "letter"])  # beyond the 320 embeddings
    scorer = load_scorer(causal(), tokenizer=tokenizer)
    assert scorer.score(["Yes."])[0].tokens > 0
    with pytest.raises(ModelError, match=r"token 320 of 'A letter came\.' is outside"):
        scorer.score(["A letter came."])


def test_an_embedding_larger_than_the_vocabulary_is_left_as_it_is():
    model = causal("llama")
    model.resize_token_embeddings(384)
    before = model.lm_head.weight.clone()
    load_scorer(model, tokenizer=byte_tokenizer()).score(["Yes."])
    assert torch.equal(model.lm_head.weight, before)


def test_an_end_token_that_the_tokenizer_adds_is_neither_read_nor_scored():
    plain = load_scorer(causal(), tokenizer=byte_tokenizer()).score(["Yes."])
    adds = load_scorer(causal(), tokenizer=byte_tokenizer(adds_eos=True)).score(["Yes."])
    assert adds == plain
