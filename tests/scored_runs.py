"""Results folders of models that never were: scores by rule, for tests of what comes after."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from minpairs.benchmarks.schema import INTERACTION, Text
from minpairs.benchmarks.suites import Suite, from_table
from minpairs.results import Run, ScoreStore, read_runs, write_run
from minpairs.scoring.score import Score

Logprob = Callable[[Text], float]


def pairs(config: str = "agreement", n: int = 4, benchmark: str = "mine", **labels) -> Suite:
    """Pairs ``good i`` and ``bad i``."""
    rows = range(n)
    table = {
        "sentence_good": [f"good {config} {row}" for row in rows],
        "sentence_bad": [f"bad {config} {row}" for row in rows],
        **{name: [value] * n for name, value in labels.items() if isinstance(value, str)},
        **{name: list(values) for name, values in labels.items() if not isinstance(values, str)},
    }
    return from_table(benchmark, config, pa.table(table))


def own_pairs(good: list[str], bad: list[str]) -> Suite:
    """Pairs of given sentences."""
    table = pa.table({"sentence_good": good, "sentence_bad": bad})
    return from_table("mine", "agreement", table)


def interactions(config: str = "npi", n: int = 4, *, contexts: bool = False) -> Suite:
    """Let-alone items whose texts are ``CELL i``; with contexts, the manipulation follows these."""
    rows = range(n)
    if not contexts:
        columns = {cell: [f"{cell} {config} {row}" for row in rows] for cell in INTERACTION.cells}
        return from_table("let_alone", config, pa.table(columns))
    columns = {}
    for cell in INTERACTION.cells:
        kind = "contradicts" if cell.endswith("_manipulated") else "fits"
        before = cell.removesuffix("_manipulated")
        columns[f"{cell}_context"] = [f"{before} {row}." for row in rows]
        columns[f"{cell}_continuation"] = [f" {kind} {before} {row}." for row in rows]
    return from_table("let_alone", config, pa.table(columns))


def scored(
    folder: Path, suites: list[Suite], logprob: Logprob, *, model: str = "tiny", **settings
) -> Run:
    """A run whose texts have the log-probabilities that the rule gives them, over their words."""
    write_run(
        folder, model, {"kind": "causal", "dtype": "float32", **settings}, suites, ["test"], {}
    )
    texts = dict.fromkeys(text for suite in suites for text in suite.every_text())
    ScoreStore(folder / "scores").add([score(text, logprob(text)) for text in texts])
    (run,) = read_runs(folder)
    return run


def score(text: Text, logprob: float) -> Score:
    """One token a word; unigram log-probability -2 a token; the first of several is not scored."""
    words = len(text.continuation.split())
    scored = max(words - 1, 1)
    return Score(
        context=text.context,
        continuation=text.continuation,
        logprob=logprob,
        tokens=scored,
        words=words,
        characters=len(text.continuation),
        unigram_logprob=-2.0 * scored,
        all_tokens=words,
        all_unigram_logprob=-2.0 * words,
    )


def prefers_good(text: Text) -> float:
    """Right on every pair."""
    return -2.0 if text.continuation.startswith("good") else -4.0
