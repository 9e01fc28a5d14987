"""All accuracies of a report as one flat table for pandas, polars and R."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from minpairs.evaluation import Evaluation, GroupResult
from minpairs.interactions import Deltas
from minpairs.statistics import Interval


def accuracy_rows(
    evaluations: Mapping[str, Mapping[str, Evaluation]],
) -> list[dict[str, Any]]:
    """One row a model and paradigm or suite, phenomenon, macro and micro mean.

    Shares are fractions of one, differences in the measure's unit; what does not apply is None.

    Args:
        evaluations: by benchmark and model.
    """
    return [
        {
            "benchmark": benchmark,
            "model": model,
            **row,
            "signature": str(evaluation.signature or ""),
        }
        for benchmark, models in evaluations.items()
        for model, evaluation in models.items()
        for row in _rows(evaluation)
    ]


def to_flat_csv(rows: list[dict[str, Any]]) -> str:
    """Rows as CSV: every column that any of them has, numbers unrounded, None as nothing."""
    columns = list(dict.fromkeys(name for row in rows for name in row if name != "signature"))
    columns.append("signature")
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def _rows(evaluation: Evaluation) -> Iterator[dict[str, Any]]:
    unit = "paradigm" if evaluation.design == "minimal_pair" else "suite"
    for group in evaluation.groups:
        yield _row(unit, group)
    for phenomenon in evaluation.phenomena:
        yield _row("phenomenon", phenomenon)
    if len(evaluation.groups) > 1:
        yield _row("macro", evaluation.macro)
        yield _row("micro", evaluation.micro)


def _row(level: str, result: GroupResult) -> dict[str, Any]:
    singles = result.inequalities if len(result.inequalities) > 1 else ()
    return {
        "level": level,
        "group": result.name,
        "phenomenon": result.phenomenon,
        "n": result.n,
        "accuracy": result.accuracy,
        **_ends("", result.interval),
        **_ends("clustered_", result.clustered_interval),
        "ties": result.ties,
        "chance": result.chance,
        "mean_difference": result.mean_difference,
        "order_bias": result.order_bias,
        **{f"{single.name}_accuracy": single.accuracy for single in singles},
        **(_deltas(result.deltas) if result.deltas else {}),
    }


def _deltas(deltas: Deltas) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name in ("construction", "control", "difference"):
        distribution = getattr(deltas, name)
        row[f"{name}_delta"] = distribution.mean
        row |= _ends(f"{name}_delta_", distribution.interval)
    return row


def _ends(prefix: str, interval: Interval | None) -> dict[str, float | None]:
    if interval is None:
        return {f"{prefix}low": None, f"{prefix}high": None}
    return {f"{prefix}low": interval.low, f"{prefix}high": interval.high}
