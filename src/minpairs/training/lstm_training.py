"""Training an LSTM on a corpus."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from transformers import set_seed

from minpairs._version import __version__
from minpairs.training.batches import CodedSentences, pad, sentence_bounds
from minpairs.training.card import front_matter, outcome, settings_table
from minpairs.training.held_out import choose_held_out
from minpairs.training.loop import train
from minpairs.training.lstm import LstmConfig, LstmForCausalLM
from minpairs.training.presets import LstmSettings
from minpairs.training.run_folder import Trained, once
from minpairs.training.unit_tokenizer import unit_tokenizer
from minpairs.training.vocabulary import (
    BEGINNING,
    SYMBOLS,
    UNKNOWN,
    CodedCorpus,
    code_corpus,
    limit_vocabulary,
)


def train_lstm(
    sentences: Iterable[str],
    out: Path,
    settings: LstmSettings,
    *,
    corpus: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> Trained:
    """Trains an LSTM, or goes on with a run that was stopped; a finished one is not run again.

    Args:
        sentences: the corpus; it is held in memory, 4 bytes a unit.
        out: folder for the model, its tokenizer, card and logs.
        settings: of the model and its training.
        corpus: what the card calls the corpus.
        progress: told of the steps done and to be done.

    Raises:
        CorpusError: no text, or too little to hold any out.
        ModelError: the settings do not fit, or the folder holds another run.
    """
    coded = code_corpus(sentences, settings.segmentation)
    held_out = choose_held_out(coded.sentences, settings.held_out, settings.seed)
    coded, counts = _limited(coded, held_out, settings)
    record = {
        "minpairs": __version__,
        "model": LstmConfig.model_type,
        "corpus": {"name": corpus, "sha256": _content(coded), **counts},
        "settings": asdict(settings),
    }
    return once(
        out,
        record,
        lambda: _train(coded, held_out, counts, corpus, out, settings, record, progress),
    )


def _train(
    coded: CodedCorpus,
    held_out: NDArray[np.int64],
    counts: dict[str, Any],
    corpus: str,
    out: Path,
    settings: LstmSettings,
    record: dict[str, Any],
    progress: Callable[[int, int], None] | None,
) -> Trained:
    set_seed(settings.seed)
    model = LstmForCausalLM(
        LstmConfig(
            vocab_size=len(coded.vocabulary),
            embedding_size=settings.embedding,
            hidden_size=settings.units,
            num_hidden_layers=settings.layers,
            dropout=settings.dropout,
            tie_word_embeddings=settings.tied,
        )
    )
    tokenizer = unit_tokenizer(coded.vocabulary, settings.segmentation)
    bounds = sentence_bounds(coded.ids, BEGINNING)
    return train(
        model,
        tokenizer,
        CodedSentences(coded.ids, np.delete(bounds, held_out, axis=0)),
        CodedSentences(coded.ids, bounds[held_out]).by_length(),
        out,
        settings,
        record,
        collate=partial(pad, padding=tokenizer.pad_token_id),
        card=lambda trained: _card(corpus, settings, counts, trained),
        progress=progress,
    )


def _limited(
    coded: CodedCorpus, held_out: NDArray[np.int64], settings: LstmSettings
) -> tuple[CodedCorpus, dict[str, Any]]:
    """The corpus with the vocabulary of what is learned from, and numbers for the card."""
    learned = np.ones(coded.sentences, dtype=np.bool_)
    learned[held_out] = False
    inside = learned[np.cumsum(coded.ids == BEGINNING) - 1]
    counts = np.bincount(coded.ids[inside], minlength=len(coded.vocabulary))
    limited = limit_vocabulary(coded, max(settings.min_count, 1), settings.max_units, counts)
    return limited, {
        "sentences": int(learned.sum()),
        "held_out": len(held_out),
        "tokens": int(inside.sum()) - 2 * int(learned.sum()),
        "units": len(limited.vocabulary) - len(SYMBOLS),
        "unknown_tokens": int(np.count_nonzero(limited.ids[inside] == UNKNOWN)),
    }


def _content(coded: CodedCorpus) -> str:
    digest = hashlib.sha256("\n".join(coded.vocabulary).encode())
    digest.update(coded.ids.data)
    return digest.hexdigest()[:16]


def _card(corpus: str, settings: LstmSettings, counts: dict[str, Any], trained: Trained) -> str:
    share = counts["unknown_tokens"] / counts["tokens"]
    return f"""{front_matter("text-generation", "lstm")}
# LSTM language model

Trained with minpairs {__version__} on {corpus or "a corpus"}: {counts["sentences"]:,} sentences,
{counts["tokens"]:,} {settings.segmentation} ({counts["held_out"]:,} more sentences held out).
The vocabulary has {counts["units"]:,} units; those seen fewer than {settings.min_count} times are
`<unk>`, {share:.2%} of the text. Each sentence begins with `<s>` and a fresh state.

{outcome(trained)}

Load it after `import minpairs.training.lstm`, or score it with `minpairs score`.

{settings_table(settings)}
"""
