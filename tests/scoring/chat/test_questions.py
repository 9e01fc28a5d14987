"""Questions: which cells are choices, under which letters."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest
from chat_servers import pairs, scalar

from minpairs.benchmarks.schema import Design, Inequality
from minpairs.benchmarks.suites import from_table
from minpairs.errors import MeasureError, SuiteError
from minpairs.scoring.chat import questions
from minpairs.scoring.chat.questions import contrasts


def test_an_interaction_is_asked_in_each_order_construction_and_choice_order():
    asked = questions(scalar(1))
    assert [(q.contrast.name, q.construction, q.contrast.control, q.fits) for q in asked] == [
        (order, construction, construction == "and", letter)
        for order in ("base", "swapped")
        for construction in ("let alone", "and")
        for letter in "AB"
    ]


def test_the_fitting_choice_stands_under_its_letter():
    first, second = questions(scalar(1))[:2]
    fitting = "The green trunk beats the red trunk."
    assert (first.fits, first.a) == ("A", fitting)
    assert (second.fits, second.b) == ("B", fitting)
    assert (first.a, first.b) == (second.b, second.a)


def test_the_control_can_be_left_out():
    assert {q.construction for q in questions(scalar(1), control=False)} == {"let alone"}


def test_a_minimal_pair_is_asked_in_both_choice_orders():
    assert [(q.a, q.b, q.text) for q in questions(pairs(1))] == [
        ("The red fox naps.", "The red fox nap.", None),
        ("The red fox nap.", "The red fox naps.", None),
    ]


def test_equal_questions_have_one_key_wherever_they_stand():
    whole = questions(scalar(3))
    sample = questions(scalar(3, name="other"))
    assert [q.key for q in whole] == [q.key for q in sample]
    assert len({q.key for q in whole}) == len(whole)


@pytest.mark.parametrize("part", ["text", "a", "b"])
def test_questions_that_differ_have_other_keys(part):
    question = questions(scalar(1))[0]
    assert replace(question, **{part: "Something else."}).key != question.key


def test_equal_choices_are_no_choice():
    suite = from_table(
        "mine", "same", pa.table({"sentence_good": ["We nap."], "sentence_bad": ["We nap. "]})
    )
    with pytest.raises(SuiteError, match=r"mine\.same, row 0.*same text"):
        questions(suite)


def test_choices_after_different_texts_are_refused():
    row = scalar(1).table.to_pylist()[0]
    row["base_and_context"] = "Another text."
    with pytest.raises(SuiteError, match=r"'base_and' .* different contexts"):
        questions(from_table("let_alone", "scalar", pa.Table.from_pylist([row])))


@pytest.mark.parametrize("formula", ["a + b > 2 * c", "a + b + c > d + e + f", "a > 0"])
def test_a_prediction_that_is_no_choice_is_refused(formula):
    design = Design("mine", tuple("abcdef"), (Inequality.parse("p", formula),), 0.5)
    with pytest.raises(MeasureError, match="two"):
        contrasts(design)
