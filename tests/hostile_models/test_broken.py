"""A model that knows nothing is at or below chance on every suite, whatever is broken in it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from tiny_models import byte_tokenizer, causal

from minpairs.benchmarks.suites import load_suites
from minpairs.cells import cell_values
from minpairs.errors import ModelError
from minpairs.evaluation import evaluate_items
from minpairs.scoring import load_scorer

ROOT = Path(__file__).parents[2]
ITEMS = 6


@pytest.fixture(scope="module")
def suites():
    chosen = [
        *load_suites(str(ROOT / "climp"), ["classifier", "head_final_clause"]),
        *load_suites(str(ROOT / "let_alone"), ["npi", "scalar"]),
    ]
    return [suite.sample(ITEMS, 0) for suite in chosen]


def broken(bias: torch.Tensor) -> torch.nn.Module:
    """A model whose logits are the same whatever it reads."""
    model = causal("opt", positions=512)
    head = torch.nn.Linear(32, 320)
    with torch.no_grad():
        head.weight.zero_()
        head.bias.copy_(bias)
    model.set_output_embeddings(head)
    return model


def certain_of(token: int) -> torch.Tensor:
    bias = torch.zeros(320)
    bias[token] = 1e3
    return bias


@pytest.mark.parametrize("ties", ["strict", "half"])
@pytest.mark.parametrize(
    "bias", [torch.zeros(320), certain_of(1)], ids=["constant logits", "one token always certain"]
)
def test_a_broken_model_is_never_above_chance(suites, bias, ties):
    scorer = load_scorer(broken(bias), tokenizer=byte_tokenizer())
    texts = list(dict.fromkeys(text for suite in suites for text in suite.every_text()))
    scores = scorer.score([t.continuation for t in texts], [t.context for t in texts])
    found = dict(zip(texts, scores, strict=True))
    for measure in ("sum", "mean"):
        for suite in suites:
            result = evaluate_items(cell_values([suite], found, measure), suite.design, ties=ties)
            assert result.micro.accuracy <= suite.design.chance, suite.name
    assert scorer.settings()["fault"]


def test_a_model_of_nothing_but_nan_has_no_verdicts(suites):
    scorer = load_scorer(broken(torch.full((320,), float("nan"))), tokenizer=byte_tokenizer())
    with pytest.raises(ModelError, match="gave the log-probability nan"):
        scorer.score([text.continuation for text in suites[0].every_text()])


def test_equal_scores_are_ties_and_ties_are_not_right(suites):
    for suite in suites:
        equal = {cell: np.full(len(suite), -7.0) for cell in suite.design.cells}
        result = evaluate_items(equal, suite.design).micro
        assert (result.accuracy, result.ties) == (0.0, len(suite))
