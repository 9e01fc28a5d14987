"""A run's accuracies as the Hub's evaluation results: one number a task, in per cent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from huggingface_hub import EvalResultEntry

from minpairs.benchmarks.suites import Suite, load_suites
from minpairs.errors import ResultsError, nearest
from minpairs.evaluation import Evaluation, GroupResult
from minpairs.hub.benchmark import MEASURES, read_registration, task_id
from minpairs.judgements import judge
from minpairs.parsing import read_json
from minpairs.results import Run

UNION = "all"  # the config of all suites: its score is their unweighted mean


@dataclass(frozen=True, slots=True)
class Board:
    """A registered benchmark.

    Attributes:
        dataset: its repository on the Hub.
        folder: its data as they are there.
        revision: commit of the repository, if it is to be stated.
    """

    dataset: str
    folder: Path
    revision: str | None = None


def result_entries(
    run: Run, boards: Mapping[str, Board], measures: Sequence[str] = ("sum",)
) -> dict[str, list[EvalResultEntry]]:
    """The entries of a model's repository for some benchmarks.

    A suite counts only if the run scored exactly the items that the benchmark has, and a task that
    joins suites only if all of them were scored. Suites without a leaderboard are left out.

    Args:
        run: the model's scores.
        boards: by the benchmarks' names in the run.
        measures: some of ``hub.benchmark.MEASURES``.

    Returns:
        By benchmark.

    Raises:
        ResultsError: the run has not scored a benchmark, or other items than it has.
        MeasureError: a measure needs what was not recorded.
    """
    if run.settings.get("kind") == "chat":
        raise ResultsError(f"{run.folder} holds a chat model's choices; the boards rank measures")
    for measure in measures:
        if measure not in MEASURES:
            raise ResultsError(f"no board ranks {measure!r}; {nearest(measure, MEASURES)}")
    date = str(read_json(run.folder / "run.json", ResultsError)["written"]).replace("+00:00", "Z")
    return {
        benchmark: _board_entries(run, benchmark, board, measures, date)
        for benchmark, board in boards.items()
    }


def _board_entries(
    run: Run, benchmark: str, board: Board, measures: Sequence[str], date: str
) -> list[EvalResultEntry]:
    scored = {suite.config: suite for suite in run.suites if suite.benchmark == benchmark}
    if not scored:
        there = ", ".join(sorted({suite.benchmark for suite in run.suites}))
        raise ResultsError(f"{run.folder} has no results on {benchmark}; it has {there}")
    configs = list(dict.fromkeys(task.config for task in read_registration(board.folder).tasks))
    ranked = [config for config in configs if config in scored]
    if not ranked:
        raise ResultsError(f"{run.folder} scored no suite of {benchmark} that has a leaderboard")
    _check_items(run, board, {config: scored[config] for config in ranked})
    ranked_only = replace(run, suites=tuple(scored[config] for config in ranked))
    # The mean over all suites is a result only where all of them were scored.
    whole = UNION in configs and len(ranked) == len(configs) - 1
    entries = []
    for measure in measures:
        (evaluation,) = judge(ranked_only, measure_name=measure).values()
        if evaluation.warnings:
            raise ResultsError(f"{run.folder}: {' '.join(evaluation.warnings)}")
        if whole:
            entries.append(
                _entry(board, task_id(UNION, measure), evaluation.macro, evaluation, date)
            )
        entries += [
            _entry(board, task_id(config, measure), evaluation.group(config), evaluation, date)
            for config in ranked
        ]
    return entries


def _check_items(run: Run, board: Board, scored: Mapping[str, Suite]) -> None:
    for suite in load_suites(str(board.folder), list(scored)):
        found = scored[suite.config]
        if suite.data_hash != found.data_hash:
            raise ResultsError(
                f"{run.folder}: {len(found):,} items of {suite.name} were scored, which are not "
                f"the {len(suite):,} items in {board.folder}: a sample (--limit), other words "
                "(--segmentation gold), or another version; score the whole suite again"
            )


def _entry(
    board: Board, task: str, found: GroupResult, evaluation: Evaluation, date: str
) -> EvalResultEntry:
    low, high = 100 * found.interval.low, 100 * found.interval.high
    notes = (
        f"{found.right} of {found.n} items right, {found.ties} ties, "
        f"95 % interval {low:.2f}-{high:.2f}; {evaluation.signature}"
    )
    return EvalResultEntry(
        dataset_id=board.dataset,
        task_id=task,
        value=round(100 * found.accuracy, 2),
        dataset_revision=board.revision,
        date=date,
        notes=notes,
    )
