"""Tables of agreement: by paradigm, by annotator, and the pairs to look at again."""

from __future__ import annotations

import hashlib
import json

from minpairs._version import __version__
from minpairs.annotation.agreement import Agreement, ParadigmAgreement
from minpairs.annotation.study import Study
from minpairs.report import Column, Table
from minpairs.report.model import Cell
from minpairs.signature import Signature

_COLUMNS = (
    Column("paradigm", "paradigm", "text"),
    Column("annotators", "annotators", "count"),
    Column("pairs", "pairs", "count"),
    Column("judgements", "judgements", "count"),
    Column("skipped", "skipped", "count"),
    Column("accuracy", "accuracy %", "percent"),
    Column("interval", "95 % interval", "interval"),
    Column("majority", "majority %", "percent"),
    Column("ties", "ties", "count"),
    Column("alpha", "alpha", "number"),
)


def agreement_table(agreement: Agreement, study: Study) -> Table:
    """One row a paradigm, and their unweighted mean."""
    rows = [_row(result) for result in agreement.paradigms]
    people = sum(annotator.judged > 0 for annotator in agreement.annotators)
    tied = sum(result.ties for result in agreement.paradigms)
    total = ParadigmAgreement(
        paradigm=f"mean of {len(rows)} paradigms",
        annotators=people,
        pairs=sum(result.pairs for result in agreement.paradigms),
        judgements=sum(result.judgements for result in agreement.paradigms),
        skipped=sum(tally.skipped for tally in agreement.tallies),
        accuracy=agreement.accuracy,
        interval=agreement.interval,
        majority=agreement.majority,
        ties=tied,
        alpha=agreement.alpha,
    )
    notes = [
        "Accuracy: share of judgements that chose the acceptable sentence; chance 50 %. Its "
        "interval speaks of other pairs and other annotators than these.",
        "Majority: share of pairs whose acceptable sentence got more than half of the votes; a tie "
        "is not right.",
        "Alpha: Krippendorff's, nominal, over which of a pair's two sentences was chosen; "
        "1 is full agreement, 0 chance. In the last row it is over all pairs.",
    ]
    if people == 1:
        notes.append(
            "There is one annotator: the interval speaks of other pairs only, the majority vote is "
            "that one vote, and agreement between people cannot be told."
        )
    if agreement.unjudged:
        notes.append(f"Nobody has judged {', '.join(agreement.unjudged)}: not in the mean.")
    return Table(
        columns=_COLUMNS,
        rows=tuple(rows),
        summary=(_row(total),) if len(rows) > 1 else (),
        caption="Agreement of people with the labels",
        footnotes=tuple(notes),
        signatures=(str(_signature(study, people)),),
    )


def annotators_table(agreement: Agreement) -> Table:
    """One row an annotator."""
    return Table(
        columns=(
            Column("annotator", "annotator", "text"),
            Column("judged", "judged", "count"),
            Column("skipped", "skipped", "count"),
            Column("total", "of", "count"),
            Column("accuracy", "accuracy %", "percent"),
            Column("left", "chose left %", "percent"),
            Column("seconds", "median seconds", "number"),
        ),
        rows=tuple(
            (one.name, one.judged, one.skipped, one.total, one.accuracy, one.left, one.seconds)
            for one in agreement.annotators
        ),
        caption="Annotators",
        footnotes=(
            "Sides are random: an annotator who nearly always chose one side was not reading.",
        ),
    )


def suspects_table(agreement: Agreement) -> Table:
    """The pairs that most annotators got wrong or skipped, worst first."""
    suspects = [tally for tally in agreement.tallies if tally.suspect]
    suspects.sort(key=lambda tally: (tally.right - tally.wrong, -tally.skipped, tally.pair.id))
    return Table(
        columns=(
            Column("pair", "pair", "text"),
            Column("acceptable", "acceptable", "text"),
            Column("unacceptable", "unacceptable", "text"),
            Column("right", "right", "count"),
            Column("wrong", "wrong", "count"),
            Column("skipped", "skipped", "count"),
        ),
        rows=tuple(
            (
                tally.pair.id,
                tally.pair.acceptable,
                tally.pair.unacceptable,
                tally.right,
                tally.wrong,
                tally.skipped,
            )
            for tally in suspects
        ),
        caption="Pairs that most annotators got wrong or skipped",
    )


def _row(result: ParadigmAgreement) -> tuple[Cell, ...]:
    return (
        result.paradigm,
        result.annotators,
        result.pairs,
        result.judgements,
        result.skipped,
        result.accuracy,
        result.interval,
        result.majority,
        result.ties,
        result.alpha,
    )


def _signature(study: Study, people: int) -> Signature:
    texts = [[pair.id, pair.acceptable, pair.unacceptable] for pair in study.pairs]
    digest = hashlib.sha256(json.dumps(texts).encode()).hexdigest()
    return Signature.of(
        {
            "data": f"sha256:{digest[:12]}",
            "design": "forced_choice",
            "ties": "strict",
            "minpairs": __version__,
            "annotators": people,
            "items": study.items or "all",
        }
    )
