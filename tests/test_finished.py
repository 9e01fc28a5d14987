"""A run that is finished and asked for again is reported without its model."""

from __future__ import annotations

import json
import shutil

import pyarrow as pa
import pytest
from tiny_models import SENTENCES, byte_tokenizer, causal

from minpairs.benchmarks.suites import from_table
from minpairs.errors import ResultsError
from minpairs.files import content_hash
from minpairs.finished import find_finished, mark_finished, request_key
from minpairs.results import read_runs
from minpairs.running import score_suites
from minpairs.scoring import load_scorer

OPTIONS = {"dtype": "float32"}


def suite(config: str, sentences):
    bad = [text.replace(" ", "  ", 1) + "!" for text in sentences]
    return from_table("mine", config, pa.table({"sentence_good": sentences, "sentence_bad": bad}))


@pytest.fixture
def model(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "weights").write_text("1")
    return folder


class Loader:
    """Counts how often the model was loaded."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, dtype):
        self.times += 1
        return load_scorer(causal("llama"), tokenizer=byte_tokenizer(), dtype=dtype)


def run(loader, model, out, suites, **options):
    key = request_key(str(model), suites, {**OPTIONS, **options})
    return score_suites(loader, suites, out, model=str(model), request=key)


def test_a_finished_run_is_not_loaded_again_and_reads_the_same(model, tmp_path):
    loader, suites = Loader(), [suite("x", SENTENCES)]
    first = run(loader, model, tmp_path / "out", suites)
    (before,) = read_runs(tmp_path / "out")
    assert run(loader, model, tmp_path / "out", suites) == first
    (after,) = read_runs(tmp_path / "out")
    assert loader.times == 1
    assert after.settings == before.settings
    assert [after.scores.get(text) for text in suites[0].every_text()] == [
        before.scores.get(text) for text in suites[0].every_text()
    ]


def test_the_suites_on_record_are_those_asked_for_last(model, tmp_path):
    loader, out = Loader(), tmp_path / "out"
    few, all_ = suite("x", SENTENCES[:2]), suite("x", SENTENCES)
    run(loader, model, out, [few])
    run(loader, model, out, [all_])
    run(loader, model, out, [few])
    assert loader.times == 2
    assert [len(one) for one in read_runs(out)[0].suites] == [2]


def test_other_weights_options_or_texts_are_another_request(model):
    suites = [suite("x", SENTENCES)]
    key = request_key(str(model), suites, OPTIONS)
    assert request_key(str(model), suites, OPTIONS) == key
    assert request_key(str(model), suites, {"dtype": "bfloat16"}) != key
    assert request_key(str(model), [suite("x", SENTENCES[:2])], OPTIONS) != key
    (model / "weights").write_text("2")
    assert request_key(str(model), suites, OPTIONS) != key


def test_counts_beside_an_n_gram_file_belong_to_the_request(tmp_path):
    arpa, suites = tmp_path / "model.arpa", [suite("x", SENTENCES)]
    arpa.write_text("an n-gram model")
    key = request_key(str(arpa), suites, OPTIONS)
    (tmp_path / "unigrams.json").write_text("{}")
    assert request_key(str(arpa), suites, OPTIONS) != key


def test_a_model_that_is_not_here_has_no_request(tmp_path):
    assert request_key("org/model", [suite("x", SENTENCES)], OPTIONS) is None


def test_scores_that_were_removed_are_computed_again(model, tmp_path):
    loader, suites = Loader(), [suite("x", SENTENCES)]
    folder = run(loader, model, tmp_path / "out", suites)
    shutil.rmtree(folder / "scores")
    run(loader, model, tmp_path / "out", suites)
    assert loader.times == 2


def test_a_damaged_list_is_an_error_that_names_it(tmp_path):
    mark_finished(tmp_path / "run", "key")
    assert find_finished(tmp_path, "key") == tmp_path / "run"
    (tmp_path / "run" / "finished.json").write_text(json.dumps({"a": 1}))
    with pytest.raises(ResultsError, match=r"finished\.json is damaged"):
        find_finished(tmp_path, "key")


def test_a_file_that_is_written_again_is_hashed_again(tmp_path):
    path = tmp_path / "weights"
    path.write_bytes(b"one")
    before = content_hash([path])
    assert content_hash([path]) == before
    path.write_bytes(b"two")  # of the same length
    assert content_hash([path]) != before
    other = tmp_path / "weights2"
    other.write_bytes(b"one")
    other.replace(path)
    assert content_hash([path]) == before
