"""Half precision and devices without float64: rounding never decides a verdict unseen."""

from __future__ import annotations

import math

import pytest
import torch
from tiny_models import SENTENCES, bert, byte_tokenizer, causal, wordpiece_tokenizer
from torch.overrides import TorchFunctionMode

from minpairs.scoring import load_scorer


class Float64(TorchFunctionMode):
    """Records what becomes float64 before it has come to the processor: MPS has no float64."""

    def __init__(self):
        super().__init__()
        self.fetched = []
        self.faults = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        source = args[0] if args else None
        if func is torch.Tensor.cpu:
            self.fetched.append(result)
        elif (
            isinstance(source, torch.Tensor)
            and isinstance(result, torch.Tensor)
            and (source.dtype, result.dtype) == (torch.float32, torch.float64)
            and not any(source is one for one in self.fetched)
        ):
            self.faults.append(func.__name__)
        return result


@pytest.mark.parametrize(
    ("model", "tokenizer"), [(bert, wordpiece_tokenizer), (causal, byte_tokenizer)]
)
def test_nothing_on_the_device_is_float64(model, tokenizer):
    scorer = load_scorer(model(), tokenizer=tokenizer())
    with Float64() as mode:
        scorer.score(["the cat came.", "the dog came."])
    assert mode.fetched
    assert not mode.faults


def test_the_record_of_float64_would_see_it():
    with Float64() as mode:
        torch.ones(2).double().cpu()
    assert mode.faults == ["double"]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_scores_of_half_precision_models_are_normalised_in_float32(dtype):
    # Rounded to the model's precision, 96 of 500 pairs tied in another tool.
    scorer = load_scorer(causal("llama"), tokenizer=byte_tokenizer(), dtype=dtype)
    logprobs = [score.logprob for score in scorer.score(SENTENCES)]
    rounded = torch.tensor(logprobs, dtype=getattr(torch, dtype)).double().tolist()
    assert len(set(logprobs)) == len(SENTENCES)
    assert all(one != other for one, other in zip(logprobs, rounded, strict=True))


@pytest.mark.parametrize("tree_nodes", [0, 256])
@pytest.mark.parametrize("family", ["opt", "llama"])
def test_padded_rows_in_bfloat16_give_finite_scores(family, tree_nodes):
    options = {"tokenizer": byte_tokenizer(), "tree_nodes": tree_nodes}
    half = load_scorer(causal(family), dtype="bfloat16", **options).score(SENTENCES)
    full = load_scorer(causal(family), **options).score(SENTENCES)
    for one, other in zip(half, full, strict=True):
        assert math.isfinite(one.logprob)
        assert one.logprob == pytest.approx(other.logprob, rel=0.05)
