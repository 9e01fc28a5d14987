"""``minpairs train causal`` and ``masked``: options, kills, and several processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import fields
from itertools import product

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from minpairs.cli import app
from minpairs.cli.train import train
from minpairs.training.loop import LOG, last_whole_checkpoint
from minpairs.training.presets import CausalSettings, LstmSettings, MaskedSettings, NgramSettings

PARTS = (["the owl", "a fox", "no river"], ["saw", "heard"], ["the moon", "a child", "it"])
LINES = [" ".join(parts) for parts in product(*PARTS)]
TINY = (
    *("--unit", "line", "--layers", "2", "--hidden", "16", "--feed-forward", "32", "--heads", "2"),
    *("--warmup-steps", "5", "--learning-rate", "0.01", "--held-out", "0.22222"),
    *("--checkpoint-every", "20", "--log-every", "10"),
)
KINDS = {
    "plain": ("causal", "--vocabulary", "300", "--positions", "16", "--plain"),
    "packed": ("causal", "--vocabulary", "300", "--positions", "16", "--packed"),
    "masked": ("masked", "--vocabulary", "60", "--positions", "16"),
}
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(LINES * 8) + "\n")
    return path


def losses(folder, key):
    log = json.loads((folder / LOG).read_text())
    return [(entry["step"], entry[key]) for entry in log if key in entry]


def command(kind, corpus, out, *options, launcher=("-m", "minpairs")):
    name, *own = KINDS[kind]
    files = (str(corpus), "--out", str(out))
    return [sys.executable, *launcher, "train", name, *files, *TINY, *own, *options]


@pytest.mark.parametrize("kind", ["plain", "masked"])
def test_options_change_the_preset(tmp_path, corpus, kind):
    arguments = command(kind, corpus, tmp_path / "m", "--max-steps", "2", "--seed", "7")[3:]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    settings = json.loads((tmp_path / "m" / "training.json").read_text())["settings"]
    expected = {"hidden": 16, "max_steps": 2, "seed": 7, "held_out": 0.22222, "clip": 1.0}
    assert expected.items() <= settings.items()
    assert "held-out loss" in result.output


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *(("ngram", NgramSettings), ("lstm", LstmSettings)),
        *(("causal", CausalSettings), ("masked", MaskedSettings)),
    ],
)
def test_every_setting_has_an_option(name, kind):
    command = get_command(train).commands[name]
    assert {field.name for field in fields(kind)} <= {option.name for option in command.params}


def test_the_help_says_what_the_presets_are():
    result = CliRunner().invoke(app, ["train", "causal", "--help"], catch_exceptions=False)
    text = " ".join(result.output.split())
    assert "opt-97m: optimizer adamw_torch_fused, learning_rate 0.0001" in text


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_command_goes_on_with_the_same_losses_and_weights(tmp_path, corpus, kind):
    options = ("--max-steps", "300", "--batch-size", "4", "--dropout", "0.1")
    whole = command(kind, corpus, tmp_path / "whole", *options)
    subprocess.run(whole, env=ENVIRONMENT, check=True)
    killed = command(kind, corpus, tmp_path / "killed", *options)
    process = subprocess.Popen(killed, env=ENVIRONMENT)
    checkpoints = tmp_path / "killed" / "checkpoints"
    while process.poll() is None and last_whole_checkpoint(checkpoints) is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "it had finished before it could be killed"
    again = subprocess.run(killed, env=ENVIRONMENT, check=True, capture_output=True, text=True)
    assert "resumed at" in again.stderr
    for key in ("loss", "eval_loss"):
        assert losses(tmp_path / "killed", key) == losses(tmp_path / "whole", key)
    weights = [tmp_path / name / "model.safetensors" for name in ("whole", "killed")]
    assert weights[0].read_bytes() == weights[1].read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_two_processes_train_as_one_with_twice_the_batch(tmp_path, corpus, kind):
    options = ("--max-steps", "40", "--dropout", "0", "--batch-size")
    torchrun = ("-m", "torch.distributed.run", "--nproc_per_node", "2", "-m", "minpairs")
    one = command(kind, corpus, tmp_path / "one", *options, "8")
    two = command(kind, corpus, tmp_path / "two", *options, "4", launcher=torchrun)
    for run in (one, two):
        subprocess.run(run, env=ENVIRONMENT, check=True)
    for key in ("loss", "eval_loss"):
        for (_, a), (_, b) in zip(
            losses(tmp_path / "one", key), losses(tmp_path / "two", key), strict=True
        ):
            assert a == pytest.approx(b, abs=1e-4)
