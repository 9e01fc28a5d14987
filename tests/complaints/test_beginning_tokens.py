"""Beginning and end tokens: never dropped, doubled or borrowed in silence."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from tiny_models import SENTENCES, byte_tokenizer, causal

from minpairs.scoring import load_scorer

TEXT = "Nobody saw the small cat."
BOS, EOS = 0, 1


def plain(ids: list[int]) -> float:
    """Log-probability of every token but the first, one text, full logits."""
    with torch.inference_mode():
        logprobs = causal()(torch.tensor([ids])).logits[0, :-1].double().log_softmax(-1)
    return logprobs.gather(1, torch.tensor(ids[1:])[:, None]).sum().item()


# How other tools read a text, and the setting that does the same; README.md has it as a table.
CONVENTIONS: dict[str, tuple[dict[str, object], Callable[[list[int]], list[int]]]] = {
    "minicons by default": ({"bos": "none"}, lambda ids: ids),
    "minicons with bos_token=True": ({"bos": "auto"}, lambda ids: [BOS, *ids]),
    "lm-evaluation-harness without context": ({"bos": "auto"}, lambda ids: [BOS, *ids]),
    "lm-scorer": ({"bos": "</s>", "eos": True}, lambda ids: [EOS, *ids, EOS]),
}


@pytest.mark.parametrize("tool", CONVENTIONS)
def test_the_convention_of_another_tool_is_a_setting(tool):
    settings, reads = CONVENTIONS[tool]
    ids = byte_tokenizer()(TEXT, add_special_tokens=False)["input_ids"]
    (score,) = load_scorer(causal(), tokenizer=byte_tokenizer(), **settings).score([TEXT])
    assert score.logprob == pytest.approx(plain(reads(ids)), abs=1e-4)


def test_a_perplexity_with_a_start_token_is_the_exponential_of_the_mean():
    ids = byte_tokenizer()(TEXT, add_special_tokens=False)["input_ids"]
    (score,) = load_scorer(causal(), tokenizer=byte_tokenizer()).score([TEXT])
    theirs = math.exp(-plain([BOS, *ids]) / len(ids))  # evaluate's perplexity of one text
    assert math.exp(-score.logprob / score.tokens) == pytest.approx(theirs, rel=1e-4)


@pytest.mark.parametrize(
    ("bos", "said", "unscored"), [("auto", "auto(<s>)", 0), ("none", "none", 1)]
)
def test_the_settings_and_the_score_say_whether_the_first_token_was_scored(bos, said, unscored):
    scorer = load_scorer(causal(), tokenizer=byte_tokenizer(), bos=bos)
    (score,) = scorer.score([TEXT], keep_tokens=True)
    tokens = byte_tokenizer().tokenize(TEXT)
    assert scorer.settings()["bos"] == said
    assert list(score.token_texts) == tokens[unscored:]
    assert score.tokens == len(tokens) - unscored


def test_an_end_token_is_never_taken_for_a_beginning_token_in_silence():
    model = causal("llama")
    model.config.bos_token_id = None
    without = load_scorer(model, tokenizer=byte_tokenizer(bos=None))
    assert without.settings()["bos"] == "auto(none)"
    chosen = load_scorer(model, tokenizer=byte_tokenizer(bos=None), bos="</s>")
    assert chosen.settings()["bos"] == "</s>"


@pytest.mark.parametrize("adds_bos", [False, True])
@pytest.mark.parametrize("bos", ["auto", "none"])
def test_a_continuation_has_the_same_score_whoever_adds_the_beginning_token(bos, adds_bos):
    tokenizer = byte_tokenizer(adds_bos=adds_bos)
    (score,) = load_scorer(causal(), tokenizer=tokenizer, bos=bos).score([" came."], ["A letter"])
    ids = byte_tokenizer()("A letter came.", add_special_tokens=False)["input_ids"]
    whole = ids if bos == "none" else [BOS, *ids]
    assert score.logprob == pytest.approx(
        plain(whole) - plain(whole[: len(whole) - score.tokens]), abs=1e-4
    )


@pytest.mark.parametrize("side", ["left", "right"])
def test_the_beginning_token_stands_before_the_text_and_not_before_its_padding(side):
    tokenizer = byte_tokenizer(padding_side=side)
    scores = load_scorer(causal(), tokenizer=tokenizer, tree_nodes=0).score(SENTENCES)
    for text, score in zip(SENTENCES, scores, strict=True):
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        assert score.logprob == pytest.approx(plain([BOS, *ids]), abs=1e-4)
