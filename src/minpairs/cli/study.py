"""``minpairs study``: the published studies, all their models trained, scored and tabulated."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console
from typer.core import TyperCommand

from minpairs.cli._shared import quiet_libraries
from minpairs.cli.filter import (
    ColumnOption,
    LanguageOption,
    RulesOption,
    SplitOption,
    Unit,
    UnitOption,
)
from minpairs.progress import console, progress

if TYPE_CHECKING:
    from minpairs.studies import Plan
    from minpairs.studies.corpora import Text
    from minpairs.training.corpus import Corpus

study = typer.Typer(
    help="A published study from its corpus to its tables: every model trained, scored, tabulated.",
    no_args_is_help=True,
)


class Lists(TyperCommand):
    """Options of several values take them one after another: ``--seeds 1 2``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Repeats the option before each further value."""
        several = {
            name
            for option in self.params
            if getattr(option, "multiple", False)
            for name in option.opts
        }
        spread: list[str] = []
        option, first = "", True
        for arg in args:
            if arg.startswith("-"):
                option, first = (arg if arg in several else ""), True
            elif option:
                spread += [] if first else [option]
                first = False
            spread.append(arg)
        return super().parse_args(ctx, spread)


CorpusOption = Annotated[
    str,
    typer.Option(help="A folder of texts (BabyLM's, say), one file, or a dataset FOLDER:CONFIG."),
]
SuitesOption = Annotated[
    str,
    typer.Option(help="What to score: the benchmark's folder or Hub name, or some suites of it."),
]
LimitOption = Annotated[
    int | None,
    typer.Option(min=1, help="Score so many items a suite, drawn at random: for trials."),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="SETTING=VALUE",
        help="Another value for a preset's setting, as in max_steps=300 or lstm-200.epochs=2.",
    ),
]
ProcessesOption = Annotated[
    int, typer.Option(min=0, help="Models at a time, each on a GPU; 0: as many as there are GPUs.")
]
DryOption = Annotated[
    bool, typer.Option("--dry-run", help="Print the plan and about how long it takes, no more.")
]


@study.command("climp", cls=Lists)
def climp(
    corpus: CorpusOption,
    out: Annotated[Path, typer.Option(help="Folder of the study.")] = Path("studies/climp"),
    sizes: Annotated[
        list[int] | None,
        typer.Option(
            help="Sentences of each corpus, drawn at random. By default the paper's 400000 2000000 "
            "21500000, as far as there are so many; else all, and a fifth. n-grams: up to 2000000."
        ),
    ] = None,
    models: Annotated[
        list[str] | None, typer.Option(help="Presets; by default 5gram lstm-200.")
    ] = None,
    units: Annotated[
        list[str] | None, typer.Option(help="char, word (by jieba); by default both.")
    ] = None,
    seeds: Annotated[
        list[int] | None, typer.Option(help="Seeds of the LSTMs; by default 1.")
    ] = None,
    settings: SetOption = None,
    suites: SuitesOption = "climp",
    limit: LimitOption = None,
    processes: ProcessesOption = 0,
    dry_run: DryOption = False,
    column: ColumnOption = "text",
    unit: UnitOption = Unit.auto,
    language: LanguageOption = "zh",
    split: SplitOption = "train",
) -> None:
    """5-grams and LSTMs of characters and words, by size of the corpus: CLiMP's Table 2.

    Run the same command again to go on with a study that was stopped: what is done is not redone.
    """
    from minpairs.studies import climp_plan, climp_texts, default_sizes, parse_changes
    from minpairs.studies.corpora import count_sentences
    from minpairs.studies.plan import CLIMP_MODELS

    quiet_libraries()
    opened = _open(corpus, column, unit, language, split)
    presets = models or CLIMP_MODELS
    changes = parse_changes("climp", settings or (), presets)
    with progress() as bar:
        sentences = count_sentences(opened, out, bar("counting sentences"))
    plan = climp_plan(
        sizes or default_sizes(sentences),
        models=presets,
        units=_units(units or ("char", "word")),
        seeds=seeds or (1,),
        suites=suites,
        limit=limit,
        changes=changes,
    )
    if dry_run:
        _print_plan(plan, opened, out, processes)
        return
    with console.status("drawing sentences"):
        texts = climp_texts(plan, opened, out, sentences)
    _carry_out(plan, texts, out, processes)


@study.command("let-alone", cls=Lists)
def let_alone(
    corpus: CorpusOption,
    out: Annotated[Path, typer.Option(help="Folder of the study.")] = Path("studies/let_alone"),
    seeds: Annotated[
        list[int] | None, typer.Option(help="Seeds of the models; by default 1 2.")
    ] = None,
    scenarios: Annotated[
        list[str] | None, typer.Option(help="Filters; by default the study's six.")
    ] = None,
    variant: Annotated[
        str, typer.Option(help="Filters as described in the study, or as_released.")
    ] = "described",
    rules: RulesOption = None,
    preset: Annotated[str, typer.Option(help="opt-97m, the study's; opt-tiny for trials.")] = (
        "opt-97m"
    ),
    settings: SetOption = None,
    suites: SuitesOption = "let_alone",
    limit: LimitOption = None,
    measure: Annotated[str, typer.Option(help="What is compared.")] = "slor",
    processes: ProcessesOption = 0,
    dry_run: DryOption = False,
    column: ColumnOption = "text",
    unit: UnitOption = Unit.auto,
    language: LanguageOption = "en",
    split: SplitOption = "train",
) -> None:
    """OPT models on a corpus under each filter: the let-alone study's Tables 2 to 4.

    Run the same command again to go on with a study that was stopped: what is done is not redone.
    """
    from minpairs.studies import let_alone_plan, let_alone_texts, parse_changes
    from minpairs.studies.plan import SCENARIOS

    quiet_libraries()
    plan = let_alone_plan(
        seeds or (1, 2),
        scenarios=scenarios or SCENARIOS,
        preset=preset,
        variant=variant,
        rules=rules,
        suites=suites,
        measure=measure,
        limit=limit,
        changes=parse_changes("let_alone", settings or (), [preset]),
    )
    opened = _open(corpus, column, unit, language, split)
    if dry_run:
        _print_plan(plan, opened, out, processes)
        return
    with progress() as bar:
        texts = let_alone_texts(plan, opened, out, processes or 1, bar("filtering"))
    _carry_out(plan, texts, out, processes)


def _carry_out(plan: Plan, texts: Mapping[str, Text], out: Path, processes: int) -> None:
    from minpairs.report import to_rich
    from minpairs.studies import Work, gpu_processes, run_cells, write_report

    work = Work(plan, texts, out)
    number = processes or gpu_processes()
    with progress() as bar:
        done = run_cells(work, number, bars=bar if number == 1 else None, progress=bar("models"))
    answers = Console()
    for table in write_report(work, done):
        answers.print(to_rich(table))
        answers.print()
    console.print(f"tables are in {out / 'report.md'}, every score in {out / 'results'}")


def _open(corpus: str, column: str, unit: Unit, language: str, split: str) -> Corpus:
    from minpairs.cli.filter import open_as_asked

    return open_as_asked(corpus, column, unit, language, split)


def _units(units: Sequence[str]) -> list[Literal["char", "word"]]:
    from minpairs.errors import nearest
    from minpairs.studies import StudyError

    for unit in units:
        if unit not in ("char", "word"):
            raise StudyError(f"--units {unit!r}; {nearest(unit, ('char', 'word'))}")
    return ["word" if unit == "word" else "char" for unit in units]


def _print_plan(plan: Plan, corpus: Corpus, out: Path, processes: int) -> None:
    """What would be trained, and how long it may take."""
    from minpairs.report import to_rich
    from minpairs.studies import gpu_processes, visible_gpus
    from minpairs.studies.estimates import estimates, extent_of, plan_table

    number = processes or gpu_processes()
    cores = max(1, (os.cpu_count() or 1) // number)
    found = estimates(plan, extent_of(corpus), out, gpu=bool(visible_gpus()), cores=cores)
    Console().print(to_rich(plan_table(plan, found, number)))
