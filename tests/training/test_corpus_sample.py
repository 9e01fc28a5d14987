"""The sample corpus that comes with the let-alone benchmark."""

from __future__ import annotations

from collections import Counter

import pytest

from minpairs.training.filters import load_filters
from minpairs.training.sample import corpus_about, corpus_tables, sample_corpus
from minpairs.training.unigram_counts import token_counter


@pytest.fixture(scope="module")
def rows():
    return sample_corpus(0)


@pytest.fixture(scope="module")
def tables():
    return corpus_tables(0)


def test_it_has_some_thousand_different_sentences_of_every_kind(rows):
    assert len({row["text"] for row in rows}) == len(rows) == 5000
    assert set(Counter(row["source"] for row in rows)) == {
        "let_alone",
        "paired_focus",
        "comparatives",
        "let",
        "alone",
        "lookalikes",
        "plain",
    }


def test_the_seed_decides_it(rows):
    assert sample_corpus(0) == rows
    assert sample_corpus(1) != rows


def test_every_sentence_is_written_out(rows):
    for row in rows:
        assert row["text"][0].isupper()
        assert row["text"][-1] in ".?!"
        assert not set(row["text"]) & set("{}")


def test_kinds_are_what_they_are_called(rows):
    filters = load_filters()
    for row in rows:
        text, kind = row["text"], row["source"]
        assert filters.rules["let_alone"].matches(text) == (kind == "let_alone")
        if kind in ("let", "alone"):
            assert filters.removes(f"no_{kind}", text)
        if kind in ("lookalikes", "plain"):
            assert not any(rule.matches(text) for rule in filters.rules.values())


def test_every_scenario_of_both_variants_is_a_config_with_its_unigrams(tables):
    names = list(load_filters().scenarios)
    every = [*names, *(f"{name}.as_released" for name in names)]
    assert list(tables) == [f"corpus.{name}" for name in every] + [
        f"unigrams.{name}" for name in every
    ]
    assert set(corpus_about()) == set(tables)


@pytest.mark.parametrize("variant", ["described", "as_released"])
def test_each_filter_is_seen_at_work(tables, variant):
    filters = load_filters(variant)
    end = "" if variant == "described" else f".{variant}"
    whole = tables[f"corpus.no_filtering{end}"].num_rows
    for name, scenario in filters.scenarios.items():
        texts = tables[f"corpus.{name}{end}"]["text"].to_pylist()
        assert not any(filters.removes(name, text) for text in texts)
        assert (len(texts) < whole) == bool(scenario.rules or scenario.control_of)


def test_the_released_filters_leave_let_alone_and_take_lookalikes(tables):
    described, released = (
        Counter(tables[name]["source"].to_pylist())
        for name in ("corpus.no_paired_focus", "corpus.no_paired_focus.as_released")
    )
    assert (described["let_alone"], released["let_alone"]) == (0, 200)
    described, released = (
        Counter(tables[name]["source"].to_pylist())
        for name in ("corpus.no_let", "corpus.no_let.as_released")
    )
    assert described["lookalikes"] == 480
    assert released["lookalikes"] < 480


def test_the_random_control_is_as_large_as_what_it_controls(tables):
    control, target = (tables[f"corpus.{name}"] for name in ("random_control", "no_let_or_alone"))
    assert control.num_rows == target.num_rows
    assert control != target


def test_unigrams_are_the_words_of_the_corpus(tables):
    for name in ("no_let", "random_control.as_released"):
        counts = tables[f"unigrams.{name}"]
        texts = tables[f"corpus.{name}"]["text"].to_pylist()
        assert dict(
            zip(counts["token"].to_pylist(), counts["count"].to_pylist(), strict=True)
        ) == token_counter("words_punctuation").count(texts)


def test_one_variant_can_be_asked_for():
    assert not any(name.endswith("as_released") for name in corpus_tables(0, ["described"]))
