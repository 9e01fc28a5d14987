"""Tokenizers trained on a corpus: what they keep, and what they put around a text."""

from __future__ import annotations

import pytest
from transformers import AutoTokenizer

from minpairs.training.errors import CorpusError
from minpairs.training.tokenizers import bert_tokenizer, byte_level_bpe

ENGLISH = ["The owl saw the moon.", "An owl let the moon alone.", "the owls saw it"] * 3
CHINESE = ["猫看见月亮", "狗看见猫", "月亮看见狗"] * 3


def read_again(tokenizer, folder):
    tokenizer.save_pretrained(folder)
    return AutoTokenizer.from_pretrained(folder)


def test_bytes_are_read_again_as_they_were(tmp_path):
    tokenizer = read_again(byte_level_bpe(ENGLISH, 300, positions=64), tmp_path)
    text = "The Owl,  let alone 猫 "
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    assert tokenizer.decode(ids) == text
    assert len(tokenizer) <= 300
    assert tokenizer.model_max_length == 64


def test_a_text_opens_with_the_beginning_token_and_no_space_is_added(tmp_path):
    tokenizer = read_again(byte_level_bpe(ENGLISH, 300, positions=64), tmp_path)
    ids = tokenizer("The owl")["input_ids"]
    assert tokenizer.convert_ids_to_tokens(ids)[:2] == ["<s>", "The"]
    assert ids[0] == tokenizer.bos_token_id == 0
    assert (tokenizer.pad_token_id, tokenizer.eos_token_id) == (1, 2)


def test_a_vocabulary_without_room_for_the_bytes_is_refused():
    with pytest.raises(CorpusError, match="needs 259"):
        byte_level_bpe(ENGLISH, 258, positions=64)


def test_word_pieces_keep_case_and_stand_between_special_tokens(tmp_path):
    tokenizer = read_again(bert_tokenizer(ENGLISH, "wordpiece", 60, positions=64), tmp_path)
    tokens = tokenizer.convert_ids_to_tokens(tokenizer("The moons")["input_ids"])
    assert tokens[0] == "[CLS]"
    assert tokens[-1] == "[SEP]"
    assert tokens[1] == "The"
    assert tokens[2:-1] == ["moon", "##s"]


def test_chinese_falls_into_characters(tmp_path):
    tokenizer = read_again(bert_tokenizer(CHINESE, "characters", 60, positions=64), tmp_path)
    tokens = tokenizer.convert_ids_to_tokens(tokenizer("猫 看见狐")["input_ids"])
    assert tokens == ["[CLS]", "猫", "看", "见", "[UNK]", "[SEP]"]


def test_the_most_frequent_characters_are_kept():
    tokenizer = bert_tokenizer(CHINESE, "characters", 7, positions=64)
    assert set(tokenizer.get_vocab()) >= {"看", "见"}
    assert len(tokenizer) == 7


def test_a_vocabulary_of_special_tokens_alone_is_refused():
    with pytest.raises(CorpusError, match="special tokens only"):
        bert_tokenizer(ENGLISH, "wordpiece", 5, positions=64)


@pytest.mark.parametrize(
    "make",
    [
        lambda: byte_level_bpe(ENGLISH, 320, positions=64),
        lambda: bert_tokenizer(ENGLISH, "wordpiece", 60, positions=64),
        lambda: bert_tokenizer(ENGLISH, "characters", 20, positions=64),
    ],
    ids=["bytes", "wordpiece", "characters"],
)
def test_the_same_text_gives_the_same_tokenizer(make):
    assert len({make().backend_tokenizer.to_str() for _ in range(5)}) == 1
