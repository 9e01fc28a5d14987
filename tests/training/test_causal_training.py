"""Training an OPT model: what it learns from, what is written, and going on after being stopped."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from itertools import product

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch

from minpairs import load_scorer
from minpairs.errors import ModelError
from minpairs.training import causal, open_corpus, token_counter, train_causal
from minpairs.training.causal import causal_parameters, finished_causal
from minpairs.training.errors import CorpusError
from minpairs.training.loop import LOG, last_whole_checkpoint
from minpairs.training.presets import CAUSAL_PRESETS, CausalSettings, chosen

PARTS = (["the owl", "a fox", "no river"], ["saw", "heard"], ["the moon", "a child", "it"])
LINES = [" ".join(parts) for parts in product(*PARTS)]
TINY = CausalSettings(
    learning_rate=0.02,
    warmup_steps=2,
    batch_size=4,
    epochs=3,
    held_out=0.2,
    log_every=1,
    vocabulary=290,
    layers=2,
    hidden=16,
    feed_forward=32,
    heads=2,
    positions=32,
    packed=False,
)
PACKED = replace(TINY, packed=True, positions=16)


@pytest.fixture
def corpus(tmp_path):
    return write(tmp_path / "corpus.txt", LINES)


def write(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return open_corpus(path, unit="line")


def losses(folder, key="loss"):
    log = json.loads((folder / LOG).read_text())
    return [(entry["step"], entry[key]) for entry in log if key in entry]


def held_out_lines(settings):
    order = np.random.default_rng(settings.seed).permutation(len(LINES))
    return [LINES[index] for index in order[: round(settings.held_out * len(LINES))]]


def test_the_preset_is_table_5_of_the_study():
    settings = asdict(chosen(CAUSAL_PRESETS, "opt-97m", {}))
    table = {
        **{"layers": 12, "hidden": 768, "feed_forward": 3072, "heads": 12, "positions": 256},
        **{"vocabulary": 16_384, "batch_size": 32, "learning_rate": 1e-4},
        **{"warmup_steps": 32_000, "epochs": 20, "weight_decay": 0.01},
    }
    assert table.items() <= settings.items()


def test_the_preset_has_the_study_s_number_of_parameters():
    assert causal_parameters(CAUSAL_PRESETS["opt-97m"]) == 97_837_056


@pytest.mark.parametrize("settings", [TINY, PACKED], ids=["plain", "packed"])
def test_the_held_out_loss_is_what_scoring_finds(tmp_path, corpus, settings):
    # So the beginning token of scoring is the one of training, and no sentence read another.
    trained = train_causal(corpus, tmp_path / "m", replace(settings, max_steps=4))
    scorer = load_scorer(str(tmp_path / "m"), device="cpu", eos=True)
    scores = scorer.score(held_out_lines(settings))
    mean = -sum(s.logprob for s in scores) / sum(s.tokens for s in scores)
    assert trained.held_out_loss == pytest.approx(mean, abs=1e-5)
    assert scorer.settings()["bos"] == "auto(<s>)"


def test_it_learns_and_scoring_finds_its_unigrams(tmp_path, corpus):
    trained = train_causal(corpus, tmp_path / "m", replace(TINY, epochs=8, checkpoint_every=16))
    watched = losses(tmp_path / "m", "eval_loss")
    assert watched[-1][1] == trained.held_out_loss < watched[0][1]
    assert losses(tmp_path / "m", "eval_perplexity")[-1][1] == trained.perplexity
    good, bad = load_scorer(str(tmp_path / "m"), device="cpu").score(
        ["the owl saw a child", "child a saw owl the"]
    )
    assert good.logprob - good.unigram_logprob > bad.logprob - bad.unigram_logprob


def test_unigrams_are_the_tokens_of_the_sentences_it_learns_from(tmp_path, corpus):
    train_causal(corpus, tmp_path / "m", replace(TINY, max_steps=1))
    table = pq.read_table(tmp_path / "m" / "unigrams.parquet").to_pydict()
    learned = [line for line in LINES if line not in held_out_lines(TINY)]
    expected = token_counter(str(tmp_path / "m")).count(learned)
    assert dict(zip(table["token"], table["count"], strict=True)) == expected


def test_text_that_spells_out_a_special_token_is_text(tmp_path):
    corpus = write(tmp_path / "corpus.txt", [*LINES, "an owl </s> and <s> a fox"] * 2)
    train_causal(corpus, tmp_path / "m", replace(PACKED, positions=64, max_steps=1, held_out=0))
    table = pq.read_table(tmp_path / "m" / "unigrams.parquet").to_pydict()
    assert {"<s>", "</s>"}.isdisjoint(table["token"])
    assert {"<", ">"} <= set(table["token"])


def test_the_folder_holds_the_model_and_nothing_of_the_corpus(tmp_path, corpus):
    train_causal(corpus, tmp_path / "m", replace(TINY, max_steps=1))
    assert {path.name for path in (tmp_path / "m").rglob("*")} == {
        *("model.safetensors", "config.json", "generation_config.json"),
        *("tokenizer.json", "tokenizer_config.json", "unigrams.parquet"),
        *("README.md", "training.json", "training_log.json"),
    }


def test_the_card_states_corpus_scenario_seed_settings_and_loss(tmp_path, corpus):
    trained = train_causal(corpus, tmp_path / "m", replace(TINY, max_steps=1), scenario="no_let")
    card = (tmp_path / "m" / "README.md").read_text()
    for fact in (
        corpus.name,
        "scenario: no_let",
        "Seed: 1",
        "| learning_rate | 0.02 |",
        f"held-out loss {trained.held_out_loss:.4f}",
    ):
        assert fact in card


def test_long_sentences_are_cut_and_the_card_says_how_many(tmp_path):
    corpus = write(tmp_path / "corpus.txt", [*LINES, " ".join(LINES)])
    train_causal(corpus, tmp_path / "m", replace(TINY, max_steps=1))
    card = (tmp_path / "m" / "README.md").read_text()
    assert "1 sentences were longer than 32 tokens, and cut" in card


def test_a_finished_run_is_not_run_again(tmp_path, corpus):
    short = replace(TINY, max_steps=1)
    assert finished_causal(corpus, tmp_path / "m", short) is None
    first = train_causal(corpus, tmp_path / "m", short)
    before = (tmp_path / "m" / "model.safetensors").stat().st_mtime_ns
    assert train_causal(corpus, tmp_path / "m", short) == first
    assert finished_causal(corpus, tmp_path / "m", short) == first
    assert (tmp_path / "m" / "model.safetensors").stat().st_mtime_ns == before


def test_a_folder_of_another_run_is_refused(tmp_path, corpus):
    train_causal(corpus, tmp_path / "m", replace(TINY, max_steps=1))
    with pytest.raises(ModelError, match="settings differ"):
        train_causal(corpus, tmp_path / "m", replace(TINY, max_steps=1, seed=2))
    with pytest.raises(ModelError, match="corpus differ"):
        train_causal(
            write(tmp_path / "other.txt", LINES[1:]), tmp_path / "m", replace(TINY, max_steps=1)
        )


class StoppedError(Exception):
    pass


def fails(*_, **__):
    raise AssertionError


@pytest.mark.parametrize("settings", [TINY, PACKED], ids=["plain", "packed"])
def test_a_stopped_run_goes_on_as_if_it_had_not_been(tmp_path, corpus, settings, monkeypatch):
    settings = replace(settings, checkpoint_every=3, log_every=2)
    whole = train_causal(corpus, tmp_path / "whole", settings)

    def stop(done, total):
        if done == 5:
            raise StoppedError

    with pytest.raises(StoppedError):
        train_causal(corpus, tmp_path / "stopped", settings, progress=stop)
    monkeypatch.setattr(causal, "byte_level_bpe", fails)  # the corpus is not coded again
    resumed = train_causal(corpus, tmp_path / "stopped", settings)
    assert resumed.resumed_from == 3
    for key in ("loss", "eval_loss"):
        assert losses(tmp_path / "stopped", key) == losses(tmp_path / "whole", key)
    weights = [tmp_path / name / "model.safetensors" for name in ("whole", "stopped")]
    assert weights[0].read_bytes() == weights[1].read_bytes()
    assert resumed == replace(whole, folder=tmp_path / "stopped", resumed_from=3)


@pytest.mark.parametrize("every", [2, None], ids=["steps", "epochs"])
@pytest.mark.parametrize("steps", [3, -1], ids=["within an epoch", "at its end"])
def test_a_run_stopped_after_its_last_step_takes_none_more(
    tmp_path, corpus, every, steps, monkeypatch
):
    settings = replace(TINY, epochs=1, max_steps=steps, checkpoint_every=every)
    whole = train_causal(corpus, tmp_path / "whole", settings)
    monkeypatch.setattr(causal, "transformer_card", fails)  # the model is written before its card
    with pytest.raises(AssertionError):
        train_causal(corpus, tmp_path / "stopped", settings)
    monkeypatch.undo()
    resumed = train_causal(corpus, tmp_path / "stopped", settings)
    assert resumed == replace(whole, folder=tmp_path / "stopped", resumed_from=whole.steps)
    for name in (LOG, "model.safetensors", "README.md"):
        whole_file, resumed_file = tmp_path / "whole" / name, tmp_path / "stopped" / name
        assert resumed_file.read_bytes() == whole_file.read_bytes()


def test_a_stopped_run_goes_on_with_as_many_processes(tmp_path, corpus, monkeypatch):
    short = replace(TINY, max_steps=1)
    train_causal(corpus, tmp_path / "m", short)
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert finished_causal(corpus, tmp_path / "m", short) is not None
    (tmp_path / "m" / LOG).unlink()
    with pytest.raises(ModelError, match="begun with 1 processes"):
        train_causal(corpus, tmp_path / "m", short)


def test_a_checkpoint_is_whole_when_every_process_has_written_its_share(tmp_path):
    checkpoint = tmp_path / "checkpoint-5"
    checkpoint.mkdir()
    (checkpoint / "trainer_state.json").write_text("{}")
    torch.save({}, checkpoint / "rng_state_0.pth")
    assert last_whole_checkpoint(tmp_path, processes=2) is None
    torch.save({}, checkpoint / "rng_state_1.pth")
    assert last_whole_checkpoint(tmp_path, processes=2) == checkpoint


def test_heads_that_do_not_divide_the_hidden_size_are_refused(tmp_path, corpus):
    with pytest.raises(ModelError, match="16 hidden units cannot be shared among 3 heads"):
        train_causal(corpus, tmp_path / "m", replace(TINY, heads=3))


def test_a_corpus_of_one_sentence_is_refused(tmp_path):
    with pytest.raises(CorpusError, match="leave nothing to learn from"):
        train_causal(write(tmp_path / "corpus.txt", LINES[:1]), tmp_path / "m", TINY)


def test_batches_added_up_are_one_batch(tmp_path, corpus):
    settings = replace(PACKED, dropout=0.0, max_steps=4)
    train_causal(corpus, tmp_path / "one", replace(settings, batch_size=4))
    train_causal(corpus, tmp_path / "two", replace(settings, batch_size=2, accumulation=2))
    for (_, one), (_, two) in zip(losses(tmp_path / "one"), losses(tmp_path / "two"), strict=True):
        assert one == pytest.approx(two, abs=1e-4)


def test_bfloat16_comes_close_to_float32(tmp_path, corpus):
    settings = replace(PACKED, max_steps=8)
    single = train_causal(corpus, tmp_path / "a", replace(settings, precision="float32"))
    half = train_causal(corpus, tmp_path / "b", replace(settings, precision="bfloat16"))
    assert half.held_out_loss == pytest.approx(single.held_out_loss, abs=0.05)
    assert half.held_out_loss != single.held_out_loss
