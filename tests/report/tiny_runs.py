"""Results folders without a model: a few items, scored by rule."""

from __future__ import annotations

import pyarrow as pa

from minpairs.benchmarks.schema import INTERACTION
from minpairs.benchmarks.suites import from_table
from minpairs.report.assemble import judge_runs
from minpairs.results import SCORES, ScoreStore, read_runs, write_run
from minpairs.scoring.score import Score

SETTINGS = {"kind": "ngram", "bos": "<s>"}


def pairs(config, texts, benchmark="climp", phenomenon=None):
    """A suite of minimal pairs from (acceptable, unacceptable)."""
    columns = {
        "sentence_good": [good for good, _ in texts],
        "sentence_bad": [bad for _, bad in texts],
    }
    if phenomenon:
        columns["phenomenon"] = [phenomenon] * len(texts)
    return from_table(benchmark, config, pa.table(columns))


def interactions(config, count, *, contexts=False, benchmark="let_alone"):
    """A suite of interactions: cell ``c`` of item ``i`` reads ``c i`` (after a context, if any)."""
    columns = {}
    for cell in INTERACTION.cells:
        texts = [f"{cell} {i}" for i in range(count)]
        if contexts:
            columns[f"{cell}_context"] = [f"About {i}." for i in range(count)]
            columns[f"{cell}_continuation"] = texts
        else:
            columns[cell] = texts
    return from_table(benchmark, config, pa.table(columns))


def write(folder, suites, score, *, model="tiny", settings=SETTINGS, tokens=False):
    """Writes the run of a model for which ``score(text)`` is a log-probability."""
    write_run(folder, model, settings, suites, ["minpairs"], {})
    texts = list(dict.fromkeys(text for suite in suites for text in suite.every_text()))
    ScoreStore(folder / SCORES).add([_scored(text, score, tokens) for text in texts])
    return folder


def judged(folder, **options):
    """All runs under a folder, judged."""
    return judge_runs(read_runs(folder), interval="wilson", **options)


def _scored(text, score, tokens):
    units = tuple(text.continuation) if tokens else ()
    logprob = float(score(text.continuation))
    count = len(text.continuation)
    return Score(
        context=text.context,
        continuation=text.continuation,
        logprob=logprob,
        tokens=count,
        words=1,
        characters=count,
        token_texts=units,
        token_logprobs=(logprob / count,) * len(units),
    )
