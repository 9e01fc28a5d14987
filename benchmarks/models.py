"""The models that benchmarks score with: the papers' shapes, with random weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
    OPTConfig,
    OPTForCausalLM,
    PreTrainedTokenizerFast,
)

OPT_VOCABULARY = 16_384
BERT_VOCABULARY = 21_128


def opt(texts: Sequence[str]) -> tuple[Any, Any]:
    """The let-alone study's OPT (97M parameters), and a byte-level BPE tokenizer of the texts."""
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    core.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=OPT_VOCABULARY,
            special_tokens=["<s>", "</s>", "<pad>"],
            initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
            show_progress=False,
        ),
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core, bos_token="<s>", eos_token="</s>", pad_token="<pad>"
    )
    torch.manual_seed(0)
    config = OPTConfig(
        vocab_size=OPT_VOCABULARY,
        hidden_size=768,
        word_embed_proj_dim=768,
        ffn_dim=3072,
        num_hidden_layers=12,
        num_attention_heads=12,
        max_position_embeddings=256,
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=2,
    )
    return _spread(OPTForCausalLM(config)), tokenizer


def bert(texts: Sequence[str]) -> tuple[Any, Any]:
    """A model of the shape of bert-base-chinese, and a character tokenizer."""
    characters = sorted({character for text in texts for character in text})
    vocabulary = {
        token: index
        for index, token in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters])
    }
    core = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    core.normalizer = normalizers.BertNormalizer(lowercase=True)
    core.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    core.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )
    torch.manual_seed(0)
    return _spread(BertForMaskedLM(BertConfig(vocab_size=BERT_VOCABULARY))), tokenizer


def _spread(model: Any) -> Any:
    """Weights twice as large as at the start of training, so that log-probabilities differ."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2)
    return model.eval()
