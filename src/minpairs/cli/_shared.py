"""What several commands share: the console, progress bars, and options."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

console = Console(stderr=True)  # what is going on; answers go to standard output


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
TiesOption = Annotated[
    Ties, typer.Option(help="A tie counts as wrong (strict), as one half, or as right (paper).")
]


def quiet_libraries() -> None:
    """Turns off the progress bars of datasets and transformers: ours says what matters."""
    import datasets
    from transformers.utils import logging

    datasets.disable_progress_bars()
    logging.disable_progress_bar()
    logging.set_verbosity_error()


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar; yields a function of what is done and of what there is in all."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
