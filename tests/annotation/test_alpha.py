"""Krippendorff's alpha against published values, and the coding of forced choices."""

from __future__ import annotations

import numpy as np
import pytest

from minpairs.annotation import Pair, nominal_alpha
from minpairs.annotation.alpha import choice_counts


def counts(*judges: str) -> np.ndarray:
    """Rows of values, one a judge and one character a unit; '.' is missing."""
    values = sorted(set("".join(judges)) - {"."})
    return np.array([[unit.count(value) for value in values] for unit in zip(*judges, strict=True)])


def test_two_judges_without_missing_values():
    # Krippendorff 2011, section A: ten units, two values.
    judges = ("0100000000", "1110010010")
    assert nominal_alpha(counts(*judges)) == pytest.approx(0.095, abs=5e-4)


def test_four_judges_with_missing_values():
    # Krippendorff 2011, section C: 12 units, five values.
    judges = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
    assert nominal_alpha(counts(*judges)) == pytest.approx(0.743, abs=5e-4)


def test_three_judges_with_units_that_one_alone_judged():
    # The worked example of Wikipedia's article on the measure.
    judges = (".....34121133.3", "1.213343.......", "..21344.21133.4")
    assert nominal_alpha(counts(*judges)) == pytest.approx(0.691, abs=5e-4)


def test_full_agreement_is_one():
    assert nominal_alpha(np.array([[3, 0], [0, 3]])) == 1.0


def test_systematic_disagreement_is_below_zero():
    assert nominal_alpha(np.array([[1, 1], [1, 1]])) == pytest.approx(-0.5)


@pytest.mark.parametrize(
    "undefined",
    [np.zeros((0, 2), np.int64), np.array([[1, 0], [0, 1]]), np.array([[2, 0], [2, 0]])],
)
def test_alpha_is_undefined_without_two_judges_or_two_values(undefined):
    assert nominal_alpha(undefined) is None


def pairs(n: int, paradigm: str = "a") -> list[Pair]:
    return [Pair(f"{paradigm}:{i}", paradigm, f"good {i}", f"bad {i}") for i in range(n)]


def test_people_who_all_choose_the_acceptable_sentence_agree_fully():
    # Coded as right and wrong there would be one value, and no alpha.
    found = choice_counts(pairs(6), {pair.id: (5, 0) for pair in pairs(6)})
    assert nominal_alpha(found) == 1.0


def test_the_acceptable_sentence_is_first_in_half_of_the_pairs():
    found = choice_counts(pairs(6), {pair.id: (5, 0) for pair in pairs(6)})
    assert found.sum(axis=0).tolist() == [15, 15]


def test_alpha_falls_with_dissent_as_by_chance_of_one_half():
    tallies = {pair.id: (5, 0) for pair in pairs(4)} | {"a:0": (4, 1)}
    assert nominal_alpha(choice_counts(pairs(4), tallies)) == pytest.approx(0.8, abs=0.03)


def test_the_coding_does_not_hang_on_the_order_of_the_pairs():
    tallies = {pair.id: (number, 5 - number) for number, pair in enumerate(pairs(5))}
    forward = choice_counts(pairs(5), tallies)
    assert choice_counts(pairs(5)[::-1], tallies)[::-1].tolist() == forward.tolist()
