"""Which numbers a table shows: one model's results, its phenomena, or several models side by side.

LaTeX and figures can be made from the same ``Table``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from minpairs.errors import MeasureError
from minpairs.evaluation import Evaluation, GroupResult
from minpairs.measures import SLOR
from minpairs.report.model import Cell, Column, Table

_TIES = {
    "strict": "A tie is not right.",
    "half": "A tie counts one half.",
    "paper": "A tie counts as right, as in the let-alone paper's >=.",
}
_INTERVALS = {
    "wilson": "Intervals are Wilson's, 95 %",
    "as_released": "Intervals are ±1.96 standard errors, as released",
}


@dataclass(frozen=True, slots=True)
class _Field:
    column: Column
    read: Callable[[GroupResult], Cell]


def results_table(evaluation: Evaluation, *, caption: str = "", unit: str = "paradigm") -> Table:
    """One row a group; macro and micro at the foot where there are several groups.

    Args:
        evaluation: one model's results.
        caption: what the table shows.
        unit: what a group is called: ``paradigm`` or ``suite``.
    """
    fields = [_Field(Column(unit, unit, "text"), lambda group: group.name)]
    if evaluation.phenomena:
        fields.append(
            _Field(Column("phenomenon", "phenomenon", "text"), lambda group: group.phenomenon)
        )
    fields += _figures(evaluation)
    summary = _summary(evaluation, fields, unit) if len(evaluation.groups) > 1 else ()
    return _table(evaluation, fields, evaluation.groups, summary, caption)


def phenomena_table(evaluation: Evaluation, *, caption: str = "", unit: str = "paradigm") -> Table:
    """One row a phenomenon: the unweighted mean over its paradigms.

    Raises:
        MeasureError: the evaluation knows no phenomena.
    """
    if not evaluation.phenomena:
        raise MeasureError("no phenomena: evaluate with phenomena={paradigm: phenomenon}")
    fields = [
        _Field(Column("phenomenon", "phenomenon", "text"), lambda result: result.name),
        _Field(Column(f"{unit}s", f"{unit}s", "count"), lambda result: result.groups),
        *_figures(evaluation),
    ]
    summary = _summary(evaluation, fields, unit)
    return _table(evaluation, fields, evaluation.phenomena, summary, caption)


def models_table(
    evaluations: Mapping[str, Evaluation], *, caption: str = "", unit: str = "paradigm"
) -> Table:
    """Accuracies of several models, one column a model; macro, micro and ties at the foot.

    Raises:
        MeasureError: no model, or models judged on items of different designs.
    """
    if not evaluations:
        raise MeasureError("a table of models needs at least one model")
    designs = {name: evaluation.design for name, evaluation in evaluations.items()}
    if len(set(designs.values())) > 1:
        listed = ", ".join(f"{name}: {design}" for name, design in designs.items())
        raise MeasureError(f"models judged on different designs share no table ({listed})")
    found = {
        model: {group.name: group for group in evaluation.groups}
        for model, evaluation in evaluations.items()
    }
    names = list(dict.fromkeys(name for groups in found.values() for name in groups))
    rows: list[tuple[Cell, ...]] = []
    for name in names:
        groups = [groups.get(name) for groups in found.values()]
        accuracies = [None if group is None else group.accuracy for group in groups]
        rows.append((name, _common_n(groups), *accuracies))
    complete = all(len(groups) == len(names) for groups in found.values())
    every = evaluations.values()
    macros, micros = [e.macro for e in every], [e.micro for e in every]
    ties: list[Cell] = [micro.ties for micro in micros]
    summary: list[tuple[Cell, ...]] = [("ties", None, *ties)]
    if len(names) > 1:
        n = _common_n(micros)
        summary = [
            (
                _macro_label(len(names), unit),
                n,
                *(m.accuracy if complete else None for m in macros),
            ),
            ("micro (all items)", n, *(m.accuracy if complete else None for m in micros)),
            *summary,
        ]
    notes = [
        f"Accuracy in %; chance {chance_of(evaluations)} %.",
        *general_notes(evaluations, intervals=False),
    ]
    if not complete:
        notes.append(f"No overall figures: some models were not scored on every {unit}.")
    if any(row[1] is None for row in rows):
        notes.append("Where n is missing, the models were scored on different numbers of items.")
    return Table(
        columns=(
            Column(unit, unit, "text"),
            Column("n", "n", "count"),
            *(Column(model, model, "percent") for model in evaluations),
        ),
        rows=tuple(rows),
        summary=tuple(summary),
        caption=caption,
        footnotes=tuple(notes),
        signatures=tuple(str(evaluation.signature or "") for evaluation in every),
    )


def _figures(evaluation: Evaluation) -> list[_Field]:
    """The columns of numbers: for several inequalities, also each by itself."""
    names = [single.name for single in evaluation.micro.inequalities]
    several = len(names) > 1
    orders = evaluation.micro.order_bias is not None
    title = "accuracy %"
    if several:
        title = "both orders %" if orders else "all predictions %"
    fields = [
        _Field(Column("n", "n", "count"), lambda result: result.n),
        _Field(Column("accuracy", title, "percent"), lambda result: result.accuracy),
        _Field(Column("interval", "95 % interval", "interval"), lambda result: result.interval),
    ]
    if evaluation.clusters is not None:
        fields.append(
            _Field(
                Column("clustered_interval", "clustered", "interval"),
                lambda result: result.clustered_interval,
            )
        )
    fields += [
        _Field(Column("ties", "ties", "count"), lambda result: result.ties),
        _Field(Column("chance", "chance %", "percent"), lambda result: result.chance),
    ]
    if several:
        what = " order" if orders else ""
        fields += [_single(name, position, what) for position, name in enumerate(names)]
        fields.append(
            _Field(
                Column("mean_difference", "mean difference", "number"),
                lambda result: result.mean_difference,
            )
        )
    if orders:
        fields.append(
            _Field(Column("order_bias", "order bias %", "percent"), lambda r: r.order_bias)
        )
    return fields


def _single(name: str, position: int, what: str) -> _Field:
    return _Field(
        Column(f"{name}_accuracy", f"{name}{what} %", "percent"),
        lambda result: result.inequalities[position].accuracy,
    )


def _table(
    evaluation: Evaluation,
    fields: list[_Field],
    results: tuple[GroupResult, ...],
    summary: tuple[tuple[Cell, ...], ...],
    caption: str,
) -> Table:
    rows = tuple(tuple(field.read(result) for field in fields) for result in results)
    return Table(
        columns=tuple(field.column for field in fields),
        rows=rows,
        summary=summary,
        caption=caption,
        footnotes=_notes(evaluation),
        signatures=(str(evaluation.signature),) if evaluation.signature else (),
    )


def _summary(
    evaluation: Evaluation, fields: list[_Field], unit: str
) -> tuple[tuple[Cell, ...], ...]:
    rows = []
    for label, result in (
        (_macro_label(evaluation.macro.groups, unit), evaluation.macro),
        ("micro (all items)", evaluation.micro),
    ):
        # The first column names the row; an overall figure belongs to no one phenomenon.
        cells = [
            "" if field.column.key == "phenomenon" else field.read(result) for field in fields[1:]
        ]
        rows.append((label, *cells))
    return tuple(rows)


def _macro_label(groups: int, unit: str) -> str:
    return f"macro (mean of {groups} {unit}s)"


def general_notes(
    evaluations: Mapping[str, Evaluation], *, intervals: bool = True
) -> tuple[str, ...]:
    """What every table says: the rule for ties, how intervals were made, and warnings.

    Args:
        evaluations: by model; warnings name it where there are several.
        intervals: whether the table shows any.
    """
    every = list(evaluations.values())
    notes = list(dict.fromkeys(_TIES[evaluation.ties] for evaluation in every))
    if intervals:
        for evaluation in every:
            kind = _INTERVALS[evaluation.interval]
            if evaluation.clusters is None:
                notes.append(f"{kind}; they take items as independent.")
            else:
                notes.append(
                    f"{kind}; the clustered ones allow for {evaluation.clusters:,} clusters of "
                    "items."
                )
            if _has_single_clusters(evaluation):
                notes.append("No clustered interval (–) where all items lie in one cluster.")
    if any(map(_needs_no_bos, every)):
        notes.append(
            "slor_as_released is slor here: with a beginning token before it the first token is "
            "scored too. The authors' code scores without one (--bos none)."
        )
    return (*warnings_of(evaluations), " ".join(dict.fromkeys(notes)))


def warnings_of(evaluations: Mapping[str, Evaluation]) -> tuple[str, ...]:
    """Why models' scores should not be believed; each names its model where there are several."""
    return tuple(
        f"{model}: {warning}" if len(evaluations) > 1 else warning
        for model, evaluation in evaluations.items()
        for warning in evaluation.warnings
    )


def signatures_of(evaluations: Mapping[str, Evaluation]) -> tuple[str, ...]:
    """The signature of each model's numbers; empty where it is not known."""
    return tuple(str(evaluation.signature or "") for evaluation in evaluations.values())


def chance_of(evaluations: Mapping[str, Evaluation]) -> str:
    """The accuracy of scores without information, in %."""
    return " or ".join(dict.fromkeys(f"{100 * e.micro.chance:g}" for e in evaluations.values()))


def _needs_no_bos(evaluation: Evaluation) -> bool:
    """Whether a measure was asked for that differs from another only without a beginning token."""
    signature = evaluation.signature
    return (
        signature is not None
        and signature.get("measure") == SLOR["as_released"]
        and signature.get("bos") not in (None, "none", "auto(none)")
    )


def _has_single_clusters(evaluation: Evaluation) -> bool:
    return evaluation.clusters is not None and any(
        group.clustered_interval is None for group in evaluation.groups
    )


def _notes(evaluation: Evaluation) -> tuple[str, ...]:
    notes = list(general_notes({"": evaluation}))
    if len(evaluation.groups) > 1:
        notes.append("Macro: the unweighted mean of the rows above. Micro: over all items.")
    if len(evaluation.micro.inequalities) > 1:
        notes.append(
            "Single predictions have chance 50 %. Mean difference: of the sides of a prediction; "
            "positive: as predicted."
        )
    if evaluation.micro.order_bias is not None:
        notes.append(
            "Order bias: share of items right in one order and wrong in the other; 50 % by chance."
        )
    return tuple(notes)


def _common_n(results: list[GroupResult | None] | list[GroupResult]) -> int | None:
    sizes = {result.n for result in results if result is not None}
    return sizes.pop() if len(sizes) == 1 else None
