"""Linear layers packed for bfloat16 on processors: the same answers, and nothing kept twice."""

from __future__ import annotations

import copy

import pytest
import torch
from tiny_models import SENTENCES, bert, byte_tokenizer, causal, wordpiece_tokenizer

from minpairs.scoring import load_scorer
from minpairs.scoring.packing import PackedLinear, pack

pytestmark = pytest.mark.skipif(
    not torch.ops.mkldnn._is_mkldnn_bf16_supported(), reason="this processor has no bfloat16"
)


def packed_layers(model) -> list[str]:
    return [name for name, module in model.named_modules() if isinstance(module, PackedLinear)]


@pytest.mark.parametrize(
    ("model", "tokenizer", "kind"),
    [
        (lambda: causal("opt"), byte_tokenizer, "causal"),
        (lambda: causal("llama"), byte_tokenizer, "causal"),
        (bert, wordpiece_tokenizer, "masked"),
    ],
)
def test_scores_are_those_of_the_layers_as_they_were(model, tokenizer, kind):
    original = model().to(torch.bfloat16)
    expected = load_scorer(original, tokenizer=tokenizer()).score(SENTENCES)
    assert not packed_layers(original)  # the caller's model stays as it is
    changed = copy.deepcopy(original)
    assert pack(changed, tokenizer(), kind, "tiny") == len(packed_layers(changed)) > 0
    found = load_scorer(changed, tokenizer=tokenizer()).score(SENTENCES)
    for one, other in zip(found, expected, strict=True):
        assert one.logprob == pytest.approx(other.logprob, abs=0.1)


def test_a_model_that_is_loaded_in_bfloat16_is_packed(tmp_path):
    causal("llama").save_pretrained(tmp_path)
    byte_tokenizer().save_pretrained(tmp_path)
    assert packed_layers(load_scorer(tmp_path, dtype="bfloat16").backend.model)
    assert not packed_layers(load_scorer(tmp_path).backend.model)
    assert not packed_layers(load_scorer(tmp_path, dtype="float16").backend.model)


def test_a_packed_weight_is_kept_once_and_comes_back_unchanged():
    linear = torch.nn.Linear(48, 80).to(torch.bfloat16)
    packed = PackedLinear(linear)
    assert packed.weight.untyped_storage().nbytes() == packed.weight.element_size()
    assert torch.equal(packed.unpacked().weight, linear.weight)
    assert torch.equal(packed.unpacked().bias, linear.bias)


def test_a_head_that_shares_its_weight_with_the_embedding_is_left_alone():
    model = causal("opt").to(torch.bfloat16)
    assert model.lm_head.weight.data_ptr() == model.get_input_embeddings().weight.data_ptr()
    pack(model, byte_tokenizer(), "causal", "tiny")
    assert type(model.lm_head) is torch.nn.Linear
    assert torch.isfinite(model.get_input_embeddings().weight).all()


def test_a_model_that_reads_a_weight_past_its_layer_is_left_alone():
    model = causal("llama").to(torch.bfloat16)
    layer = model.model.layers[0].mlp.down_proj
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}

    def forward(states):
        # The module of today, whatever became of it.
        weight = model.model.layers[0].mlp.down_proj.weight
        return torch.nn.functional.linear(states, weight)

    model.model.layers[0].mlp.forward = lambda states: forward(
        torch.nn.functional.silu(model.model.layers[0].mlp.gate_proj(states))
    )
    assert layer.weight.isfinite().all()
    assert pack(model, byte_tokenizer(), "causal", "tiny") == 0
    assert not packed_layers(model)
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


def test_layers_that_do_more_than_multiply_are_left_alone():
    class Adapted(torch.nn.Linear):
        def forward(self, states):
            return super().forward(states) + 1

    model = causal("llama").to(torch.bfloat16)
    old = model.model.layers[0].mlp.up_proj
    adapted = Adapted(old.in_features, old.out_features, bias=False).to(torch.bfloat16)
    model.model.layers[0].mlp.up_proj = adapted
    hooked = model.model.layers[0].mlp.gate_proj
    hooked.register_forward_hook(lambda _module, _inputs, output: output * 2)
    assert pack(model, byte_tokenizer(), "causal", "tiny") > 0
    assert model.model.layers[0].mlp.up_proj is adapted
    assert model.model.layers[0].mlp.gate_proj is hooked
