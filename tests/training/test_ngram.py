"""Training n-gram models, and scoring with them."""

from __future__ import annotations

import json
import math
import shutil

import kenlm
import pytest

from minpairs import load_scorer
from minpairs.errors import ModelError
from minpairs.training import ngram
from minpairs.training.errors import CorpusError
from minpairs.training.ngram import train_ngram
from minpairs.training.presets import NGRAM_PRESETS, NgramSettings, chosen
from minpairs.training.vocabulary import code_corpus, limit_vocabulary

CORPUS = ["猫 看见 月亮", "猫 看见 河", "狗 没 看见 猫", "月亮 看见 狗"]
WORDS = NgramSettings(order=3, segmentation="words", estimator="own")


def test_a_trained_model_scores_as_kenlm_does(tmp_path):
    path = train_ngram(CORPUS, tmp_path / "m.arpa", WORDS).path
    (score,) = load_scorer(path, segmentation="words", eos=True).score(["狗 看见 月亮"])
    expected = kenlm.Model(str(path)).score("狗 看见 月亮", bos=True, eos=True)
    assert score.logprob == pytest.approx(expected * math.log(10))


def test_the_arpa_file_says_how_many_ngrams_there_are(tmp_path):
    trained = train_ngram(CORPUS, tmp_path / "m.arpa", WORDS)
    sections = (tmp_path / "m.arpa").read_text(encoding="utf-8").split("-grams:\n")[1:]
    counted = tuple(sum("\t" in line for line in section.splitlines()) for section in sections)
    assert trained.ngrams == counted
    assert trained.ngrams[0] == 6 + 3  # and <unk>, <s>, </s>


def test_character_models_know_characters_whatever_the_white_space(tmp_path):
    path = train_ngram(["猫 看见", "狗看见了"], tmp_path / "m.arpa", NgramSettings(order=2)).path
    assert "猫" in kenlm.Model(str(path))
    apart, together = load_scorer(path).score(["猫 看", "猫看"])
    assert apart.logprob == together.logprob


def test_a_model_of_words_is_not_scored_as_one_of_characters(tmp_path):
    path = train_ngram(CORPUS, tmp_path / "m.arpa", WORDS).path
    with pytest.raises(ModelError, match="choose --segmentation words"):
        load_scorer(path, segmentation="characters")


def test_what_was_done_is_written_beside_the_model(tmp_path):
    train_ngram(CORPUS, tmp_path / "m.arpa", WORDS, corpus="four sentences")
    record = json.loads((tmp_path / "m.arpa.json").read_text(encoding="utf-8"))
    assert record["corpus"] == "four sentences"
    assert record["settings"]["segmentation"] == "words"
    assert record["fallback_discounts"] == [2, 3]


def test_a_cut_off_makes_rare_units_unknown(tmp_path):
    rare = NgramSettings(order=2, segmentation="words", min_count=2)
    path = train_ngram(CORPUS, tmp_path / "m.arpa", rare).path
    assert "河" not in kenlm.Model(str(path))
    assert load_scorer(path, segmentation="words").score(["猫 看见 河"])[0].unknown_tokens == 1


def test_a_vocabulary_of_fixed_size_keeps_the_most_frequent_units():
    corpus = limit_vocabulary(code_corpus(CORPUS, "words"), max_units=2)
    assert corpus.vocabulary[3:] == ("猫", "看见")


@pytest.mark.parametrize("symbol", ["<s>", "</s>", "<unk>", "<UNK>"])
def test_a_corpus_that_spells_out_a_symbol_is_refused(tmp_path, symbol):
    with pytest.raises(CorpusError, match="sentence 2 spells out"):
        train_ngram(["a b c", f"a {symbol} b"], tmp_path / "m.arpa", WORDS)


def test_a_null_character_is_refused(tmp_path):
    with pytest.raises(CorpusError, match="null character"):
        train_ngram(["a b\0c"], tmp_path / "m.arpa", WORDS)


def test_an_empty_corpus_is_refused(tmp_path):
    with pytest.raises(CorpusError, match="no text"):
        train_ngram(["", " "], tmp_path / "m.arpa", WORDS)


def test_a_model_of_single_units_is_refused(tmp_path):
    with pytest.raises(ModelError, match="order of 2"):
        train_ngram(CORPUS, tmp_path / "m.arpa", NgramSettings(order=1))


def test_a_missing_lmplz_is_named_with_the_script_that_builds_it(tmp_path, monkeypatch):
    monkeypatch.setattr(ngram.shutil, "which", lambda name: None)
    with pytest.raises(ModelError, match=r"scripts/build_lmplz\.sh"):
        train_ngram(CORPUS, tmp_path / "m.arpa", NgramSettings(estimator="lmplz"))


def test_lmplz_with_a_cut_off_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(ngram.shutil, "which", lambda name: f"/bin/{name}")
    with pytest.raises(ModelError, match="cannot learn <unk>"):
        train_ngram(CORPUS, tmp_path / "m.arpa", NgramSettings(estimator="lmplz", min_count=2))


def test_a_missing_build_binary_is_told_before_anything_is_estimated(tmp_path, monkeypatch):
    monkeypatch.setattr(ngram.shutil, "which", lambda name: None)
    with pytest.raises(ModelError, match="build_binary is not installed"):
        train_ngram(CORPUS, tmp_path / "m.arpa", WORDS, binary=True)
    assert not (tmp_path / "m.arpa").exists()


@pytest.mark.skipif(shutil.which("lmplz") is None, reason="lmplz is not on PATH")
def test_lmplz_and_our_estimator_give_the_same_scores(tmp_path):
    theirs = chosen(NGRAM_PRESETS, "5gram", {"order": 3, "segmentation": "words"})
    path = train_ngram(CORPUS, tmp_path / "theirs.arpa", theirs, memory="50M", binary=True).path
    assert path.suffix == ".binary"
    ours = train_ngram(CORPUS, tmp_path / "ours.arpa", WORDS)
    assert json.loads((tmp_path / "theirs.arpa.json").read_text())["fallback_discounts"] == [2, 3]
    for text in ("猫 没 看见 月亮", "河 看见 我"):
        scores = [load_scorer(p, segmentation="words").score([text])[0] for p in (path, ours.path)]
        assert scores[0].logprob == pytest.approx(scores[1].logprob, abs=1e-4)


def test_a_misspelt_preset_is_told_the_nearest():
    with pytest.raises(CorpusError, match="did you mean '5gram'"):
        chosen(NGRAM_PRESETS, "5-gram", {})


def test_a_preset_keeps_what_is_not_changed():
    assert chosen(NGRAM_PRESETS, "5gram", {"order": 3, "min_count": None}) == NgramSettings(order=3)
