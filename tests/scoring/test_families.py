"""Every causal architecture: scores equal a plain loop, by tree where trees are exact."""

from __future__ import annotations

import pytest
import torch
from tiny_models import SENTENCES, VOCABULARY, byte_tokenizer, fill
from transformers import AutoConfig, AutoModelForCausalLM

from minpairs.scoring import load_scorer
from minpairs.scoring.packing import PackedLinear, pack

SIZES = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 64,
    "pad_token_id": 2,
}
GROUPED = {"num_key_value_heads": 2}
# Sizes of each family's tiny model, and whether its prefix trees are exact.
FAMILIES: dict[str, tuple[dict[str, object], bool]] = {
    "opt": ({"word_embed_proj_dim": 32, "ffn_dim": 64}, True),
    "gpt2": ({}, True),
    "llama": (GROUPED, True),
    "gpt_neox": ({}, True),
    "gpt_neo": ({"num_layers": 2, "attention_types": [[["global", "local"], 1]]}, True),
    "gptj": ({"rotary_dim": 8}, True),
    "codegen": ({"rotary_dim": 8}, True),
    "falcon": ({"alibi": False}, True),
    "mistral": ({**GROUPED, "sliding_window": 64}, True),
    "mixtral": ({**GROUPED, "num_local_experts": 2}, True),
    "qwen2": (GROUPED, True),
    "qwen3": ({**GROUPED, "head_dim": 8}, True),
    "phi": ({}, True),
    "phi3": (GROUPED, True),
    "gemma": ({**GROUPED, "head_dim": 8}, True),
    "gemma2": ({**GROUPED, "head_dim": 8}, True),
    "gemma3_text": ({**GROUPED, "head_dim": 8}, True),
    "olmo2": (GROUPED, True),
    "stablelm": (GROUPED, True),
    "cohere": (GROUPED, True),
    "granite": (GROUPED, True),
    "starcoder2": (GROUPED, True),
    "xglm": ({"d_model": 32, "ffn_dim": 64, "num_layers": 2, "attention_heads": 4}, True),
    "bloom": ({"n_layer": 2, "n_head": 4}, False),
    "mpt": ({"d_model": 32, "n_heads": 4, "n_layers": 2, "max_seq_len": 64}, False),
    "mamba": ({"state_size": 4}, False),
}
# A window of 6 tokens: shorter than most sentences.
WINDOWED: dict[str, dict[str, object]] = {
    "mistral": {**GROUPED, "sliding_window": 6},
    "gemma3_text": {**GROUPED, "head_dim": 8, "sliding_window": 6},
    "gemma2": {**GROUPED, "head_dim": 8, "sliding_window": 6},
    "gpt_neo": {"num_layers": 2, "attention_types": [[["global", "local"], 1]], "window_size": 6},
}


def build(family: str, options: dict[str, object]) -> torch.nn.Module:
    config = AutoConfig.for_model(family, **{**SIZES, **options})
    return fill(AutoModelForCausalLM.from_config(config), size=0.2)


def reference(model: torch.nn.Module, text: str) -> float:
    tokenizer = byte_tokenizer()
    ids = [0, *tokenizer(text, add_special_tokens=False)["input_ids"]]
    with torch.inference_mode():
        logits = model(torch.tensor([ids]), use_cache=False).logits[0, :-1]
    logprobs = logits.double().log_softmax(-1)
    return logprobs.gather(1, torch.tensor(ids[1:])[:, None]).sum().item()


@pytest.mark.parametrize("family", FAMILIES)
def test_scores_equal_a_plain_loop(family):
    options, _ = FAMILIES[family]
    model = build(family, options)
    scores = load_scorer(model, tokenizer=byte_tokenizer()).score(SENTENCES)
    expected = [reference(model, text) for text in SENTENCES]
    assert [score.logprob for score in scores] == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("family", FAMILIES)
def test_trees_are_used_just_where_they_are_exact(family):
    options, exact = FAMILIES[family]
    scorer = load_scorer(build(family, options), tokenizer=byte_tokenizer())
    scorer.score(SENTENCES)
    assert scorer.backend.use_trees == exact


@pytest.mark.parametrize("family", WINDOWED)
def test_windows_shorter_than_a_text_are_kept(family):
    model = build(family, WINDOWED[family])
    scores = load_scorer(model, tokenizer=byte_tokenizer()).score(SENTENCES)
    expected = [reference(model, text) for text in SENTENCES]
    assert [score.logprob for score in scores] == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("family", FAMILIES)
def test_layers_packed_for_bfloat16_answer_as_they_did(family):
    options, _ = FAMILIES[family]
    model = build(family, options).to(torch.bfloat16)
    expected = load_scorer(model, tokenizer=byte_tokenizer()).score(SENTENCES)
    packed = pack(model, byte_tokenizer(), "causal", family)
    assert packed == sum(isinstance(module, PackedLinear) for module in model.modules())
    found = load_scorer(model, tokenizer=byte_tokenizer()).score(SENTENCES)
    for one, other in zip(found, expected, strict=True):
        # Rounding in another order: far less than what bfloat16 itself costs.
        assert one.logprob == pytest.approx(other.logprob, abs=0.05 * one.tokens)
