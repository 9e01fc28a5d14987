"""Training an OPT model on a corpus, as the let-alone study did."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import torch
from transformers import OPTConfig, OPTForCausalLM, set_seed

from minpairs.training.batches import CodedSentences, pack, packed_bounds, pad, sentence_bounds
from minpairs.training.card import transformer_card
from minpairs.training.corpus import Corpus
from minpairs.training.loop import train
from minpairs.training.prepared import Prepared, prepare, write_token_counts
from minpairs.training.presets import CausalSettings, check_heads
from minpairs.training.record import CODED, coding_key, run_record
from minpairs.training.run_folder import Trained, finished, once
from minpairs.training.tokenizers import OPT_SYMBOLS, byte_level_bpe

__all__ = ["causal_parameters", "finished_causal", "train_causal"]


def train_causal(
    corpus: Corpus,
    out: Path,
    settings: CausalSettings,
    *,
    scenario: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Trained:
    """Trains an OPT model, or goes on with a run that was stopped; a finished one is not run again.

    Every sentence begins with ``<s>``, as it does when it is scored, and ends with ``</s>``. The
    byte-level BPE is trained on the same sentences. Under a launcher of several processes each of
    them calls this with the same arguments.

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
    record = run_record("opt", corpus, settings)
    training = partial(_train, corpus, out, settings, record, scenario, progress)
    return once(out, record, training, out / CODED)


def finished_causal(corpus: Corpus, out: Path, settings: CausalSettings) -> Trained | None:
    """The model of these settings and this corpus that a folder holds already, or ``None``.

    Raises:
        ModelError: the folder holds another run.
    """
    return finished(out, run_record("opt", corpus, settings))


def causal_parameters(settings: CausalSettings) -> int:
    """Weights of the model, with as many tokens as ``settings.vocabulary``."""
    with torch.device("meta"):
        model = OPTForCausalLM(_config(settings, settings.vocabulary))
    return int(model.num_parameters())


def _train(
    corpus: Corpus,
    out: Path,
    settings: CausalSettings,
    record: Mapping[str, Any],
    scenario: str | None,
    progress: Callable[[int, int], None] | None,
) -> Trained:
    config = _config(settings, settings.vocabulary)
    prepared = prepare(
        corpus,
        out / CODED,
        partial(byte_level_bpe, vocabulary=settings.vocabulary, positions=settings.positions),
        longest=settings.positions,
        share=settings.held_out,
        seed=settings.seed,
        **coding_key("opt", corpus, settings),
    )
    config.vocab_size = len(prepared.tokenizer)
    set_seed(settings.seed)
    model = OPTForCausalLM(config)
    write_token_counts(prepared, out / "unigrams.parquet", corpus)
    return train(
        model,
        prepared.tokenizer,
        _rows(prepared, prepared.learned, settings),
        _rows(prepared, prepared.held_out, settings).by_length(),
        out,
        settings,
        record,
        collate=_collate(prepared, settings),
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


def _config(settings: CausalSettings, vocabulary: int) -> OPTConfig:
    check_heads(settings)
    beginning, padding, end = range(len(OPT_SYMBOLS))
    return OPTConfig(
        vocab_size=vocabulary,
        hidden_size=settings.hidden,
        word_embed_proj_dim=settings.hidden,
        ffn_dim=settings.feed_forward,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        max_position_embeddings=settings.positions,
        dropout=settings.dropout,
        bos_token_id=beginning,
        pad_token_id=padding,
        eos_token_id=end,
        # Eager attention would misread the boolean mask of packed rows in silence.
        attn_implementation="sdpa",
    )


def _rows(prepared: Prepared, ids: Any, settings: CausalSettings) -> CodedSentences:
    if settings.packed:
        bounds = packed_bounds(ids, prepared.beginning, settings.positions)
    else:
        bounds = sentence_bounds(ids, prepared.beginning)
    return CodedSentences(ids, bounds)


def _collate(prepared: Prepared, settings: CausalSettings) -> Any:
    padding = prepared.tokenizer.pad_token_id
    if settings.packed:
        return partial(pack, padding=padding, beginning=prepared.beginning)
    return partial(pad, padding=padding)
