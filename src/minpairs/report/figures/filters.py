"""Accuracy by what was filtered out of the training text (the let-alone Figure 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from minpairs.errors import MinpairsError
from minpairs.report.figures._style import INK, PAPER, grid, look, new, style
from minpairs.report.published import published

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ACROSS = 3
_MEAN, _SEED, _PAPER = "mean over seeds", "one seed", "the paper's (its own items)"


@dataclass(frozen=True, slots=True)
class FilterPoint:
    """One trained model on one suite.

    Attributes:
        scenario: what was filtered out of its training text.
        seed: of its training.
        suite: what it was scored on.
        accuracy: a fraction of one, both orders required.
    """

    scenario: str
    seed: int
    suite: str
    accuracy: float


def filters_figure(points: Sequence[FilterPoint], *, chance: float = 0.25) -> Figure:
    """Draws a panel a suite and a row a scenario: each seed as a point, their mean as a bar.

    Where scenarios are named as in the let-alone paper's Table 4, its numbers are marked too.

    Args:
        points: one for each scenario, seed and suite; scenarios and suites keep their order.
        chance: accuracy expected of scores without information.

    Raises:
        MinpairsError: there are no points, or a scenario, seed and suite comes twice.
    """
    keys = [(point.scenario, point.seed, point.suite) for point in points]
    if not points:
        raise MinpairsError("a figure of filters needs at least one trained model's accuracy")
    for key in keys:
        if keys.count(key) > 1:
            scenario, seed, suite = key
            raise MinpairsError(f"{scenario}, seed {seed}, {suite}: two accuracies; give one")
    scenarios = list(dict.fromkeys(point.scenario for point in points))
    suites = list(dict.fromkeys(point.suite for point in points))
    titles = {one.config: one.title for one in published().let_alone_properties}
    across = min(_ACROSS, len(suites))
    down = -(-len(suites) // across)
    with style([*scenarios, *suites]):
        figure = new(7.0, 0.75 + down * (0.4 + 0.23 * len(scenarios)))
        panels = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True).ravel()
        for axes, suite in zip(panels, suites, strict=False):
            _draw_suite(axes, suite, scenarios, points, chance)
            axes.set_title(titles.get(suite, suite.replace("_", " ")), loc="left")
        for axes in panels[len(suites) :]:
            axes.set_visible(False)
        for axes in panels[max(0, len(suites) - across) : len(suites)]:
            axes.tick_params(labelbottom=True)
        figure.supxlabel(
            f"accuracy, both orders, %  (dashed: chance, {100 * chance:g} %)", fontsize=8
        )
        unique = {
            name: handle
            for axes in panels
            for handle, name in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        order = [name for name in (_MEAN, _SEED, _PAPER) if name in unique]
        figure.legend([unique[name] for name in order], order, loc="outside upper right", ncols=3)
    return figure


def _draw_suite(
    axes: Axes, suite: str, scenarios: Sequence[str], points: Sequence[FilterPoint], chance: float
) -> None:
    for row, scenario in enumerate(scenarios):
        found = [p.accuracy for p in points if (p.scenario, p.suite) == (scenario, suite)]
        if found:
            axes.barh(
                row,
                100 * sum(found) / len(found),
                0.62,
                facecolor=look(4).colour,
                edgecolor=look(0).colour,
                linewidth=0.6,
                label=_MEAN,
                zorder=2,
            )
            axes.plot(
                [100 * accuracy for accuracy in found],
                [row] * len(found),
                linestyle="",
                marker="o",
                markersize=3.6,
                markerfacecolor=PAPER,
                markeredgecolor=INK,
                label=_SEED,
                zorder=3,
            )
        paper = published().let_alone.get(scenario, {}).get(suite)
        if paper is not None:
            axes.plot(
                100 * paper,
                row,
                linestyle="",
                marker="|",
                markersize=11,
                markeredgewidth=1.6,
                color=look(1).colour,
                label=_PAPER,
                zorder=4,
            )
    axes.axvline(100 * chance, color=INK, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
    axes.set_yticks(range(len(scenarios)), scenarios)
    axes.set_ylim(len(scenarios) - 0.5, -0.5)
    axes.set_xlim(-2, 102)
    axes.set_xticks(range(0, 101, 25))
    grid(axes)
