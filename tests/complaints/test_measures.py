"""Measures and metrics: the same tokens on both sides, no network, the first difference seen."""

from __future__ import annotations

import json
import math
import socket
from pathlib import Path

import evaluate
import numpy as np
import pytest
from tiny_models import byte_tokenizer, causal

from minpairs.measures import Scores, measure
from minpairs.metric import MinimalPairs
from minpairs.scoring import load_scorer

TEXT = "A letter came."


@pytest.mark.parametrize("bos", ["auto", "none"])
def test_slor_sets_the_same_tokens_against_each_other(tmp_path, bos):
    counts = {token: number for number, token in enumerate(byte_tokenizer().tokenize(TEXT), 1)}
    path = tmp_path / "unigrams.json"
    path.write_text(json.dumps(counts))
    scorer = load_scorer(causal(), tokenizer=byte_tokenizer(), bos=bos, unigrams=path)
    (score,) = scorer.score([TEXT], keep_tokens=True)
    whole = math.log(sum(counts.values()) + len(byte_tokenizer()))
    unigrams = [math.log(counts[token] + 1) - whole for token in score.token_texts]
    assert len(score.token_texts) == score.tokens == len(counts) - (bos == "none")
    assert score.unigram_logprob == pytest.approx(sum(unigrams))
    slor = measure(
        "slor",
        Scores(
            np.array([score.logprob]),
            np.array([float(score.tokens)]),
            unigram_logprob=np.array([score.unigram_logprob]),
        ),
    )
    expected = np.mean(np.array(score.token_logprobs) - np.array(unigrams))
    assert slor[0] == pytest.approx(expected)


def test_a_contrast_begins_at_the_first_token_that_differs():
    scorer = load_scorer(causal(), tokenizer=byte_tokenizer())
    good, bad = scorer.score(
        ["The cat near the windows sleeps.", "The cat near the windows sleep."], keep_tokens=True
    )
    differing = [
        position
        for position, (one, other) in enumerate(
            zip(good.token_texts, bad.token_texts, strict=False)
        )
        if one != other
    ]
    first = differing[0]
    assert first > 0
    assert good.token_logprobs[:first] == pytest.approx(bad.token_logprobs[:first], abs=1e-4)
    rest = sum(good.token_logprobs[first:]) - sum(bad.token_logprobs[first:])
    assert rest == pytest.approx(good.logprob - bad.logprob, abs=1e-3)


def test_the_metric_needs_no_network(tmp_path, monkeypatch):
    def refuse(*_):
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(evaluate.config, "HF_METRICS_CACHE", tmp_path)
    monkeypatch.setattr(evaluate.config, "HF_MODULES_CACHE", str(tmp_path / "modules"))
    folder = Path(__file__).parents[2] / "metrics" / "minimal_pairs"
    for metric in (evaluate.load(str(folder), "pairwise"), MinimalPairs("pairwise")):
        assert metric.compute(acceptable=[-1.0], unacceptable=[-2.0])["accuracy"] == 1.0
