"""Training an LSTM: what is learned from, what is watched, and going on after being stopped."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch

from minpairs import load_scorer
from minpairs.errors import ModelError
from minpairs.training.errors import CorpusError
from minpairs.training.loop import LOG, last_whole_checkpoint
from minpairs.training.lstm_training import train_lstm
from minpairs.training.presets import LSTM_PRESETS, LstmSettings, chosen

PARTS = (["the owl", "a fox", "no river"], ["saw", "heard"], ["the moon", "a child", "it"])
CORPUS = [" ".join(parts) for parts in product(*PARTS)]
TINY = LstmSettings(
    segmentation="words", units=8, embedding=8, batch_size=4, epochs=3, held_out=0.2, log_every=1
)


def losses(folder, key="loss"):
    log = json.loads((folder / LOG).read_text())
    return [(entry["step"], entry[key]) for entry in log if key in entry]


def test_it_learns(tmp_path):
    trained = train_lstm(CORPUS, tmp_path / "m", replace(TINY, epochs=20))
    watched = losses(tmp_path / "m", "eval_loss")
    assert watched[-1][1] == trained.held_out_loss < watched[0][1]
    assert losses(tmp_path / "m", "eval_perplexity")[-1][1] == math.exp(trained.held_out_loss)


def test_a_trained_folder_is_scored_like_any_model(tmp_path):
    fast = replace(TINY, optimizer="adamw_torch", learning_rate=0.02, schedule="constant")
    train_lstm(CORPUS, tmp_path / "m", replace(fast, epochs=20))
    scorer = load_scorer(str(tmp_path / "m"), device="cpu")
    good, bad = scorer.score(["the owl saw a child", "child a saw owl the"])
    assert good.logprob > bad.logprob
    assert scorer.settings()["bos"] == "auto(<s>)"


def test_the_held_out_loss_is_the_mean_over_held_out_tokens(tmp_path):
    settings = replace(TINY, max_steps=2)
    trained = train_lstm(CORPUS, tmp_path / "a", replace(settings, batch_size=3))
    scorer = load_scorer(str(tmp_path / "a"), device="cpu", eos=True)
    scores = {score.continuation: score for score in scorer.score(CORPUS)}
    order = np.random.default_rng(settings.seed).permutation(len(CORPUS))
    held_out = [scores[CORPUS[index]] for index in order[: round(0.2 * len(CORPUS))]]
    mean = -sum(s.logprob for s in held_out) / sum(s.tokens for s in held_out)
    assert trained.held_out_loss == pytest.approx(mean, abs=1e-5)


def test_held_out_words_alone_are_unknown(tmp_path):
    corpus = ["the owl saw it"] * 9
    order = np.random.default_rng(1).permutation(10)
    corpus.insert(order[0], "zebra zebra")  # the one sentence that will be held out
    train_lstm(corpus, tmp_path / "m", replace(TINY, held_out=0.1, max_steps=1))
    vocabulary = json.loads((tmp_path / "m" / "tokenizer.json").read_text())["model"]["vocab"]
    assert "zebra" not in vocabulary
    assert "owl" in vocabulary


def test_the_same_seed_gives_the_same_model(tmp_path):
    a, b = (train_lstm(CORPUS, tmp_path / name, TINY) for name in "ab")
    assert a.held_out_loss == b.held_out_loss
    assert losses(tmp_path / "a") == losses(tmp_path / "b")


def test_a_finished_run_is_not_run_again(tmp_path):
    first = train_lstm(CORPUS, tmp_path / "m", TINY)
    before = (tmp_path / "m" / "model.safetensors").stat().st_mtime_ns
    assert train_lstm(CORPUS, tmp_path / "m", TINY) == first
    assert (tmp_path / "m" / "model.safetensors").stat().st_mtime_ns == before


def test_a_folder_of_another_run_is_refused(tmp_path):
    train_lstm(CORPUS, tmp_path / "m", replace(TINY, max_steps=1))
    with pytest.raises(ModelError, match="settings differ"):
        train_lstm(CORPUS, tmp_path / "m", replace(TINY, max_steps=1, seed=2))
    with pytest.raises(ModelError, match="corpus differ"):
        train_lstm([*CORPUS, "it saw it"], tmp_path / "m", replace(TINY, max_steps=1))


class StoppedError(Exception):
    pass


@pytest.mark.parametrize("every", [None, 3])
def test_a_stopped_run_goes_on_as_if_it_had_not_been(tmp_path, every):
    settings = replace(TINY, checkpoint_every=every, log_every=2)
    whole = train_lstm(CORPUS, tmp_path / "whole", settings)

    def stop(done, total):
        if done == 8:
            raise StoppedError

    with pytest.raises(StoppedError):
        train_lstm(CORPUS, tmp_path / "stopped", settings, progress=stop)
    resumed = train_lstm(CORPUS, tmp_path / "stopped", settings)
    assert 0 < resumed.resumed_from < 8
    assert resumed.held_out_loss == whole.held_out_loss
    assert losses(tmp_path / "stopped") == losses(tmp_path / "whole")
    assert losses(tmp_path / "stopped", "eval_loss") == losses(tmp_path / "whole", "eval_loss")
    weights = [tmp_path / name / "model.safetensors" for name in ("whole", "stopped")]
    assert weights[0].read_bytes() == weights[1].read_bytes()


def test_half_a_checkpoint_is_passed_over(tmp_path):
    for step, state in ((5, "{}"), (10, '{"log_his')):
        (tmp_path / f"checkpoint-{step}").mkdir()
        (tmp_path / f"checkpoint-{step}" / "trainer_state.json").write_text(state)
    (tmp_path / "checkpoint-15").mkdir()
    assert last_whole_checkpoint(tmp_path) == tmp_path / "checkpoint-5"


def test_nothing_held_out_needs_another_schedule(tmp_path):
    with pytest.raises(ModelError, match="reduce_lr_on_plateau watches held-out"):
        train_lstm(CORPUS, tmp_path / "a", replace(TINY, held_out=0))
    settings = replace(TINY, held_out=0, schedule="constant", max_steps=1)
    assert train_lstm(CORPUS, tmp_path / "b", settings).held_out_loss is None


def test_a_corpus_of_one_sentence_is_refused(tmp_path):
    with pytest.raises(CorpusError, match="leave nothing to learn from"):
        train_lstm(["the owl"], tmp_path / "m", TINY)


def test_an_unknown_schedule_is_refused(tmp_path):
    with pytest.raises(ModelError, match="cannot be set up"):
        train_lstm(CORPUS, tmp_path / "m", replace(TINY, schedule="steep"))


def test_the_card_states_corpus_seed_and_cut_off(tmp_path):
    train_lstm(CORPUS, tmp_path / "m", replace(TINY, max_steps=1), corpus="owls and foxes")
    card = (tmp_path / "m" / "README.md").read_text()
    assert "owls and foxes" in card
    assert "fewer than 2 times" in card
    assert "| seed | 1 |" in card


def test_the_preset_is_the_study_s():
    settings = chosen(LSTM_PRESETS, "lstm-200", {})
    assert (settings.layers, settings.units, settings.dropout) == (2, 200, 0.2)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_on_a_gpu_with_bfloat16_it_learns_too(tmp_path):
    settings = replace(TINY, epochs=20, precision="bfloat16")
    trained = train_lstm(CORPUS, tmp_path / "m", settings)
    assert trained.held_out_loss < losses(tmp_path / "m", "eval_loss")[0][1]


def command(corpus, out, *options, launcher=("-m", "minpairs")):
    tiny = ("--segmentation", "words", "--units", "8", "--embedding", "8", "--held-out", "0.22222")
    return [
        *(sys.executable, *launcher, "train", "lstm", str(corpus), "--unit", "line"),
        *("--out", str(out), "--checkpoint-every", "20", "--log-every", "10", *tiny, *options),
    ]


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(CORPUS * 8) + "\n")
    return path


ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}


@pytest.mark.slow
def test_a_killed_command_goes_on_with_the_same_losses(tmp_path, corpus):
    options = ("--max-steps", "400", "--batch-size", "4")
    subprocess.run(command(corpus, tmp_path / "whole", *options), env=ENVIRONMENT, check=True)
    killed = command(corpus, tmp_path / "killed", *options)
    process = subprocess.Popen(killed, env=ENVIRONMENT)
    checkpoints = tmp_path / "killed" / "checkpoints"
    while process.poll() is None and last_whole_checkpoint(checkpoints) is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "it had finished before it could be killed"
    subprocess.run(killed, env=ENVIRONMENT, check=True)
    for key in ("loss", "eval_loss"):
        assert losses(tmp_path / "killed", key) == losses(tmp_path / "whole", key)


@pytest.mark.slow
def test_two_processes_train_as_one_with_twice_the_batch(tmp_path, corpus):
    # 112 sentences to learn from: a last batch that is not full is filled up, with several.
    options = ("--max-steps", "40", "--dropout", "0", "--batch-size")
    torchrun = ("-m", "torch.distributed.run", "--nproc_per_node", "2", "-m", "minpairs")
    one = command(corpus, tmp_path / "one", *options, "8")
    two = command(corpus, tmp_path / "two", *options, "4", launcher=torchrun)
    for run in (one, two):
        subprocess.run(run, env=ENVIRONMENT, check=True)
    for key in ("loss", "eval_loss"):
        for (_, a), (_, b) in zip(
            losses(tmp_path / "one", key), losses(tmp_path / "two", key), strict=True
        ):
            assert a == pytest.approx(b, abs=1e-4)
