"""Results folders: nothing that was computed is lost, and nothing damaged is believed."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from minpairs.benchmarks.schema import Text
from minpairs.benchmarks.suites import from_table
from minpairs.errors import ResultsError
from minpairs.judgements import judge
from minpairs.results import ScoreStore, read_runs, run_folder, write_run
from minpairs.scoring.score import Score

SUITE = from_table(
    "mine",
    "agreement",
    pa.table(
        {
            "sentence_good": ["He runs.", "We run."],
            "sentence_bad": ["He run.", "We runs."],
            "phenomenon": ["sv", "sv"],
        }
    ),
)
SETTINGS = {"kind": "causal", "revision": "abc", "dtype": "float32"}


def score(text: str, logprob: float, **more) -> Score:
    return Score("", text, logprob, 2, 2, 6, **more)


def finished(folder, *logprobs: float):
    write_run(folder, "models/tiny", SETTINGS, [SUITE], ["minpairs", "score"], {"limit": None})
    store = ScoreStore(folder / "scores")
    texts = ["He runs.", "He run.", "We run.", "We runs."]
    store.add([score(text, value) for text, value in zip(texts, logprobs, strict=False)])
    return folder


def test_scores_are_there_again_when_the_store_is_opened(tmp_path):
    kept = score("a b", -1.5, token_texts=("a", "b"), token_logprobs=(-1.0, -0.5))
    ScoreStore(tmp_path).add([kept])
    ScoreStore(tmp_path).add([score("c", -1.0)])
    store = ScoreStore(tmp_path)
    assert store.get(Text("a b")) == kept
    assert store.get(Text("c")) == score("c", -1.0)
    assert store.get(Text("c", "other context")) is None


def test_compacting_loses_nothing(tmp_path):
    store = ScoreStore(tmp_path)
    for name in "abc":
        store.add([score(name, -1.0)])
    store.compact()
    assert len(list(tmp_path.glob("*.parquet"))) == 1
    assert len(ScoreStore(tmp_path)) == 3


def test_two_stores_on_one_folder_do_not_disturb_each_other(tmp_path):
    first, second = ScoreStore(tmp_path), ScoreStore(tmp_path)
    first.add([score("a", -1.0)])
    second.add([score("b", -2.0)])
    first.add([score("c", -3.0)])
    first.compact()
    second.add([score("d", -4.0)])
    second.compact()
    assert {name for name in "abcd" if ScoreStore(tmp_path).get(Text(name))} == set("abcd")


def test_a_damaged_score_file_is_an_error_that_names_it(tmp_path):
    ScoreStore(tmp_path).add([score("a", -1.0)])
    (path,) = tmp_path.glob("*.parquet")
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(ResultsError, match=path.name):
        ScoreStore(tmp_path)


def test_a_file_that_was_being_written_is_not_read(tmp_path):
    (tmp_path / ".x.parquet.1.tmp").write_bytes(b"half")
    assert len(ScoreStore(tmp_path)) == 0


def test_other_settings_have_another_folder(tmp_path):
    folder = run_folder(tmp_path, "org/Model-1B", SETTINGS)
    assert folder.name.startswith("Model-1B-")
    assert run_folder(tmp_path, "org/Model-1B", {**SETTINGS, "dtype": "bfloat16"}) != folder
    assert run_folder(tmp_path, "org/Model-1B", {**SETTINGS, "revision": "def"}) != folder


@pytest.mark.parametrize("name", ["../../etc", "..", ".", "a/../..", "模型", "x" * 50])
def test_a_model_s_name_never_leads_out_of_the_results_folder(tmp_path, name):
    folder = run_folder(tmp_path, name, SETTINGS)
    assert folder.parent == tmp_path
    assert not folder.name.startswith(".")


def test_a_run_is_read_as_it_was_written(tmp_path):
    (run,) = read_runs(finished(tmp_path, -1, -2, -3, -4))
    assert run.model == "models/tiny"
    assert run.settings == SETTINGS
    assert run.suites[0].design == SUITE.design
    assert run.suites[0].texts("acceptable") == SUITE.texts("acceptable")


def test_a_run_is_judged_from_its_folder_alone(tmp_path):
    (run,) = read_runs(finished(tmp_path, -1, -2, -4, -3))
    evaluation = judge(run)["mine"]
    assert evaluation.macro.accuracy == 0.5
    assert evaluation.groups[0].phenomenon == "sv"
    line = str(evaluation.signature)
    assert "model:tiny@abc" in line
    assert "measure:sum" in line
    assert "ties:strict" in line


def test_the_signature_names_the_versions_of_the_run_not_of_the_report(tmp_path):
    finished(tmp_path, -1, -2, -4, -3)
    record = json.loads((tmp_path / "run.json").read_text())
    record["versions"]["torch"] = "1.2.3"
    (tmp_path / "run.json").write_text(json.dumps(record))
    (run,) = read_runs(tmp_path)
    assert "torch:1.2.3" in str(judge(run)["mine"].signature)


def test_a_text_without_a_score_is_an_error_that_says_how_to_go_on(tmp_path):
    (run,) = read_runs(finished(tmp_path, -1, -2, -3))
    with pytest.raises(ResultsError, match=r"row 1, cell 'unacceptable' has no score.*again"):
        judge(run)


def test_scoring_another_suite_keeps_the_first(tmp_path):
    finished(tmp_path, -1, -2, -3, -4)
    other = from_table("mine", "binding", SUITE.table)
    write_run(tmp_path, "models/tiny", SETTINGS, [other], [], {})
    (run,) = read_runs(tmp_path)
    assert [suite.config for suite in run.suites] == ["agreement", "binding"]


def test_a_folder_without_results_is_an_error(tmp_path):
    with pytest.raises(ResultsError, match="holds no results"):
        read_runs(tmp_path)


@pytest.mark.parametrize("content", ["", "{", '{"model": "x"}', "[]"])
def test_a_damaged_record_is_an_error_that_names_it(tmp_path, content):
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(ResultsError, match=r"run\.json"):
        read_runs(tmp_path)
