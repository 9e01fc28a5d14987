"""What makes a training run this run: its record, and where its coded corpus is kept."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from minpairs._version import __version__
from minpairs.training.corpus import Corpus
from minpairs.training.presets import CausalSettings, MaskedSettings

CODED = "coded"  # gone when the training is done: it would give the corpus away

_CODING = ("pieces", "vocabulary", "positions", "held_out", "seed")  # settings that coding takes


def run_record(
    model: str, corpus: Corpus, settings: CausalSettings | MaskedSettings
) -> dict[str, Any]:
    """What a run must have in common with one it takes up: version, corpus and settings."""
    return {
        "minpairs": __version__,
        "model": model,
        "corpus": _identity(corpus),
        "settings": asdict(settings),
    }


def coding_key(
    model: str, corpus: Corpus, settings: CausalSettings | MaskedSettings
) -> dict[str, Any]:
    """Arguments of ``prepare``: what the coded corpus depends on, and which process codes it."""
    coding = {key: value for key, value in asdict(settings).items() if key in _CODING}
    return {
        "key": {"model": model, "corpus": _identity(corpus), "settings": coding},
        # One process a node: nodes need not share a disk.
        "main": int(os.environ.get("LOCAL_RANK", "0")) == 0,
    }


def _identity(corpus: Corpus) -> Mapping[str, Any]:
    layout = {"column": corpus.column, "unit": corpus.unit, "language": corpus.language}
    return {"files": dict(corpus.identity), **layout}
