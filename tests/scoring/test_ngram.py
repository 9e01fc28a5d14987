"""n-gram scores against probabilities worked out by hand from an ARPA file."""

from __future__ import annotations

import math

import pytest

from minpairs.errors import ModelError, TextError
from minpairs.scoring import load_scorer
from minpairs.training.unigram_counts import write_unigrams

ARPA = """\\data\\
ngram 1=5
ngram 2=3

\\1-grams:
-2.0\t<unk>\t0
0\t<s>\t-0.3
-1.0\t</s>\t0
-0.5\t他\t-0.2
-0.7\t来\t-0.1

\\2-grams:
-0.1\t<s> 他
-0.4\t他 来
-0.6\t来 </s>

\\end\\
"""


@pytest.fixture
def arpa(tmp_path):
    path = tmp_path / "tiny.arpa"
    path.write_text(ARPA, encoding="utf-8")
    return path


def logprob(arpa, text: str, **options) -> float:
    return load_scorer(arpa, **options).score([text])[0].logprob / math.log(10)


def test_a_sentence_begins_after_its_symbol_and_ends_unscored(arpa):
    assert logprob(arpa, "他来") == pytest.approx(-0.1 - 0.4, abs=1e-6)


def test_without_beginning_symbol_the_first_unit_is_a_unigram(arpa):
    assert logprob(arpa, "他来", bos="none") == pytest.approx(-0.5 - 0.4, abs=1e-6)


def test_the_end_is_scored_when_asked(arpa):
    assert logprob(arpa, "他来", eos=True) == pytest.approx(-0.1 - 0.4 - 0.6, abs=1e-6)


def test_backing_off_costs_its_weight(arpa):
    # <s> 来 is unseen: back-off of <s>, then the unigram.
    assert logprob(arpa, "来") == pytest.approx(-0.3 - 0.7, abs=1e-6)


def test_an_unknown_unit_is_scored_and_counted(arpa):
    (score,) = load_scorer(arpa).score(["他走"])
    assert score.logprob / math.log(10) == pytest.approx(-0.1 - 0.2 - 2.0, abs=1e-6)
    assert (score.tokens, score.unknown_tokens) == (2, 1)


def test_state_is_reset_for_each_sentence(arpa):
    scorer = load_scorer(arpa)
    first, second, third = scorer.score(["他来", "来", "他来"])
    assert first == third
    assert second.logprob / math.log(10) == pytest.approx(-1.0, abs=1e-6)


def test_a_continuation_is_scored_after_its_context(arpa):
    (score,) = load_scorer(arpa).score(["来"], ["他"])
    assert score.logprob / math.log(10) == pytest.approx(-0.4, abs=1e-6)
    assert score.tokens == 1


def test_each_unit_s_logprob_is_kept_when_asked(arpa):
    (score,) = load_scorer(arpa, eos=True).score(["他来"], keep_tokens=True)
    assert score.token_texts == ("他", "来", "</s>")
    assert [value / math.log(10) for value in score.token_logprobs] == pytest.approx(
        [-0.1, -0.4, -0.6], abs=1e-6
    )


def test_segmentations(tmp_path):
    path = tmp_path / "words.arpa"
    path.write_text(ARPA.replace("他", "我们"), encoding="utf-8")
    by_words = load_scorer(path, segmentation="words").score(["我们 来"])[0]
    by_jieba = load_scorer(path, segmentation="jieba").score(["我们来"])[0]
    assert by_words.logprob == by_jieba.logprob == pytest.approx(-0.5 * math.log(10), abs=1e-6)
    assert load_scorer(path).score(["我们来"])[0].tokens == 3


def test_the_kind_is_found_from_the_file_s_content(tmp_path):
    path = tmp_path / "model.txt"
    path.write_text(ARPA, encoding="utf-8")
    assert load_scorer(path).kind == "ngram"


@pytest.mark.parametrize("text", ["", " ", "　"])
def test_an_empty_text_is_an_error(arpa, text):
    with pytest.raises(TextError, match="text 0 is empty"):
        load_scorer(arpa).score([text])


def test_a_text_of_unknown_units_only_is_an_error(arpa):
    with pytest.raises(TextError, match="only characters that the model does not know"):
        load_scorer(arpa).score(["走走"])


def test_a_sentence_symbol_in_a_text_is_an_error(arpa):
    with pytest.raises(TextError, match="spells out a sentence symbol"):
        load_scorer(arpa, segmentation="words").score(["他 </s> 来"])


def test_a_file_that_is_no_model_is_an_error_that_names_it(tmp_path):
    path = tmp_path / "broken.arpa"
    path.write_text("\\data\\\nngram 1=x\n")
    with pytest.raises(ModelError, match=r"broken\.arpa is not a KenLM model"):
        load_scorer(path)


def test_kenlm_writes_nothing_beside_our_progress_bar(arpa, capfd):
    logprob(arpa, "他来")
    assert capfd.readouterr().err == ""


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(ModelError, match="does not exist"):
        load_scorer(tmp_path / "none.arpa", kind="ngram")


def test_counts_beside_the_file_are_found(arpa):
    arpa.with_name("unigrams.json").write_text('{"他": 2, "来": 1}', encoding="utf-8")
    # Add-one over three occurrences of two units.
    assert load_scorer(arpa).score(["他来"])[0].unigram_logprob == pytest.approx(
        math.log(3 / 5) + math.log(2 / 5)
    )


def test_counts_of_other_units_beside_the_file_are_left_alone(arpa, caplog):
    write_unigrams(arpa.with_name("unigrams.parquet"), {"他来": 2}, tokens="jieba")
    assert load_scorer(arpa).score(["他来"])[0].unigram_logprob is None
    assert "counts jieba, not characters" in caplog.text
