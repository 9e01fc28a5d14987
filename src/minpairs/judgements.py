"""From a run's scores to evaluations: cells looked up, measured, and weighed in predictions."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from minpairs.benchmarks.schema import Design
from minpairs.benchmarks.suites import Suite
from minpairs.cells import cell_values
from minpairs.evaluation import Evaluation, evaluate_items
from minpairs.results import Run
from minpairs.signature import Signature

# What the numbers of a kind of model depend on, beside minpairs.
_PACKAGES = {
    "causal": ("transformers", "torch"),
    "masked": ("transformers", "torch"),
    "ngram": ("kenlm",),
}


def judge(
    run: Run, *, measure_name: str = "sum", ties: str = "strict", interval: str = "wilson"
) -> dict[str, Evaluation]:
    """Evaluates every benchmark of a run.

    Suites of one benchmark and one design are the groups of one evaluation; where they name their
    phenomenon, or the lexical items they share, these are used too. A run of a chat model has
    choices instead of scores: its evaluations are the ``items`` of ``scoring.chat.judge_choices``.

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
    together: dict[tuple[str, Design], list[Suite]] = {}
    for suite in run.suites:
        together.setdefault((suite.benchmark, suite.design), []).append(suite)
    benchmarks = [benchmark for benchmark, _ in together]
    results = {}
    for (benchmark, design), suites in together.items():
        name = benchmark if benchmarks.count(benchmark) == 1 else f"{benchmark} ({design.name})"
        if name in results:
            name = f"{name} {suites[0].config}"
        results[name] = evaluate_items(
            cell_values(suites, run.scores, measure_name, run.exact),
            design,
            groups=[suite.config for suite in suites for _ in range(len(suite))],
            clusters=clusters_of(suites),
            phenomena=phenomena_of(suites),
            ties=ties,
            interval=interval,
            signature=signature_of(run, suites, measure_name, ties),
            ids=[f"{suite.name}:{row}" for suite in suites for row in range(len(suite))],
        )
    return results


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


def signature_of(run: Run, suites: Sequence[Suite], measure_name: str, ties: str) -> Signature:
    """How the numbers of these suites were made."""
    settings = dict(run.settings)
    revision = settings.pop("revision", None)
    name = run.model.rstrip("/").rpartition("/")[2]
    hashes = [suite.data_hash for suite in suites]
    data = hashes[0] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()
    return Signature.of(
        {
            "model": f"{name}@{revision}" if revision else name,
            "data": f"sha256:{data[:12]}",
            "design": suites[0].design.name,
            "measure": measure_name,
            "ties": ties,
            **settings,
            **{
                name: run.versions.get(name) for name in _PACKAGES.get(settings.get("kind", ""), ())
            },
        }
    )
