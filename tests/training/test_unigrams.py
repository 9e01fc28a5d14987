"""Token counts of training texts, and how scoring finds them."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import pyarrow.parquet as pq
import pytest
from tiny_models import byte_tokenizer, causal

from minpairs.errors import ModelError
from minpairs.scoring import load_scorer
from minpairs.scoring.unigrams import load_unigrams
from minpairs.training.corpus import open_corpus
from minpairs.training.filtering import filter_corpus
from minpairs.training.unigram_counts import (
    count_corpus,
    token_counter,
    tokenizer_counter,
    write_unigrams,
)
from minpairs.training.unit_tokenizer import unit_tokenizer

TEXT = "The cat sleeps.\nThe cat sees a cat.\n"


@pytest.fixture
def home(tmp_path):
    """A folder with a model and a text."""
    causal("opt").save_pretrained(tmp_path / "tiny")
    byte_tokenizer().save_pretrained(tmp_path / "tiny")
    (tmp_path / "a.txt").write_text(TEXT)
    return tmp_path


@pytest.fixture
def corpus(home):
    return open_corpus(home / "a.txt", part_bytes=16)


def test_a_tokenizer_s_tokens_are_counted_as_it_cuts_each_sentence(corpus, home):
    tokenizer = byte_tokenizer()
    expected: dict[str, int] = {}
    for sentence in ("The cat sleeps.", "The cat sees a cat."):
        for token in tokenizer.tokenize(sentence):
            expected[token] = expected.get(token, 0) + 1
    assert len(corpus.parts) > 1
    assert count_corpus(corpus, token_counter(str(home / "tiny"))) == expected


def test_neither_line_ends_nor_special_tokens_are_counted(corpus):
    tokenizer = byte_tokenizer()
    counts = count_corpus(corpus, tokenizer_counter(tokenizer))
    assert not set(counts) & {"Ċ", *tokenizer.all_special_tokens}


def test_as_released_counts_a_line_end_a_sentence(corpus):
    exact = count_corpus(corpus, tokenizer_counter(byte_tokenizer()))
    released = count_corpus(corpus, tokenizer_counter(byte_tokenizer(), "as_released"))
    assert released - exact == {"Ċ": 2}


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("words_punctuation", {"The": 2, "cat": 3, "sleeps": 1, ".": 2, "sees": 1, "a": 1}),
        ("words", {"The": 2, "cat": 2, "sleeps.": 1, "sees": 1, "a": 1, "cat.": 1}),
    ],
)
def test_words_are_counted_with_or_without_their_punctuation(corpus, unit, expected):
    assert count_corpus(corpus, token_counter(unit)) == expected


def test_a_word_keeps_the_apostrophe_inside_it():
    counts = token_counter("words_punctuation").count(["‘Don’t,’ I said; it's Tom's."])
    assert {"Don’t", "it's", "Tom's", "‘", "’"} <= set(counts)


def test_characters_and_jieba_words_are_counted_without_white_space():
    assert token_counter("characters").count(["他 来了。", "来"]) == {
        "他": 1,
        "来": 2,
        "了": 1,
        "。": 1,
    }
    assert token_counter("jieba").count(["他 来了"]).total() == 3


def test_a_jieba_model_s_own_words_are_counted(tmp_path):
    tokenizer = unit_tokenizer(["<unk>", "<s>", "</s>", "我们", "喜欢", "看书"], "jieba")
    tokenizer.save_pretrained(tmp_path / "words")
    counts = token_counter(str(tmp_path / "words")).count(["我们喜欢看书", "我们走"])
    assert counts == {"我们": 2, "喜欢": 1, "看书": 1, tokenizer.unk_token: 1}


def test_counters_of_tokenizers_that_cut_differently_have_different_names():
    words = ["<unk>", "<s>", "</s>", "我们", "喜欢"]
    names = {tokenizer_counter(unit_tokenizer(words, cut)).name for cut in ("jieba", "words")}
    assert len(names | {tokenizer_counter(byte_tokenizer()).name}) == 3


def test_counts_are_written_most_frequent_first_and_read_again(tmp_path):
    write_unigrams(tmp_path / "unigrams.parquet", {"b": 2, "a": 2, "c": 9, "z": 0}, tokens="test")
    table = pq.read_table(tmp_path / "unigrams.parquet")
    assert table.to_pydict() == {"token": ["c", "a", "b"], "count": [9, 2, 2]}
    assert table.schema.metadata[b"minpairs.tokens"] == b"test"
    assert load_unigrams(tmp_path / "unigrams.parquet", 5).smoothing == "add_one"


def test_counts_as_released_are_not_smoothed_when_they_are_read(tmp_path):
    write_unigrams(tmp_path / "unigrams.parquet", {"a": 3, "b": 1}, "as_released")
    unigrams = load_unigrams(tmp_path / "unigrams.parquet", 5)
    assert unigrams.logprob(["a", "unseen"]) == pytest.approx(math.log(3 / 4) + math.log(1 / 4))
    assert load_unigrams(tmp_path / "unigrams.parquet", 5, "add_one").smoothing == "add_one"


def test_no_counts_are_an_error(tmp_path):
    with pytest.raises(ModelError, match="no tokens were counted"):
        write_unigrams(tmp_path / "unigrams.parquet", {"a": 0})


def test_a_tokenizer_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(ModelError, match="cannot load a tokenizer"):
        token_counter(str(tmp_path))


def test_an_unknown_way_to_count_is_told_the_nearest():
    with pytest.raises(ModelError, match="did you mean 'exact'"):
        token_counter("words", "exactly")


def minpairs(home, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "minpairs", *arguments],
        cwd=home,
        env={**os.environ, "COLUMNS": "160", "NO_COLOR": "1", "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_writes_counts_where_scoring_finds_them(home):
    assert load_scorer(home / "tiny").score(["The cat."])[0].unigram_logprob is None
    done = minpairs(home, "unigrams", "tiny", "a.txt")
    assert done.returncode == 0, done.stderr
    assert "tiny/unigrams.parquet" in done.stderr
    (score,) = load_scorer(home / "tiny").score(["The cat."])
    assert score.unigram_logprob is not None
    assert "add_one" in str(load_scorer(home / "tiny").settings()["unigrams"])


def test_the_command_counts_as_released(home):
    done = minpairs(home, "unigrams", "tiny", "a.txt", "--variant", "as_released")
    assert done.returncode == 0, done.stderr
    assert "as_released" in str(load_scorer(home / "tiny").settings()["unigrams"])


def test_the_command_counts_every_corpus_of_a_filtered_folder(home):
    filter_corpus(open_corpus(home / "a.txt"), home / "out", ["no_filtering", "no_let"])
    done = minpairs(home, "unigrams", "tiny", "out")
    assert done.returncode == 0, done.stderr
    found = pq.read_table(home / "out/data/unigrams.no_let/train-00000-of-00001.parquet")
    counts = dict(zip(found["token"].to_pylist(), found["count"].to_pylist(), strict=True))
    assert counts == count_corpus(open_corpus(home / "a.txt"), token_counter(str(home / "tiny")))
    assert "tokenizer:" in (home / "out" / "README.md").read_text()


def test_filtering_can_count_a_tokenizer_s_tokens_in_several_processes(home, corpus):
    filter_corpus(corpus, home / "out", ["no_let"], tokens=str(home / "tiny"), processes=2)
    found = pq.read_table(home / "out/data/unigrams.no_let/train-00000-of-00001.parquet")
    counts = dict(zip(found["token"].to_pylist(), found["count"].to_pylist(), strict=True))
    assert counts == count_corpus(corpus, token_counter(str(home / "tiny")))


def test_the_command_counts_a_filtered_corpus_for_a_model(home):
    filter_corpus(open_corpus(home / "a.txt"), home / "out", ["no_let"])
    done = minpairs(home, "unigrams", "tiny", "out:corpus.no_let")
    assert done.returncode == 0, done.stderr
    assert (home / "tiny" / "unigrams.parquet").is_file()


def test_a_model_elsewhere_needs_a_file_to_write(home):
    done = minpairs(home, "unigrams", "words", "a.txt")
    assert done.returncode == 2
    assert "--out" in done.stderr
