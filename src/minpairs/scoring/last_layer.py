"""The last encoder layer at one position of each row.

A pseudo-log-likelihood reads one position of the last layer's output, so that layer needs all
positions' keys and values, but one query and one feed-forward step. This holds for encoders built
like BERT's (BERT, RoBERTa, ELECTRA, XLM-R, CamemBERT …); others keep the whole layer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention

_PARTS = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output",
    "intermediate",
    "output",
)


def last_layer(model: Any) -> Any | None:
    """The last layer of a BERT-like encoder, or ``None`` where the encoder is built otherwise."""
    encoder = getattr(
        getattr(model, getattr(model, "base_model_prefix", ""), None), "encoder", None
    )
    layers = getattr(encoder, "layer", None)
    if not isinstance(layers, torch.nn.ModuleList) or not layers:
        return None
    layer = layers[-1]
    found = dict(layer.named_modules())
    return layer if all(part in found for part in _PARTS) else None


@contextmanager
def queries_at(layer: Any, positions: torch.Tensor) -> Iterator[None]:
    """Runs ``layer`` at one position of each row, given by ``positions`` of shape ``(b,)``.

    The layer's output is then of shape ``(b, 1, hidden)``. Rows must not be padded.
    """
    rows = torch.arange(len(positions), device=positions.device)
    heads = layer.attention.self.num_attention_heads

    def split(states: torch.Tensor) -> torch.Tensor:
        return states.view(*states.shape[:2], heads, -1).transpose(1, 2)  # (b, heads, t, size)

    def forward(hidden_states: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
        attention = layer.attention.self
        chosen = hidden_states[rows, positions][:, None]  # (b, 1, hidden)
        read = scaled_dot_product_attention(
            split(attention.query(chosen)),
            split(attention.key(hidden_states)),
            split(attention.value(hidden_states)),
        )
        mixed = layer.attention.output(read.transpose(1, 2).flatten(2), chosen)
        output: torch.Tensor = layer.output(layer.intermediate(mixed), mixed)
        return output

    layer.forward = forward
    try:
        yield
    finally:
        del layer.forward
