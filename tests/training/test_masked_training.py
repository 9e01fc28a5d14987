"""Training a BERT model: masked tokens, scoring, and going on after being stopped."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import pytest
import torch

from minpairs import load_scorer
from minpairs.errors import ModelError
from minpairs.training import open_corpus
from minpairs.training.loop import LOG
from minpairs.training.masked import finished_masked, masked_loss, train_masked
from minpairs.training.presets import MaskedSettings

LINES = ["".join(parts) for parts in product("猫狗鸟", ("看见", "听见"), ("月亮", "河", "他"))]
TINY = MaskedSettings(
    learning_rate=0.02,
    warmup_steps=2,
    batch_size=4,
    epochs=3,
    held_out=0.2,
    log_every=1,
    pieces="characters",
    vocabulary=40,
    layers=2,
    hidden=16,
    feed_forward=32,
    heads=2,
    positions=16,
)


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "corpus.txt").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return open_corpus(tmp_path / "corpus.txt", unit="line")


def losses(folder, key="loss"):
    log = json.loads((folder / LOG).read_text())
    return [(entry["step"], entry[key]) for entry in log if key in entry]


def test_it_learns_and_is_scored_like_any_masked_model(tmp_path, corpus):
    trained = train_masked(corpus, tmp_path / "m", replace(TINY, epochs=20, checkpoint_every=40))
    watched = losses(tmp_path / "m", "eval_loss")
    assert watched[-1][1] == trained.held_out_loss < watched[0][1]
    scorer = load_scorer(str(tmp_path / "m"), device="cpu")
    good, bad = scorer.score(["猫看见月亮", "月猫亮见看"])
    assert scorer.settings()["kind"] == "masked"
    assert good.logprob > bad.logprob
    assert good.unigram_logprob == pytest.approx(bad.unigram_logprob)


def test_english_word_pieces_too(tmp_path):
    (tmp_path / "en.txt").write_text("the owl saw a fox\nthe fox saw the owl\n" * 4)
    corpus = open_corpus(tmp_path / "en.txt", unit="line")
    settings = replace(TINY, pieces="wordpiece", vocabulary=60, max_steps=1)
    train_masked(corpus, tmp_path / "m", settings)
    assert load_scorer(str(tmp_path / "m"), device="cpu").score(["the fox saw it"])[0].words == 4


def test_a_stopped_run_goes_on_as_if_it_had_not_been(tmp_path, corpus):
    settings = replace(TINY, checkpoint_every=3)
    whole = train_masked(corpus, tmp_path / "whole", settings)

    def stop(done, total):
        if done == 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_masked(corpus, tmp_path / "stopped", settings, progress=stop)
    resumed = train_masked(corpus, tmp_path / "stopped", settings)
    assert resumed.resumed_from == 6
    assert resumed.held_out_loss == whole.held_out_loss
    assert losses(tmp_path / "stopped") == losses(tmp_path / "whole")
    weights = [tmp_path / name / "model.safetensors" for name in ("whole", "stopped")]
    assert weights[0].read_bytes() == weights[1].read_bytes()
    assert finished_masked(corpus, tmp_path / "whole", settings) == whole


def test_the_loss_of_a_step_is_the_mean_over_its_masked_tokens():
    logits = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(0))
    labels = torch.tensor([[-100, 1, 2], [-100, 3, -100]])
    whole = masked_loss(SimpleNamespace(logits=logits), labels, 3)
    parts = [masked_loss(SimpleNamespace(logits=logits[[i]]), labels[[i]], 3) for i in (0, 1)]
    tokens = torch.nn.functional.cross_entropy(logits.transpose(1, 2), labels)
    torch.testing.assert_close(whole, tokens)
    torch.testing.assert_close(parts[0] + parts[1], whole)


def test_batches_added_up_are_one_batch(tmp_path, corpus):
    settings = replace(TINY, dropout=0.0, max_steps=4, masked=0.5)
    train_masked(corpus, tmp_path / "one", replace(settings, batch_size=4))
    train_masked(corpus, tmp_path / "two", replace(settings, batch_size=2, accumulation=2))
    for (_, one), (_, two) in zip(losses(tmp_path / "one"), losses(tmp_path / "two"), strict=True):
        assert one == pytest.approx(two, abs=1e-4)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_share_that_masks_nothing_or_all_is_refused(tmp_path, corpus, share):
    with pytest.raises(ModelError, match="choose one inside 0 to 1"):
        train_masked(corpus, tmp_path / "m", replace(TINY, masked=share))
