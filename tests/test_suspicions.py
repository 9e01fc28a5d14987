"""Broken models are flagged, and constant ones never are right."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scored_runs import interactions, own_pairs, pairs, prefers_good, scored

from minpairs.judgements import judge
from minpairs.measures import Scores
from minpairs.report import results_table
from minpairs.suspicions import suspicions


def said(logprobs, tokens, tied=0, items=10):
    recorded = {"a": Scores(np.array(logprobs, dtype=float), np.array(tokens, dtype=float))}
    return " ".join(suspicions(recorded, tied, items))


def test_nothing_is_said_of_a_working_model():
    assert said([-10.0, -14.0, -9.0], [3, 4, 2]) == ""


def test_tokens_of_one_probability_are_no_information():
    assert "nothing but how long a text is" in said([-2.5, -5.0, -7.5], [1, 2, 3])


def test_the_same_probability_up_to_rounding_is_the_same():
    third = math.log(3)
    assert "how long a text is" in said([-third, -(third + third + third), -2 * third], [1, 3, 2])


def test_a_single_pair_proves_nothing():
    assert said([-2.5, -2.5], [1, 1]) == ""


def test_a_majority_of_ties_is_flagged_and_half_is_not():
    assert "6 of 10 items are ties" in said([-1.0, -3.0], [1, 1], tied=6)
    assert said([-1.0, -3.0], [1, 1], tied=5) == ""


def test_texts_of_probability_one_are_flagged():
    assert "1 of 3 texts have probability 1" in said([0.0, -3.0, -4.0], [2, 1, 1])


def test_worse_than_an_even_guess_is_flagged():
    assert "certain of one token" in said([-100.0, -140.0], [2, 2])
    assert said([-13.0, -13.5], [1, 1]) == ""  # bad, but a guess among a million is worse


@pytest.mark.parametrize("ties", ["strict", "half", "paper"])
def test_constant_logits_are_never_above_chance_though_acceptable_texts_are_shorter(tmp_path, ties):
    def uniform(text):
        return -5.0 * (len(text.continuation.split()) - 1)

    suite = own_pairs(
        [f"good {row}" for row in range(6)], [f"bad and longer {row}" for row in range(6)]
    )
    run = scored(tmp_path / "run", [suite], uniform)
    evaluation = judge(run, ties=ties)["mine"]
    assert evaluation.micro.accuracy == 0
    assert evaluation.micro.ties == 6
    assert "BROKEN MODEL?" in results_table(evaluation).footnotes[0]


def test_constant_logits_are_flagged_in_interactions_too(tmp_path):
    run = scored(tmp_path / "run", [interactions()], lambda text: -3.0 * 2)
    evaluation = judge(run)["let_alone"]
    assert (evaluation.micro.right, evaluation.micro.ties) == (0, 4)
    assert evaluation.warnings


def test_a_fault_found_at_loading_is_in_the_footnotes(tmp_path):
    run = scored(tmp_path / "run", [pairs()], prefers_good, fault="ignores what it reads")
    evaluation = judge(run)["mine"]
    assert "at fault: ignores what it reads." in evaluation.warnings[0]
    assert (evaluation.micro.right, evaluation.micro.ties) == (0, 4)


def test_a_sound_run_has_no_warning(tmp_path):
    run = scored(tmp_path / "run", [pairs()], prefers_good)
    assert judge(run)["mine"].warnings == ()
