"""What the studies train: the grids of the papers, as data."""

from __future__ import annotations

import pytest

from minpairs.studies import StudyError, climp_plan, default_sizes, let_alone_plan, parse_changes
from minpairs.studies.plan import SCENARIOS, size_label
from minpairs.training.presets import CAUSAL_PRESETS, LSTM_PRESETS


def test_climp_is_every_model_by_size_by_unit():
    plan = climp_plan([400_000, 2_000_000])
    assert [cell.name for cell in plan.cells] == [
        "5gram-2M-char",
        "5gram-2M-word",
        "5gram-0.4M-char",
        "5gram-0.4M-word",
        "lstm-200-2M-char",
        "lstm-200-2M-word",
        "lstm-200-0.4M-char",
        "lstm-200-0.4M-word",
    ]
    assert plan.sizes == {"2M": 2_000_000, "0.4M": 400_000}
    assert {cell.settings.segmentation for cell in plan.cells} == {"characters", "jieba"}


def test_the_largest_corpus_is_for_neural_models_alone():
    plan = climp_plan([2_000_000, 21_500_000], units=["word"])
    assert [cell.name for cell in plan.cells] == [
        "5gram-2M-word",
        "lstm-200-21.5M-word",
        "lstm-200-2M-word",
    ]


def test_seeds_vary_neural_models_alone():
    plan = climp_plan([1000], units=["char"], seeds=[1, 2])
    assert [cell.name for cell in plan.cells] == [
        "5gram-1k-char",
        "lstm-200-1k-char-seed1",
        "lstm-200-1k-char-seed2",
    ]


def test_let_alone_is_every_filter_by_seed():
    plan = let_alone_plan([1, 2])
    assert [(cell.corpus, cell.settings.seed) for cell in plan.cells] == [
        (scenario, seed) for scenario in SCENARIOS for seed in (1, 2)
    ]
    assert {cell.settings.layers for cell in plan.cells} == {CAUSAL_PRESETS["opt-97m"].layers}


def test_changed_settings_reach_the_models_they_belong_to():
    changes = parse_changes(
        "climp", ["max_steps=30", "5gram.order=4", "max_units=none"], ["5gram", "lstm-200"]
    )
    assert changes == {
        "5gram": {"order": 4, "max_units": None},
        "lstm-200": {"max_steps": 30, "max_units": None},
    }
    ngram, lstm = climp_plan([10], units=["char"], changes=changes).cells
    assert (ngram.settings.order, lstm.settings.max_steps) == (4, 30)
    assert lstm.settings.units == LSTM_PRESETS["lstm-200"].units


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("max_steps", "is not SETTING=VALUE"),
        ("max_step=3", "no setting 'max_step'; did you mean 'max_steps'"),
        ("max_steps=many", "valid integer"),
        ("lstm.max_steps=3", "'lstm' is not trained; "),
        ("seed=3", "the study varies seed"),
        ("5gram.max_steps=3", "no setting 'max_steps'"),
    ],
)
def test_a_setting_that_does_not_fit_is_an_error(text, fault):
    with pytest.raises(StudyError, match=fault):
        parse_changes("climp", [text], ["5gram", "lstm-200"])


def test_an_unknown_preset_is_an_error_with_the_nearest():
    with pytest.raises(StudyError, match="unknown preset 'opt-97'; did you mean 'opt-97m'"):
        let_alone_plan([1], preset="opt-97")


def test_a_study_of_nothing_is_an_error():
    with pytest.raises(StudyError, match="nothing to train"):
        let_alone_plan([])


def test_sizes_are_the_paper_s_as_far_as_the_corpus_goes():
    assert default_sizes(3_000_000) == (400_000, 2_000_000)
    assert default_sizes(50_000) == (10_000, 50_000)


def test_sizes_are_named_as_in_the_paper():
    labels = [size_label(n) for n in (21_500_000, 400_000, 16_000, 4_321, 500)]
    assert labels == ["21.5M", "0.4M", "16k", "4.321k", "500"]
