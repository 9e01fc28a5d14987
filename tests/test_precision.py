"""Half precision: its error is measured in the run, and adaptive runs give float32's verdicts."""

from __future__ import annotations

import gc
import random
import weakref

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import SENTENCES, byte_tokenizer, causal

from minpairs.benchmarks.schema import INTERACTION
from minpairs.benchmarks.suites import from_table
from minpairs.cells import cell_values
from minpairs.errors import MeasureError, ModelError
from minpairs.judgements import judge
from minpairs.measures import differences
from minpairs.precision import refine
from minpairs.results import read_runs
from minpairs.running import score_suites
from minpairs.scoring import load_scorer
from minpairs.scoring.score import Score


def suite(n: int, name: str = "x"):
    good = [f"{name} good {row}" for row in range(n)]
    bad = [f"{name} bad {row}" for row in range(n)]
    return from_table("mine", name, pa.table({"sentence_good": good, "sentence_bad": bad}))


def scores(suites, logprobs) -> dict:
    texts = [text for one in suites for text in one.every_text()]
    return {
        text: Score("", text.continuation, float(value), 3, 3, 3)
        for text, value in zip(texts, logprobs, strict=True)
    }


class Exact:
    """Float32 scores, given when asked for."""

    def __init__(self, known: dict) -> None:
        self.known = known
        self.asked: dict = {}

    def __call__(self, texts):
        chosen = {text: self.known[text] for text in texts}
        self.asked |= chosen
        return chosen


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 120), noise=st.floats(0.01, 0.5))
def test_adaptive_verdicts_are_float32_s_where_errors_stay_within_the_bound(seed, n, noise):
    generator = np.random.default_rng(seed)
    suites = [suite(n, "a"), suite(n, "b")]
    true = -10 + generator.normal(0, 1, 4 * n)
    rounded = true + generator.uniform(-noise, noise, 4 * n)
    half, exact = scores(suites, rounded), Exact(scores(suites, true))
    found = refine(suites, half, exact, dtype="bfloat16", adaptive=True, sample=2 * n)
    assert found.rescored == found.sample == 2 * n
    some = refine(
        suites, half, exact := Exact(exact.known), dtype="bfloat16", adaptive=True, sample=n
    )
    margins = differences(cell_values(suites, half, "sum", exact.asked), suites[0].design)
    expected = differences(cell_values(suites, exact.known, "sum"), suites[0].design)
    wrong = (np.sign(margins) != np.sign(expected)).ravel()
    # What is not mended had a margin beyond the bound in half precision.
    assert (np.abs(margins.ravel()[wrong]) > some.bound).all()
    assert some.close <= some.margins == 2 * n


def test_the_error_is_that_of_margins_not_of_single_texts():
    suites = [suite(1)]
    half, true = scores(suites, [-10.5, -12.5]), scores(suites, [-10.0, -12.0])
    found = refine(suites, half, Exact(true), dtype="bfloat16", adaptive=False)
    assert found.largest == 0.0  # both members err alike, so the verdict does not


def test_close_items_are_counted_and_left_alone_unless_the_run_is_adaptive():
    suites = [suite(3)]
    true = scores(suites, [-10.0, -10.0, -10.0, -10.1, -11.0, -15.0])
    half = scores(suites, [-10.2, -10.2, -10.2, -10.1, -11.0, -15.0])
    exact = Exact(true)
    found = refine(suites, half, exact, dtype="float16", adaptive=False, sample=3)
    assert found.largest == pytest.approx(0.2)
    assert found.bound == pytest.approx(0.3)
    assert found.close == 1
    assert "float16: margins (sum) differ" in str(found)


def test_without_a_sample_nothing_can_be_said():
    with pytest.raises(MeasureError, match="at least one margin"):
        refine([suite(1)], {}, Exact({}), dtype="bfloat16", adaptive=True, sample=0)


def test_the_confidence_is_that_of_the_largest_of_a_sample():
    suites = [suite(300)]
    same = scores(suites, -10.0 - np.arange(600))
    found = refine(suites, same, Exact(same), dtype="bfloat16", adaptive=False, sample=300)
    # If 1.52 % of margins erred by more, 300 would miss them all with a chance of 1 %.
    assert (1 - found.exceeding) ** 300 == pytest.approx(0.01)


def test_a_prediction_is_never_judged_by_cells_of_two_precisions():
    one = suite(2)
    half = scores([one], [-1.0, -2.0, -3.0, -4.0])
    exact = {text: half[text] for text in one.texts("acceptable")}
    exact = {text: Score("", text.continuation, -9.0, 3, 3, 3) for text in exact}
    values = cell_values([one], half, "sum", exact)
    assert values["acceptable"].tolist() == [-1.0, -2.0]


def interactions(n: int):
    """Items of eight cells, whose two orders are two predictions."""
    columns = {cell: [f"{cell} {row}" for row in range(n)] for cell in INTERACTION.cells}
    return from_table("mine", "crossed", pa.table(columns))


def test_each_order_of_an_interaction_has_a_precision_of_its_own():
    one = interactions(1)
    half = scores([one], [-1.0] * 8)
    base = {text: score for text, score in half.items() if text.continuation.startswith("base")}
    exact = {text: Score("", text.continuation, -9.0, 3, 3, 3) for text in base}
    values = cell_values([one], half, "sum", exact)
    assert {cell: value.item() for cell, value in values.items()} == {
        cell: -9.0 if cell.startswith("base") else -1.0 for cell in INTERACTION.cells
    }
    del exact[next(iter(exact))]
    values = cell_values([one], half, "sum", exact)
    assert all(value.item() == -1.0 for value in values.values())


def test_only_the_order_that_is_close_is_scored_again():
    suites = [interactions(4)]
    values = [-10.0] * 32  # cell by cell, item by item
    values[0:4] = [-9.0] * 4  # every base order holds by 1
    half = scores(suites, values)
    margins = differences(cell_values(suites, half, "sum"), INTERACTION)
    exact = Exact(half)
    found = refine(suites, half, exact, dtype="bfloat16", adaptive=True, sample=1, seed=0)
    assert found.margins == margins.size == 8
    # Without any error only ties are close; each brings the four cells of its order.
    assert found.close == (margins == 0).sum()
    swapped = {text for text in exact.asked if text.continuation.startswith("swapped")}
    assert len(swapped) == 4 * (margins[:, 1] == 0).sum()


def test_a_margin_that_errs_by_more_than_the_bound_raises_it():
    suites = [suite(3)]
    # The sample sees an error of 0.1; the close margin turns out to be off by 0.5.
    half = scores(suites, [-10.0, -10.0, -10.0, -12.0, -10.1, -10.7])
    true = scores(suites, [-10.0, -10.5, -10.0, -12.1, -10.1, -10.6])
    seed = next(s for s in range(99) if random.Random(f"{s}:precision").sample(range(3), 1) == [0])
    exact = Exact(true)
    found = refine(suites, half, exact, dtype="float16", adaptive=True, sample=1, seed=seed)
    assert found.largest == pytest.approx(0.1)
    assert found.seen == pytest.approx(0.5)
    assert found.bound == pytest.approx(0.75)
    assert found.rescored == 3  # the margin of 0.7 too, which the first bound had left alone
    assert "largest difference of the 3 computed in both: 0.5" in str(found)


def test_margins_of_several_suites_and_designs_are_found_in_their_places():
    suites = [suite(2, "a"), interactions(2), suite(2, "b")]
    half = scores(suites, -10.0 - np.arange(4 + 16 + 4))
    exact = Exact(half)
    found = refine(suites, half, exact, dtype="bfloat16", adaptive=False, sample=8)
    assert found.margins == found.sample == 8
    assert set(exact.asked) == set(half)


@pytest.fixture
def pairs():
    good = [text for text in SENTENCES if text != "Yes."]
    bad = [text.replace("the", "a").replace(".", " it.") for text in good]
    return [from_table("mine", "x", pa.table({"sentence_good": good, "sentence_bad": bad}))]


def loader(dtype):
    return load_scorer(causal("llama"), tokenizer=byte_tokenizer(), dtype=dtype)


def test_a_run_records_its_precision_and_adaptive_verdicts_equal_float32_s(pairs, tmp_path):
    for dtype in ("float32", "bfloat16", "adaptive"):
        score_suites(loader, pairs, tmp_path / dtype, model="tiny", dtype=dtype)
    (full,), (half,), (adaptive,) = (
        read_runs(tmp_path / dtype) for dtype in ("float32", "bfloat16", "adaptive")
    )
    assert full.precision == ()
    assert half.precision[0].dtype == adaptive.precision[0].dtype == "bfloat16"
    assert adaptive.settings["dtype"] == "adaptive(bfloat16,float32)"
    one, other = judge(full)["mine"].micro, judge(adaptive)["mine"].micro
    assert (one.right, one.ties) == (other.right, other.ties)
    assert one.mean_difference == pytest.approx(other.mean_difference, abs=1e-4)


def test_an_adaptive_run_needs_a_sample(pairs, tmp_path):
    with pytest.raises(ModelError, match="needs a precision sample"):
        score_suites(loader, pairs, tmp_path, model="tiny", dtype="adaptive", precision_sample=0)


def test_the_half_model_is_given_up_before_the_float32_one_is_loaded(pairs, tmp_path):
    loaded = []

    def load(dtype):
        assert all(model() is None for model in loaded)
        scorer = loader(dtype)
        loaded.append(weakref.ref(scorer.backend.model))
        gc.disable()  # freed as soon as nothing refers to it, not when Python looks for cycles
        return scorer

    try:
        score_suites(load, pairs, tmp_path, model="tiny", dtype="adaptive")
    finally:
        gc.enable()
    assert len(loaded) == 2
