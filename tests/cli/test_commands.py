"""The commands as a user runs them: from a grammar to a verdict, without network."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from tiny_models import byte_tokenizer, causal

ITEMS = "6"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with a model and a small let_alone benchmark, made by the commands."""
    home = tmp_path_factory.mktemp("home")
    causal(positions=256).save_pretrained(home / "tiny")
    byte_tokenizer().save_pretrained(home / "tiny")
    done = minpairs(home, "generate", "let_alone", "--n", ITEMS)
    assert done.returncode == 0, done.stderr
    return home


def environment(home):
    return {
        **os.environ,
        "HF_HOME": str(home / "hf"),
        "HF_HUB_OFFLINE": "1",
        "COLUMNS": "200",
        "NO_COLOR": "1",
    }


def minpairs(home, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "minpairs", *arguments],
        cwd=home,
        env=environment(home),
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_generated_benchmark_is_scored_and_reported(home):
    done = minpairs(home, "score", "tiny", "let_alone:npi,scalar", "--out", "one")
    assert done.returncode == 0, done.stderr
    assert "npi" in done.stdout
    assert "scalar" in done.stdout
    assert "model:tiny@" in done.stdout
    assert "bos auto(<s>)" in done.stderr
    (folder,) = (home / "one").iterdir()
    record = json.loads((folder / "run.json").read_text())
    assert [suite["items"] for suite in record["suites"]] == [int(ITEMS)] * 2
    assert minpairs(home, "report", "one").stdout == done.stdout


def test_the_same_command_computes_nothing_again(home):
    command = ("score", "tiny", "let_alone:vp", "--out", "twice")
    first = minpairs(home, *command)
    (folder,) = (home / "twice").iterdir()
    before = {path.name: path.stat().st_mtime_ns for path in (folder / "scores").iterdir()}
    second = minpairs(home, *command)
    after = {path.name: path.stat().st_mtime_ns for path in (folder / "scores").iterdir()}
    assert first.stdout == second.stdout
    assert before == after


def test_a_killed_run_goes_on_and_ends_as_if_it_had_not_been(home):
    options = ("let_alone", "--batch-tokens", "48")
    whole = minpairs(home, "score", "tiny", *options, "--out", "whole")
    process = subprocess.Popen(
        [sys.executable, "-m", "minpairs", "score", "tiny", *options, "--out", "killed"],
        cwd=home,
        env=environment(home),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if len(list((home / "killed").glob("*/scores/*.parquet"))) >= 3:
            process.send_signal(signal.SIGKILL)
            break
        time.sleep(0.01)
    process.wait()
    assert process.returncode == -signal.SIGKILL
    kept = len(list((home / "killed").glob("*/scores/*.parquet")))
    assert kept >= 3
    resumed = minpairs(home, "score", "tiny", *options, "--out", "killed")
    assert resumed.returncode == 0, resumed.stderr
    assert resumed.stdout == whole.stdout


def test_another_measure_needs_no_model(home):
    minpairs(home, "score", "tiny", "let_alone:gap", "--out", "measures")
    mean = minpairs(home, "report", "measures", "--measure", "mean")
    assert mean.returncode == 0
    assert "measure:mean" in mean.stdout


def test_slor_without_unigrams_is_an_error(home):
    minpairs(home, "score", "tiny", "let_alone:gap", "--out", "slor")
    done = minpairs(home, "report", "slor", "--measure", "slor")
    assert done.returncode == 2
    assert "unigram" in done.stderr


def test_own_pairs_are_scored(home):
    (home / "own.csv").write_text("good,bad,kind\nYes.,No.,a\nA letter came.,A letter come.,b\n")
    done = minpairs(
        home,
        *("score", "tiny", "own.csv", "--acceptable", "good", "--unacceptable", "bad"),
        *("--group", "kind", "--out", "own"),
    )
    assert done.returncode == 0, done.stderr
    assert "macro (mean of 2 paradigms)" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("score", "tiny", "climp"), "minpairs generate climp"),
        (("score", "tiny", "let_alone:npy"), "did you mean 'npi'"),
        (("score", "none", "let_alone:npi"), "cannot read the configuration of none"),
        (("score", "tiny", "let_alone:npi", "--bos", "<S>"), "did you mean '<s>'"),
        (("score", "tiny", "let_alone:npi", "--dtype", "float8"), "unknown dtype 'float8'"),
        (("generate", "clmp"), "did you mean 'climp'"),
        (("generate", "let_alone", "--preview", "nip"), "did you mean 'npi'"),
        (("report", "tiny"), "holds no results"),
    ],
)
def test_faults_end_with_one_clear_line(home, arguments, message):
    done = minpairs(home, *arguments)
    assert done.returncode == 2
    assert message in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


def test_a_preview_prints_items_and_writes_nothing(home):
    before = sorted(home.rglob("*.parquet"))
    done = minpairs(home, "generate", "let_alone", "--preview", "npi", "--n", "2")
    assert done.returncode == 0
    assert "let alone" in done.stdout
    assert sorted(home.rglob("*.parquet")) == before


def test_help_and_version(home):
    assert "acceptable" in minpairs(home, "score", "--help").stdout
    assert minpairs(home, "--version").stdout.strip()[0].isdigit()
