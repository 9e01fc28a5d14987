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
    TaskID,
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


class SuiteSegmentation(StrEnum):
    """Units of a scored suite: those of an n-gram model, or the words that the suite itself has."""

    characters = "characters"
    words = "words"
    jieba = "jieba"
    gold = "gold"


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
    """Turns off the progress bars of datasets and transformers: ours says what matters."""
    import datasets
    from transformers.utils import logging

    datasets.disable_progress_bars()
    logging.disable_progress_bar()
    logging.set_verbosity_error()


@contextmanager
def progress(*, shown: bool = True) -> Iterator[Callable[[str], Callable[[int, int], None]]]:
    """Progress bars: from a bar's name to a function of what is done and of what there is in all.

    A bar's name that comes again starts that bar anew.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not shown) as bars:
        tasks: dict[str, TaskID] = {}

        def start(name: str) -> Callable[[int, int], None]:
            if name not in tasks:
                tasks[name] = bars.add_task(name, total=None)
            task = tasks[name]
            return lambda done, total: bars.update(task, completed=done, total=total)

        yield start
