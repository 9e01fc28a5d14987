"""Tables from evaluations."""

from __future__ import annotations

import numpy as np
import pytest

from minpairs.benchmarks.schema import INTERACTION, MINIMAL_PAIR
from minpairs.errors import MeasureError, MinpairsError
from minpairs.evaluation import evaluate_items
from minpairs.report import Column, Table, models_table, phenomena_table, results_table
from minpairs.signature import Signature


def evaluate_pairs(*differences, **options):
    values = {"acceptable": list(map(float, differences)), "unacceptable": [0.0] * len(differences)}
    return evaluate_items(values, MINIMAL_PAIR, **options)


def evaluate_interactions(*differences):
    values = {cell: np.zeros(len(differences)) for cell in INTERACTION.cells}
    values["base_let_alone"] = np.array([float(d[0]) for d in differences])
    values["swapped_let_alone"] = np.array([float(d[1]) for d in differences])
    return evaluate_items(values, INTERACTION, groups=["npi"] * len(differences))


def titles(table):
    return [column.title for column in table.columns]


def test_a_row_a_group_with_accuracy_interval_ties_and_chance():
    evaluation = evaluate_pairs(1, 0, -1, groups=["a", "a", "b"])
    table = results_table(evaluation)
    assert titles(table) == ["paradigm", "n", "accuracy %", "95 % interval", "ties", "chance %"]
    assert table.rows[0] == ("a", 2, 0.5, evaluation.groups[0].interval, 1, 0.5)


def test_macro_and_micro_are_labelled_at_the_foot():
    table = results_table(evaluate_pairs(1, 1, -1, groups=["a", "a", "b"]))
    assert [(row[0], row[2]) for row in table.summary] == [
        ("macro (mean of 2 paradigms)", 0.5),
        ("micro (all items)", 2 / 3),
    ]


def test_one_group_needs_no_overall_figures():
    assert results_table(evaluate_pairs(1, 1)).summary == ()


def test_the_phenomenon_is_shown_when_known_and_the_clustered_interval_when_there_are_clusters():
    evaluation = evaluate_pairs(
        1, -1, groups=["a", "b"], phenomena={"a": "P", "b": "Q"}, clusters=[1, 2]
    )
    assert titles(results_table(evaluation))[:2] == ["paradigm", "phenomenon"]
    assert "clustered" in titles(results_table(evaluation))


def test_a_group_in_one_cluster_is_explained():
    evaluation = evaluate_pairs(1, -1, groups=["a", "b"], clusters=[1, 2])
    notes = " ".join(results_table(evaluation).footnotes)
    assert "No clustered interval (–) where all items lie in one cluster." in notes


@pytest.mark.parametrize(
    ("ties", "note"), [("strict", "not right"), ("half", "one half"), ("paper", ">=")]
)
def test_the_rule_for_ties_is_said(ties, note):
    assert note in results_table(evaluate_pairs(1, 0, ties=ties)).footnotes[0]


def test_the_signature_is_under_the_table():
    evaluation = evaluate_pairs(1, signature=Signature.of({"model": "m"}))
    assert results_table(evaluation).signatures == ("model:m",)


def test_a_phenomena_table_has_a_row_a_phenomenon():
    evaluation = evaluate_pairs(
        1, -1, 1, groups=["a", "b", "c"], phenomena={"a": "P", "b": "P", "c": "Q"}
    )
    table = phenomena_table(evaluation)
    assert [row[:4] for row in table.rows] == [("P", 2, 2, 0.5), ("Q", 1, 1, 1.0)]


def test_a_phenomena_table_needs_phenomena():
    with pytest.raises(MeasureError, match="no phenomena"):
        phenomena_table(evaluate_pairs(1))


def test_interactions_show_both_orders_each_order_mean_difference_and_order_bias():
    table = results_table(evaluate_interactions((1, 1), (3, -1)), unit="suite")
    row = dict(zip(titles(table), table.rows[0], strict=True))
    assert (row["both orders %"], row["base order %"], row["swapped order %"]) == (0.5, 1.0, 0.5)
    assert (row["mean difference"], row["order bias %"], row["chance %"]) == (1.0, 0.5, 0.25)


def test_models_stand_side_by_side_with_overall_figures_and_ties():
    first = evaluate_pairs(1, 1, groups=["a", "b"], signature=Signature.of({"model": "x"}))
    second = evaluate_pairs(1, 0, groups=["a", "b"], signature=Signature.of({"model": "y"}))
    table = models_table({"x": first, "y": second})
    assert table.rows == (("a", 1, 1.0, 1.0), ("b", 1, 1.0, 0.0))
    assert table.summary[0] == ("macro (mean of 2 paradigms)", 2, 1.0, 0.5)
    assert table.summary[-1] == ("ties", None, 0, 1)
    assert table.signatures == ("model:x", "model:y")


def test_a_model_that_lacks_a_paradigm_leaves_a_gap_and_no_overall_figure():
    whole = evaluate_pairs(1, 1, groups=["a", "b"])
    part = evaluate_pairs(1, groups=["a"])
    table = models_table({"whole": whole, "part": part})
    assert table.rows[1] == ("b", 1, 1.0, None)
    assert table.summary[0][2:] == (None, None)
    assert any("No overall figures" in note for note in table.footnotes)


def test_models_judged_on_different_designs_share_no_table():
    with pytest.raises(MeasureError, match="different designs"):
        models_table({"x": evaluate_pairs(1), "y": evaluate_interactions((1, 1))})


def test_a_row_of_the_wrong_width_is_refused():
    with pytest.raises(MinpairsError, match="2 cells for 1 columns"):
        Table((Column("a", "a", "text"),), (("x", "y"),))
