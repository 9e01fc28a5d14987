"""Statistics that cannot mislead: coverage, error rates, other packages' answers, and words."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from scored_runs import interactions, pairs, prefers_good, scored
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests

from minpairs.report.assemble import judge_runs, report_tables
from minpairs.statistics import (
    as_released,
    clustered_wilson,
    holm,
    interval_of_mean,
    mcnemar,
    mean_interval,
    shared_cluster_correlation,
    wilson,
)

DRAWS = 10_000
NOISE = 3 * math.sqrt(0.05 * 0.95 / DRAWS)  # three standard errors of a coverage of 95 %
SIZES = np.array([1, 2, 3, 5, 8, 13, 21, 34] * 5)  # of 40 clusters, as uneven as real ones


def coverage(interval, accuracy: float, n: int) -> float:
    """How often an interval of a proportion holds the truth, over binomial draws."""
    right = np.random.default_rng(n).binomial(n, accuracy, DRAWS)
    holds = {
        count: found.low <= accuracy <= found.high
        for count in set(right.tolist())
        for found in [interval(count / n, n)]
    }
    return float(np.mean([holds[count] for count in right.tolist()]))


@pytest.mark.parametrize("n", [100, 1000, 5217])
@pytest.mark.parametrize("accuracy", [0.25, 0.5, 0.61, 0.9, 0.97])
def test_wilson_s_interval_holds_the_truth_in_95_of_100_draws(accuracy, n):
    # A proportion jumps by 1/n, so that no interval of it covers exactly 95 %.
    assert 0.93 <= coverage(wilson, accuracy, n) <= 0.975


def test_wilson_s_interval_covers_95_percent_of_accuracies_drawn_evenly():
    accuracies = np.random.default_rng(0).random(DRAWS)
    right = np.random.default_rng(1).binomial(200, accuracies)
    ends = [wilson(count / 200, 200) for count in right.tolist()]
    held = [end.low <= p <= end.high for end, p in zip(ends, accuracies.tolist(), strict=True)]
    assert abs(np.mean(held) - 0.95) < 0.004 + NOISE


def test_the_released_interval_covers_too_seldom_near_one_which_is_why_it_is_no_default():
    assert coverage(as_released, 0.99, 100) < 0.75
    assert coverage(wilson, 0.99, 100) > 0.9


def clustered_draw(rng, accuracy: float, rho: float):
    """Credits in clusters of uneven size, whose members agree more than others do."""
    total = (1 - rho) / rho
    p = rng.beta(accuracy * total, (1 - accuracy) * total, len(SIZES))
    clusters = np.repeat(np.arange(len(SIZES)), SIZES)
    return (rng.random(len(clusters)) < p[clusters]).astype(float), clusters


def clustered_coverage(draws: int, accuracy: float, rho: float) -> tuple[float, float]:
    rng = np.random.default_rng(5)
    clustered = plain = 0
    for _ in range(draws):
        credit, clusters = clustered_draw(rng, accuracy, rho)
        found = clustered_wilson(credit, clusters)
        clustered += found.low <= accuracy <= found.high
        found = wilson(credit.mean(), len(credit))
        plain += found.low <= accuracy <= found.high
    return clustered / draws, plain / draws


def test_the_clustered_interval_covers_where_clusters_are_uneven_and_the_plain_one_does_not():
    clustered, plain = clustered_coverage(1000, 0.7, 0.1)
    assert clustered >= 0.92
    assert plain < 0.85


@pytest.mark.slow
@pytest.mark.parametrize("accuracy", [0.5, 0.7, 0.9])
@pytest.mark.parametrize("rho", [0.01, 0.1, 0.3])
def test_the_clustered_interval_covers_over_ten_thousand_draws(accuracy, rho):
    clustered, _ = clustered_coverage(DRAWS, accuracy, rho)
    # A few large clusters decide: a robust variance is a little too small then.
    assert clustered >= (0.93 if rho <= 0.1 else 0.91) - NOISE


def mean_coverage(draws: int) -> tuple[float, float]:
    """Coverage of the clustered and the plain interval of a mean, over skewed cluster effects."""
    rng = np.random.default_rng(6)
    clusters = np.repeat(np.arange(40), 10)
    clustered = plain = 0
    for _ in range(draws):
        values = (rng.exponential(1, 40) - 1)[clusters] + rng.normal(0, 1, len(clusters))
        found = mean_interval(values, clusters)
        clustered += found.low <= 0 <= found.high
        found = mean_interval(values)
        plain += found.low <= 0 <= found.high
    return clustered / draws, plain / draws


def test_the_interval_of_a_mean_difference_covers_and_the_one_without_clusters_does_not():
    clustered, plain = mean_coverage(1000)
    assert clustered >= 0.91
    assert plain < 0.7


@pytest.mark.slow
def test_the_interval_of_a_mean_difference_covers_over_ten_thousand_draws():
    clustered, _ = mean_coverage(DRAWS)
    assert clustered >= 0.925 - NOISE


def macro_coverage(draws: int) -> float:
    """Three suites that share their clusters, as let-alone suites share base sentences."""
    rng = np.random.default_rng(7)
    truths = np.array([0.6, 0.75, 0.9])
    clusters = np.tile(np.repeat(np.arange(40), 10), 3)
    groups = np.repeat(np.arange(3), 400)
    held = 0
    for _ in range(draws):
        shift = rng.uniform(-0.1, 0.1, 40)
        credit = (rng.random(1200) < truths[groups] + shift[clusters]).astype(float)
        parts = [credit[groups == group] for group in range(3)]
        found = interval_of_mean(
            [part.mean() for part in parts],
            [clustered_wilson(part, clusters[:400]) for part in parts],
            shared_cluster_correlation(credit, groups, clusters),
        )
        held += found.low <= truths.mean() <= found.high
    return held / draws


def test_the_interval_of_a_macro_mean_covers_though_suites_share_clusters():
    assert macro_coverage(500) >= 0.93


@pytest.mark.slow
def test_the_interval_of_a_macro_mean_covers_over_ten_thousand_draws():
    assert macro_coverage(DRAWS) >= 0.94 - NOISE


@given(*[st.integers(0, 60)] * 4)
def test_mcnemar_is_scipy_s_binomial_test_and_statsmodels_exact_test(both, first, second, neither):
    a = np.repeat([1.0, 1.0, 0.0, 0.0], [both, first, second, neither])
    b = np.repeat([1.0, 0.0, 1.0, 0.0], [both, first, second, neither])
    found = mcnemar(a, b)
    assert (found.only_first, found.only_second) == (first, second)
    theirs = statsmodels_mcnemar([[both, first], [second, neither]], exact=True).pvalue
    assert found.p_value == pytest.approx(min(1.0, theirs), abs=1e-12)
    if first + second:
        assert found.p_value == pytest.approx(binomtest(first, first + second).pvalue, abs=1e-12)


@pytest.mark.parametrize("n", [1, 5, 40])
def test_holm_is_statsmodels_holm(n):
    p_values = np.random.default_rng(n).random(n).round(2) ** 3  # some equal, some tiny
    theirs = multipletests(p_values, method="holm")[1]
    assert holm(p_values.tolist()) == pytest.approx(list(theirs), abs=1e-12)


def test_equally_good_models_are_called_different_in_at_most_5_of_100_draws():
    rng = np.random.default_rng(8)
    only_first = rng.binomial(80, 0.5, DRAWS)
    p_of = {k: mcnemar([1.0] * k + [0.0] * (80 - k), [0.0] * k + [1.0] * (80 - k)).p_value
            for k in range(81)}  # fmt: skip
    rejected = np.mean([p_of[k] <= 0.05 for k in only_first.tolist()])
    assert rejected <= 0.05


def test_ten_comparisons_of_equal_models_find_any_difference_in_at_most_5_of_100_draws():
    p_values = np.random.default_rng(9).random((DRAWS, 10))
    found = np.mean([min(holm(row)) <= 0.05 for row in p_values.tolist()])
    assert 0.03 <= found <= 0.05 + NOISE
    assert np.mean(p_values.min(axis=1) <= 0.05) > 0.35  # without the correction


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """A report of two models on pairs and interactions."""
    home = tmp_path_factory.mktemp("runs")
    suites = [
        *(pairs("a", phenomenon="x"), pairs("b", phenomenon="y")),
        *(interactions("npi"), interactions("vp"), interactions("scalar", contexts=True)),
    ]

    def other(text):
        return -2.0 - len(text.continuation) % 5

    runs = [
        scored(home / "one", suites, lambda text: prefers_good(text) - len(text.continuation) % 3),
        scored(home / "two", suites, other),
    ]
    return report_tables(judge_runs(runs, measure_name="sum", ties="strict", interval="wilson"))


def test_the_direction_of_every_difference_is_stated_in_words(tables):
    differing = [
        table
        for table in tables
        if any("difference" in column.key or "delta" in column.key for column in table.columns)
    ]
    assert len(differing) == 5  # two comparisons, ΔS, and each model on let_alone
    for table in differing:
        assert "ositive:" in " ".join(table.footnotes), table.caption


def test_macro_and_micro_are_named_wherever_several_suites_are_averaged(tables):
    averaged = [
        table for table in tables if any(row[0] == "micro (all items)" for row in table.summary)
    ]
    assert len(averaged) == 6  # both benchmarks side by side, and each model on each
    for table in averaged:
        assert table.summary[0][0].startswith("macro (mean of ")


def test_every_table_says_how_its_numbers_were_made(tables):
    for table in tables:
        made = table.signatures or table.caption.endswith("models in pairs")
        assert made, table.caption


def test_chance_is_stated_in_every_table_of_accuracies(tables):
    for table in tables:
        if table.caption.endswith(("in pairs", "cost of manipulation")):
            continue
        words = " ".join((*table.footnotes, *(column.title for column in table.columns)))
        assert "chance" in words, table.caption
