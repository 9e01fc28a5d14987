"""The vocabulary head at chosen positions only: it is what costs memory, and often time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

# Logits that are normalised at a time: on a processor, so many as stay in its cache.
_CHUNK = {"cpu": 1 << 19}
_LARGE_CHUNK = 1 << 24


def causal_head(model: Any) -> list[Any]:
    """The module that turns a causal model's hidden states into logits, if it says which."""
    head = model.get_output_embeddings()
    return [] if head is None else [head]


def masked_head(model: Any) -> list[Any]:
    """The modules that follow a masked model's encoder."""
    base = getattr(model, "base_model_prefix", "")
    return [child for name, child in model.named_children() if name != base]


def logits_at(
    model: Any, head: Iterable[Any], rows: torch.Tensor, inputs: dict[str, Any]
) -> torch.Tensor:
    """Logits at some positions of a batch, shape ``(len(rows), vocabulary)``.

    A head works position by position, so that nothing changes if it is given fewer positions; soft
    caps and biases of the model stay in place.

    Args:
        model: a transformers model.
        head: its head's modules; the first that is reached gets the chosen positions.
        rows: positions, counted over the flattened batch.
        inputs: keyword arguments of the forward pass, with ``input_ids`` of shape ``(b, t)``.
    """
    shape = inputs["input_ids"].shape
    with _only(head, rows, shape):
        logits: torch.Tensor = model(**inputs).logits
    if logits.shape[:2] == (1, len(rows)):
        return logits[0]
    return logits.reshape(-1, logits.shape[-1])[rows]


def log_probabilities(
    logits: torch.Tensor, rows: torch.Tensor, targets: torch.Tensor
) -> NDArray[np.float64]:
    """``log_softmax(logits)[rows, targets]`` in float32, a few rows at a time.

    Args:
        logits: in any precision, shape ``(positions, vocabulary)``.
        rows: row of each value that is wanted, shape ``(values,)``.
        targets: its token.
    """
    rows, targets = rows.to(logits.device), targets.to(logits.device)
    order = torch.argsort(rows)
    chunk = max(4, _CHUNK.get(logits.device.type, _LARGE_CHUNK) // logits.shape[-1])
    starts = torch.arange(0, len(logits) + chunk, chunk, device=logits.device)
    bounds = torch.searchsorted(rows[order], starts).tolist()
    values = torch.empty(len(rows), dtype=torch.float32, device=logits.device)
    for part, first, last in zip(torch.split(logits, chunk), bounds[:-1], bounds[1:], strict=True):
        # Twice as fast as logsumexp, which goes over the logits several times.
        normalised = part.float().log_softmax(dim=-1)
        wanted = order[first:last]
        values[wanted] = normalised[rows[wanted] % chunk, targets[wanted]]
    # Sums are in float64, which some devices (MPS) do not have.
    result: NDArray[np.float64] = values.cpu().double().numpy()
    return result


@contextmanager
def _only(head: Iterable[Any], rows: torch.Tensor, shape: torch.Size) -> Iterator[None]:
    def choose(_module: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...] | None:
        hidden = arguments[0] if arguments else None
        if isinstance(hidden, torch.Tensor) and hidden.ndim == 3 and hidden.shape[:2] == shape:
            return (hidden.reshape(-1, hidden.shape[-1])[rows][None], *arguments[1:])
        return None

    handles = [module.register_forward_pre_hook(choose) for module in head]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
