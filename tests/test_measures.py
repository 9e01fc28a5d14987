"""Measures, differences and verdicts, in closed form."""

from __future__ import annotations

import csv
import gzip
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minpairs.benchmarks.schema import INTERACTION, MINIMAL_PAIR, Design, Inequality
from minpairs.errors import MeasureError
from minpairs.evaluation import evaluate_items
from minpairs.measures import MEASURES, Scores, differences, measure, slor_measure, verdicts

GOLDEN = Path(__file__).parents[2] / "shared" / "data" / "aann_golden"
ONE = Scores(
    logprob=np.array([-12.0]),
    tokens=np.array([4.0]),
    words=np.array([3.0]),
    characters=np.array([6.0]),
    unigram_logprob=np.array([-20.0]),
    all_tokens=np.array([5.0]),
    all_unigram_logprob=np.array([-30.0]),
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sum", -12.0),
        ("mean", -3.0),
        ("per_word", -4.0),
        ("per_character", -2.0),
        ("penlp", -12.0 / (9 / 6) ** 0.8),
        ("slln", -6.0),
        ("slor", 2.0),
        ("slor_as_released", -12.0 / 4 + 30.0 / 5),
        ("slor_word", 8.0 / 3),
    ],
)
def test_a_measure_equals_its_formula(name, expected):
    assert measure(name, ONE)[0] == pytest.approx(expected, abs=1e-12)


def test_every_measure_has_a_formula_test():
    tested = {case[0] for case in test_a_measure_equals_its_formula.pytestmark[0].args[1]}
    assert tested == set(MEASURES)


def test_a_misspelt_measure_names_the_nearest():
    with pytest.raises(MeasureError, match="did you mean 'slor'"):
        measure("slr", ONE)


def test_a_field_that_was_not_recorded_is_named():
    with pytest.raises(MeasureError, match="'slor' needs 'unigram_logprob'"):
        measure("slor", Scores(np.array([-1.0]), np.array([1.0])))


def test_slor_as_released_says_what_it_needs_of_scores_that_lack_it():
    old = Scores(np.array([-1.0]), np.array([1.0]), unigram_logprob=np.array([-2.0]))
    with pytest.raises(MeasureError, match=r"'all_unigram_logprob', .* this version or a later"):
        measure("slor_as_released", old)


@pytest.mark.parametrize(
    ("name", "form", "meant"),
    [
        ("slor", None, "slor"),
        ("mean", None, "mean"),
        ("slor", "paper", "slor"),
        ("slor", "as_released", "slor_as_released"),
        ("slor", "word", "slor_word"),
        ("slor_word", "word", "slor_word"),
    ],
)
def test_a_form_of_slor_is_a_measure(name, form, meant):
    assert slor_measure(name, form) == meant


@pytest.mark.parametrize(
    ("name", "form", "message"),
    [
        ("sum", "paper", "but the measure is 'sum'"),
        ("slor_word", "paper", "but the measure is 'slor_word'"),
        ("slor", "word_", "did you mean 'word'"),
    ],
)
def test_a_form_of_slor_that_does_not_fit_is_refused(name, form, message):
    with pytest.raises(MeasureError, match=message):
        slor_measure(name, form)


def test_a_surprisal_is_refused():
    with pytest.raises(MeasureError, match=r"row 1 .*'b'.*surprisal"):
        measure("sum", Scores(np.array([-1.0, 7.0]), np.array([1.0, 1.0])), ids=["a", "b"])


def test_a_text_without_tokens_is_refused():
    with pytest.raises(MeasureError, match="row 0: tokens is 0"):
        measure("mean", Scores(np.array([-1.0]), np.array([0.0])))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, None, "x"])
def test_a_bad_value_names_row_item_and_cell(bad):
    values = {"acceptable": [-1.0, bad], "unacceptable": [-2.0, -2.0]}
    with pytest.raises(MeasureError, match=r"row 1 \(item 'q7'\): acceptable is"):
        differences(values, MINIMAL_PAIR, ids=["q6", "q7"])


def test_truth_values_are_not_scores():
    with pytest.raises(MeasureError, match="row 0: acceptable is True, not a number"):
        differences({"acceptable": [True], "unacceptable": [-2.0]}, MINIMAL_PAIR)


def test_a_missing_cell_is_named():
    with pytest.raises(MeasureError, match="need cell 'unacceptable'"):
        differences({"acceptable": [-1.0]}, MINIMAL_PAIR)


def test_unequal_lengths_name_the_first_row_that_lacks_a_value():
    with pytest.raises(MeasureError, match="row 1: unacceptable has no value"):
        differences({"acceptable": [-1.0, -2.0], "unacceptable": [-2.0]}, MINIMAL_PAIR)


def test_no_items_is_an_error():
    with pytest.raises(MeasureError, match="no items"):
        differences({"acceptable": [], "unacceptable": []}, MINIMAL_PAIR)


def test_the_interaction_is_the_cost_with_the_construction_less_that_with_the_control():
    values = {cell: [0.0] for cell in INTERACTION.cells}
    values |= {"base_let_alone": [5.0], "base_let_alone_manipulated": [1.0]}
    values |= {"base_and": [3.0], "base_and_manipulated": [2.0]}
    assert differences(values, INTERACTION).tolist() == [[3.0, 0.0]]


def test_a_coefficient_weighs_its_cell():
    design = Design("d", ("a", "b"), (Inequality.parse("p", "2 * a > b"),), 0.5)
    assert differences({"a": [3.0], "b": [4.0]}, design).tolist() == [[2.0]]


@given(st.floats(-1e3, 0), st.floats(-1e3, 0), st.floats(-1e3, 0))
def test_equal_costs_tie_whatever_the_rounding(score, manipulated, shift):
    values = {cell: [0.0] for cell in INTERACTION.cells}
    values |= {"base_let_alone": [score], "base_let_alone_manipulated": [manipulated]}
    values |= {"base_and": [score + shift], "base_and_manipulated": [manipulated + shift]}
    assert differences(values, INTERACTION)[0, 0] == 0


def test_equal_costs_at_other_heights_tie():
    values = {cell: [0.0] for cell in INTERACTION.cells}
    # 0.3 - 0.1 and 0.9 - 0.7 differ in floating point.
    values |= {"base_let_alone": [0.3], "base_let_alone_manipulated": [0.1]}
    values |= {"base_and": [0.9], "base_and_manipulated": [0.7]}
    assert differences(values, INTERACTION)[0, 0] == 0


def test_a_pair_one_rounding_step_apart_does_not_tie():
    up = math.nextafter(-10.0, 0.0)
    assert differences({"acceptable": [up], "unacceptable": [-10.0]}, MINIMAL_PAIR)[0, 0] > 0


@pytest.mark.parametrize(
    ("row", "right", "tied"),
    [
        ([1.0, 1.0], True, False),
        ([1.0, -1.0], False, False),
        ([1.0, 0.0], False, True),
        ([0.0, 0.0], False, True),
        ([0.0, -1.0], False, False),
    ],
)
def test_right_is_all_above_zero_and_a_tie_is_none_below(row, right, tied):
    verdict = verdicts(np.array([row]))
    assert (verdict.right[0], verdict.tied[0]) == (right, tied)


@pytest.mark.parametrize(("ties", "credit"), [("strict", 0.0), ("half", 0.5), ("paper", 1.0)])
def test_the_rule_for_ties_sets_the_credit_of_a_tie_only(ties, credit):
    assert verdicts(np.array([[1.0], [0.0], [-1.0]]), ties).credit.tolist() == [1.0, credit, 0.0]


@pytest.mark.parametrize(("ties", "credit"), [("strict", 0.0), ("half", 0.25), ("paper", 1.0)])
def test_an_item_all_of_whose_inequalities_tie_is_not_above_chance_by_half(ties, credit):
    assert verdicts(np.array([[0.0, 0.0]]), ties).credit.tolist() == [credit]
    assert verdicts(np.array([[1.0, 0.0]]), "half").credit.tolist() == [0.5]


def test_an_unknown_rule_for_ties_is_an_error():
    with pytest.raises(MeasureError, match="did you mean 'strict'"):
        verdicts(np.array([[1.0]]), "stric")


CORRUPTIONS = ("order_swap", "no_article", "no_modifier", "no_numeral")
AANN = Design(
    "aann",
    ("construction", *CORRUPTIONS),
    tuple(Inequality.parse(name, f"construction > {name}") for name in CORRUPTIONS),
    0.2,
)


def _golden(name: str) -> dict[str, dict[str, str]]:
    with gzip.open(GOLDEN / f"{name}.csv.gz", "rt", encoding="utf-8") as file:
        return {row["idx"]: row for row in csv.DictReader(file)}


@pytest.mark.skipif(not GOLDEN.is_dir(), reason=f"golden AANN scores are not at {GOLDEN}")
@pytest.mark.parametrize(
    ("model", "accuracy"), [("1e-3", 58.87), ("seed_1024-1e-3", 57.28), ("seed_211-1e-3", 54.39)]
)
def test_aann_accuracies_are_reproduced_from_published_scores(model, accuracy):
    scores, unigrams = _golden(f"smolm-autoreg-bpe-babylm-{model}"), _golden("unigrams_babylm")
    # Published as means over the same tokens, so SLOR is their difference.
    slor = {
        cell: [
            float(scores[idx][f"{cell}_score"]) - float(unigrams[idx][f"{cell}_score"])
            for idx in scores
        ]
        for cell in AANN.cells
    }
    result = evaluate_items(slor, AANN).micro
    assert result.n == 12_960
    assert round(100 * result.accuracy, 2) == accuracy
