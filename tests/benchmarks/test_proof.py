"""What can be guessed of minimal pairs without grammar."""

from __future__ import annotations

from dataclasses import replace
from math import log

import pyarrow as pa
import pytest

from minpairs.benchmarks.proof import Bounds, Frequencies, bare, faults, prove_paradigm, unigram
from minpairs.benchmarks.proof_card import known, lexicon_section, proof_section
from minpairs.benchmarks.proof_figure import frequency_figure
from minpairs.grammar.checks import Report, TableCheck

KNOWN = {"often": 1e-2, "seldom": 1e-5, "never": 1e-7}
BOUNDS = Bounds(0.55, (0.4, 0.6))


@pytest.fixture
def frequencies():
    """Three words of a made-up language, of which one is common."""
    logs = {word: log(frequency) for word, frequency in KNOWN.items()}
    return Frequencies("en", frozenset({"often"}), KNOWN, logs)


def pairs(*both: tuple[str, str]) -> pa.Table:
    """Pairs of sentences whose words are parted by blanks."""
    columns = {}
    for name, sentences in zip(("good", "bad"), zip(*both, strict=True), strict=True):
        columns[f"sentence_{name}"] = list(sentences)
        columns[f"words_{name}"] = [sentence.split() for sentence in sentences]
        columns[f"edit_{name}"] = [sentence.split()[0] for sentence in sentences]
    return pa.table(columns)


def test_the_member_with_the_more_frequent_words_is_preferred(frequencies):
    assert unigram([["often", "never"]], [["seldom", "never"]], frequencies) == 1.0
    assert unigram([["seldom"]], [["often"]], frequencies) == 0.0


def test_the_same_words_in_another_order_are_a_tie(frequencies):
    words = ["often", "seldom", "never", "never", "seldom"]
    assert unigram([words], [words[::-1]], frequencies) == 0.5


def test_longer_is_less_frequent(frequencies):
    assert unigram([["often"]], [["often", "often"]], frequencies) == 1.0


def test_words_are_counted_without_case_and_punctuation(frequencies):
    assert bare(["Often,", "never", "。", '"seldom"']) == ["often", "never", "seldom"]
    proof = prove_paradigm(pairs(("Often never .", "Seldom never .")), frequencies)
    assert proof.words == 3
    assert proof.common_tokens == 1 / 4
    assert proof.common_types == 1 / 3


def test_jieba_is_asked_in_chinese_only(frequencies):
    assert prove_paradigm(pairs(("often", "never")), frequencies).unigram_jieba is None
    chinese = prove_paradigm(pairs(("她 看 了", "他 看 了")), Frequencies.of("zh"))
    assert chinese.unigram_jieba is not None


def test_members_that_jieba_cuts_differently_are_counted():
    table = pairs(("北京 大学", "去 哪 儿 了"), ("她", "他"))
    sentences = pa.array(["北京大学", "她"]), pa.array(["去哪儿了", "他"])
    for name, column in zip(("sentence_good", "sentence_bad"), sentences, strict=True):
        table = table.set_column(table.column_names.index(name), name, column)
    assert prove_paradigm(table, Frequencies.of("zh")).jieba_unequal == 1


def test_frequencies_are_those_of_wordfreq():
    english = Frequencies.of("en")
    assert len(english.common) == 5000
    assert "the" in english.common
    assert english.log_probability(["the"]) > english.log_probability(["aardvark"])
    assert english.log_probability(["qqzzxx"]) == pytest.approx(log(1e-9))


@pytest.fixture
def sound(frequencies):
    """A balanced paradigm."""
    both = [("often a", "never a"), ("never b", "often b")]
    return prove_paradigm(pairs(*both), frequencies)


def test_a_balanced_paradigm_has_no_faults(sound):
    assert faults({"x": sound}, BOUNDS) == []


def test_a_string_that_gives_the_answer_away_is_a_fault(frequencies):
    proof = prove_paradigm(pairs(*((f"often {i}", f"never {i}") for i in "abcd")), frequencies)
    first, second = faults({"x": proof}, BOUNDS)
    assert first.startswith("x: knowing only the exchanged strings is right in 100.0 %")
    assert second.startswith("x: the more frequent words are right in 100.0 %")


def test_unequal_lengths_and_repetitions_are_faults(sound):
    counts = replace(sound.pairs, equal_characters=1, repeated=3)
    one, two = faults({"x": replace(sound, pairs=counts)}, BOUNDS)
    assert one.startswith("x: 1 of 2 pairs have unequal numbers of characters")
    assert two == "x: 0 pairs of identical members, 3 repeated sentences"


def test_no_pairs_miss_the_bounds(sound):
    assert len(faults({"x": replace(sound, unigram=float("nan"))}, BOUNDS)) == 1


def test_the_table_shows_a_paradigm_a_line(sound):
    title, text = proof_section({"x": sound}, BOUNDS)
    assert title == "What can be guessed without grammar"
    assert "| `x` | 2 | 50.0 % (0.0 %) | 50.0 % | 0 | 0 | 4 | 25.0 % | 25.0 % |" in text
    assert "at most 55 % here" in text
    assert "from 40 to 60 % here" in text
    assert "jieba" not in text


def test_the_lexicon_is_counted_by_forms_and_drawn_by_words(frequencies):
    report = Report(tables=(TableCheck("t", 2, 2, 1, 1),), words=("often", "often never", "x"))
    title, text = lexicon_section(report, frequencies)
    assert title == "The lexicon"
    assert "3 distinct forms in use, 0 features in use, in 1 tables; 1 of the forms" in text
    assert "](figures/lexicon_frequency.svg)" in text
    assert known(report.words, frequencies) == [1e-2, 1e-7]


def test_the_figure_is_the_same_to_the_byte():
    first, again = (frequency_figure([0.1, 0.01], [0.1, 0.03, 0.01], common=2) for _ in range(2))
    assert first == again
    assert first.startswith(b"<?xml")
    assert b"words of the lexicon (2)" in first
    assert b"<dc:date>" not in first


def test_a_figure_of_no_words_is_drawn():
    assert b"words of the lexicon (0)" in frequency_figure([], [0.1], common=2)
