"""Training an LSTM on a corpus."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from transformers import set_seed

from minpairs._version import __version__
from minpairs.files import write_durably
from minpairs.training.errors import CorpusError
from minpairs.training.loop import CodedSentences, Trained, finished, train
from minpairs.training.lstm import LstmConfig, LstmForCausalLM
from minpairs.training.presets import LstmSettings
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
    held_out = _held_out(coded.sentences, settings)
    coded, counts = _limited(coded, held_out, settings)
    record = {
        "minpairs": __version__,
        "model": LstmConfig.model_type,
        "corpus": {"name": corpus, "sha256": _content(coded), **counts},
        "settings": asdict(settings),
    }
    if (done := finished(out, record)) is not None:
        return done
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
    bounds = _bounds(coded.ids)
    chosen = set(held_out.tolist())
    write_durably(out / "README.md", _card(corpus, settings, counts).encode())
    return train(
        model,
        unit_tokenizer(coded.vocabulary, settings.segmentation),
        CodedSentences(coded.ids, [b for i, b in enumerate(bounds) if i not in chosen]),
        CodedSentences(coded.ids, [bounds[i] for i in held_out]),
        out,
        settings,
        record,
        progress,
    )


def _held_out(sentences: int, settings: LstmSettings) -> NDArray[np.int64]:
    number = round(settings.held_out * sentences)
    if settings.held_out > 0:
        number = max(number, 1)
    if number >= sentences:
        raise CorpusError(
            f"the corpus has {sentences} sentences: {number} held out leave nothing to learn from"
        )
    return np.sort(np.random.default_rng(settings.seed).permutation(sentences)[:number])


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


def _bounds(ids: NDArray[np.int32]) -> list[tuple[int, int]]:
    starts = np.flatnonzero(ids == BEGINNING).tolist()
    return list(zip(starts, [*starts[1:], len(ids)], strict=True))


def _content(coded: CodedCorpus) -> str:
    digest = hashlib.sha256("\n".join(coded.vocabulary).encode())
    digest.update(coded.ids.data)
    return digest.hexdigest()[:16]


def _card(corpus: str, settings: LstmSettings, counts: dict[str, Any]) -> str:
    share = counts["unknown_tokens"] / counts["tokens"]
    rows = "".join(f"| {name} | {value} |\n" for name, value in asdict(settings).items())
    return f"""---
library_name: transformers
pipeline_tag: text-generation
tags: [minpairs, lstm]
---
# LSTM language model

Trained with minpairs {__version__} on {corpus or "a corpus"}: {counts["sentences"]:,} sentences,
{counts["tokens"]:,} {settings.segmentation} ({counts["held_out"]:,} more sentences held out).
The vocabulary has {counts["units"]:,} units; those seen fewer than {settings.min_count} times are
`<unk>`, {share:.2%} of the text. Each sentence begins with `<s>` and a fresh state.

Load it after `import minpairs.training.lstm`, or score it with `minpairs score`.

| setting | value |
|---|---|
{rows}"""
