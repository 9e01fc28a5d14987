"""A study's tables, in the layouts of the papers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from minpairs.errors import ResultsError
from minpairs.evaluation import Evaluation, GroupResult
from minpairs.files import write_durably
from minpairs.judgements import Felicity, felicity, judge
from minpairs.report.latex import to_latex
from minpairs.report.let_alone import form_table, meaning_table
from minpairs.report.model import Cell as TableCell
from minpairs.report.model import Column, Table
from minpairs.report.phenomena import phenomena_by_model
from minpairs.report.published import published
from minpairs.report.render import to_markdown
from minpairs.report.tables import models_table
from minpairs.results import Run, read_runs
from minpairs.statistics import as_released
from minpairs.studies.cell import Done, Work
from minpairs.studies.corpora import CORPUS
from minpairs.studies.plan import PRESETS, Cell, Plan
from minpairs.training.filter_report import read_report, summary

if TYPE_CHECKING:
    from minpairs.report.figures import FilterPoint

# What the paper's Table 4 calls the filters.
_PAPER_NAMES = {
    "no_filtering": "NoFiltering",
    "no_paired_focus": "NoPairedFocus",
    "no_paired_focus_or_comparatives": "NoPairedFoc/Comp",
    "no_let": "NoLet",
    "no_alone": "NoAlone",
    "no_let_or_alone": "NoLetorAlone",
}
Evaluations = Mapping[str, Evaluation]


def write_report(work: Work, done: Mapping[str, Done]) -> list[Table]:
    """Writes a study's tables to ``report.md`` and ``report.tex`` in its folder.

    A let-alone study also gets the paper's Figure 3, ``figure3.svg`` and ``figure3.png``.

    Raises:
        ResultsError: results of a cell are missing.
    """
    runs, judged = _judged(work, done)
    tables = _tables(work, done, runs, judged)
    write_durably(work.out / "report.md", "\n".join(map(to_markdown, tables)).encode())
    write_durably(work.out / "report.tex", to_latex(tables).encode())
    if work.plan.study == "let_alone":
        from minpairs.report.figures import filters_figure, to_bytes

        figure = filters_figure(_points(work.plan, judged))
        for kind in ("svg", "png"):
            write_durably(work.out / f"figure3.{kind}", to_bytes(figure, kind))
    return tables


def study_tables(work: Work, done: Mapping[str, Done]) -> list[Table]:
    """The paper's tables, of this study's models.

    Raises:
        ResultsError: results of a cell are missing.
    """
    return _tables(work, done, *_judged(work, done))


def _judged(work: Work, done: Mapping[str, Done]) -> tuple[dict[str, Run], dict[str, Evaluation]]:
    runs = {name: _run(work, one.run) for name, one in done.items()}
    measure = work.plan.measure
    return runs, {name: _only(judge(run, measure_name=measure)) for name, run in runs.items()}


def _tables(
    work: Work, done: Mapping[str, Done], runs: Mapping[str, Run], judged: Evaluations
) -> list[Table]:
    plan = work.plan
    if plan.study == "climp":
        tables: list[Table | None] = [
            phenomena_by_model(judged, caption=f"CLiMP, Table 2: {_trial(plan)}"),
            models_table(judged, caption="By paradigm"),
        ]
    else:
        tables = [*_let_alone(plan, runs, judged), _filtered(work)]
    return [table for table in (*tables, _training(plan, done)) if table is not None]


def _points(plan: Plan, judged: Evaluations) -> list[FilterPoint]:
    """Each model's accuracy on each suite, filters named as in the paper."""
    from minpairs.report.figures import FilterPoint

    return [
        FilterPoint(
            _PAPER_NAMES.get(cell.corpus, cell.corpus),
            getattr(cell.settings, "seed", 0),
            group.name,
            group.accuracy,
        )
        for cell in plan.cells
        for group in judged[cell.name].groups
    ]


def _let_alone(plan: Plan, runs: Mapping[str, Run], judged: Evaluations) -> list[Table | None]:
    unfiltered = [cell.name for cell in plan.cells if cell.corpus == "no_filtering"]
    whole = {name: judged[name] for name in unfiltered}
    tables: list[Table | None] = [
        by_filter(plan, judged, accuracy_over_seeds, _accuracy_notes(judged)),
        by_filter(plan, judged, difference_over_seeds, _DIFFERENCES, "ΔSLOR"),
    ]
    if whole:
        found: dict[str, Mapping[str, Felicity]] = {
            name: {
                suite.partition(".")[2]: one
                for suite, one in felicity(runs[name], measure_name=plan.measure).items()
            }
            for name in whole
        }
        caption = f"trained on the whole text, {_trial(plan)}"
        tables += [
            form_table(whole, caption=f"Let alone, Table 2: form; {caption}"),
            meaning_table(whole, found, caption=f"Let alone, Table 3: meaning; {caption}"),
        ]
    return tables


def by_filter(
    plan: Plan,
    judged: Evaluations,
    value: Callable[[Sequence[GroupResult]], str],
    notes: Sequence[str],
    what: str = "accuracy",
) -> Table:
    """One row a filter, one column a suite, over the seeds: the layout of the paper's Table 4."""
    titles = {one.config: one.title for one in published().let_alone_properties}
    scored = {group.name for evaluation in judged.values() for group in evaluation.groups}
    suites = [name for name in published().filtering_order if name in scored]
    suites += sorted(scored - set(suites))
    by_corpus: dict[str, list[Evaluation]] = {}
    for cell in plan.cells:
        by_corpus.setdefault(cell.corpus, []).append(judged[cell.name])
    rows: list[tuple[TableCell, ...]] = [
        (corpus, len(models), *(value([m.group(suite) for m in models]) for suite in suites))
        for corpus, models in by_corpus.items()
    ]
    papers: list[tuple[TableCell, ...]] = []
    if what == "accuracy":
        for corpus in by_corpus:
            paper = published().let_alone.get(_PAPER_NAMES.get(corpus, ""), {})
            if paper:
                shares = (_percent(paper.get(suite)) for suite in suites)
                papers.append((f"{_PAPER_NAMES[corpus]} (the paper's)", 2, *shares))
    return Table(
        columns=(
            Column("filter", "filter", "text"),
            Column("seeds", "seeds", "count"),
            *(Column(suite, titles.get(suite, suite), "text") for suite in suites),
        ),
        rows=tuple(rows),
        summary=tuple(papers),
        caption=f"Let alone, Table 4: {what} by filter ({plan.variant}); {_trial(plan)}",
        footnotes=tuple(notes),
        signatures=tuple(str(e.signature) for e in list(judged.values())[:1]),
    )


def accuracy_over_seeds(groups: Sequence[GroupResult]) -> str:
    """Mean ± mean half-width in per cent, as the paper summarises its two seeds."""
    intervals = [as_released(group.accuracy, group.n) for group in groups]
    half = sum(one.high - one.low for one in intervals) / 2 / len(intervals)
    return f"{100 * _mean([group.accuracy for group in groups]):.1f} ± {100 * half:.1f}"


def difference_over_seeds(groups: Sequence[GroupResult]) -> str:
    """Mean over seeds of ΔS with the construction less ΔS with its control."""
    deltas = [group.deltas.difference.mean for group in groups if group.deltas is not None]
    if len(deltas) != len(groups):
        return "–"
    written = f"{_mean(deltas):+.3f}"
    return written if float(written) else written[1:]  # nothing that rounds to zero has a sign


_DIFFERENCES = (
    "ΔSLOR with the construction less ΔSLOR with its control, mean over items and seeds; positive: "
    "the manipulation costs more with the construction.",
)


def _accuracy_notes(judged: Evaluations) -> tuple[str, ...]:
    chance = next(iter(judged.values())).micro.chance
    return (
        f"Accuracy in %, both orders right; chance {100 * chance:g} %. Mean over seeds ± the mean "
        "of the seeds' 1.96 standard errors, as the paper gives it. A tie is not right.",
        f"The paper's: {published().sources['let_alone']}; other items, another corpus, and "
        "filters with faults of their own.",
    )


def _filtered(work: Work) -> Table:
    head, *rows = summary(read_report(work.out / CORPUS))
    trained = {cell.corpus for cell in work.plan.cells}
    return Table(
        columns=tuple(Column(name, name, "text") for name in head),
        rows=tuple(tuple(row) for row in rows if row[0] in trained),
        caption=f"What the filters took out ({work.plan.variant})",
        footnotes=("Still found: sentences of the filtered text in which a rule finds something.",),
    )


def _training(plan: Plan, done: Mapping[str, Done]) -> Table:
    rows = [
        (
            cell.name,
            plan.sizes[cell.corpus] if plan.sizes else None,
            done[cell.name].steps,
            done[cell.name].held_out_loss,
            round(sum(done[cell.name].seconds.values()) / 60, 1),
        )
        for cell in plan.cells
    ]
    changed = dict.fromkeys(changes_of(cell) for cell in plan.cells)
    return Table(
        columns=(
            Column("model", "model", "text"),
            Column("sentences", "sentences", "count"),
            Column("steps", "steps", "count"),
            Column("held_out_loss", "held-out loss", "number"),
            Column("minutes", "minutes", "number"),
        ),
        rows=tuple(rows),
        caption="Training",
        footnotes=(
            "Held-out loss: nats a token, of each model's own tokens: not comparable across units.",
            *changed,
        ),
    )


def changes_of(cell: Cell) -> str:
    """In what a model differs from the preset that its name begins with."""
    (name,) = (name for name in PRESETS if cell.name.startswith(f"{name}-"))
    preset, own = asdict(PRESETS[name]), asdict(cell.settings)
    different = [
        f"{key} {value}"
        for key, value in own.items()
        if value != preset[key] and key not in ("seed", "segmentation")
    ]
    return f"{name}, as the preset" + (f" but {', '.join(different)}." if different else ".")


def _run(work: Work, name: str) -> Run:
    runs = read_runs(work.out / "results" / name)
    if len(runs) != 1:
        raise ResultsError(f"{work.out / 'results' / name} holds {len(runs)} runs, not one")
    return runs[0]


def _only(evaluations: Evaluations) -> Evaluation:
    if len(evaluations) != 1:
        raise ResultsError(f"a study scores suites of one design, not {', '.join(evaluations)}")
    return next(iter(evaluations.values()))


def _trial(plan: Plan) -> str:
    return "all items" if plan.limit is None else f"a trial on {plan.limit:,} items a suite"


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _percent(share: float | None) -> TableCell:
    return None if share is None else f"{100 * share:.1f}"
