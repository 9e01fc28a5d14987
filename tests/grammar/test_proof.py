import math

import pytest

from minpairs.grammar import draw, rows
from minpairs.grammar.proof import edit_only, prove


def test_a_string_that_is_always_right_gives_the_answer_away():
    assert edit_only(["把"] * 10, ["被"] * 10) == 1.0
    assert edit_only(["把"] * 10, ["被"] * 10, stable=True) == 1.0


def test_a_balanced_exchange_gives_nothing_away():
    good, bad = ["把", "被"] * 10, ["被", "把"] * 10
    assert edit_only(good, bad) == 0.0  # without the pair itself the others lean against it
    assert edit_only(good, bad, stable=True) == 0.5


def test_strings_never_seen_again_are_ties():
    assert edit_only(["a", "b"], ["c", "d"]) == 0.5
    assert edit_only(["a", "b"], ["c", "d"], stable=True) == 0.5


def test_a_string_counts_on_whichever_side_it_stands():
    # of the first pair's strings, a is right in 1 of 1 other, b in 0 of 1; the other two are ties
    assert edit_only(["a", "a", "c"], ["b", "c", "b"]) == pytest.approx(2 / 3)


def test_identical_strings_are_ties():
    assert edit_only(["a", "a"], ["a", "a"]) == 0.5


def test_no_pairs_have_no_accuracy():
    assert math.isnan(edit_only([], []))


def test_the_proof_of_a_drawn_paradigm(load):
    template, lexicon = load()
    proof = prove(rows(template, draw(template, lexicon, 40)))
    assert (proof.n, proof.identical, proof.repeated) == (40, 0, 0)
    assert proof.equal_characters == proof.equal_words == 40
    assert proof.edits == 4
    assert proof.edit_only <= 0.55
    assert proof.edit_only_stable == 0.5


def test_the_proof_counts_what_is_unequal_and_repeated(load, classifier):
    text = classifier.replace("{verb} 了 一 {wrong}", "{verb} 了 十 一 {wrong}")
    template, lexicon = load(text)
    table = rows(template, draw(template, lexicon, 10))
    assert prove(table).equal_characters == prove(table).equal_words == 0
    twice = table.take([0, 0])
    assert prove(twice).repeated == 2
