"""One HTML page of a results folder: everything in one file, nothing from the network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from minpairs.evaluation import Evaluation
from minpairs.files import write_durably
from minpairs.measures import MEASURES
from minpairs.report.assemble import Judged, by_benchmark, report_tables
from minpairs.report.figures import Drawing, drawings, short_names, themed, to_bytes
from minpairs.report.model import Cell, Estimate, Table
from minpairs.report.page.answers import answer, choice, question, title
from minpairs.report.page.items import SuiteItems, suite_items
from minpairs.report.render import write_cell
from minpairs.statistics import Interval

_FILTERED = 8  # tables of so many rows get a field to filter them


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model says to a benchmark's question."""

    model: str
    text: str
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A benchmark on the page."""

    title: str
    anchor: str
    question: str
    answers: tuple[Answer, ...]
    drawings: tuple[Drawing, ...]
    tables: tuple[Table, ...]
    suites: tuple[SuiteItems, ...]
    tokens: bool  # whether any item shows its tokens
    signatures: tuple[tuple[str, str], ...]


def write_page(
    judged: Sequence[Judged], path: Path, *, drawn: Sequence[Drawing] | None = None
) -> None:
    """Writes the page; see :func:`render_page`."""
    write_durably(path, render_page(judged, drawn=drawn).encode())


def render_page(judged: Sequence[Judged], *, drawn: Sequence[Drawing] | None = None) -> str:
    """The page of some runs' results, as HTML.

    It holds for each benchmark the question and every model's answer, figures, tables that can be
    sorted and filtered, and the items that each model gets most wrong or can hardly decide, with
    the surprisal of every token where these were kept. The same results give the same page.

    Args:
        judged: as :func:`minpairs.report.assemble.judge_runs` gives them.
        drawn: their figures, if they have been drawn already.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("minpairs.report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "svg": lambda one: Markup(themed(to_bytes(one.figure, "svg_text"), one.name)),
        "cell": lambda cell, column: write_cell(column.kind, cell),
        "key": sort_key,
        "signed": lambda number: f"{number:+.2f}".replace("-", "−"),
    }
    figures = drawings(judged) if drawn is None else drawn
    names = short_names([one.name for one in judged])
    named = [replace(one, name=names[one.name]) for one in judged]
    return environment.get_template("page.html").render(
        sections=_sections(named, figures),
        models=[(one.name, _shared_name(one.run.model), one.run.settings) for one in named],
        measure=named[0].measure,
        compared=MEASURES[named[0].measure].description if _scored(named) else "choices",
        filtered=_FILTERED,
        css=Markup(_text("page.css")),
        js=Markup(_text("page.js")),
    )


def sort_key(cell: Cell) -> str:
    """What a table is sorted by: a number where the cell has one, else its text."""
    if cell is None:
        return ""
    if isinstance(cell, Estimate):
        return str(cell.value)
    if isinstance(cell, Interval):
        return str(cell.low)
    if isinstance(cell, int | float):
        return str(cell)
    return str(cell)


def _sections(judged: Sequence[Judged], figures: Sequence[Drawing]) -> list[Section]:
    sections: list[Section] = []
    for benchmark, models in by_benchmark(judged).items():
        mine = [_only(one, benchmark) for one in judged if benchmark in one.evaluations]
        suites = suite_items(
            {
                one.name: (one.run, one.judgements[benchmark])
                for one in mine
                if benchmark in one.judgements
            }
        )
        sections.append(
            Section(
                title=title(benchmark),
                anchor=f"benchmark-{len(sections) + 1}",
                question=question(benchmark, next(iter(models.values()))),
                answers=tuple(_answer(one, benchmark) for one in mine),
                drawings=tuple(each for each in figures if each.benchmark == benchmark),
                tables=tuple(report_tables(mine)),
                suites=tuple(suites),
                tokens=any(
                    cell.pieces
                    for suite in suites
                    for chosen in suite.models
                    for item in (*chosen.worst, *chosen.closest)
                    for comparison in item.comparisons
                    for cell in (comparison.left, comparison.right)
                ),
                signatures=tuple(
                    (name, str(evaluation.signature or "")) for name, evaluation in models.items()
                ),
            )
        )
    return sections


def _answer(one: Judged, benchmark: str) -> Answer:
    evaluation: Evaluation = one.evaluations[benchmark]
    felicity = {
        config: found
        for full, found in one.felicity.items()
        for config in [full.partition(".")[2]]
        if config in {group.name for group in evaluation.groups}
    }
    text = choice(evaluation) if benchmark in one.choices else answer(evaluation, felicity)
    return Answer(one.name, text, evaluation.warnings)


def _only(one: Judged, benchmark: str) -> Judged:
    """What was judged of one benchmark alone."""
    return replace(
        one,
        judgements={name: found for name, found in one.judgements.items() if name == benchmark},
        choices={name: found for name, found in one.choices.items() if name == benchmark},
    )


def _scored(judged: Sequence[Judged]) -> bool:
    return any(one.judgements for one in judged)


def _shared_name(model: str) -> str:
    """A model's name without the folders of the machine it lay on; a Hub name as it is."""
    local = model.startswith((".", "/", "~")) or model.count("/") > 1
    return Path(model).name if local else model


def _text(name: str) -> str:
    return resources.files("minpairs.report.page").joinpath(name).read_text("utf-8")
