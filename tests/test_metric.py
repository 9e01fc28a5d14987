"""The evaluate metric: as a class, and loaded from its folder."""

from __future__ import annotations

import importlib.util
import json
import math
from pathlib import Path

import datasets
import evaluate
import numpy as np
import pytest

from minpairs.metric import MinimalPairs

FOLDER = Path(__file__).parents[1] / "metrics" / "minimal_pairs"


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setattr(evaluate.config, "HF_METRICS_CACHE", tmp_path)
    monkeypatch.setattr(evaluate.config, "HF_MODULES_CACHE", str(tmp_path / "modules"))


def pairwise(acceptable, unacceptable, **options):
    return MinimalPairs("pairwise").compute(
        acceptable=acceptable, unacceptable=unacceptable, **options
    )


def interaction(differences, **options):
    zeros = [[0.0] * len(d) if isinstance(d, list) else 0.0 for d in differences]
    return MinimalPairs("interaction").compute(
        construction=differences,
        construction_manipulated=zeros,
        control=zeros,
        control_manipulated=zeros,
        **options,
    )


SLOR = {
    "acceptable": [-12.0, -20.0],
    "unacceptable": [-10.0, -20.0],
    "acceptable_unigram": [-20.0, -24.0],
    "unacceptable_unigram": [-12.0, -24.0],
    "acceptable_tokens": [4, 4],
    "unacceptable_tokens": [4, 4],
}


@pytest.mark.parametrize("config", [None, "pairwise", "slor", "interaction"])
def test_the_folder_loads_with_each_configuration(config):
    metric = evaluate.load(str(FOLDER), config)
    assert isinstance(metric, MinimalPairs)
    assert metric.config_name == (config or "pairwise")


def test_an_interaction_tells_the_cost_with_construction_and_control_and_their_difference():
    found = interaction([[3.0, 1.0], [0.0, 0.0]], groups=["npi", "vp"])
    deltas = found["groups"]["npi"]["deltas"]
    assert (deltas["construction"]["mean"], deltas["control"]["mean"]) == (2.0, 0.0)
    assert (deltas["difference"]["minimum"], deltas["difference"]["maximum"]) == (1.0, 3.0)
    assert found["deltas"]["difference"]["near_zero"] == 0.5
    assert found["mean_of_groups"]["deltas"] is None
    json.dumps(found)


def test_pairs_have_no_deltas():
    assert pairwise([1.0], [0.0])["deltas"] is None


def test_an_unknown_configuration_names_the_three():
    with pytest.raises(KeyError, match="pairwise, slor, interaction"):
        MinimalPairs("pairwize")


def test_pairwise_counts_what_is_strictly_greater():
    found = pairwise([-1.0, -2.0, -3.0], [-2.0, -2.0, -1.0])
    assert (found["accuracy"], found["right"], found["ties"], found["n"]) == (1 / 3, 1, 1, 3)
    assert found["mean_difference"] == pytest.approx(-1 / 3)
    assert found["chance"] == 0.5


def test_slor_divides_the_gain_over_unigrams_by_the_tokens():
    found = MinimalPairs("slor").compute(**SLOR)
    # (-12 + 20) / 4 - (-10 + 12) / 4 = 1.5, and a tie.
    assert (found["accuracy"], found["ties"]) == (0.5, 1)
    assert found["mean_difference"] == pytest.approx(0.75)
    assert "|measure:slor|" in found["signature"]


def test_slor_refuses_surprisals_and_names_the_row():
    with pytest.raises(ValueError, match="acceptable: row 1: logprob is 20; is it a surprisal"):
        MinimalPairs("slor").compute(**{**SLOR, "acceptable": [-12.0, 20.0]})


def test_an_interaction_needs_every_order():
    found = interaction([[1.0, 1.0], [1.0, -1.0]])
    assert (found["accuracy"], found["chance"], found["order_bias"]) == (0.5, 0.25, 0.5)
    assert found["inequalities"]["base"]["accuracy"] == 1.0


def test_an_interaction_of_one_order_takes_plain_numbers():
    found = interaction([1.0, -1.0])
    assert (found["accuracy"], found["chance"], found["order_bias"]) == (0.5, 0.5, None)


def test_rows_of_unequal_orders_name_the_row():
    with pytest.raises(ValueError, match="row 1: construction is"):
        interaction([[1.0, 1.0], [1.0]])


def test_groups_phenomena_and_clusters_are_reported():
    found = pairwise(
        [1.0, 1.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
        groups=["a", "a", "a", "b"],
        phenomena={"a": "P", "b": "P"},
        clusters=["x", "y", "x", "y"],
    )
    assert found["groups"]["a"]["accuracy"] == 1.0
    assert found["phenomena"]["P"]["accuracy"] == found["mean_of_groups"]["accuracy"] == 0.5
    low, high = found["clustered_interval"]["low"], found["clustered_interval"]["high"]
    assert low < found["interval"]["low"] < found["interval"]["high"] < high


def test_the_result_is_plain_json():
    found = pairwise(np.array([1.0, 2.0]), np.array([0.0, 3.0]), groups=["a", "b"])
    assert json.loads(json.dumps(found)) == found


def test_float32_and_whole_numbers_are_numbers():
    assert pairwise(np.array([1, 2], dtype=np.float32), [0, 3])["accuracy"] == 0.5


def test_float64_scores_keep_their_precision():
    up = math.nextafter(-10.0, 0.0)
    assert pairwise([up], [-10.0])["right"] == 1


def test_the_signature_adds_what_the_metric_knows_to_what_is_given():
    found = pairwise([1.0], [0.0], ties="half", signature={"model": "m@1", "dtype": "float32"})
    assert found["signature"].startswith("model:m@1|design:minimal_pair|ties:half|dtype:float32|")


def test_a_signature_that_contradicts_the_metric_is_an_error():
    with pytest.raises(ValueError, match="signature says ties:half"):
        pairwise([1.0], [0.0], signature={"ties": "half"})


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, None, "x"])
def test_a_bad_value_names_its_row(bad):
    with pytest.raises(ValueError, match="row 1: unacceptable is"):
        pairwise([1.0, 2.0], [0.0, bad])


def test_a_missing_value_added_row_by_row_names_its_row():
    metric = MinimalPairs("pairwise")
    metric.add(acceptable=1.0, unacceptable=0.0)
    metric.add(acceptable=1.0, unacceptable=None)
    with pytest.raises(ValueError, match="row 1: unacceptable is None"):
        metric.compute()


def test_empty_input_is_an_error():
    with pytest.raises(ValueError, match="no items"):
        pairwise([], [])


def test_unequal_lengths_name_the_first_row_that_lacks_a_value():
    with pytest.raises(ValueError, match="row 1: unacceptable has no value"):
        pairwise([1.0, 2.0], [0.0])


def test_a_missing_column_is_named():
    with pytest.raises(ValueError, match="pairwise needs column 'unacceptable'"):
        MinimalPairs("pairwise").compute(acceptable=[1.0])


def test_a_group_without_a_phenomenon_names_its_row():
    with pytest.raises(ValueError, match="row 1: group 'b' has no phenomenon"):
        pairwise([1.0, 1.0], [0.0, 0.0], groups=["a", "b"], phenomena={"a": "P"})


def test_a_misspelt_option_names_the_right_one():
    with pytest.raises(ValueError, match="did you mean 'ties'"):
        pairwise([1.0], [0.0], tie="half")


def test_after_an_error_the_same_metric_computes():
    metric = MinimalPairs("pairwise")
    with pytest.raises(ValueError, match="unknown rule"):
        metric.compute(acceptable=[1.0], unacceptable=[0.0], ties="none")
    assert metric.compute(acceptable=[1.0, 1.0], unacceptable=[0.0, 2.0])["n"] == 2


def test_batches_add_up():
    metric = MinimalPairs("pairwise")
    metric.add_batch(acceptable=[1.0], unacceptable=[0.0])
    metric.add_batch(acceptable=[1.0], unacceptable=[2.0])
    assert metric.compute(groups=["a", "b"])["accuracy"] == 0.5


class _Length(evaluate.Metric):
    """Another metric with inputs and an option of its own."""

    def _info(self):
        features = datasets.Features({"texts": datasets.Value("string")})
        return evaluate.MetricInfo(description="", citation="", features=features)

    def _compute(self, texts, unit="characters", **others):
        return {"length": sum(map(len, texts))}


def test_combined_with_another_metric_each_takes_its_own_inputs():
    both = evaluate.combine({"pairs": MinimalPairs("pairwise"), "length": _Length()})
    found = both.compute(acceptable=[1.0], unacceptable=[0.0], texts=["ab"], unit="characters")
    assert (found["accuracy"], found["length"]) == (1.0, 2)


def test_a_million_rows_are_counted():
    n = 1_000_000
    scores = np.arange(n) % 3
    groups = [f"g{i % 50}" for i in range(n)]
    found = pairwise(scores.astype(float), np.ones(n), groups=groups)
    assert (found["right"], found["ties"]) == (n // 3, (n + 1) // 3)


def test_the_web_page_names_gradio_when_it_is_absent():
    if importlib.util.find_spec("gradio"):
        pytest.skip("gradio is installed")
    spec = importlib.util.spec_from_file_location("app", FOLDER / "app.py")
    with pytest.raises(SystemExit, match="pip install gradio"):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
