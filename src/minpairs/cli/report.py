"""``minpairs report``: tables of the models in a results folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from minpairs.cli._shared import MeasureOption, Ties, TiesOption


def report(
    results: Annotated[Path, typer.Argument(help="Results folder, of one model or of many.")],
    measure: MeasureOption = "sum",
    ties: TiesOption = Ties.strict,
    interval: Annotated[
        str, typer.Option(help="wilson, or as_released (1.96 standard errors).")
    ] = "wilson",
) -> None:
    """Prints accuracies of every model and suite in a results folder, and writes report.md there.

    Any measure can be asked for: it is computed from the scores, and no model is run again.
    """
    print_report(results, measure, ties, interval)


def print_report(results: Path, measure: str, ties: Ties, interval: str = "wilson") -> None:
    """Prints the tables of a results folder and writes them to its ``report.md``."""
    from minpairs.evaluation import Evaluation
    from minpairs.files import write_durably
    from minpairs.judgements import judge
    from minpairs.report import models_table, results_table, to_markdown, to_rich
    from minpairs.report.choices import choices_table
    from minpairs.results import read_runs
    from minpairs.scoring.chat import Choices, judge_choices

    tables = []
    notes: dict[str, list[str]] = {}
    evaluations: dict[str, dict[str, Evaluation]] = {}
    chosen: dict[tuple[str, str], Choices] = {}
    for run in read_runs(results):
        name = run.folder.name
        if run.settings.get("kind") == "chat":
            choices = judge_choices(run, interval=interval)
            chosen |= {(benchmark, name): each for benchmark, each in choices.items()}
            judged = {benchmark: each.items for benchmark, each in choices.items()}
        else:
            judged = judge(run, measure_name=measure, ties=ties.value, interval=interval)
        notes[name] = [str(precision) for precision in run.precision]
        for benchmark, evaluation in judged.items():
            evaluations.setdefault(benchmark, {})[name] = evaluation
    for benchmark, models in evaluations.items():
        unit = "paradigm" if any(e.design == "minimal_pair" for e in models.values()) else "suite"
        if len(models) > 1:
            tables.append(models_table(models, caption=benchmark, unit=unit))
        for name, evaluation in models.items():
            caption = f"{benchmark}: {name}"
            if (benchmark, name) in chosen:
                tables.append(choices_table(chosen[benchmark, name], caption=caption))
            else:
                table = results_table(evaluation, caption=caption, unit=unit)
                tables.append(replace(table, footnotes=(*table.footnotes, *notes[name])))
    console = Console()
    for table in tables:
        console.print(to_rich(table))
        console.print()
    write_durably(results / "report.md", "\n".join(map(to_markdown, tables)).encode())
