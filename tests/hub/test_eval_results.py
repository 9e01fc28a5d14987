"""Results on the Hub: one number a task, of exactly the benchmark's items."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from datasets import get_dataset_config_names
from huggingface_hub import parse_eval_result_entries
from typer.testing import CliRunner

from minpairs.benchmarks.build import _read_card
from minpairs.benchmarks.hub import CardText, write_folder
from minpairs.benchmarks.suites import load_suites
from minpairs.cli import app
from minpairs.errors import MeasureError, ResultsError, SuiteError
from minpairs.grammar._generate import benchmark_folder, template_files
from minpairs.hub.benchmark import FILE, MEASURES, read_registration, registration
from minpairs.hub.eval_results import Board, result_entries
from minpairs.hub.publishing import plan_results
from minpairs.results import ScoreStore, read_runs, write_run
from minpairs.scoring.score import Score

ROOT = Path(__file__).parents[2]


@pytest.fixture
def toy(tmp_path):
    def rows(*good):
        return pa.table({"sentence_good": list(good), "sentence_bad": [f"{g} x" for g in good]})

    other = pa.table({f"o_{c}{m}": ["d"] for c in ("other", "and") for m in ("", "_manipulated")})
    tables = {"one": rows("a", "b"), "two": rows("c"), "two.other": other}
    card = CardText("Toy", "en", "A toy.")
    yaml_file = registration("Toy", "A toy.\n\nMore.", ["all", "one", "two"])
    write_folder(tables, tmp_path / "toy", card, files={FILE: yaml_file})
    return Board("org/toy", tmp_path / "toy")


def run_of(board, folder, *configs, limit=None, kind="causal"):
    """A run in which the suite `one` is all right and the others are all wrong."""
    suites = [suite.sample(limit, 0) for suite in load_suites(str(board.folder), configs)]
    settings = {"kind": kind, "dtype": "float32"}
    write_run(folder, "org/model", settings, suites, ["minpairs"], {})
    store = ScoreStore(folder / "scores")
    for suite in suites:
        right = suite.config == "one"
        store.add(
            [
                Score("", text.continuation, logprob, 2, 2, 4)
                for cell in suite.design.cells
                for logprob in [-2.0 if (cell == "unacceptable") == right else -1.0]
                for text in suite.texts(cell)
            ]
        )
    (run,) = read_runs(folder)
    return run


def values(entries):
    return {entry.task_id: entry.value for entry in entries}


def test_each_suite_is_a_task_and_the_whole_is_their_unweighted_mean(toy, tmp_path):
    run = run_of(toy, tmp_path / "run", "one", "two")
    found = result_entries(run, {"toy": toy})
    assert values(found["toy"]) == {"all_sum": 50.0, "one_sum": 100.0, "two_sum": 0.0}


def test_each_measure_is_a_task_of_its_own(toy, tmp_path):
    run = run_of(toy, tmp_path / "run", "one")
    found = result_entries(run, {"toy": toy}, ["sum", "mean"])
    assert list(values(found["toy"])) == ["one_sum", "one_mean"]


def test_the_mean_is_left_out_where_a_suite_is_missing(toy, tmp_path):
    run = run_of(toy, tmp_path / "run", "two")
    assert list(values(result_entries(run, {"toy": toy})["toy"])) == ["two_sum"]


def test_a_suite_without_a_leaderboard_is_left_out(toy, tmp_path):
    run = run_of(toy, tmp_path / "run", "one", "two.other")
    assert list(values(result_entries(run, {"toy": toy})["toy"])) == ["one_sum"]


def test_an_entry_says_how_its_number_was_made(toy, tmp_path):
    run = run_of(toy, tmp_path / "run", "one")
    (entry,) = result_entries(run, {"toy": toy})["toy"]
    assert entry.dataset_id == "org/toy"
    assert entry.notes.startswith("2 of 2 items right, 0 ties, 95 % interval 34.24-100.00; model:")
    assert "data:sha256:" in entry.notes
    written = json.loads((run.folder / "run.json").read_text())["written"]
    assert entry.date == written.replace("+00:00", "Z")


def test_the_file_is_read_back_by_the_hubs_parser(toy, tmp_path):
    run = run_of(toy, tmp_path / "run", "one", "two")
    entries = result_entries(run, {"toy": toy}, ["sum", "mean"])
    plan = plan_results(entries, "org/model")
    ((path, content),) = plan.files.items()
    assert path == ".eval_results/toy.yaml"
    assert parse_eval_result_entries(yaml.safe_load(content)) == entries["toy"]


@pytest.mark.parametrize("dataset", ["org/toy", "toy=org/another-name"])
def test_the_command_lists_the_file_and_sends_nothing(toy, tmp_path, monkeypatch, dataset):
    run_of(toy, tmp_path / "results" / "run", "one")
    monkeypatch.chdir(tmp_path)
    command = ["publish", "results", "--repo", "org/model", "--dataset", dataset, "--dry-run"]
    shown = CliRunner().invoke(app, command)
    assert shown.exit_code == 0
    assert shown.stdout.splitlines()[0].split()[1] == ".eval_results/toy.yaml"


def test_one_run_is_chosen_of_several(toy, tmp_path, monkeypatch):
    for name in ("first", "second"):
        run_of(toy, tmp_path / "results" / name, "one")
    monkeypatch.chdir(tmp_path)
    command = ["publish", "results", "--repo", "org/model", "--dataset", "org/toy", "--dry-run"]
    fault = CliRunner().invoke(app, command).exception
    assert str(fault).endswith("several runs; choose one: first, second")


def test_a_sample_is_no_result(toy, tmp_path):
    run = run_of(toy, tmp_path / "run", "one", limit=1)
    with pytest.raises(ResultsError, match=r"1 items of toy\.one .* not the 2 items .*--limit"):
        result_entries(run, {"toy": toy})


def test_another_version_of_the_data_is_no_result(toy, tmp_path):
    run = run_of(toy, tmp_path / "run", "two")
    other = pa.table({"sentence_good": ["new"], "sentence_bad": ["old"]})
    write_folder({"two": other}, toy.folder, CardText("Toy", "en", "A toy."))
    with pytest.raises(ResultsError, match="another version"):
        result_entries(run, {"toy": toy})


def test_a_model_that_seems_broken_has_no_results(toy, tmp_path):
    run = run_of(toy, tmp_path / "run", "two")
    texts = run.suites[0].every_text()
    run.scores.add([Score("", text.continuation, 0.0, 2, 2, 4) for text in texts])
    with pytest.raises(ResultsError, match="BROKEN MODEL"):
        result_entries(run, {"toy": toy})


def test_a_chat_models_choices_are_no_result(toy, tmp_path):
    run = run_of(toy, tmp_path / "run", "two", kind="chat")
    with pytest.raises(ResultsError, match="chat"):
        result_entries(run, {"toy": toy})


def test_a_benchmark_or_measure_that_is_not_there_is_an_error(toy, tmp_path):
    run = run_of(toy, tmp_path / "run", "two")
    with pytest.raises(ResultsError, match="no results on climp; it has toy"):
        result_entries(run, {"climp": toy})
    with pytest.raises(ResultsError, match="did you mean 'slor'"):
        result_entries(run, {"toy": toy}, ["slo"])
    with pytest.raises(MeasureError, match="unigram"):
        result_entries(run, {"toy": toy}, ["slor"])


@pytest.mark.parametrize("benchmark", ["climp", "let_alone"])
def test_each_benchmark_is_registered_with_tasks_that_load(benchmark):
    found = read_registration(ROOT / benchmark)
    known = get_dataset_config_names(str(ROOT / benchmark))
    names = [task.id for task in found.tasks]
    assert len(set(names)) == len(names)
    assert {task.config for task in found.tasks} <= set(known)
    assert len(names) == len(MEASURES) * {"climp": 17, "let_alone": 6}[benchmark]
    assert {task.split for task in found.tasks} == {"test"}


@pytest.mark.parametrize("benchmark", ["climp", "let_alone"])
def test_the_registration_is_made_from_the_grammars_card(benchmark):
    folder = benchmark_folder(benchmark)
    card = _read_card(folder / "card.yaml")
    configs = [*([card.union] if card.union else []), *(p.stem for p in template_files(folder))]
    expected = registration(card.name, card.about, configs)
    assert (ROOT / benchmark / FILE).read_bytes() == expected, "run minpairs generate"


def test_a_damaged_registration_is_an_error(tmp_path):
    (tmp_path / FILE).write_text("name: Toy\ntasks: []\n")
    with pytest.raises(SuiteError, match=r"eval\.yaml registers no benchmark"):
        read_registration(tmp_path)
