"""From a run to verdicts: detail of every item, and the simple comparison of follow-ups."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scored_runs import interactions, own_pairs, pairs, prefers_good, scored

from minpairs.errors import MeasureError, ResultsError
from minpairs.judgements import felicity, judge, judge_in_detail


def test_the_detail_of_an_evaluation_has_a_row_an_item(tmp_path):
    suite = own_pairs(["good a", "c c c", "good e"], ["bad b", "good d d", "bad f"])
    run = scored(tmp_path / "run", [suite], prefers_good)
    found = judge_in_detail(run)["mine"]
    assert found.margins.tolist() == [[2.0], [-2.0], [2.0]]
    assert found.credit.tolist() == [1.0, 0.0, 1.0]
    assert found.values["acceptable"].tolist() == [-2.0, -4.0, -2.0]
    assert found.evaluation == judge(run)["mine"]


def fits(text):
    """Prefers what fits after let alone, whatever the order."""
    if "let_alone" not in text.context:
        return -5.0
    return -3.0 if " fits" in text.continuation else -4.0


def first_order(text):
    """Prefers what fits after the base order, and what contradicts after the other."""
    good = (" fits" in text.continuation) == text.context.startswith("base")
    return -3.0 if good else -4.0


def test_felicity_is_the_fitting_follow_up_above_the_other_after_the_construction_alone(tmp_path):
    run = scored(tmp_path / "run", [interactions("scalar", contexts=True)], fits)
    found = felicity(run)["let_alone.scalar"]
    assert (found.fitting.micro.accuracy, found.fitting.micro.chance) == (1.0, 0.25)
    assert (found.control.micro.accuracy, found.control.micro.ties) == (0.0, 4)


def test_felicity_needs_no_more_than_the_let_alone_cells(tmp_path):
    """A model that has the same preference after `and` is felicitous, and fails the interaction."""

    def rule(text):
        return -3.0 if " fits" in text.continuation else -4.0

    run = scored(tmp_path / "run", [interactions("scalar", contexts=True)], rule)
    assert felicity(run)["let_alone.scalar"].fitting.micro.accuracy == 1.0
    assert judge(run)["let_alone"].micro.accuracy == 0.0


def test_one_order_right_and_the_other_wrong_is_order_bias(tmp_path):
    run = scored(tmp_path / "run", [interactions("scalar", contexts=True)], first_order)
    micro = felicity(run)["let_alone.scalar"].fitting.micro
    assert (micro.accuracy, micro.order_bias) == (0.0, 1.0)
    assert [single.accuracy for single in micro.inequalities] == [1.0, 0.0]


def test_suites_without_contexts_and_pairs_have_no_felicity(tmp_path):
    run = scored(tmp_path / "run", [interactions(), pairs()], lambda text: -len(text.continuation))
    assert felicity(run) == {}


def test_the_signature_of_felicity_names_its_own_design(tmp_path):
    run = scored(tmp_path / "run", [interactions("scalar", contexts=True)], fits)
    found = felicity(run)["let_alone.scalar"]
    assert found.fitting.signature.get("design") == "felicity"
    assert found.control.signature.get("design") == "control"


def test_slor_as_released_is_made_of_what_a_run_keeps(tmp_path):
    run = scored(tmp_path / "run", [pairs()], prefers_good)
    found = judge_in_detail(run, measure_name="slor_as_released")["mine"]
    # "good agreement 0": -2 over two scored tokens, and -2 a token in the counts.
    assert found.values["acceptable"].tolist() == [-1.0 + 2.0] * 4


def test_an_unscored_text_is_named(tmp_path):
    run = scored(tmp_path / "run", [pairs(n=2)], prefers_good)
    more = scored(tmp_path / "more", [pairs(n=3)], prefers_good)
    with pytest.raises(ResultsError, match="row 2, cell 'acceptable' has no score"):
        judge(replace(run, suites=more.suites))


def test_an_unknown_measure_is_named(tmp_path):
    with pytest.raises(MeasureError, match="did you mean 'slor'"):
        judge(scored(tmp_path / "run", [pairs()], prefers_good), measure_name="slorr")
