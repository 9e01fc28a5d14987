"""``minpairs report``: tables of the models in a results folder."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from minpairs.cli._shared import MeasureOption, Slor, SlorOption, Ties, TiesOption, console

if TYPE_CHECKING:
    from minpairs.report.assemble import Judged


class Format(StrEnum):
    """What is printed."""

    terminal = "terminal"
    markdown = "markdown"
    latex = "latex"
    csv = "csv"


def report(
    results: Annotated[Path, typer.Argument(help="Results folder, of one model or of many.")],
    measure: MeasureOption = "sum",
    slor: SlorOption = None,
    ties: TiesOption = Ties.strict,
    interval: Annotated[
        str, typer.Option(help="wilson, or as_released (1.96 standard errors).")
    ] = "wilson",
    format: Annotated[  # noqa: A002 (the option's name)
        Format,
        typer.Option(help="What is printed; the files are written in any case."),
    ] = Format.terminal,
    figures: Annotated[
        Path | None, typer.Option(help="Folder for the figures, as SVG and PNG.")
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(help="File for one page with everything in it; it needs no network."),
    ] = None,
) -> None:
    """Prints accuracies of every model and suite in a results folder.

    Writes report.md, report.tex (booktabs) and report.csv (one row a model and suite) there, and
    comparisons.csv where there are several models. Any measure can be asked for: it is computed
    from the scores, and no model is run again.
    """
    print_report(
        results, measure, ties, interval, slor=slor, format=format, figures=figures, html=html
    )


def print_report(
    results: Path,
    measure: str,
    ties: Ties,
    interval: str = "wilson",
    *,
    slor: Slor | None = None,
    format: Format = Format.terminal,  # noqa: A002
    figures: Path | None = None,
    html: Path | None = None,
) -> None:
    """Prints the tables of a results folder, and writes them to files in it.

    Figures and the page are written where they are wanted.
    """
    from rich.console import Console

    from minpairs.measures import slor_measure
    from minpairs.report import to_rich
    from minpairs.report.assemble import judge_runs, report_tables
    from minpairs.report.writing import render, write_report
    from minpairs.results import read_runs

    judged = judge_runs(
        read_runs(results),
        measure_name=slor_measure(measure, slor.value if slor else None),
        ties=ties.value,
        interval=interval,
    )
    tables = report_tables(judged)
    written = render(judged, tables)
    write_report(results, written)
    if figures or html:
        _draw(judged, figures, html)
    if format is not Format.terminal:
        typer.echo(written[_FILES[format]], nl=False)
        return
    answers = Console()
    for table in tables:
        answers.print(to_rich(table))
        answers.print()


def _draw(judged: Sequence[Judged], figures: Path | None, html: Path | None) -> None:
    from minpairs.report.figures import drawings, write_figures
    from minpairs.report.page import write_page

    drawn = drawings(judged)
    if figures:
        for path in write_figures(drawn, figures):
            console.print(f"wrote {path}", markup=False)
    if html:
        write_page(judged, html, drawn=drawn)
        console.print(f"wrote {html}", markup=False)


_FILES = {
    Format.markdown: "report.md",
    Format.latex: "report.tex",
    Format.csv: "report.csv",
}
