"""The layout of CLiMP's Table 2: models by phenomenon, beside people."""

from __future__ import annotations

from collections.abc import Mapping

from minpairs.evaluation import Evaluation
from minpairs.report.model import Cell, Column, Table
from minpairs.report.published import published
from minpairs.report.tables import chance_of, general_notes, signatures_of


def phenomena_by_model(evaluations: Mapping[str, Evaluation], *, caption: str = "") -> Table:
    """One row a model: overall accuracy and each phenomenon's, as CLiMP's Table 2.

    Where the phenomena are CLiMP's, they stand in the order of that table, the accuracy of people
    as the paper gives it is a last row, and a phenomenon is shown only if all its paradigms were
    scored.
    """
    known = {phenomenon.name: phenomenon for phenomenon in published().climp_phenomena}
    names = list(dict.fromkeys(p.name for e in evaluations.values() for p in e.phenomena))
    climp = bool(names) and set(names) <= set(known)
    wanted = {name: known[name].paradigms for name in known} if climp else dict.fromkeys(names)
    titles = {name: known[name].title if climp else name for name in wanted}
    rows: list[tuple[Cell, ...]] = []
    gaps = False
    for model, evaluation in evaluations.items():
        found = {
            p.name: p.accuracy
            for p in evaluation.phenomena
            if wanted[p.name] in (None, p.groups)  # else it is a mean over some of its paradigms
        }
        complete = set(found) == set(wanted)
        gaps = gaps or not complete
        overall = evaluation.macro.accuracy if complete else None
        rows.append((model, overall, *(found.get(name) for name in wanted)))
    notes = [
        f"Accuracy in %; chance {chance_of(evaluations)} %. A phenomenon's is the unweighted "
        "mean over its paradigms, overall the unweighted mean over all paradigms (macro)."
    ]
    if gaps:
        notes.append("–: not all of its paradigms were scored.")
    summary: tuple[tuple[Cell, ...], ...] = ()
    if climp:
        human = published().climp_human
        summary = (
            (
                "people (the paper's)",
                published().climp_human_overall,
                *(human[name] for name in wanted),
            ),
        )
        source = published().sources["climp"]
        notes.append(f"People: {source}, of the paper's own items, which are not these.")
    return Table(
        columns=(
            Column("model", "model", "text"),
            Column("overall", "overall", "percent"),
            *(Column(name, titles[name], "percent") for name in wanted),
        ),
        rows=tuple(rows),
        summary=summary,
        caption=caption,
        footnotes=(*notes, *general_notes(evaluations, intervals=False)),
        signatures=signatures_of(evaluations),
        models_in_rows=True,
    )
