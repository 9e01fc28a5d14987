"""Training a masked BERT model on a corpus."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import torch
from transformers import BertConfig, BertForMaskedLM, set_seed

from minpairs.errors import ModelError
from minpairs.training.batches import (
    IGNORED,
    MaskedSentences,
    Masking,
    pad_masked,
    sentence_bounds,
)
from minpairs.training.card import transformer_card
from minpairs.training.corpus import Corpus
from minpairs.training.loop import train
from minpairs.training.prepared import prepare, write_token_counts
from minpairs.training.presets import MaskedSettings, check_heads
from minpairs.training.record import CODED, coding_key, run_record
from minpairs.training.run_folder import Trained, finished, once
from minpairs.training.tokenizers import BERT_SYMBOLS, bert_tokenizer

__all__ = ["finished_masked", "train_masked"]


def train_masked(
    corpus: Corpus,
    out: Path,
    settings: MaskedSettings,
    *,
    scenario: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Trained:
    """Trains a BERT model to find masked tokens; otherwise as ``train_causal``.

    The held-out loss is of masked tokens, the same ones at every evaluation.

    Args:
        corpus: the text; its tokens are kept in ``out`` until the training is done.
        out: folder for the model, its tokenizer, unigram counts, card and logs.
        settings: of the model and its training.
        scenario: for the card: what was filtered out of the corpus; by default what its name says.
        progress: told of the steps done and to be done.

    Raises:
        CorpusError: no text, or too little to hold any out.
        ModelError: the settings do not fit, or the folder holds another run.
    """
    record = run_record("bert", corpus, settings)
    training = partial(_train, corpus, out, settings, record, scenario, progress)
    return once(out, record, training, out / CODED)


def finished_masked(corpus: Corpus, out: Path, settings: MaskedSettings) -> Trained | None:
    """The model of these settings and this corpus that a folder holds already, or ``None``.

    Raises:
        ModelError: the folder holds another run.
    """
    return finished(out, run_record("bert", corpus, settings))


def masked_loss(
    outputs: Any, labels: torch.Tensor, num_items_in_batch: torch.Tensor | int | None = None
) -> torch.Tensor:
    """Cross-entropy (nats) by the masked token of a whole step.

    BERT's own loss is the mean over one batch of it, which weighs batches of few tokens too much.
    """
    asked = labels != IGNORED
    logits = outputs.logits[asked].float()
    total = torch.nn.functional.cross_entropy(logits, labels[asked], reduction="sum")
    return total / (asked.sum() if num_items_in_batch is None else num_items_in_batch)


def _train(
    corpus: Corpus,
    out: Path,
    settings: MaskedSettings,
    record: Mapping[str, Any],
    scenario: str | None,
    progress: Callable[[int, int], None] | None,
) -> Trained:
    config = _config(settings)
    prepared = prepare(
        corpus,
        out / CODED,
        partial(
            bert_tokenizer,
            pieces=settings.pieces,
            vocabulary=settings.vocabulary,
            positions=settings.positions,
        ),
        longest=settings.positions,
        share=settings.held_out,
        seed=settings.seed,
        **coding_key("bert", corpus, settings),
    )
    tokenizer = prepared.tokenizer
    config.vocab_size = len(tokenizer)
    set_seed(settings.seed)
    model = BertForMaskedLM(config)
    write_token_counts(prepared, out / "unigrams.parquet", corpus)
    masking = Masking(
        mask=tokenizer.mask_token_id,
        ordinary=len(BERT_SYMBOLS),
        vocabulary=len(tokenizer),
        share=settings.masked,
        seed=settings.seed,
    )
    learned, held_out = (
        MaskedSentences(ids, sentence_bounds(ids, prepared.beginning), masking)
        for ids in (prepared.learned, prepared.held_out)
    )
    return train(
        model,
        tokenizer,
        learned,
        held_out.by_length(),
        out,
        settings,
        record,
        collate=partial(pad_masked, padding=tokenizer.pad_token_id),
        loss=masked_loss,
        card=partial(
            transformer_card,
            settings,
            prepared.counts,
            model.num_parameters(),
            corpus.name,
            scenario,
        ),
        remove=[out / CODED],
        progress=progress,
    )


def _config(settings: MaskedSettings) -> BertConfig:
    check_heads(settings)
    if not 0 < settings.masked < 1:
        raise ModelError(f"a share of {settings.masked} cannot be masked: choose one inside 0 to 1")
    return BertConfig(
        vocab_size=settings.vocabulary,
        hidden_size=settings.hidden,
        intermediate_size=settings.feed_forward,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        max_position_embeddings=settings.positions,
        hidden_dropout_prob=settings.dropout,
        attention_probs_dropout_prob=settings.dropout,
        type_vocab_size=1,
        pad_token_id=BERT_SYMBOLS.index("[PAD]"),
    )
