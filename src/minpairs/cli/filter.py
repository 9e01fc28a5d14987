"""``minpairs filter``: a training corpus without what a model should not learn from."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from minpairs.cli._shared import console, progress, quiet_libraries

if TYPE_CHECKING:
    from minpairs.training.corpus import Corpus


class Unit(StrEnum):
    """What a line of a corpus is; auto: as is usual for its source."""

    auto = "auto"
    line = "line"
    paragraph = "paragraph"
    wrapped = "wrapped"


CorpusArgument = Annotated[
    str,
    typer.Argument(
        help="A folder (BabyLM's, or of text, JSONL or Parquet files), one file, or a dataset: "
        "FOLDER:CONFIG or ORG/NAME:CONFIG."
    ),
]
ColumnOption = Annotated[
    str, typer.Option(help="JSONL, Parquet, datasets: the column with the text.")
]
UnitOption = Annotated[
    Unit,
    typer.Option(
        help="What a line of text is: a sentence (line), a paragraph, or part of one (wrapped). "
        "auto: as usual for a file of BabyLM, else paragraph."
    ),
]
LanguageOption = Annotated[str, typer.Option(help="Language of the texts, to find sentences.")]
RulesOption = Annotated[
    Path | None,
    typer.Option(help="Your own rules and scenarios (YAML, as in corpus_filters.yaml)."),
]
SplitOption = Annotated[str, typer.Option(help="Datasets: which split.")]


def filter_(
    corpus: CorpusArgument,
    out: Annotated[Path, typer.Option(help="The dataset folder to be written.")],
    scenario: Annotated[
        list[str] | None,
        typer.Option(help="What to take out (may be given several times); default: all of them."),
    ] = None,
    variant: Annotated[
        str,
        typer.Option(
            help="described: as the let-alone study says. as_released: as its code does, faults "
            "included. Or one of your own rules file."
        ),
    ] = "described",
    rules: RulesOption = None,
    tokens: Annotated[
        str,
        typer.Option(
            help="Whose tokens unigrams.* count: words_punctuation, characters, words, jieba, a "
            "model, or none."
        ),
    ] = "words_punctuation",
    processes: Annotated[int, typer.Option(min=0, help="How many; 0: one a core.")] = 0,
    seed: Annotated[int, typer.Option(help="Seed of random controls.")] = 0,
    column: ColumnOption = "text",
    unit: UnitOption = Unit.auto,
    language: LanguageOption = "en",
    split: SplitOption = "train",
) -> None:
    """Takes sentences out of a training corpus, and proves that they are gone.

    Writes a dataset folder with the configs corpus.SCENARIO and unigrams.SCENARIO. Run the same
    command again to go on with a run that was stopped.
    """
    from minpairs.training.filter_report import by_rule, left_in, summary
    from minpairs.training.filtering import filter_corpus
    from minpairs.training.filters import load_filters

    quiet_libraries()
    chosen = load_filters(variant, rules)
    for name in scenario or ():
        chosen.scenario(name)
    opened = open_as_asked(corpus, column, unit, language, split)
    with progress() as bar:
        report = filter_corpus(
            opened,
            out,
            scenario or (),
            variant=chosen,
            seed=seed,
            processes=processes or os.cpu_count() or 1,
            tokens=None if tokens == "none" else tokens,
            progress=bar("filtering"),
        )
    answers = Console()
    for title, rows in (
        ("Taken out", summary(report)),
        ("Found by each rule", by_rule(report)),
        ("Left in, against the study's description", left_in(report)),
    ):
        if len(rows) > 1:
            answers.print(_table(title, rows))
    console.print(f"{out}: load_dataset({str(out)!r}, 'corpus.…'); by source: {out}/README.md")


def open_as_asked(corpus: str, column: str, unit: Unit, language: str, split: str) -> Corpus:
    """The corpus that a command line names."""
    from minpairs.training.corpus import open_corpus
    from minpairs.training.sources import UNITS

    chosen = next((one for one in UNITS if one == unit.value), None)
    return open_corpus(corpus, column=column, unit=chosen, language=language, split=split)


def _table(title: str, rows: list[list[str]]) -> Table:
    table = Table(title=title, title_justify="left")
    for number, name in enumerate(rows[0]):
        number_column = rows[1][number][:1].isdigit()
        table.add_column(name, justify="right" if number_column else "left", overflow="fold")
    for row in rows[1:]:
        table.add_row(*row)
    return table
