"""Intervals and tests against closed forms, scipy, and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from minpairs.errors import MeasureError
from minpairs.statistics import (
    Interval,
    as_released,
    clustered_wilson,
    effective_n,
    holm,
    interval_of_mean,
    mcnemar,
    shared_cluster_correlation,
    wilson,
)


@given(st.integers(1, 3000), st.data())
def test_wilson_equals_scipy(n, data):
    right = data.draw(st.integers(0, n))
    expected = binomtest(right, n).proportion_ci(method="wilson")
    found = wilson(right / n, n)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


@given(st.floats(0, 1), st.floats(0.5, 1e6))
def test_wilson_stays_within_zero_and_one_and_holds_the_accuracy(accuracy, n):
    interval = wilson(accuracy, n)
    assert 0 <= interval.low <= accuracy + 1e-12
    assert accuracy - 1e-12 <= interval.high <= 1


def test_wilson_needs_an_item():
    with pytest.raises(MeasureError, match="at least one item"):
        wilson(0.5, 0)


def test_as_released_gives_the_published_half_width():
    interval = as_released(0.939, 16_887)
    assert 100 * (interval.high - 0.939) == pytest.approx(0.361, abs=5e-4)


def test_clusters_of_identical_items_count_once():
    credit, clusters = np.repeat([1.0, 0.0, 1.0, 1.0], 10), np.repeat(np.arange(4), 10)
    # Variance of a mean of 4 values with p = 3/4: p(1-p)/3, so 3 effective items.
    assert effective_n(credit, clusters) == pytest.approx(3)


def test_a_clustered_interval_takes_student_t_on_clusters_less_one():
    credit, clusters = np.repeat([1.0, 0.0, 1.0, 1.0], 10), np.repeat(np.arange(4), 10)
    expected = wilson(0.75, 3, 3.182446305284263)  # t table, 3 degrees, .975
    found = clustered_wilson(credit, clusters)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_clusters_of_one_item_each_cost_one_degree_of_freedom_only():
    credit = np.array([1.0, 0.0, 1.0, 1.0, 0.0])
    assert effective_n(credit, np.arange(5)) == pytest.approx(4)


def test_opposed_items_in_a_cluster_do_not_narrow_the_interval():
    credit, clusters = np.tile([1.0, 0.0], 8), np.repeat(np.arange(8), 2)
    assert effective_n(credit, clusters) == 16


@pytest.mark.parametrize("accuracy", [0.0, 1.0])
def test_without_variance_the_clusters_are_the_items(accuracy):
    assert effective_n(np.full(30, accuracy), np.repeat(np.arange(6), 5)) == pytest.approx(6)


def test_clusters_of_uneven_size_count_as_fewer_than_there_are():
    """Nine items of ten lie in one cluster: there is hardly more than one to learn from."""
    clusters = np.repeat(np.arange(5), [36, 1, 1, 1, 1])
    assert 1 < effective_n(np.ones(40), clusters) < 3


def test_one_cluster_has_no_interval():
    with pytest.raises(MeasureError, match="at least two clusters, got 1"):
        clustered_wilson(np.array([1.0, 0.0]), np.array([0, 0]))


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 4)), min_size=2))
def test_a_clustered_interval_is_never_the_narrower(rows):
    credit, clusters = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    clusters[:2] = [0, 1]
    plain, clustered = wilson(credit.mean(), len(credit)), clustered_wilson(credit, clusters)
    width = clustered.high - clustered.low
    assert width >= plain.high - plain.low - 1e-12


def test_the_mean_of_one_group_has_that_group_s_interval():
    interval = wilson(0.9, 50)
    found = interval_of_mean([0.9], [interval])
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), abs=1e-12)


def test_independent_equal_groups_narrow_the_mean_by_the_root_of_their_number():
    found = interval_of_mean([0.5] * 4, [Interval(0.4, 0.6)] * 4)
    assert (found.low, found.high) == pytest.approx((0.45, 0.55), abs=1e-12)


def test_groups_of_the_same_clusters_do_not_narrow_the_mean():
    found = interval_of_mean([0.5] * 4, [Interval(0.4, 0.6)] * 4, np.ones((4, 4)))
    assert (found.low, found.high) == pytest.approx((0.4, 0.6), abs=1e-12)


def test_groups_with_the_same_errors_in_the_same_clusters_correlate_fully():
    credit = np.array([1.0, 0.0, 1.0, 0.0])
    found = shared_cluster_correlation(credit, np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    assert np.allclose(found, np.ones((2, 2)))


def test_groups_without_a_common_cluster_do_not_correlate():
    credit = np.array([1.0, 0.0, 1.0, 0.0])
    assert shared_cluster_correlation(credit, np.array([0, 0, 1, 1]), np.arange(4)) is None


def test_mcnemar_is_the_two_sided_binomial_test_of_discordant_items():
    first = np.array([1.0] * 9 + [0.0] * 2 + [1.0] * 5)
    second = np.array([0.0] * 9 + [1.0] * 2 + [1.0] * 5)
    found = mcnemar(first, second)
    assert (found.only_first, found.only_second) == (9, 2)
    assert found.p_value == pytest.approx(binomtest(2, 11).pvalue, abs=1e-12)


def test_models_that_never_differ_have_p_one():
    assert mcnemar([1.0, 0.0], [1.0, 0.0]).p_value == 1.0


def test_mcnemar_counts_half_credits():
    assert mcnemar([0.5, 1.0], [0.0, 1.0]).only_first == 1


def test_mcnemar_needs_the_same_items():
    with pytest.raises(MeasureError, match="same items: 2 and 1"):
        mcnemar([1.0, 0.0], [1.0])


def test_holm_multiplies_step_by_step_and_never_decreases():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def coverage(rng, *, runs, clusters, size, accuracy, rho):
    """How often clustered and plain intervals hold the truth, over beta-binomial clusters."""
    total = (1 - rho) / rho
    hits = np.zeros(2)
    codes = np.repeat(np.arange(clusters), size)
    for _ in range(runs):
        p = rng.beta(accuracy * total, (1 - accuracy) * total, clusters)
        credit = (rng.random((clusters, size)) < p[:, None]).astype(float).ravel()
        mean = credit.mean()
        for i, ci in enumerate((clustered_wilson(credit, codes), wilson(mean, len(credit)))):
            hits[i] += ci.low <= accuracy <= ci.high
    return hits / runs


def test_clustered_intervals_cover_where_plain_ones_do_not():
    clustered, plain = coverage(
        np.random.default_rng(1), runs=400, clusters=40, size=25, accuracy=0.8, rho=0.2
    )
    assert 0.92 <= clustered <= 0.985
    assert plain < 0.8


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [6, 12, 50])
@pytest.mark.parametrize("accuracy", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("rho", [0.01, 0.1, 0.4])
def test_clustered_intervals_cover(clusters, accuracy, rho):
    runs = 4000
    clustered, _ = coverage(
        np.random.default_rng(2), runs=runs, clusters=clusters, size=20, accuracy=accuracy, rho=rho
    )
    # Few clusters, most of them without an error: the variance is seen too seldom.
    nominal = 0.93 if rho <= 0.1 else 0.90
    assert clustered >= nominal - 3 * math.sqrt(0.05 * 0.95 / runs)


@pytest.mark.slow
def test_the_interval_of_a_mean_of_groups_covers():
    rng, runs = np.random.default_rng(3), 4000
    truths = np.linspace(0.5, 0.99, 16)
    hits = 0
    for _ in range(runs):
        found = rng.binomial(60, truths) / 60
        ci = interval_of_mean(found.tolist(), [wilson(p, 60) for p in found])
        hits += ci.low <= truths.mean() <= ci.high
    assert 0.935 <= hits / runs <= 0.975
