"""Batches: of bounded size, whatever is asked for at once."""

from __future__ import annotations

import pytest
from tiny_models import SENTENCES, byte_tokenizer, causal

from minpairs.scoring import load_scorer

TEXTS = [f"{first[:-1]}, {second}" for first in SENTENCES[:5] for second in SENTENCES[:5]]
BUDGET = 64


@pytest.mark.parametrize("tree_nodes", [0, 32])
def test_no_pass_reads_more_tokens_or_holds_more_logits_than_its_budget(tree_nodes):
    model = causal("llama")
    scorer = load_scorer(
        model, tokenizer=byte_tokenizer(), batch_tokens=BUDGET, tree_nodes=tree_nodes
    )
    read, held = [], []
    model.register_forward_pre_hook(
        lambda _, __, inputs: read.append(inputs["input_ids"].numel()), with_kwargs=True
    )
    model.register_forward_hook(lambda _, __, output: held.append(output.logits.shape[:-1].numel()))
    scorer.score(TEXTS)
    scores = scorer.score(TEXTS)
    assert sum(score.tokens for score in scores) > 4 * BUDGET
    assert len(read) > 4
    assert max(read) <= BUDGET
    assert max(held) <= BUDGET


def test_a_model_that_was_loaded_before_is_scored_as_it_is():
    model = causal()
    scorer = load_scorer(model, tokenizer=byte_tokenizer())
    assert scorer.backend.model is model
    assert scorer.score(["Yes."])[0].logprob < 0
