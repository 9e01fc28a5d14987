"""What a manipulation costs with a construction and with its control (the let-alone Figure 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from minpairs.interactions import Differences, Distribution
from minpairs.labels import Codes
from minpairs.report.figures._style import FAINT, INK, PAPER, Look, grid, look, new, style
from minpairs.report.published import published

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Suites = Mapping[str, tuple[Differences, Codes | None]]
_HEIGHT = 0.24  # of a bar, in rows


def interaction_figure(models: Mapping[str, Suites], measure: str) -> Figure:
    """Draws, for each model, (a) ΔS of the construction and of its control, (b) their difference.

    A thin line holds the middle 90 % of items and orders, a bar the middle half, and a marker the
    mean with its 95 % interval.

    Args:
        models: differences and the items' cluster codes, by suite.
        measure: what S is.
    """
    first = next(iter(next(iter(models.values())).values()))[0].form
    names = [first.construction.replace("_", " "), first.control.replace("_", " ")]
    suites = _in_order([suite for found in models.values() for suite in found])
    delta = f"Δ{label(measure)}"
    with style([*models, *suites, *names]):
        height = 0.75 + len(models) * (0.45 + 0.42 * len(suites))
        figure = new(7.0, height)
        panels = figure.subplots(
            len(models), 2, squeeze=False, sharey=True, sharex="col", width_ratios=(1.15, 1)
        )
        for (left, right), (model, found) in zip(panels, models.items(), strict=True):
            for row, suite in enumerate(suites):
                if suite in found:
                    _draw_suite(left, right, row, *found[suite])
            left.set_yticks(range(len(suites)), [suite.replace("_", " ") for suite in suites])
            left.set_ylim(len(suites) - 0.5, -0.5)
            left.set_title(f"(a) {model}", loc="left")
            right.set_title("(b) difference", loc="left")
            for axes in (left, right):
                axes.axvline(0, color=INK, linewidth=0.9, zorder=1)
                grid(axes)
        panels[-1][0].set_xlabel(f"{delta} (plain less manipulated), {units(measure)}")
        panels[-1][1].set_xlabel(f"{delta}({names[0]}) − {delta}({names[1]})")
        figure.legend(
            handles=[_key(look(0), names[0]), _key(_control(), names[1])],
            loc="outside upper right",
            ncols=2,
        )
    return figure


def _in_order(suites: Sequence[str]) -> list[str]:
    """Each suite once; those of the let-alone study as its paper's Table 2 has them."""
    known = [one.config for one in published().let_alone_properties]
    every = list(dict.fromkeys(suites))
    return [s for s in known if s in every] + [s for s in every if s not in known]


def _draw_suite(
    left: Axes, right: Axes, row: int, differences: Differences, clusters: Codes | None
) -> None:
    deltas = differences.summary(clusters)
    _draw(left, row - 0.2, differences.construction_delta, deltas.construction, look(0))
    _draw(left, row + 0.2, differences.control_delta, deltas.control, _control())
    _draw(right, row, differences.difference, deltas.difference, Look(FAINT, "D", "", True))


def _draw(axes: Axes, y: float, values: np.ndarray, summary: Distribution, shown: Look) -> None:
    low, high = np.quantile(values, [0.05, 0.95])
    axes.plot([low, high], [y, y], color=shown.colour, linewidth=0.9, zorder=2)
    axes.barh(
        y,
        summary.upper_quartile - summary.lower_quartile,
        _HEIGHT,
        left=summary.lower_quartile,
        facecolor=PAPER if shown.hatch else shown.colour,
        edgecolor=shown.colour,
        hatch=shown.hatch or None,
        linewidth=0.8,
        zorder=2.5,
    )
    ends = summary.interval
    axes.errorbar(
        summary.mean,
        y,
        xerr=None if ends is None else [[summary.mean - ends.low], [ends.high - summary.mean]],
        marker=shown.marker,
        markersize=4.5,
        markerfacecolor=PAPER,
        markeredgecolor=INK,
        ecolor=INK,
        elinewidth=1.4,
        capsize=2.5,
        zorder=4,
    )


def _control() -> Look:
    return look(1)


def label(measure: str) -> str:
    """What a measure is called on an axis."""
    names = {"sum": "log p", "slor": "SLOR", "slln": "SLLN", "penlp": "PenLP"}
    return names.get(measure, measure.replace("_", " "))


def _key(shown: Look, name: str) -> object:
    from matplotlib.patches import Patch

    return Patch(
        facecolor=PAPER if shown.hatch else shown.colour,
        edgecolor=shown.colour,
        hatch=shown.hatch or None,
        label=name,
    )


def units(measure: str) -> str:
    """The unit of a measure, for an axis."""
    if measure in ("mean", "slor", "slor_as_released"):
        return "nats per token"
    per = measure.partition("_")[2] if measure in ("per_word", "per_character") else ""
    return f"nats per {per}" if per else "nats" if measure == "sum" else "normalised nats"
