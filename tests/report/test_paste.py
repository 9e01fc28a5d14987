"""Pasted numbers to a table."""

from __future__ import annotations

import pytest

from minpairs.errors import MeasureError
from minpairs.report.paste import judge_text


def accuracies(table):
    return {row[0]: row[2] for row in table.rows}


@pytest.mark.parametrize("separator", ["\t", ",", ";", " ", ", "])
def test_two_columns_without_a_heading_are_pairs(separator):
    table = judge_text(f"-1{separator}-2\n\n-1.5{separator}-1e0\n")
    assert table.rows[0][:3] == ("all", 2, 0.5)


def test_a_heading_names_the_columns_in_any_order():
    table = judge_text("unacceptable,group,acceptable\n-2,a,-1\n-1,b,-3\n")
    assert accuracies(table) == {"a": 1.0, "b": 0.0}


def test_phenomena_and_clusters_may_be_given():
    text = (
        "acceptable,unacceptable,group,phenomenon,cluster\n"
        "-1,-2,a,P,x\n-2,-1,a,P,y\n-1,-2,b,Q,x\n-1,-2,b,Q,y\n"
    )
    keys = [column.key for column in judge_text(text).columns]
    assert {"phenomenon", "clustered_interval"} <= set(keys)


def test_slor_takes_its_six_columns():
    assert judge_text("-12,-10,-20,-12,4,4", "slor").rows[0][2] == 1.0


def test_interactions_repeat_their_columns_for_each_order():
    keys = [column.key for column in judge_text("4 0 1 0 4 0 1 0", "interaction").columns]
    assert "order_bias" in keys


@pytest.mark.parametrize(
    ("text", "config", "why"),
    [
        ("", "pairwise", "no rows"),
        ("acceptable,unacceptable\n", "pairwise", "no row under it"),
        ("1,2,3", "pairwise", "3 columns, but pairwise has"),
        ("-1,-2\n-1\n", "pairwise", "line 2: 1 columns, expected 2"),
        ("-1,-2\n\n-1,x\n", "pairwise", "line 3: unacceptable is 'x', not a number"),
        ("-1,-2\n-1,nan\n", "pairwise", "line 2: unacceptable is 'nan'"),
        ("acceptable,unaceptable\n1,2", "pairwise", "needs column 'unacceptable'"),
        ("acceptable,unacceptable,grup\n1,2,a", "pairwise", "did you mean 'group'"),
        ("acceptable,acceptable,unacceptable\n1,2,3", "pairwise", "comes 2 times"),
        ("acceptable,unacceptable,group\n1,2,", "pairwise", "line 2: group is empty"),
        ("acceptable,unacceptable,phenomenon\n1,2,P", "pairwise", "add a column 'group'"),
        (
            "acceptable,unacceptable,group,phenomenon\n1,2,a,P\n1,2,a,Q",
            "pairwise",
            "line 3: group 'a' has phenomena 'P' and 'Q'",
        ),
    ],
)
def test_text_that_does_not_fit_says_where(text, config, why):
    with pytest.raises(MeasureError, match=why):
        judge_text(text, config)
