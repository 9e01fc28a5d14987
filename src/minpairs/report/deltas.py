"""The table of ΔS: what a manipulation costs with a construction and with its control."""

from __future__ import annotations

from collections.abc import Mapping

from minpairs.evaluation import Evaluation
from minpairs.interactions import Distribution, Form
from minpairs.measures import MEASURES
from minpairs.report.model import Cell, Column, Table
from minpairs.report.tables import signatures_of, warnings_of


def deltas_table(
    evaluations: Mapping[str, Evaluation], form: Form, measure: str, *, caption: str = ""
) -> Table | None:
    """What the manipulation costs with the construction and with its control, a row a suite.

    These are the numbers behind the let-alone paper's Figures 1 and 2. None where no suite is an
    interaction.
    """
    several = len(evaluations) > 1
    rows: list[tuple[Cell, ...]] = []
    for model, evaluation in evaluations.items():
        for group in evaluation.groups:
            if group.deltas is None:
                continue
            deltas = group.deltas
            rows.append(
                (
                    *((model,) if several else ()),
                    group.name,
                    group.n,
                    *_mean(deltas.construction),
                    *_mean(deltas.control),
                    *_mean(deltas.difference),
                    deltas.difference.minimum,
                    deltas.difference.lower_quartile,
                    deltas.difference.median,
                    deltas.difference.upper_quartile,
                    deltas.difference.maximum,
                    deltas.difference.near_zero,
                )
            )
    if not rows:
        return None
    construction, control = (name.replace("_", " ") for name in (form.construction, form.control))
    parts = ("construction", f"Δ {construction}"), ("control", f"Δ {control}")
    means = [
        column
        for key, title in (*parts, ("difference", "difference"))
        for column in (
            Column(f"{key}_delta" if key != "difference" else key, title, "number"),
            Column(f"{key}_interval", "95 % interval", "range"),
        )
    ]
    return Table(
        columns=(
            *((Column("model", "model", "text"),) if several else ()),
            Column("suite", "suite", "text"),
            Column("n", "n", "count"),
            *means,
            Column("minimum", "min.", "number"),
            Column("lower_quartile", "lower quartile", "number"),
            Column("median", "median", "number"),
            Column("upper_quartile", "upper quartile", "number"),
            Column("maximum", "max.", "number"),
            Column("near_zero", "within ±0.1 %", "percent"),
        ),
        rows=tuple(rows),
        caption=caption,
        footnotes=(
            *warnings_of(evaluations),
            f"Δ: {measure} ({MEASURES[measure].description}) of the plain text less that of the "
            "manipulated one. Positive: the model finds the manipulated text worse.",
            f"Difference: Δ {construction} less Δ {control}. Positive: the manipulation costs more "
            f"with {construction} than with {control}, as predicted where only {construction} "
            "forbids it. Its distribution is over items and orders.",
            "Intervals of means are Student's t, 95 %, each item's orders averaged"
            + (
                ", clustered."
                if any(e.clusters is not None for e in evaluations.values())
                else "; they take items as independent."
            ),
        ),
        signatures=signatures_of(evaluations),
        models_in_rows=several,
    )


def _mean(distribution: Distribution) -> tuple[Cell, Cell]:
    return distribution.mean, distribution.interval
