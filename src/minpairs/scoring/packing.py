"""Linear layers whose weights stay in the layout that bfloat16 products on a processor need.

oneDNN multiplies by a weight in a layout of its own. torch's linear layers make it anew for every
product, which took a fifth of a bfloat16 pass over short texts. Packed layers keep it, and nothing
beside it: memory stays what it was.
"""

from __future__ import annotations

import logging
from collections import Counter
from typing import Any

import torch

from minpairs.scoring.memory import give_back_memory
from minpairs.scoring.model_checks import answers_to, probe

logger = logging.getLogger(__name__)

_LARGEST = 0.25  # nats: what another order of adding may change in bfloat16
_OPERATIONS = ("_reorder_linear_weight", "_linear_pointwise", "_is_mkldnn_bf16_supported")


class PackedLinear(torch.nn.Linear):
    """A linear layer with its weight packed.

    ``weight`` has its shape and precision, but is NaN throughout: code that multiplies by it, past
    ``forward``, is found out.
    """

    def __init__(self, linear: torch.nn.Linear) -> None:
        torch.nn.Module.__init__(self)
        self.in_features, self.out_features = linear.in_features, linear.out_features
        weight = linear.weight.detach()
        nothing = torch.full((1, 1), float("nan"), dtype=weight.dtype).expand(weight.shape)
        self.weight = torch.nn.Parameter(nothing, requires_grad=False)
        self.bias = linear.bias
        self._packed = torch.ops.mkldnn._reorder_linear_weight(weight)
        self.train(linear.training)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """See ``torch.nn.Linear``."""
        product: torch.Tensor = torch.ops.mkldnn._linear_pointwise(
            states, self._packed, self.bias, "none", [], ""
        )
        return product

    def unpacked(self) -> torch.nn.Linear:
        """The layer as it was."""
        linear = torch.nn.Linear(self.in_features, self.out_features, device="meta")
        linear.weight = torch.nn.Parameter(self._packed.to_dense(), requires_grad=False)
        linear.bias = self.bias
        return linear.train(self.training)


def pack(model: Any, tokenizer: Any, kind: str, name: str) -> int:
    """Packs a model's linear layers where that helps and changes nothing.

    Args:
        model: a transformers model that may be changed.
        tokenizer: its tokenizer.
        kind: ``causal`` or ``masked``.
        name: what the user called the model.

    Returns:
        How many layers are packed now: none in other precisions or on other devices, or where a
        model's answers would change.
    """
    rows = probe(model, tokenizer, kind) if _helps(model) else None
    if rows is None:
        return 0
    before = answers_to(model, rows.ids)
    packed = _pack(model)
    after = answers_to(model, rows.ids)
    if torch.allclose(before, after, rtol=0, atol=_LARGEST, equal_nan=True):
        give_back_memory()  # of the weights as they were
        return packed
    _unpack(model)
    logger.info("%s reads the weights of its linear layers itself: they stay unpacked", name)
    return 0


def _helps(model: Any) -> bool:
    parameters = list(model.parameters())
    return (
        {parameter.device.type for parameter in parameters} == {"cpu"}
        and model.dtype == torch.bfloat16
        and torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
        and all(hasattr(torch.ops.mkldnn, operation) for operation in _OPERATIONS)
        and bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    )


def _pack(model: Any) -> int:
    # A head that shares its weight with the embedding has to leave it as it is.
    uses = Counter(
        parameter.data_ptr() for _, parameter in model.named_parameters(remove_duplicate=False)
    )
    packed = 0
    for parent in list(model.modules()):
        for key, child in list(parent.named_children()):
            if (
                type(child) is torch.nn.Linear  # others do more than multiply
                and child.weight.dtype == torch.bfloat16
                and uses[child.weight.data_ptr()] == 1
                and not child._forward_hooks
                and not child._forward_pre_hooks
            ):
                setattr(parent, key, PackedLinear(child))
                packed += 1
    return packed


def _unpack(model: Any) -> None:
    for parent in list(model.modules()):
        for key, child in list(parent.named_children()):
            if isinstance(child, PackedLinear):
                setattr(parent, key, child.unpacked())
