"""Scoring suites into a results folder: what `minpairs score` does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minpairs._run_record import read_record
from minpairs.benchmarks.schema import Text
from minpairs.benchmarks.suites import Suite
from minpairs.errors import ModelError
from minpairs.finished import find_finished, mark_finished
from minpairs.precision import SAMPLE, refine
from minpairs.results import (
    EXACT,
    RECORD,
    SCORES,
    ScoreStore,
    run_folder,
    write_precision,
    write_run,
)
from minpairs.scoring.score import Score

if TYPE_CHECKING:  # a run that is finished is not loaded again, nor is torch
    from minpairs.scoring.engine import Progress, Scorer

ADAPTIVE = "adaptive"
_HALF = "bfloat16"  # the half precision of adaptive runs: it has float32's range


def score_suites(
    load: Callable[[str], Scorer],
    suites: Sequence[Suite],
    out: Path,
    *,
    model: str,
    dtype: str = "float32",
    measure: str = "sum",
    precision_sample: int = SAMPLE,
    seed: int = 0,
    keep_tokens: bool = False,
    command: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
    request: str | None = None,
    progress: Callable[[str], Progress] | None = None,
    announce: Callable[[Mapping[str, str]], None] | None = None,
) -> Path:
    """Scores every text of some suites and records the run; what is there already is not redone.

    Args:
        load: gives the model in a precision.
        suites: what to score.
        out: folder of results; the run gets a folder of its own in it.
        model: what the user calls the model.
        dtype: ``float32``, ``bfloat16``, ``float16``, or ``adaptive``: bfloat16, and float32 for
            every prediction whose verdict bfloat16 might change.
        measure: the measure whose verdicts adaptive runs keep.
        precision_sample: number of random margins that half-precision runs compare with float32;
            0 compares none.
        seed: of that sample.
        keep_tokens: also keep each token's log-probability.
        command: the command line, for the record.
        options: more for the record of each suite.
        request: from ``finished.request_key``; a run that finished it before needs no model.
        progress: makes the progress callback of a pass, by its name.
        announce: told the settings before scoring starts.

    Returns:
        The run's folder.

    Raises:
        ModelError: an adaptive run without a sample.
        TextError: a text cannot be scored.
    """
    adaptive = dtype == ADAPTIVE
    if adaptive and precision_sample < 1:
        raise ModelError("an adaptive run needs a precision sample of at least one margin")
    texts = [text for suite in suites for text in suite.every_text()]
    done = None if request is None else _finished(out, request, texts, keep_tokens)
    if done is not None:
        settings = read_record(done / RECORD).settings
        if announce:
            announce(settings)
        write_run(done, model, settings, suites, command, options or {})
        return done
    scorer = load(_HALF if adaptive else dtype)
    settings = scorer.settings()
    if adaptive:
        settings["dtype"] = f"{ADAPTIVE}({_HALF},float32)"
    main = scorer.processes.main
    folder = run_folder(out, model, settings)
    if announce:
        announce(settings)
    if main:
        write_run(folder, model, settings, suites, command, options or {})

    def run(one: Scorer, texts: Sequence[Text], store: ScoreStore, name: str) -> dict[Text, Score]:
        scores = one.score(
            [text.continuation for text in texts],
            [text.context for text in texts],
            keep_tokens=keep_tokens,
            journal=store,
            progress=progress(name) if progress else None,
        )
        if main:
            store.compact()
        return dict(zip(texts, scores, strict=True))

    found = run(scorer, texts, ScoreStore(folder / SCORES), "scoring")
    if scorer.kind == "ngram" or scorer.dtype == "float32" or precision_sample < 1:
        if main and request is not None:
            mark_finished(folder, request)
        return folder
    half = scorer.dtype
    del scorer  # two models at once would be the most memory of the run
    from minpairs.scoring.memory import give_back_memory

    give_back_memory()
    full = load("float32")
    exact = ScoreStore(folder / EXACT)
    precision = refine(
        suites,
        found,
        lambda chosen: run(full, chosen, exact, "in float32"),
        dtype=half,
        measure_name=measure,
        sample=precision_sample,
        seed=seed,
        adaptive=adaptive,
    )
    if main:
        write_precision(folder, suites, precision)
        if request is not None:
            mark_finished(folder, request)
    return folder


def _finished(out: Path, request: str, texts: Sequence[Text], keep_tokens: bool) -> Path | None:
    """The folder of a request that was finished before, if all its scores are still there."""
    folder = find_finished(out, request)
    if folder is None:
        return None
    store = ScoreStore(folder / SCORES)
    scores = [store.get(text) for text in dict.fromkeys(texts)]
    whole = all(score and (score.token_texts or not keep_tokens) for score in scores)
    return folder if whole else None
