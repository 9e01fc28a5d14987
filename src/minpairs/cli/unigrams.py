"""``minpairs unigrams``: token counts of a training text, for SLOR."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from minpairs.cli._shared import Segmentation, console, quiet_libraries
from minpairs.cli.filter import (
    ColumnOption,
    CorpusArgument,
    LanguageOption,
    SplitOption,
    Unit,
    UnitOption,
    open_as_asked,
)
from minpairs.errors import ModelError


class Counting(StrEnum):
    """How tokens are counted."""

    exact = "exact"
    as_released = "as_released"


def unigrams(
    model: Annotated[
        str,
        typer.Argument(help="The model (or its tokenizer): a folder, a Hub name, a KenLM file."),
    ],
    corpus: CorpusArgument,
    out: Annotated[
        Path | None,
        typer.Option(help="File to write; default: unigrams.parquet beside the model."),
    ] = None,
    variant: Annotated[
        Counting,
        typer.Option(
            help="exact: the tokens of the sentences. as_released: as the let-alone study's code "
            "counts, line ends included, and without smoothing."
        ),
    ] = Counting.exact,
    segmentation: Annotated[
        Segmentation, typer.Option(help="n-gram models: the units of a text.")
    ] = Segmentation.characters,
    column: ColumnOption = "text",
    unit: UnitOption = Unit.auto,
    language: LanguageOption = "en",
    split: SplitOption = "train",
) -> None:
    """Counts a model's tokens in the text it was trained on, and stores them beside the model.

    Scoring finds them there by itself. For a folder that minpairs filter wrote, without a config,
    the counts go into its configs unigrams.SCENARIO instead.
    """
    from minpairs.training.filtering import count_folder
    from minpairs.training.unigram_counts import (
        count_corpus,
        describe,
        token_counter,
        write_unigrams,
    )

    quiet_libraries()
    path = Path(model)
    counter = token_counter(segmentation.value if path.is_file() else model, variant.value)
    folder = Path(corpus)
    if out is None and (folder / "report.json").is_file():
        with console.status("counting"):
            report = count_folder(folder, counter)
        console.print(f"{folder}: unigrams.* of {', '.join(report.unigrams)}")
        return
    if out is None and not path.exists():
        raise ModelError(f"{model} is no folder here; say with --out where the counts go")
    target = out or (path if path.is_dir() else path.parent) / "unigrams.parquet"
    opened = open_as_asked(corpus, column, unit, language, split)
    with console.status("counting"):
        counts = count_corpus(opened, counter)
        write_unigrams(
            target, counts, variant.value, tokens=counter.name, corpus=describe(opened.identity)
        )
    total = sum(counts.values())
    console.print(f"{target}: {total:,} tokens, {len(counts):,} different")
