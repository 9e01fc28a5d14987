"""ΔS with the construction and with its control."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scored_runs import interactions, pairs, prefers_good, scored

from minpairs.benchmarks.schema import INTERACTION, MINIMAL_PAIR, Design, Inequality, interaction
from minpairs.cells import differences_of
from minpairs.errors import MeasureError
from minpairs.evaluation import evaluate_items
from minpairs.interactions import (
    Distribution,
    Form,
    differences_in,
    form_of,
    has_two_orders,
    plain_comparison,
)
from minpairs.statistics import mean_interval

ZERO = {cell: [0.0, 0.0] for cell in INTERACTION.cells}


def test_delta_is_plain_less_manipulated_for_construction_and_control():
    values = {**ZERO, "base_let_alone": [-1.0, 0.0], "base_let_alone_manipulated": [-4.0, 0.0]}
    values |= {"base_and": [-1.0, 0.0], "base_and_manipulated": [-2.0, 0.0]}
    found = differences_in(values, INTERACTION)
    assert found.construction_delta[0].tolist() == [3.0, 0.0]
    assert found.control_delta[0].tolist() == [1.0, 0.0]
    assert found.difference[0].tolist() == [2.0, 0.0]


def test_the_difference_is_the_left_side_less_the_right_of_the_design_s_own_inequalities():
    rng = np.random.default_rng(0)
    values = {cell: -rng.random(5) for cell in INTERACTION.cells}
    evaluation = evaluate_items(values, INTERACTION)
    difference = differences_in(values, INTERACTION).difference
    assert difference.mean() == pytest.approx(evaluation.micro.mean_difference, abs=1e-12)
    assert ((difference > 0).all(axis=1)).mean() == evaluation.micro.accuracy


@pytest.mark.parametrize(
    ("design", "form"),
    [
        (INTERACTION, Form("let_alone", "and", ("base", "swapped"))),
        (interaction("much_less", "or", ("only",)), Form("much_less", "or", ("only",))),
        (MINIMAL_PAIR, None),
        (Design("three", ("a", "b"), (Inequality.parse("x", "a > b"),), 0.5), None),
    ],
)
def test_an_interaction_is_known_by_its_predictions(design, form):
    assert form_of(design) == form


def test_other_designs_have_no_delta():
    with pytest.raises(MeasureError, match="'minimal_pair' is no interaction"):
        differences_in({"acceptable": [0.0], "unacceptable": [0.0]}, MINIMAL_PAIR)


def test_two_orders_ask_the_same_of_cells_that_begin_with_their_names():
    assert has_two_orders(INTERACTION)
    assert has_two_orders(plain_comparison(("base", "swapped"), "let_alone", "felicity"))
    assert not has_two_orders(interaction(orders=("only",)))
    other = (Inequality.parse("a", "a_x > a_y"), Inequality.parse("b", "b_y > b_x"))
    assert not has_two_orders(Design("d", ("a_x", "a_y", "b_x", "b_y"), other, 0.25))


def test_a_distribution_is_over_items_and_orders():
    found = Distribution.of(np.array([[-1.0, 0.0], [0.1, 0.5], [0.4, 3.0]]))
    assert (found.minimum, found.maximum, found.median) == (-1.0, 3.0, 0.25)
    assert (found.lower_quartile, found.upper_quartile) == pytest.approx((0.025, 0.475))
    assert found.mean == pytest.approx(0.5)
    assert found.near_zero == pytest.approx(2 / 6)  # 0.0 and 0.1 itself


def test_the_interval_of_a_mean_is_student_s_t_over_items():
    values = np.array([[1.0, 3.0], [2.0, 6.0], [0.0, 0.0]])  # items have means 2, 4, 0
    expected = stats.t.interval(0.95, 2, loc=2, scale=stats.sem([2.0, 4.0, 0.0]))
    found = Distribution.of(values).interval
    assert (found.low, found.high) == pytest.approx(expected)


def test_items_of_one_cluster_count_once_in_the_interval_of_a_mean():
    values, clusters = np.repeat([1.0, 2.0, 6.0], 10), np.repeat(np.arange(3), 10)
    expected = stats.t.interval(0.95, 2, loc=3, scale=stats.sem([1.0, 2.0, 6.0]))
    found = mean_interval(values, clusters)
    assert (found.low, found.high) == pytest.approx(expected)


def test_opposed_items_in_a_cluster_do_not_narrow_the_interval_of_a_mean():
    values, clusters = np.tile([1.0, 0.0], 8), np.repeat(np.arange(8), 2)
    plain, clustered = mean_interval(values), mean_interval(values, clusters)
    assert clustered.high - clustered.low > plain.high - plain.low


@pytest.mark.parametrize("clusters", [None, np.array([0, 0])])
def test_a_single_item_or_cluster_has_no_interval(clusters):
    assert mean_interval([1.0] if clusters is None else [1.0, 2.0], clusters) is None


def test_groups_carry_their_deltas_and_means_of_groups_do_not():
    values = {**ZERO, "base_let_alone": [2.0, 0.0]}
    found = evaluate_items(values, INTERACTION, groups=["npi", "vp"])
    assert found.group("npi").deltas.difference.mean == 1.0
    assert found.group("vp").deltas.difference.mean == 0.0
    assert found.macro.deltas is None


def test_pairs_have_no_deltas():
    found = evaluate_items({"acceptable": [1.0], "unacceptable": [0.0]}, MINIMAL_PAIR)
    assert found.micro.deltas is None


def test_the_differences_of_a_run_s_suite(tmp_path):
    def rule(text):
        return -9.0 if "let_alone_manipulated" in text.continuation else -4.0

    run = scored(tmp_path / "run", [interactions(n=3)], rule)
    found = differences_of(run, run.suites[0], "sum")
    assert found.construction_delta.tolist() == [[5.0, 5.0]] * 3
    assert found.control_delta.tolist() == [[0.0, 0.0]] * 3
    # SLOR divides by the two scored tokens of "CELL npi 0".
    assert differences_of(run, run.suites[0]).difference.tolist() == [[2.5, 2.5]] * 3


def test_a_suite_of_pairs_has_no_differences(tmp_path):
    run = scored(tmp_path / "run", [pairs()], prefers_good)
    with pytest.raises(MeasureError, match="no interaction"):
        differences_of(run, run.suites[0], "sum")
