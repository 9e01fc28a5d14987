"""Accuracies by group, phenomenon and overall."""

from __future__ import annotations

import math

import numpy as np
import pytest

from minpairs.benchmarks.schema import INTERACTION, MINIMAL_PAIR, interaction
from minpairs.errors import MeasureError
from minpairs.evaluation import evaluate_items
from minpairs.statistics import clustered_wilson, wilson


def pairs(*differences):
    return {"acceptable": [float(d) for d in differences], "unacceptable": [0.0] * len(differences)}


def items(*differences):
    """Interaction items by their differences in the base and the swapped order."""
    values = {cell: np.zeros(len(differences)) for cell in INTERACTION.cells}
    values["base_let_alone"] = np.array([float(d[0]) for d in differences])
    values["swapped_let_alone"] = np.array([float(d[1]) for d in differences])
    return values


def test_counts_of_right_ties_and_items_are_kept_apart():
    micro = evaluate_items(pairs(1, 0, -1, 2), MINIMAL_PAIR).micro
    assert (micro.right, micro.ties, micro.n, micro.accuracy) == (2, 1, 4, 0.5)


@pytest.mark.parametrize(("ties", "accuracy"), [("strict", 0.5), ("half", 0.625), ("paper", 0.75)])
def test_the_rule_for_ties_changes_the_accuracy_but_not_the_counts(ties, accuracy):
    micro = evaluate_items(pairs(1, 0, -1, 2), MINIMAL_PAIR, ties=ties).micro
    assert (micro.accuracy, micro.right, micro.ties) == (accuracy, 2, 1)


def test_micro_is_over_items_and_macro_the_mean_of_groups():
    found = evaluate_items(pairs(1, 1, 1, -1), MINIMAL_PAIR, groups=["a", "a", "a", "b"])
    assert (found.micro.accuracy, found.macro.accuracy, found.macro.groups) == (0.75, 0.5, 2)


def test_groups_come_in_the_order_of_their_first_item_wherever_their_items_lie():
    found = evaluate_items(pairs(1, -1, -1, 1), MINIMAL_PAIR, groups=["b", "a", "b", "a"])
    assert [(group.name, group.accuracy) for group in found.groups] == [("b", 0.5), ("a", 0.5)]
    assert found.group("a").mean_difference == 0


def test_a_missing_group_names_the_nearest():
    with pytest.raises(MeasureError, match="did you mean 'passive'"):
        evaluate_items(pairs(1), MINIMAL_PAIR, groups=["passive"]).group("pasive")


def test_a_phenomenon_is_the_unweighted_mean_of_its_paradigms():
    found = evaluate_items(
        pairs(1, 1, 1, -1, 1),
        MINIMAL_PAIR,
        groups=["a", "a", "a", "b", "c"],
        phenomena={"a": "P", "b": "P", "c": "Q", "unused": "R"},
    )
    assert [(p.name, p.accuracy, p.groups) for p in found.phenomena] == [("P", 0.5, 2), ("Q", 1, 1)]
    assert found.group("b").phenomenon == "P"


def test_a_group_without_a_phenomenon_names_its_first_row():
    with pytest.raises(MeasureError, match="row 1: group 'b' has no phenomenon"):
        evaluate_items(pairs(1, 1), MINIMAL_PAIR, groups=["a", "b"], phenomena={"a": "P"})


def test_intervals_are_wilson_s_and_with_clusters_also_clustered():
    values, clusters = pairs(1, 1, -1, 1, -1, -1), ["x", "x", "y", "y", "z", "z"]
    micro = evaluate_items(values, MINIMAL_PAIR, clusters=clusters).micro
    assert micro.interval == wilson(0.5, 6)
    credit = np.array([1.0, 1, 0, 1, 0, 0])
    assert micro.clustered_interval == clustered_wilson(credit, np.array([0, 0, 1, 1, 2, 2]))


def test_without_clusters_there_is_no_clustered_interval():
    found = evaluate_items(pairs(1, -1), MINIMAL_PAIR)
    assert (found.micro.clustered_interval, found.clusters) == (None, None)


def test_the_published_interval_is_available():
    micro = evaluate_items(pairs(1, -1, 1, -1), MINIMAL_PAIR, interval="as_released").micro
    assert micro.interval.high == pytest.approx(0.5 + 1.96 * math.sqrt(0.25 / 4))


def test_a_group_in_one_cluster_has_no_clustered_interval_and_neither_has_the_macro():
    found = evaluate_items(
        pairs(1, 1, -1, 1), MINIMAL_PAIR, groups=["a", "a", "b", "b"], clusters=[1, 1, 2, 3]
    )
    assert found.group("a").clustered_interval is None
    assert found.group("b").clustered_interval is not None
    assert found.macro.clustered_interval is None


def test_all_items_in_one_cluster_is_an_error():
    with pytest.raises(MeasureError, match="all items lie in one cluster"):
        evaluate_items(pairs(1, 1), MINIMAL_PAIR, clusters=["t", "t"])


def test_clusters_shared_by_groups_widen_the_macro_interval():
    values = pairs(1, 1, -1, -1, 1, 1, -1, -1)
    groups, own = ["a"] * 4 + ["b"] * 4, list("pqrstuvw")
    apart = evaluate_items(values, MINIMAL_PAIR, groups=groups, clusters=own).macro
    shared = evaluate_items(values, MINIMAL_PAIR, groups=groups, clusters=own[:4] * 2).macro
    assert shared.clustered_interval.low < apart.clustered_interval.low
    assert shared.interval == apart.interval


def test_an_interaction_needs_both_orders_and_reports_each():
    found = evaluate_items(items((1, 1), (1, -1), (-1, 1), (2, 1)), INTERACTION).micro
    assert (found.accuracy, found.chance) == (0.5, 0.25)
    assert [(i.name, i.accuracy) for i in found.inequalities] == [("base", 0.75), ("swapped", 0.75)]
    assert [i.mean_difference for i in found.inequalities] == [0.75, 0.5]
    assert found.mean_difference == 0.625


def test_order_bias_is_the_share_of_items_with_opposite_verdicts():
    found = evaluate_items(items((1, 1), (1, -1), (-1, 1), (0, 1)), INTERACTION).micro
    assert found.order_bias == 0.5


def test_other_designs_have_no_order_bias():
    assert evaluate_items(pairs(1), MINIMAL_PAIR).micro.order_bias is None
    one_order = interaction("construction", "control", ("base",))
    values = {cell: [1.0] for cell in one_order.cells}
    assert evaluate_items(values, one_order).micro.order_bias is None


@pytest.mark.parametrize("label", [None, math.nan, 1.5, True])
def test_a_label_that_is_no_name_is_an_error_that_names_the_row(label):
    with pytest.raises(MeasureError, match="row 1: groups has"):
        evaluate_items(pairs(1, 1), MINIMAL_PAIR, groups=["a", label])


@pytest.mark.parametrize(
    ("labels", "why"), [(["a"], "row 1 has no label"), (["a"] * 3, "row 2 has a label but no item")]
)
def test_labels_must_be_as_many_as_items(labels, why):
    with pytest.raises(MeasureError, match=why):
        evaluate_items(pairs(1, 1), MINIMAL_PAIR, groups=labels)


def test_an_unknown_interval_is_an_error():
    with pytest.raises(MeasureError, match="did you mean 'wilson'"):
        evaluate_items(pairs(1), MINIMAL_PAIR, interval="wilsons")
