"""Accuracy by phenomenon or suite, models side by side, against chance and the papers' numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from minpairs.evaluation import Evaluation, GroupResult
from minpairs.report.figures._style import FAINT, INK, PAPER, grid, look, new, style
from minpairs.report.published import published
from minpairs.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_OVERALL = "overall"
_PEOPLE = "people (the CLiMP paper's, on its own items)"
_BABYLM = "BabyLM (the let-alone paper's, on its own items)"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the figure; shares are fractions of one.

    Attributes:
        title: what was measured.
        accuracies: by model.
        intervals: by model, 95 %.
        reference: a published accuracy, if there is one.
    """

    title: str
    accuracies: Mapping[str, float]
    intervals: Mapping[str, Interval]
    reference: float | None = None


def accuracy_figure(
    evaluations: Mapping[str, Evaluation], *, title: str = "", references: bool = True
) -> Figure:
    """Draws a row a phenomenon (a paradigm or suite where none are named), and one for all.

    CLiMP's phenomena come in the order of its paper's Table 2, with the accuracies of people that
    are printed there. The suites of the let-alone study carry their predictions and the accuracies
    of the paper's BabyLM; an overall figure would mix its tests with its controls.

    Args:
        evaluations: by model, all of one design.
        title: above the figure.
        references: whether to show published accuracies.
    """
    rows, reference = _rows(evaluations)
    models = list(evaluations)
    with style([title, *models, *(row.title for row in rows)]):
        least = 0.38 if any("\n" in row.title for row in rows) else 0.26
        height = 0.75 + len(rows) * max(least, 0.1 + 0.12 * len(models)) + 0.17 * len(models)
        figure = new(6.4, height)
        axes = figure.add_subplot()
        chance = next(iter(evaluations.values())).micro.chance
        axes.axvline(100 * chance, color=INK, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
        for position, model in enumerate(models):
            _draw_model(axes, rows, model, position, len(models))
        places = [i for i, row in enumerate(rows) if row.reference is not None]
        if references and places:
            axes.plot(
                [100 * (rows[i].reference or 0) for i in places],
                places,
                linestyle="",
                marker="|",
                markersize=11,
                markeredgewidth=1.8,
                color=INK,
                label=reference,
            )
        if rows[-1].title == _OVERALL:
            axes.axhline(len(rows) - 1.5, color=FAINT, linewidth=0.6)
        axes.set_yticks(range(len(rows)), [row.title for row in rows])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlim(-1, 101)
        axes.set_xticks(range(0, 101, 25))
        axes.set_xlabel(f"accuracy, %  (dashed: chance, {100 * chance:g} %; bars: 95 % intervals)")
        grid(axes)
        if title:
            axes.set_title(title, loc="left")
        keys = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
        order = [name for name in (*models, reference) if name in keys]
        figure.legend([keys[name] for name in order], order, loc="outside lower right")
    return figure


def _rows(evaluations: Mapping[str, Evaluation]) -> tuple[list[Row], str]:
    """The rows, and what their published accuracies are."""
    found = {m: {r.name: r for r in e.phenomena or e.groups} for m, e in evaluations.items()}
    names = list(dict.fromkeys(name for results in found.values() for name in results))
    titles = {name: name.replace("_", " ") for name in names}
    known: Mapping[str, float] = {}
    total: float | None = None
    overall, reference = True, ""
    interactions = all(e.design == "interaction" for e in evaluations.values())
    people = {one.name: one for one in published().climp_phenomena}
    properties = {one.config: one for one in published().let_alone_properties}
    if all(evaluation.phenomena for evaluation in evaluations.values()) and set(names) <= set(
        people
    ):
        names = [name for name in people if name in names]
        titles = {name: people[name].title for name in names}
        known, reference = published().climp_human, _PEOPLE
        total = published().climp_human_overall if len(names) == len(people) else None
    elif interactions and set(names) <= set(properties):
        names = [name for name in properties if name in names]
        titles = {n: f"{properties[n].title}\npredicted {properties[n].prediction}" for n in names}
        known, reference, overall = published().baseline, _BABYLM, False
    rows = [
        _row(
            titles[name],
            {model: results[name] for model, results in found.items() if name in results},
            known.get(name),
        )
        for name in names
    ]
    complete = all(set(results) == set(names) for results in found.values())
    if overall and complete and len(names) > 1:
        rows.append(_row(_OVERALL, {m: e.macro for m, e in evaluations.items()}, total))
    return rows, reference


def _row(title: str, results: Mapping[str, GroupResult], reference: float | None) -> Row:
    return Row(
        title,
        {model: result.accuracy for model, result in results.items()},
        {model: result.clustered_interval or result.interval for model, result in results.items()},
        reference,
    )


def _draw_model(axes: Axes, rows: Sequence[Row], model: str, position: int, count: int) -> None:
    shown = look(position)
    step = min(0.22, 0.7 / count)
    offset = (position - (count - 1) / 2) * step
    places = [i for i, row in enumerate(rows) if model in row.accuracies]
    values = [100 * rows[i].accuracies[model] for i in places]
    ends = [rows[i].intervals[model] for i in places]
    axes.errorbar(
        values,
        [i + offset for i in places],
        xerr=[
            [max(0.0, v - 100 * end.low) for v, end in zip(values, ends, strict=True)],
            [max(0.0, 100 * end.high - v) for v, end in zip(values, ends, strict=True)],
        ],
        linestyle="",
        marker=shown.marker,
        markersize=4.5,
        markerfacecolor=shown.colour if shown.filled else PAPER,
        color=shown.colour,
        elinewidth=1.1,
        label=model,
        zorder=3,
    )
