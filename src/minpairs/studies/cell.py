"""One cell of a study: its model trained, its tokens counted, its suites scored."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from minpairs._version import __version__
from minpairs.errors import ResultsError
from minpairs.files import write_durably
from minpairs.studies.corpora import Text
from minpairs.studies.plan import Cell, Plan
from minpairs.training._parallel import Progress
from minpairs.training.corpus import Corpus
from minpairs.training.presets import CausalSettings, LstmSettings, NgramSettings

Bars = Callable[[str], Progress]
_SCORED = frozenset({"suites", "limit"})  # of a record, what the model does not depend on


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a cell.

    Attributes:
        record: what makes this cell this cell.
        run: its folder of results, below the study's ``results``.
        seconds: of ``training`` (n-grams: estimating), ``counting`` and ``scoring``; of a cell that
            was stopped, since it went on.
        steps: optimizer steps; None for n-grams.
        held_out_loss: nats a token on held-out sentences, if any.
    """

    record: dict[str, Any]
    run: str
    seconds: dict[str, float]
    steps: int | None = None
    held_out_loss: float | None = None


_DONE = TypeAdapter(Done)


@dataclass(frozen=True, slots=True)
class Work:
    """What all cells of a study share.

    Attributes:
        plan: the study.
        texts: training texts by label.
        out: the study's folder: ``models``, ``cells``, ``results``.
    """

    plan: Plan
    texts: Mapping[str, Text]
    out: Path


def recorded(out: Path, cell: Cell) -> Done | None:
    """What a study's folder says of a cell of that name, if it is done.

    Raises:
        ResultsError: the record is damaged.
    """
    path = record_path(out, cell)
    if not path.is_file():
        return None
    try:
        return _DONE.validate_json(path.read_bytes())
    except ValidationError as error:
        raise ResultsError(f"{path} is damaged: {error.errors()[0]['msg']}; remove it") from error


def record_path(out: Path, cell: Cell) -> Path:
    """Where it stands that a cell is done."""
    return out / "cells" / f"{cell.name}.json"


def read_done(work: Work, cell: Cell) -> Done | None:
    """What came of a cell, or ``None`` if something is left to do: other items to score, say.

    Raises:
        ResultsError: a cell of that name was done with other settings or another text.
    """
    done = recorded(work.out, cell)
    if done is None:
        return None
    wanted = json.loads(json.dumps(_record(work, cell, work.texts[cell.corpus].open())))
    differing = sorted(key for key in wanted if done.record.get(key) != wanted[key])
    if set(differing) - _SCORED:
        raise ResultsError(
            f"{record_path(work.out, cell)} is of another cell ({', '.join(differing)} differ): "
            "choose another --out, or remove it and its model"
        )
    return None if differing else done


def run_cell(work: Work, cell: Cell, bars: Bars | None = None) -> None:
    """Does what is left to do of a cell, and writes down that it is done.

    Raises:
        MinpairsError: the text, the settings or the suites do not fit.
    """
    corpus = work.texts[cell.corpus].open()
    seconds: dict[str, float] = {}
    with _timed(seconds, "training"):
        model, steps, loss = _train(work, cell, corpus, bars)
    with _timed(seconds, "counting"):
        _count(cell, model, corpus)
    with _timed(seconds, "scoring"):
        run = _score(work, cell, model, bars)
    done = Done(_record(work, cell, corpus), run.name, seconds, steps, loss)
    write_durably(record_path(work.out, cell), _DONE.dump_json(done, indent=1) + b"\n")


def _record(work: Work, cell: Cell, corpus: Corpus) -> dict[str, Any]:
    return {
        "minpairs": __version__,
        "cell": asdict(cell),
        "text": dict(corpus.identity),
        "suites": work.plan.suites,
        "limit": work.plan.limit,
    }


def _train(
    work: Work, cell: Cell, corpus: Corpus, bars: Bars | None
) -> tuple[Path, int | None, float | None]:
    """The model's folder or file; steps and held-out loss of a neural one."""
    folder = work.out / "models" / cell.name
    progress = bars(f"training {cell.name}") if bars else None
    settings = cell.settings
    if isinstance(settings, NgramSettings):
        path = folder / f"{cell.name}.arpa"
        # Its record is written after the file: with it the model is whole.
        if not path.with_name(f"{path.name}.json").is_file():
            from minpairs.training.ngram import train_ngram

            identity = {"name": corpus.name, "identity": corpus.identity}
            train_ngram(corpus.sentences(), path, settings, corpus=identity)
        return path, None, None
    if isinstance(settings, LstmSettings):
        from minpairs.training.lstm_training import train_lstm

        trained = train_lstm(
            corpus.sentences(), folder, settings, corpus=corpus.name, progress=progress
        )
    else:
        from minpairs.training.causal import train_causal

        assert isinstance(settings, CausalSettings)
        trained = train_causal(corpus, folder, settings, scenario=cell.corpus, progress=progress)
    return folder, trained.steps, trained.held_out_loss


def _count(cell: Cell, model: Path, corpus: Corpus) -> None:
    """Counts the model's tokens in its text, unless its training has."""
    from minpairs.training.unigram_counts import (
        count_corpus,
        describe,
        token_counter,
        write_unigrams,
    )

    path = (model if model.is_dir() else model.parent) / "unigrams.parquet"
    if path.is_file():
        return
    settings = cell.settings
    counter = token_counter(
        settings.segmentation if isinstance(settings, NgramSettings) else str(model)
    )
    counts = count_corpus(corpus, counter)
    write_unigrams(path, counts, tokens=counter.name, corpus=describe(corpus.identity))


def _score(work: Work, cell: Cell, model: Path, bars: Bars | None) -> Path:
    from minpairs.benchmarks.suites import load_suites, parse_spec
    from minpairs.running import score_suites
    from minpairs.scoring import load_scorer

    plan = work.plan
    suites = [suite.sample(plan.limit, 0) for suite in load_suites(*parse_spec(plan.suites))]
    options: dict[str, Any] = {}
    if isinstance(cell.settings, NgramSettings):
        options["segmentation"] = cell.settings.segmentation
    return score_suites(
        lambda dtype: load_scorer(str(model), dtype=dtype, **options),
        suites,
        work.out / "results",
        model=str(model),
        options={"limit": plan.limit, "seed": 0},
        progress=(lambda name: bars(f"{name} {cell.name}")) if bars else None,
    )


@contextmanager
def _timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    begun = time.monotonic()
    yield
    seconds[name] = round(time.monotonic() - begun, 2)
