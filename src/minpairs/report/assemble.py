"""From the runs of a results folder to the tables of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from minpairs.comparisons import Comparison, compare_models
from minpairs.evaluation import Evaluation
from minpairs.interactions import Form, form_of
from minpairs.judgements import Felicity, Judgement, felicity, judge_in_detail
from minpairs.report.choices import choices_table
from minpairs.report.comparison import comparison_table
from minpairs.report.deltas import deltas_table
from minpairs.report.let_alone import controls_among, filtering_table, form_table, meaning_table
from minpairs.report.model import Table
from minpairs.report.phenomena import phenomena_by_model
from minpairs.report.tables import models_table, results_table
from minpairs.results import Run

if TYPE_CHECKING:
    from minpairs.scoring.chat import Choices

_PAIR = "minimal_pair"


@dataclass(frozen=True, slots=True)
class Judged:
    """A run and what was judged of it, by benchmark.

    Attributes:
        name: of its folder.
        run: scores and suites.
        measure: what was compared.
        judgements: of a model with scores.
        felicity: of its suites with follow-ups, by ``benchmark.config``.
        choices: of a chat model.
    """

    name: str
    run: Run
    measure: str
    judgements: Mapping[str, Judgement]
    felicity: Mapping[str, Felicity]
    choices: Mapping[str, Choices]

    @property
    def evaluations(self) -> dict[str, Evaluation]:
        """By benchmark; of a chat model, right under both letters and in both orders."""
        return {
            **{name: one.evaluation for name, one in self.judgements.items()},
            **{name: one.items for name, one in self.choices.items()},
        }


def judge_runs(
    runs: Sequence[Run], *, measure_name: str = "sum", ties: str = "strict", interval: str
) -> list[Judged]:
    """Judges runs of any kind.

    Args:
        runs: as :func:`minpairs.results.read_runs` gives them.
        measure_name: a key of ``measures.MEASURES``; chat models have none.
        ties: ``strict``, ``half`` or ``paper``.
        interval: ``wilson`` or ``as_released``.

    Raises:
        ResultsError: a text of a suite was not scored.
        MeasureError: the measure needs what was not recorded.
    """
    return [_judge(run, measure_name, ties, interval) for run in runs]


def _judge(run: Run, measure: str, ties: str, interval: str) -> Judged:
    if run.settings.get("kind") == "chat":
        from minpairs.scoring.chat import judge_choices

        return Judged(run.folder.name, run, measure, {}, {}, judge_choices(run, interval=interval))
    options = {"measure_name": measure, "ties": ties, "interval": interval}
    judgements = judge_in_detail(run, **options)
    return Judged(run.folder.name, run, measure, judgements, felicity(run, **options), {})


def by_benchmark(judged: Sequence[Judged]) -> dict[str, dict[str, Evaluation]]:
    """Evaluations by benchmark and model."""
    found: dict[str, dict[str, Evaluation]] = {}
    for one in judged:
        for benchmark, evaluation in one.evaluations.items():
            found.setdefault(benchmark, {})[one.name] = evaluation
    return found


def compare(judged: Sequence[Judged], benchmark: str) -> list[Comparison]:
    """Every pair of models that was scored on items of a benchmark, designs kept apart."""
    designs: dict[str, dict[str, Judgement]] = {}
    for one in judged:
        if benchmark in one.judgements:
            judgement = one.judgements[benchmark]
            designs.setdefault(judgement.design.name, {})[one.name] = judgement
    return [found for models in designs.values() for found in compare_models(models)]


def report_tables(judged: Sequence[Judged]) -> list[Table]:
    """All tables, benchmark by benchmark: models side by side first, then each in detail."""
    tables: list[Table] = []
    for benchmark, models in by_benchmark(judged).items():
        tables += _overview(judged, benchmark, models)
        tables += [_detail(one, benchmark) for one in judged if benchmark in one.evaluations]
    return tables


def _overview(
    judged: Sequence[Judged], benchmark: str, models: Mapping[str, Evaluation]
) -> list[Table]:
    tables: list[Table | None] = []
    if len(models) > 1:
        for design in dict.fromkeys(evaluation.design for evaluation in models.values()):
            alike = {name: e for name, e in models.items() if e.design == design}
            caption = benchmark if len(alike) == len(models) else f"{benchmark}: {design}"
            tables.append(models_table(alike, caption=caption, unit=_unit(alike)))
    if any(len(evaluation.phenomena) > 1 for evaluation in models.values()):
        named = {name: e for name, e in models.items() if e.phenomena}
        tables.append(phenomena_by_model(named, caption=f"{benchmark}: phenomena"))
    tables += _let_alone(judged, benchmark, models)
    comparisons = compare(judged, benchmark)
    if comparisons:
        caption = f"{benchmark}: models in pairs"
        tables.append(comparison_table(comparisons, caption=caption))
    return [table for table in tables if table is not None]


def _let_alone(
    judged: Sequence[Judged], benchmark: str, models: Mapping[str, Evaluation]
) -> list[Table | None]:
    """The let-alone paper's tables, of the models whose design is an interaction."""
    forms: dict[str, Form] = {}
    simple: dict[str, dict[str, Felicity]] = {}
    for one in judged:
        judgement = one.judgements.get(benchmark)
        form = form_of(judgement.design) if judgement else None
        if judgement and form:
            forms[one.name] = form
            simple[one.name] = {
                suite.config: one.felicity[suite.name]
                for suite in judgement.suites
                if suite.name in one.felicity
            }
    if not forms:
        return []
    scored = {name: models[name] for name in forms}
    several = filtering_table(scored, caption=f"{benchmark}: suites by model")
    costs = f"{benchmark}: cost of manipulation"
    return [
        several if len(scored) > 1 else None,
        form_table(scored, caption=f"{benchmark}: form"),
        meaning_table(models, simple, caption=f"{benchmark}: meaning"),
        deltas_table(scored, next(iter(forms.values())), judged[0].measure, caption=costs),
    ]


def _detail(one: Judged, benchmark: str) -> Table:
    caption = f"{benchmark}: {one.name}"
    if benchmark in one.choices:
        return choices_table(one.choices[benchmark], caption=caption)
    evaluation = one.evaluations[benchmark]
    table = results_table(evaluation, caption=caption, unit=_unit({"": evaluation}))
    notes = [str(precision) for precision in one.run.precision]
    controls = controls_among(evaluation)
    if controls and len(controls) < len(evaluation.groups):
        notes.insert(
            0,
            f"{', '.join(controls)}: controls, whose prediction is near 25 %; a mean over these "
            "and other suites is no score.",
        )
    return replace(table, footnotes=(*table.footnotes, *notes))


def _unit(models: Mapping[str, Evaluation]) -> str:
    return "paradigm" if any(e.design == _PAIR for e in models.values()) else "suite"
