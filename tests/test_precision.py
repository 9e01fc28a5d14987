"""Half precision: its error is measured in the run, and adaptive runs give float32's verdicts."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import SENTENCES, byte_tokenizer, causal

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
    # Errors of bounded size, so that twice the largest of a full sample covers every margin.
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
    assert some.close <= some.items


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
    assert found.bound == pytest.approx(0.4)
    assert found.close == 1
    assert "float16: margins (sum) differ" in str(found)


def test_without_a_sample_nothing_can_be_said():
    with pytest.raises(MeasureError, match="at least one item"):
        refine([suite(1)], {}, Exact({}), dtype="bfloat16", adaptive=True, sample=0)


def test_the_confidence_is_that_of_the_largest_of_a_sample():
    suites = [suite(300)]
    same = scores(suites, -10.0 - np.arange(600))
    found = refine(suites, same, Exact(same), dtype="bfloat16", adaptive=False, sample=300)
    # If 1.52 % of margins erred by more, 300 would miss them all with a chance of 1 %.
    assert (1 - found.exceeding) ** 300 == pytest.approx(0.01)


def test_an_item_is_never_judged_by_cells_of_two_precisions():
    one = suite(2)
    half = scores([one], [-1.0, -2.0, -3.0, -4.0])
    exact = {text: half[text] for text in one.texts("acceptable")}
    exact = {text: Score("", text.continuation, -9.0, 3, 3, 3) for text in exact}
    values = cell_values([one], half, "sum", exact)
    assert values["acceptable"].tolist() == [-1.0, -2.0]


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
