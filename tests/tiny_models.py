"""Tiny models and tokenizers that tests build: same weights everywhere, nothing downloaded."""

from __future__ import annotations

import numpy as np
import torch
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import (
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    OPTConfig,
    OPTForCausalLM,
    PreTrainedTokenizerFast,
)

SENTENCES = (
    "The cat near the windows sleeps.",
    "The cat near the windows sleep.",
    "The cats near the window sleep.",
    "Nobody saw the small dog, let alone the large one.",
    "Nobody saw the small dog and the large one.",
    "Nobody saw the small cat.",
    "A letter came.",
    "Yes.",
)
VOCABULARY = 320


def fill(model: torch.nn.Module, seed: int = 0, size: float = 0.3) -> torch.nn.Module:
    """Weights that depend on the seed and the parameters' names and shapes only."""
    generator = np.random.default_rng(seed)
    with torch.no_grad():
        for name, parameter in sorted(model.named_parameters()):
            values = generator.normal(0, size, tuple(parameter.shape))
            if "norm" in name.lower() and name.endswith("weight"):
                values = 1 + values / 3
            parameter.copy_(torch.from_numpy(values))
    return model.eval()


def causal(family: str = "opt", positions: int = 64, seed: int = 0) -> torch.nn.Module:
    """An OPT-, GPT-2- or Llama-shaped causal model with ``VOCABULARY`` tokens."""
    if family == "opt":
        model = OPTForCausalLM(
            OPTConfig(
                vocab_size=VOCABULARY,
                hidden_size=32,
                word_embed_proj_dim=32,
                ffn_dim=64,
                num_hidden_layers=2,
                num_attention_heads=4,
                max_position_embeddings=positions,
                bos_token_id=0,
                eos_token_id=1,
                pad_token_id=2,
            )
        )
    elif family == "gpt2":
        model = GPT2LMHeadModel(
            GPT2Config(vocab_size=VOCABULARY, n_embd=32, n_layer=2, n_head=4, n_positions=positions)
        )
    else:
        model = LlamaForCausalLM(
            LlamaConfig(
                vocab_size=VOCABULARY,
                hidden_size=32,
                intermediate_size=64,
                num_hidden_layers=2,
                num_attention_heads=4,
                num_key_value_heads=2,
                max_position_embeddings=positions,
            )
        )
    return fill(model, seed)


def byte_tokenizer(
    *,
    bos: str | None = "<s>",
    eos: str | None = "</s>",
    pad: str | None = "<pad>",
    adds_bos: bool = False,
    adds_eos: bool = False,
    padding_side: str = "right",
) -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer, with or without beginning, end and padding tokens."""
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=["<s>", "</s>", "<pad>"],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    core.train_from_iterator(SENTENCES, trainer)
    if adds_bos or adds_eos:
        start, end = "<s> " if adds_bos else "", " </s>" if adds_eos else ""
        core.post_processor = processors.TemplateProcessing(
            single=f"{start}$A{end}", special_tokens=[("<s>", 0), ("</s>", 1)]
        )
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        bos_token=bos,
        eos_token=eos,
        pad_token=pad,
        padding_side=padding_side,
    )


def wordpiece_tokenizer() -> PreTrainedTokenizerFast:
    """A WordPiece tokenizer whose longer words fall into pieces; Chinese by characters."""
    words = ["the", "cat", "dog", "near", "window", "sleep", "saw", "nobody", "a", "letter", "came"]
    pieces = ["##s", "##er", "##ing", "##ter", "let", "no", "##body", "small", "large", "win"]
    characters = [*"他她看见了一只猫。.,", "##dow", "lo", "##ve"]
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {token: i for i, token in enumerate([*special, *words, *pieces, *characters])}
    core = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    core.normalizer = normalizers.BertNormalizer(lowercase=True)
    core.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    core.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )


def bert(seed: int = 0, positions: int = 32) -> torch.nn.Module:
    """A BERT-shaped masked model for ``wordpiece_tokenizer``."""
    config = BertConfig(
        vocab_size=len(wordpiece_tokenizer()),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=positions,
    )
    return fill(BertForMaskedLM(config), seed)
