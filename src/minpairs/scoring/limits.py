"""How a model is run, and what it can read: its longest input, embedding, special tokens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

# Tokenizers write a very large number where they know no limit.
_NO_LIMIT = 10**9


@contextmanager
def inference(model: Any) -> Iterator[None]:
    """Runs a model without gradients and without dropout, and leaves its mode as it was."""
    training = model.training
    model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        model.train(training)


def context_length(model: Any, tokenizer: Any) -> int | None:
    """The longest input in tokens, or ``None`` where neither model nor tokenizer has a limit."""
    limits = []
    positions = _learned_positions(model)
    if positions is not None:
        limits.append(positions)
    else:
        config = model.config.get_text_config()
        configured = getattr(config, "max_position_embeddings", None)
        if isinstance(configured, int) and configured > 0:
            limits.append(configured)
    stated = getattr(tokenizer, "model_max_length", None)
    if isinstance(stated, int) and 0 < stated < _NO_LIMIT:
        limits.append(stated)
    return min(limits) if limits else None


def embedding_rows(model: Any) -> int | None:
    """Number of tokens that have an embedding."""
    weight = getattr(model.get_input_embeddings(), "weight", None)
    return None if weight is None else int(weight.shape[0])


def plain_special_ids(tokenizer: Any) -> frozenset[int]:
    """Special tokens that no plain text contains."""
    return frozenset(int(token) for token in tokenizer.all_special_ids)


def _learned_positions(model: Any) -> int | None:
    """Usable rows of a learned position table: some models keep the first ones for padding."""
    for name, module in model.named_modules():
        leaf = name.rpartition(".")[2]
        if leaf not in {"position_embeddings", "embed_positions", "wpe"}:
            continue
        weight = getattr(module, "weight", None)
        if weight is None:
            continue
        rows = int(weight.shape[0])
        padding = getattr(module, "padding_idx", None)
        if padding is not None:
            return rows - int(padding) - 1
        return rows - int(getattr(module, "offset", 0))
    return None
