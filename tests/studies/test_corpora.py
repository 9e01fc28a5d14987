"""The texts of a study: samples of a corpus, and a corpus under every filter."""

from __future__ import annotations

import pytest

from minpairs.errors import ResultsError
from minpairs.studies import StudyError, climp_plan, climp_texts, let_alone_plan, let_alone_texts
from minpairs.studies.corpora import count_sentences
from minpairs.training.corpus import open_corpus
from minpairs.training.errors import FilterError

LINES = [f"第{number}句话。" for number in range(50)]


@pytest.fixture
def corpus(tmp_path):
    return write(tmp_path / "zh.txt", LINES)


def write(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return open_corpus(path, unit="line", language="zh")


def sampled(corpus, folder, sizes):
    texts = climp_texts(climp_plan(sizes), corpus, folder, count_sentences(corpus, folder))
    return {label: list(text.open().sentences()) for label, text in texts.items()}


def test_samples_are_nested_and_in_the_order_of_the_corpus(corpus, tmp_path):
    texts = sampled(corpus, tmp_path / "out", [10, 30])
    assert {label: len(lines) for label, lines in texts.items()} == {"30": 30, "10": 10}
    assert set(texts["10"]) < set(texts["30"]) < set(LINES)
    assert sorted(texts["30"], key=LINES.index) == texts["30"]


def test_a_further_size_leaves_the_others_as_they_are(corpus, tmp_path):
    before = sampled(corpus, tmp_path / "out", [10])
    after = sampled(corpus, tmp_path / "out", [10, 20])
    assert after["10"] == before["10"]
    assert set(after["10"]) < set(after["20"])


def test_a_size_beyond_the_corpus_is_an_error(corpus, tmp_path):
    with pytest.raises(StudyError, match=r"zh\.txt has 50 sentences: too few for 51"):
        sampled(corpus, tmp_path / "out", [51])


def test_samples_of_another_corpus_are_not_taken_up(corpus, tmp_path):
    sampled(corpus, tmp_path / "out", [10])
    other = write(tmp_path / "zh.txt", LINES[1:])
    with pytest.raises(ResultsError, match="samples of another corpus"):
        sampled(other, tmp_path / "out", [10])


def test_every_filter_has_a_text_of_its_own(tmp_path):
    corpus = write(tmp_path / "en.txt", ["Let it be.", "She sat alone.", "It rained all day."])
    plan = let_alone_plan([1], scenarios=["no_filtering", "no_let"])
    texts = let_alone_texts(plan, corpus, tmp_path / "out")
    assert list(texts["no_filtering"].open().sentences()) == list(corpus.sentences())
    assert list(texts["no_let"].open().sentences()) == ["She sat alone.", "It rained all day."]


def test_filters_of_one_s_own_have_texts_too(tmp_path):
    rules = tmp_path / "mine.yaml"
    rules.write_text(
        "described:\n  rules: {day: {phrase: day}}\n  scenarios: {no_day: {rules: [day]}}\n"
    )
    corpus = write(tmp_path / "en.txt", ["Let it be.", "It rained all day."])
    plan = let_alone_plan([1], scenarios=["no_let", "no_day"], rules=rules)
    texts = let_alone_texts(plan, corpus, tmp_path / "out")
    assert list(texts["no_day"].open().sentences()) == ["Let it be."]
    assert list(texts["no_let"].open().sentences()) == ["It rained all day."]


def test_an_unknown_filter_is_an_error_of_the_plan():
    with pytest.raises(FilterError, match="did you mean 'no_let'"):
        let_alone_plan([1], scenarios=["no_lets"])
