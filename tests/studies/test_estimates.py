"""How long a study is expected to take."""

from __future__ import annotations

import pytest

from minpairs.studies import climp_plan, let_alone_plan
from minpairs.studies.cell import _DONE, Done, record_path
from minpairs.studies.estimates import Extent, estimates, extent_of, plan_table
from minpairs.training.corpus import open_corpus

WHOLE = Extent(sentences=1000, words=20_000, characters=100_000)


def expected(plan, out, **options):
    return estimates(plan, WHOLE, out, **{"gpu": False, "cores": 1, **options})


def test_an_extent_is_read_off_some_parts_and_scaled_up(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("two words\n" * 100)
    extent = extent_of(open_corpus(path, unit="line", part_bytes=100))
    assert extent.sentences == pytest.approx(100, rel=0.2)
    assert extent.words == pytest.approx(2 * extent.sentences)
    assert extent.characters == pytest.approx(8 * extent.sentences)


def test_tokens_are_those_of_all_epochs_or_of_the_steps_taken(tmp_path):
    changes = {"lstm-200": {"epochs": 2.0}}
    (cell,) = climp_plan([500], models=["lstm-200"], units=["char"], changes=changes).cells
    plan = climp_plan([500], models=["lstm-200"], units=["char"], changes=changes)
    assert expected(plan, tmp_path)[cell.name].tokens == 2 * 50_000
    changes = {"lstm-200": {"max_steps": 3, "batch_size": 5}}
    plan = climp_plan([500], models=["lstm-200"], units=["char"], changes=changes)
    assert expected(plan, tmp_path)[cell.name].tokens == 3 * 5 * 100


def test_a_small_model_takes_less_time_than_a_large_one(tmp_path):
    large, small = (
        expected(let_alone_plan([1], scenarios=["no_let"], preset=preset), tmp_path)
        for preset in ("opt-97m", "opt-tiny")
    )
    (large,), (small,) = large.values(), small.values()
    assert large.basis == "stated"
    assert large.hours > 100 * small.hours > 0


def test_finished_models_say_how_fast_the_machine_is(tmp_path):
    plan = climp_plan([500, 1000], models=["lstm-200"], units=["char"])
    first, second = plan.cells
    stated = expected(plan, tmp_path)
    seconds = 3 * 3600 * stated[first.name].hours
    done = Done({}, "run", {"training": seconds})
    path = record_path(tmp_path, first)
    path.parent.mkdir()
    path.write_bytes(_DONE.dump_json(done))
    found = expected(plan, tmp_path)
    assert (found[first.name].hours, found[first.name].basis) == (0, "done")
    assert found[second.name].basis == "measured"
    assert found[second.name].hours == pytest.approx(3 * stated[second.name].hours)


def test_the_plan_sums_up_its_hours(tmp_path):
    plan = let_alone_plan([1, 2], scenarios=["no_let"])
    found = expected(plan, tmp_path, gpu=True)
    table = plan_table(plan, found, processes=2)
    hours = sum(one.hours for one in found.values())
    assert [row[0] for row in table.rows] == [cell.name for cell in plan.cells]
    assert [row[4] for row in table.summary] == [round(hours, 3), round(hours / 2, 3)]
