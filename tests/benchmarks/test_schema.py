"""Predictions are linear inequalities over cells, written as one reads them."""

from __future__ import annotations

import pytest

from minpairs.benchmarks.schema import INTERACTION, MINIMAL_PAIR, Design, Inequality
from minpairs.errors import MeasureError


def test_a_minimal_pair_predicts_that_the_acceptable_text_scores_higher():
    (prediction,) = MINIMAL_PAIR.inequalities
    assert dict(prediction.terms) == {"acceptable": 1, "unacceptable": -1}
    assert MINIMAL_PAIR.chance == 0.5


def test_an_interaction_predicts_a_larger_cost_with_the_construction_in_each_order():
    assert [dict(inequality.terms) for inequality in INTERACTION.inequalities] == [
        {
            f"{order}_let_alone": 1,
            f"{order}_let_alone_manipulated": -1,
            f"{order}_and": -1,
            f"{order}_and_manipulated": 1,
        }
        for order in ("base", "swapped")
    ]
    assert INTERACTION.chance == 0.25


@pytest.mark.parametrize(
    ("formula", "terms"),
    [
        ("a > b", {"a": 1, "b": -1}),
        ("a < b", {"a": -1, "b": 1}),
        ("a - b > c - d", {"a": 1, "b": -1, "c": -1, "d": 1}),
        ("2 * a > b + 0.5 * c", {"a": 2, "b": -1, "c": -0.5}),
        ("a - b > 0", {"a": 1, "b": -1}),
        ("a + b > b", {"a": 1}),
    ],
)
def test_formulas(formula, terms):
    inequality = Inequality.parse("p", formula)
    assert dict(inequality.terms) == terms
    assert dict(Inequality.parse("p", str(inequality)).terms) == terms


@pytest.mark.parametrize(
    "formula", ["a", "a > b > c", "a > ", "a b > c", "a > b * c", "a >= b", ""]
)
def test_a_formula_that_is_no_inequality_is_an_error(formula):
    with pytest.raises(MeasureError, match="prediction 'p'"):
        Inequality.parse("p", formula)


def test_a_prediction_over_a_cell_that_items_lack_is_an_error():
    with pytest.raises(MeasureError, match="names cell 'c', but items have a, b"):
        Design("mine", ("a", "b"), (Inequality.parse("p", "a > c"),), 0.5)
