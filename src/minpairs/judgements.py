"""From a run's scores to evaluations: cells looked up, measured, and weighed in predictions."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from minpairs.benchmarks.schema import Design
from minpairs.benchmarks.suites import Suite
from minpairs.cells import cell_scores, item_names, measured
from minpairs.evaluation import Evaluation, evaluate_items
from minpairs.interactions import form_of, plain_comparison
from minpairs.measures import Floats, Scores, differences, verdicts
from minpairs.results import Run
from minpairs.signature import Signature
from minpairs.suspicions import ALL_TIED, no_information, suspicions

# What the numbers of a kind of model depend on, beside minpairs.
_PACKAGES = {
    "causal": ("transformers", "torch"),
    "masked": ("transformers", "torch"),
    "ngram": ("kenlm",),
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """One benchmark of a run, judged, with what the verdicts were made from.

    Attributes:
        evaluation: accuracies, intervals, ties.
        design: the items' cells and predictions.
        suites: the items; rows of the arrays are these suites' rows, one after another.
        values: measured cells by name, each of shape (n,).
        margins: how far each of k inequalities holds, shape (n, k).
        credit: what each item adds to the accuracy, shape (n,).
    """

    evaluation: Evaluation
    design: Design
    suites: tuple[Suite, ...]
    values: Mapping[str, Floats]
    margins: Floats
    credit: Floats


def judge(
    run: Run, *, measure_name: str = "sum", ties: str = "strict", interval: str = "wilson"
) -> dict[str, Evaluation]:
    """Evaluates every benchmark of a run.

    Suites of one benchmark and one design are the groups of one evaluation; where they name their
    phenomenon, or the lexical items they share, these are used too. A run of a chat model has
    choices instead of scores: its evaluations are the ``items`` of ``scoring.chat.judge_choices``.

    A run whose tokens all have one and the same log-probability, or whose model was found to be at
    fault when it was loaded, is judged to tie on every item, and no tie to be right.

    Args:
        run: scores and suites.
        measure_name: a key of ``measures.MEASURES``.
        ties: ``strict``, ``half`` or ``paper``.
        interval: ``wilson`` or ``as_released``.

    Returns:
        Evaluations by benchmark name (with the design's name behind it, where a benchmark has more
        than one design).

    Raises:
        ResultsError: a text of a suite was not scored.
        MeasureError: the measure needs what was not recorded.
    """
    if run.settings.get("kind") == "chat":
        # It has choices, not log-probabilities; imported here, as it builds on this module.
        from minpairs.scoring.chat import judge_choices

        judged = judge_choices(run, interval=interval)
        return {name: choices.items for name, choices in judged.items()}
    judgements = judge_in_detail(run, measure_name=measure_name, ties=ties, interval=interval)
    return {name: judgement.evaluation for name, judgement in judgements.items()}


def judge_in_detail(
    run: Run, *, measure_name: str = "sum", ties: str = "strict", interval: str = "wilson"
) -> dict[str, Judgement]:
    """As :func:`judge`, with the measured cells and the verdict on every item.

    A run of a chat model has no measured cells.
    """
    together: dict[tuple[str, Design], list[Suite]] = {}
    for suite in run.suites:
        together.setdefault((suite.benchmark, suite.design), []).append(suite)
    benchmarks = [benchmark for benchmark, _ in together]
    results: dict[str, Judgement] = {}
    for (benchmark, design), suites in together.items():
        name = benchmark if benchmarks.count(benchmark) == 1 else f"{benchmark} ({design.name})"
        if name in results:
            name = f"{name} {suites[0].config}"
        recorded = cell_scores(suites, run.scores, run.exact)
        results[name] = _judge_cells(run, suites, design, recorded, measure_name, ties, interval)
    return results


def _judge_cells(
    run: Run,
    suites: Sequence[Suite],
    design: Design,
    recorded: Mapping[str, Scores],
    measure_name: str,
    ties: str,
    interval: str,
) -> Judgement:
    values = measured(suites, recorded, measure_name)
    fault = run.settings.get("fault")  # found when the model was loaded
    if fault or no_information(recorded):
        # Its sums would tell the shorter text from the longer one, and ">=" would call it right.
        values = {cell: np.zeros_like(numbers) for cell, numbers in values.items()}
        ties = "strict"
    evaluation = evaluate_items(
        values,
        design,
        groups=[suite.config for suite in suites for _ in range(len(suite))],
        clusters=clusters_of(suites),
        phenomena=phenomena_of(suites),
        ties=ties,
        interval=interval,
        signature=signature_of(run, suites, measure_name, ties, design=design),
        ids=item_names(suites),
    )
    warnings = suspicions(recorded, evaluation.micro.ties, evaluation.micro.n)
    if fault:
        found = (
            f"BROKEN MODEL? When it was loaded, it was found to be at fault: {fault}. {ALL_TIED}"
        )
        warnings = (found, *warnings)
    margins = differences(values, design)
    return Judgement(
        replace(evaluation, warnings=warnings),
        design,
        tuple(suites),
        values,
        margins,
        verdicts(margins, ties).credit,
    )


@dataclass(frozen=True, slots=True)
class Felicity:
    """Which follow-up a model prefers in one suite, without the interaction.

    Attributes:
        fitting: after the construction, the follow-up that fits scores above the one that
            contradicts, in every order (chance 25 % for two) and in each (50 %).
        control: the same comparison after the control, where neither contradicts: at chance unless
            the words of the follow-ups alone decide.
    """

    fitting: Evaluation
    control: Evaluation


def felicity(
    run: Run, *, measure_name: str = "sum", ties: str = "strict", interval: str = "wilson"
) -> dict[str, Felicity]:
    """Simple accuracy in a run's interactions whose manipulation is another follow-up.

    These are the suites whose cells have a context (``scalar``): the same context is followed by
    either text, so that no interaction is needed to compare them.

    Returns:
        By the suite's name (``let_alone.scalar``); empty where no suite is of that form.

    Raises:
        ResultsError: a text of a suite was not scored.
        MeasureError: the measure needs what was not recorded.
    """
    found = {}
    for suite in run.suites:
        form = form_of(suite.design)
        if form is None or any(context is None for context, _ in suite.columns.values()):
            continue
        recorded = cell_scores([suite], run.scores, run.exact)
        fitting, control = (
            _judge_cells(
                run,
                [suite],
                plain_comparison(form.orders, part, name),
                recorded,
                measure_name,
                ties,
                interval,
            ).evaluation
            for part, name in ((form.construction, "felicity"), (form.control, "control"))
        )
        found[suite.name] = Felicity(fitting, control)
    return found


def clusters_of(suites: Sequence[Suite]) -> list[str] | None:
    """What each item of the suites shares with others; None where a suite does not say."""
    labels = [suite.labels("cluster") for suite in suites]
    if any(column is None for column in labels):
        return None
    joined = [label for column in labels if column for label in column]
    return joined if len(set(joined)) > 1 else None


def phenomena_of(suites: Sequence[Suite]) -> dict[str, str] | None:
    """The phenomenon of each suite, by configuration; None where one has none, or several."""
    phenomena = {}
    for suite in suites:
        labels = suite.labels("phenomenon")
        if labels is None or len(set(labels)) != 1:
            return None
        phenomena[suite.config] = labels[0]
    return phenomena


def signature_of(
    run: Run,
    suites: Sequence[Suite],
    measure_name: str,
    ties: str,
    *,
    design: Design | None = None,
) -> Signature:
    """How the numbers of these suites were made; ``design`` is theirs unless another is given."""
    settings = dict(run.settings)
    revision = settings.pop("revision", None)
    name = run.model.rstrip("/").rpartition("/")[2]
    hashes = [suite.data_hash for suite in suites]
    data = hashes[0] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()
    return Signature.of(
        {
            "model": f"{name}@{revision}" if revision else name,
            "data": f"sha256:{data[:12]}",
            "design": (design or suites[0].design).name,
            "measure": measure_name,
            "ties": ties,
            **settings,
            **{
                name: run.versions.get(name) for name in _PACKAGES.get(settings.get("kind", ""), ())
            },
        }
    )
