"""What several commands share: the console, progress bars, and options."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from minpairs.progress import console, progress

# Both are used by every command beside what follows here.
__all__ = ["console", "progress"]


class Kind(StrEnum):
    """Kinds of models."""

    causal = "causal"
    masked = "masked"
    ngram = "ngram"


class Pll(StrEnum):
    """Pseudo-log-likelihoods."""

    original = "original"
    within_word_l2r = "within_word_l2r"


class Segmentation(StrEnum):
    """Units of an n-gram model."""

    characters = "characters"
    words = "words"
    jieba = "jieba"


class SuiteSegmentation(StrEnum):
    """Units of a scored suite: those of an n-gram model, or the words that the suite itself has."""

    characters = "characters"
    words = "words"
    jieba = "jieba"
    gold = "gold"


class Slor(StrEnum):
    """Forms of SLOR."""

    paper = "paper"
    as_released = "as_released"
    word = "word"


class Ties(StrEnum):
    """What a tie counts."""

    strict = "strict"
    half = "half"
    paper = "paper"


MeasureOption = Annotated[
    str,
    typer.Option(
        help="What is compared: sum (log-probability), mean (per token), slor, penlp, slln, "
        "per_word, per_character."
    ),
]
SlorOption = Annotated[
    Slor | None,
    typer.Option(
        help="With --measure slor: per scored token (paper); the let-alone authors' code, with one "
        "mean over N-1 tokens and one over N (as_released; score with --bos none); or per word."
    ),
]
TiesOption = Annotated[
    Ties, typer.Option(help="A tie counts as wrong (strict), as one half, or as right (paper).")
]

AcceptableOption = Annotated[
    str, typer.Option(help="Files of pairs: column of the acceptable sentence.")
]
UnacceptableOption = Annotated[
    str, typer.Option(help="Files of pairs: column of the unacceptable sentence.")
]
GroupOption = Annotated[
    str | None, typer.Option(help="Files of pairs: column that names the paradigm.")
]


def quiet_libraries() -> None:
    """Turns off the progress bars of transformers, which it imports: ours says what matters."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()
