"""Models compared in pairs on the same items."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest
from scored_runs import interactions, own_pairs, pairs, prefers_good, scored

from minpairs.comparisons import ALL, compare_models
from minpairs.judgements import judge_in_detail


def judged(folder, suites, rule):
    (judgement,) = judge_in_detail(scored(folder, suites, rule)).values()
    return judgement


def right_on(*numbers: int):
    """Prefers the good member of the pairs whose number is among these."""

    def rule(text):
        if text.continuation.startswith("good"):
            return -3.0
        return -4.0 if int(text.continuation.split()[-1]) in numbers else -2.0

    return rule


def test_models_are_compared_item_by_item(tmp_path):
    first = judged(tmp_path / "a", [pairs(n=12)], right_on(*range(10)))
    second = judged(tmp_path / "b", [pairs(n=12)], right_on(0, 1, 10))
    (found,) = compare_models({"a": first, "b": second})
    assert (found.first, found.second, found.items, found.n) == ("a", "b", ALL, 12)
    assert found.difference == pytest.approx(10 / 12 - 3 / 12)
    assert (found.test.only_first, found.test.only_second) == (8, 1)
    assert found.test.p_value == pytest.approx(binomtest(1, 9).pvalue)
    assert found.interval.low < found.difference < found.interval.high


def test_a_positive_difference_means_that_the_first_is_right_more_often(tmp_path):
    better = judged(tmp_path / "a", [pairs()], prefers_good)
    worse = judged(tmp_path / "b", [pairs()], right_on())
    (found,) = compare_models({"better": better, "worse": worse})
    assert (found.first_accuracy, found.second_accuracy, found.difference) == (1.0, 0.0, 1.0)


def test_only_items_that_both_models_saw_are_compared(tmp_path):
    first = judged(tmp_path / "a", [pairs(n=6)], prefers_good)
    second = judged(
        tmp_path / "b", [own_pairs(["good agreement 4"], ["bad agreement 4"])], right_on()
    )
    (found,) = compare_models({"a": first, "b": second})
    assert (found.n, found.first_accuracy, found.second_accuracy) == (1, 1.0, 0.0)
    assert found.interval is None


def test_order_of_items_does_not_matter(tmp_path):
    first = judged(
        tmp_path / "a", [own_pairs(["good 1", "good 2"], ["bad 1", "bad 2"])], right_on(1)
    )
    second = judged(
        tmp_path / "b", [own_pairs(["good 2", "good 1"], ["bad 2", "bad 1"])], right_on(1)
    )
    (found,) = compare_models({"a": first, "b": second})
    assert (found.test.only_first, found.test.only_second) == (0, 0)


def test_words_set_apart_by_spaces_are_the_same_items(tmp_path):
    first = judged(tmp_path / "a", [own_pairs(["好人1"], ["坏人1"])], lambda text: -5.0)
    second = judged(tmp_path / "b", [own_pairs(["好 人 1"], ["坏 人 1"])], lambda text: -5.0)
    assert compare_models({"a": first, "b": second})[0].n == 1


def test_models_without_a_common_item_are_not_compared(tmp_path):
    first = judged(tmp_path / "a", [pairs("one")], prefers_good)
    second = judged(tmp_path / "b", [pairs("two")], prefers_good)
    assert compare_models({"a": first, "b": second}) == []


def test_an_item_that_comes_twice_is_two_items(tmp_path):
    twice = own_pairs(["good 1", "good 1"], ["bad 1", "bad 1"])
    first = judged(tmp_path / "a", [twice], prefers_good)
    second = judged(tmp_path / "b", [twice], prefers_good)
    assert compare_models({"a": first, "b": second})[0].n == 2


def test_interactions_are_compared_suite_by_suite_and_corrected_together(tmp_path):
    def rule(text):
        return -9.0 if "let_alone_manipulated" in text.continuation else -4.0

    suites = [interactions("npi", 8), interactions("vp", 8)]
    first = judged(tmp_path / "a", suites, rule)
    second = judged(tmp_path / "b", suites, lambda text: -4.0 - len(text.continuation) % 3)
    found = compare_models({"a": first, "b": second})
    assert [one.items for one in found] == ["npi", "vp"]
    smallest = min(one.test.p_value for one in found)
    assert min(one.adjusted for one in found) == pytest.approx(2 * smallest)


def test_clusters_widen_the_interval_of_the_difference(tmp_path):
    def of(folder, rule, **labels):
        return judged(tmp_path / folder, [pairs(n=12, **labels)], rule)

    clusters = {"cluster": [str(row // 4) for row in range(12)]}
    plain = {"a": of("a", prefers_good), "b": of("b", right_on(0, 1, 2, 3))}
    shared = {
        "a": of("c", prefers_good, **clusters),
        "b": of("d", right_on(0, 1, 2, 3), **clusters),
    }
    (narrow,), (wide,) = compare_models(plain), compare_models(shared)
    assert wide.interval.high - wide.interval.low > narrow.interval.high - narrow.interval.low


def test_one_model_has_nobody_to_be_compared_with(tmp_path):
    assert compare_models({"a": judged(tmp_path / "a", [pairs()], prefers_good)}) == []


def test_no_interval_of_a_difference_goes_beyond_one(tmp_path):
    clusters = {"cluster": ["a"] * 6 + ["b"] * 6}
    first = judged(tmp_path / "a", [pairs(n=12, **clusters)], prefers_good)
    second = judged(tmp_path / "b", [pairs(n=12, **clusters)], right_on(0))
    (found,) = compare_models({"a": first, "b": second})
    assert found.difference == pytest.approx(11 / 12)
    assert found.interval.high == 1.0
