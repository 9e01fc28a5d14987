"""A report of several models: which tables there are, and the files beside each other."""

from __future__ import annotations

import csv
import io

import pytest
from scored_runs import interactions, pairs, prefers_good, scored

from minpairs.report.assemble import judge_runs, report_tables
from minpairs.report.writing import render, write_report


def of(*runs, measure="sum"):
    return judge_runs(runs, measure_name=measure, ties="strict", interval="wilson")


def captions(judged):
    return [table.caption for table in report_tables(judged)]


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def two(tmp_path):
    one = scored(tmp_path / "one", [pairs(phenomenon="a")], prefers_good)
    other = scored(tmp_path / "other", [pairs(phenomenon="a")], lambda t: -len(t.continuation))
    return of(one, other)


def test_one_model_has_its_own_table_only(tmp_path):
    run = scored(tmp_path / "one", [pairs()], prefers_good)
    assert captions(of(run)) == ["mine: one"]


def test_several_models_stand_side_by_side_and_are_compared(two):
    assert captions(two) == ["mine", "mine: models in pairs", "mine: one", "mine: other"]


def test_phenomena_have_their_table(tmp_path):
    suites = [pairs("a", phenomenon="islands"), pairs("b", phenomenon="ellipsis")]
    run = scored(tmp_path / "one", suites, prefers_good)
    assert captions(of(run)) == ["mine: phenomena", "mine: one"]


def test_let_alone_has_the_paper_s_tables(tmp_path):
    suites = [interactions("npi"), interactions("scalar", contexts=True)]
    run = scored(tmp_path / "one", suites, lambda text: -2.0 - len(text.continuation) % 5)
    wanted = ["form", "meaning", "cost of manipulation", "one"]
    assert captions(of(run)) == [f"let_alone: {name}" for name in wanted]


def test_several_models_on_let_alone_have_the_table_of_suites_by_model(tmp_path):
    suites = [interactions("npi"), interactions("vp")]
    runs = [
        scored(tmp_path / name, suites, lambda text, by=by: -2.0 - len(text.continuation) % by)
        for name, by in (("a", 5), ("b", 7))
    ]
    assert "let_alone: suites by model" in captions(of(*runs))


def test_a_mean_over_controls_and_others_is_said_to_be_no_score(tmp_path):
    suites = [interactions("npi"), interactions("vp")]
    run = scored(tmp_path / "one", suites, lambda text: -2.0 - len(text.continuation) % 5)
    detail = report_tables(of(run))[-1]
    assert any(note.startswith("vp: controls") for note in detail.footnotes)


def test_a_model_s_warning_names_it_among_others(tmp_path):
    sound = scored(tmp_path / "sound", [pairs()], prefers_good)
    broken = scored(tmp_path / "broken", [pairs()], lambda text: -4.0)
    side_by_side = report_tables(of(sound, broken))[0]
    assert any(note.startswith("broken: BROKEN MODEL?") for note in side_by_side.footnotes)


def test_the_files_hold_the_same_numbers(two):
    files = render(two, report_tables(two))
    assert set(files) == {"report.md", "report.tex", "report.csv", "comparisons.csv"}
    accuracies = {row["model"]: float(row["accuracy"]) for row in rows(files["report.csv"])}
    (comparison,) = rows(files["comparisons.csv"])
    assert accuracies[comparison["first"]] == float(comparison["first_accuracy"])
    assert accuracies[comparison["second"]] == float(comparison["second_accuracy"])
    assert comparison["benchmark"] == "mine"
    assert f"{100 * accuracies['one']:.1f}" in files["report.md"]
    assert f"{100 * accuracies['one']:.1f}" in files["report.tex"]


def test_the_flat_file_says_what_each_row_is(tmp_path):
    suites = [pairs("a", phenomenon="islands"), pairs("b", phenomenon="ellipsis")]
    run = scored(tmp_path / "one", suites, prefers_good)
    judged = of(run)
    found = rows(render(judged, report_tables(judged))["report.csv"])
    assert [row["level"] for row in found] == [
        *("paradigm", "paradigm", "phenomenon", "phenomenon", "macro", "micro")
    ]
    assert {row["n"] for row in found} == {"4", "8"}
    assert all("measure:sum" in row["signature"] for row in found)


def test_the_flat_file_has_the_deltas_of_interactions(tmp_path):
    run = scored(tmp_path / "one", [interactions()], lambda t: -2.0 - len(t.continuation) % 5)
    judged = of(run)
    (found,) = rows(render(judged, report_tables(judged))["report.csv"])
    difference = float(found["construction_delta"]) - float(found["control_delta"])
    assert float(found["difference_delta"]) == pytest.approx(difference)
    assert float(found["mean_difference"]) == pytest.approx(difference)


def test_comparisons_of_an_earlier_report_do_not_stay(tmp_path, two):
    write_report(tmp_path, render(two, report_tables(two)))
    assert (tmp_path / "comparisons.csv").is_file()
    write_report(tmp_path, render(two[:1], report_tables(two[:1])))
    assert not (tmp_path / "comparisons.csv").exists()
    assert (tmp_path / "report.tex").is_file()


def test_models_of_different_designs_on_one_benchmark_have_a_table_each(tmp_path):
    suite = pairs(benchmark="let_alone")
    first = scored(tmp_path / "a", [suite], prefers_good)
    second = scored(tmp_path / "b", [interactions("npi")], lambda text: -len(text.continuation))
    wanted = ["minimal_pair", "interaction", "form", "cost of manipulation", "a", "b"]
    assert captions(of(first, second)) == [f"let_alone: {name}" for name in wanted]
