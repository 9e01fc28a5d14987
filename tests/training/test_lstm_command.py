"""``minpairs train``: from a corpus file to a model that ``minpairs score`` reads."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from minpairs import load_scorer
from minpairs.cli import app
from minpairs.errors import MinpairsError

LINES = ["猫看见月亮", "猫看见河", "狗没看见猫", "月亮看见狗", "狗看见河"]


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return path


def run(*arguments):
    return CliRunner().invoke(app, ["train", *map(str, arguments)], catch_exceptions=False)


def test_an_n_gram_model_is_trained_and_scored(tmp_path, corpus):
    out = tmp_path / "m.arpa"
    run("ngram", corpus, "--out", out, "--unit", "line", "--order", 3, "--estimator", "own")
    good, bad = load_scorer(out).score(["猫看见月亮", "月见猫亮看"])
    assert good.logprob > bad.logprob
    settings = json.loads((tmp_path / "m.arpa.json").read_text(encoding="utf-8"))["settings"]
    assert (settings["order"], settings["segmentation"]) == (3, "characters")


def test_an_lstm_is_trained_and_scored(tmp_path, corpus):
    out = tmp_path / "lstm"
    options = ("--max-steps", 2, "--units", 8, "--embedding", 8, "--tied", "--held-out", 0.2)
    result = run("lstm", corpus, "--out", out, "--unit", "line", *options, "--min-count", 1)
    assert result.exit_code == 0
    assert load_scorer(str(out), device="cpu").score(["猫看见河"])[0].tokens == 4
    record = json.loads((out / "training.json").read_text(encoding="utf-8"))
    assert record["settings"]["tied"] is True
    assert record["settings"]["layers"] == 2


def test_a_misspelt_preset_is_an_error_of_ours(tmp_path, corpus):
    with pytest.raises(MinpairsError, match="did you mean 'lstm-200'"):
        run("lstm", corpus, "--out", tmp_path / "m", "--preset", "lstm200")
