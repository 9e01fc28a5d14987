"""Training corpora, filters and models."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from minpairs.training.causal import train_causal
    from minpairs.training.corpus import Corpus, open_corpus
    from minpairs.training.filtering import count_folder, filter_corpus
    from minpairs.training.filters import load_filters
    from minpairs.training.masked import train_masked
    from minpairs.training.presets import (
        CAUSAL_PRESETS,
        MASKED_PRESETS,
        CausalSettings,
        MaskedSettings,
        chosen,
    )
    from minpairs.training.sample import corpus_about, corpus_tables, sample_corpus
    from minpairs.training.unigram_counts import count_corpus, token_counter, write_unigrams

__all__ = [
    "CAUSAL_PRESETS",
    "MASKED_PRESETS",
    "CausalSettings",
    "Corpus",
    "MaskedSettings",
    "chosen",
    "corpus_about",
    "corpus_tables",
    "count_corpus",
    "count_folder",
    "filter_corpus",
    "load_filters",
    "open_corpus",
    "sample_corpus",
    "token_counter",
    "train_causal",
    "train_masked",
    "write_unigrams",
]

_MODULES = (
    *("corpus", "filters", "filtering", "unigram_counts", "sample"),
    *("presets", "causal", "masked"),
)


def __getattr__(name: str) -> Any:
    # Loaded when first used: a worker that filters needs no grammar, one that trains no filters.
    if name in __all__:
        for module in _MODULES:
            found = import_module(f"minpairs.training.{module}")
            if name in getattr(found, "__all__", ()):
                return getattr(found, name)
    raise AttributeError(f"module 'minpairs.training' has no attribute {name!r}")
