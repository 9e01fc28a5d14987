"""Whether a follow-up that fits is preferred to one that contradicts (the let-alone Figure 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from minpairs.interactions import NEAR_ZERO, Differences
from minpairs.report.figures._style import GRID, INK, grid, look, new, style
from minpairs.report.figures.interactions import label, units

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BINS = 40
_TAILS = 0.005  # of the values on each side are drawn at the edge


def felicity_figure(models: Mapping[str, Differences], measure: str) -> Figure:
    """Draws, for each model, how far the fitting follow-up scores above the contradicting one.

    After the construction one of the two contradicts what was said; after its control neither
    does. Without knowledge of the scale both lie evenly about zero.

    Args:
        models: differences of one suite with contexts.
        measure: what is compared.
    """
    form = next(iter(models.values())).form
    names = [form.construction.replace("_", " "), form.control.replace("_", " ")]
    with style([*models, *names]):
        figure = new(6.4, 0.7 + 1.35 * len(models))
        panels = figure.subplots(len(models), 1, squeeze=False, sharex=True)[:, 0]
        edges = _edges(models)
        for axes, (model, differences) in zip(panels, models.items(), strict=True):
            parts = (differences.construction_delta, differences.control_delta)
            for position, (name, values) in enumerate(zip(names, parts, strict=True)):
                shown = look(position)
                inside = np.clip(values.ravel(), edges[0], edges[-1])
                axes.hist(
                    inside,
                    edges,
                    weights=np.full(inside.size, 100 / inside.size),
                    histtype="stepfilled" if position == 0 else "step",
                    facecolor=shown.colour,
                    edgecolor=shown.colour,
                    alpha=0.55 if position == 0 else 1.0,
                    linewidth=1.3,
                    linestyle="-" if position == 0 else (0, (2, 1)),
                    label=f"after {name}: {100 * (values > 0).mean():.1f} % above zero",
                )
            axes.axvspan(-NEAR_ZERO, NEAR_ZERO, color=GRID, alpha=0.6, linewidth=0, zorder=0)
            axes.axvline(0, color=INK, linewidth=0.9)
            axes.set_ylim(0, 1.45 * axes.get_ylim()[1])  # room for the legend above the bars
            axes.set_title(model, loc="left")
            axes.set_ylabel("items, %")
            axes.legend(loc="upper right", handlelength=1.4)
            grid(axes)
        panels[-1].set_xlabel(
            f"fitting less contradicting follow-up ({label(measure)}, {units(measure)}); "
            f"grey: within ±{NEAR_ZERO}"
        )
    return figure


def _edges(models: Mapping[str, Differences]) -> np.ndarray:
    every = np.concatenate(
        [
            part.ravel()
            for one in models.values()
            for part in (one.construction_delta, one.control_delta)
        ]
    )
    reach = max(float(np.abs(np.quantile(every, [_TAILS, 1 - _TAILS])).max()), 2 * NEAR_ZERO)
    return np.linspace(-reach, reach, _BINS + 1)
