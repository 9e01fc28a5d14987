"""The layouts of the let-alone paper's Tables 2 to 4: form, meaning, and suites by model.

Evaluations are given by model; a suite that a model was not scored on is left out.
"""

from __future__ import annotations

from collections.abc import Mapping

from minpairs.benchmarks.schema import INTERACTION
from minpairs.evaluation import Evaluation, GroupResult
from minpairs.judgements import Felicity
from minpairs.report.model import Cell, Column, Estimate, Table
from minpairs.report.published import Property, published
from minpairs.report.tables import chance_of, general_notes, signatures_of
from minpairs.statistics import Interval

_NOT_OURS = "of the paper's own items, which are not these"


def form_table(evaluations: Mapping[str, Evaluation], *, caption: str = "") -> Table | None:
    """One row a model and formal property of *let alone*, as the let-alone paper's Table 2.

    None where no formal suite of *let alone* was scored.
    """
    return _properties_table(evaluations, True, {}, caption)


def meaning_table(
    evaluations: Mapping[str, Evaluation],
    felicity: Mapping[str, Mapping[str, Felicity]],
    *,
    caption: str = "",
) -> Table | None:
    """One row a model: scalar semantics, as the let-alone paper's Table 3, and what explains it.

    Beside the interaction stands the simple comparison that the paper's text describes: after *let
    alone*, the follow-up that fits against the one that contradicts.

    Args:
        evaluations: by model.
        felicity: by model and configuration.
        caption: what the table shows.
    """
    return _properties_table(evaluations, False, felicity, caption)


def controls_among(evaluation: Evaluation) -> list[str]:
    """Suites of *let alone* whose manipulation is grammatical: the prediction is chance."""
    controls = {p.config for p in published().let_alone_properties if p.control}
    if evaluation.design != INTERACTION.name:
        return []
    return [group.name for group in evaluation.groups if group.name.partition(".")[0] in controls]


def filtering_table(evaluations: Mapping[str, Evaluation], *, caption: str = "") -> Table | None:
    """One row a model (of a study, a filter scenario), one column a suite: the paper's Table 4."""
    properties = {p.config: p for p in published().let_alone_properties}
    found = {model: _groups(e) for model, e in evaluations.items()}
    configs = [
        config
        for config in published().filtering_order
        if any(config in groups for groups in found.values())
    ]
    if len(configs) < 2:
        return None
    rows = []
    for model, groups in found.items():
        cells = (groups.get(config) for config in configs)
        rows.append((model, *(None if g is None else Estimate(g.accuracy, _own(g)) for g in cells)))
    baseline = published().baseline
    return Table(
        columns=(
            Column("model", "model", "text"),
            *(Column(config, properties[config].title, "estimate") for config in configs),
        ),
        rows=tuple(rows),
        summary=(("BabyLM (the paper's)", *(_percent(baseline.get(c)) for c in configs)),),
        caption=caption,
        footnotes=(
            _both_orders(evaluations),
            *general_notes(evaluations),
            f"BabyLM: {published().sources['let_alone']}, NoFiltering, mean of two seeds, "
            f"{_NOT_OURS}.",
        ),
        signatures=signatures_of(evaluations),
        models_in_rows=True,
    )


def _properties_table(
    evaluations: Mapping[str, Evaluation],
    form: bool,
    felicity: Mapping[str, Mapping[str, Felicity]],
    caption: str,
) -> Table | None:
    rows: list[tuple[Cell, ...]] = []
    for model, evaluation in evaluations.items():
        groups = _groups(evaluation)
        for one in (p for p in published().let_alone_properties if p.form is form):
            for config in (name for name in groups if name.partition(".")[0] == one.config):
                rows.append(
                    (
                        model,
                        *_property_cells(one, config, groups[config]),
                        *(() if form else _felicity_cells(felicity.get(model, {}).get(config))),
                    )
                )
    if not rows:
        return None
    columns = [
        Column("model", "model", "text"),
        Column("property", "formal property" if form else "property", "text"),
        Column("prediction", "prediction", "text"),
        Column("n", "n", "count"),
        Column("accuracy", "accuracy %", "percent"),
        Column("interval", "95 % interval", "interval"),
        Column("clustered_interval", "clustered", "interval"),
        Column("chance", "chance %", "percent"),
        Column("paper", "paper's BabyLM %", "percent"),
    ]
    notes = [
        _both_orders(evaluations),
        "Prediction: of a model that generalises as people do (the paper's).",
        *general_notes(evaluations),
        f"Paper's BabyLM: {published().sources['let_alone']}, mean of two seeds, {_NOT_OURS}.",
    ]
    summary: tuple[tuple[Cell, ...], ...] = ()
    if any(e.design == "forced_choice" for e in evaluations.values()):
        notes.append(
            "A model without felicity was asked by a prompt: an item is right when it names the "
            "follow-up that fits in both orders, whichever is listed first."
        )
    if not form:
        columns += [
            Column("order_bias", "order bias %", "percent"),
            Column("felicity", "felicity, both orders %", "percent"),
            Column("felicity_interval", "95 % interval", "interval"),
            Column("felicity_single", "felicity, one order %", "percent"),
            Column("control", "after control, one order %", "percent"),
            Column("felicity_bias", "felicity order bias %", "percent"),
        ]
        notes += [
            "Order bias: share of items right in one order and wrong in the other; 50 % by chance.",
            "Felicity: after the construction, the follow-up that fits scores above the one that "
            "contradicts, without the control; chance 25 % in both orders, 50 % in one. After the "
            "control neither contradicts: 50 % unless the words of the follow-ups decide.",
            "The paper's text describes felicity. From which comparison its figure comes cannot be "
            "told from the released code, whose control is oriented the other way in 42 % of rows.",
        ]
        prompted = f"{published().prompted_model} (the paper's)"
        known: tuple[Cell, ...] = (None, published().prompted_scalar)  # n, accuracy
        row = (prompted, rows[0][1], rows[0][2], *known)
        summary = ((*row, *(None,) * (len(columns) - len(row))),)
    return Table(
        columns=tuple(columns),
        rows=tuple(rows),
        summary=summary,
        caption=caption,
        footnotes=tuple(notes),
        signatures=signatures_of(evaluations),
        models_in_rows=True,
    )


def _property_cells(one: Property, config: str, group: GroupResult) -> tuple[Cell, ...]:
    construction = config.partition(".")[2].replace("_", " ")
    return (
        f"{one.title}, {construction}" if construction else one.title,
        one.prediction,
        group.n,
        group.accuracy,
        group.interval,
        group.clustered_interval,
        group.chance,
        None if construction else published().baseline[one.config],
        *(() if one.form else (group.order_bias,)),
    )


def _felicity_cells(felicity: Felicity | None) -> tuple[Cell, ...]:
    if felicity is None:
        return (None,) * 5
    fitting, control = felicity.fitting.micro, felicity.control.micro
    return (
        fitting.accuracy,
        _own(fitting),
        _single(fitting),
        _single(control),
        felicity.fitting.micro.order_bias,
    )


def _single(result: GroupResult) -> float:
    accuracies = [one.accuracy for one in result.inequalities]
    return sum(accuracies) / len(accuracies)


def _groups(evaluation: Evaluation) -> Mapping[str, GroupResult]:
    return {group.name: group for group in evaluation.groups}


def _own(result: GroupResult) -> Interval:
    """The wider interval, where there are two."""
    return result.clustered_interval or result.interval


def _percent(share: float | None) -> Cell:
    return None if share is None else f"{100 * share:.1f}"


def _both_orders(evaluations: Mapping[str, Evaluation]) -> str:
    return (
        "Accuracy in %: an item is right when the manipulation costs more with the construction "
        "than with its control in both orders of the focus phrases; chance "
        f"{chance_of(evaluations)} %."
    )
