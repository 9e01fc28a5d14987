"""Results folders: what a run scored, how, and every score, kept as it is found.

A folder holds ``run.json`` (model, settings, suites, versions), ``scores/*.parquet`` (one row a
distinct text) and ``suites/*.parquet`` (the items that were scored), which is enough to compute any
measure later and to repeat the run.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import re
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock
from pydantic import ConfigDict, TypeAdapter, ValidationError

from minpairs._run_record import read_record, read_suite
from minpairs.benchmarks.schema import Text
from minpairs.benchmarks.suites import Suite
from minpairs.errors import ResultsError
from minpairs.files import file_name, write_durably
from minpairs.parsing import first_fault, read_json, read_parquet
from minpairs.precision import Precision
from minpairs.scoring.score import Score
from minpairs.signature import versions

RECORD = "run.json"
SCORES = "scores"
EXACT = "scores_float32"  # of half-precision runs: items that were scored in float32 too
_PRECISION = "precision.json"
_SCHEMA = pa.schema(
    [
        ("context", pa.string()),
        ("continuation", pa.string()),
        ("logprob", pa.float64()),
        ("tokens", pa.int32()),
        ("words", pa.int32()),
        ("characters", pa.int32()),
        ("unknown_tokens", pa.int32()),
        ("unigram_logprob", pa.float64()),
        ("all_tokens", pa.int32()),
        ("all_unigram_logprob", pa.float64()),
        ("token_texts", pa.list_(pa.string())),
        ("token_logprobs", pa.list_(pa.float64())),
    ]
)
_ADDED = ("all_tokens", "all_unigram_logprob")  # files of earlier versions lack these
_NEEDED = ("context", "continuation", "logprob", "tokens", "words", "characters", "unknown_tokens")
_PRECISIONS = TypeAdapter(dict[str, Precision], config=ConfigDict(allow_inf_nan=False))
_ROWS = 1 << 16  # scores that are read at a time
_LONGEST_NAME = 60  # characters of a model's name in its folder's: a file system has 255 bytes


@dataclass
class ScoreStore:
    """Scores on disk, one Parquet file for each finished batch; see ``scoring.engine.Journal``.

    A file appears under its name only when it is complete and on disk, so a run that is killed
    loses at most the batch it was at, and two runs that share a folder do not disturb each other.
    """

    folder: Path
    _scores: dict[Text, Score] = field(default_factory=dict)
    _known: set[Path] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._read()

    def __len__(self) -> int:
        return len(self._scores)

    def get(self, text: Text) -> Score | None:
        """The score of a text, if it is there."""
        return self._scores.get(text)

    def add(self, scores: Sequence[Score]) -> None:
        """Writes scores to disk before it returns."""
        # By columns: a row of its own for each of millions of scores would not fit in memory.
        columns = (
            pa.array([getattr(score, column.name) for score in scores], column.type)
            for column in _SCHEMA
        )
        table = pa.table(list(columns), schema=_SCHEMA)
        path = self.folder / f"{uuid.uuid4().hex}.parquet"
        write_durably(path, _parquet_bytes(table))
        self._known.add(path)
        self._scores.update((Text(s.continuation, s.context), s) for s in scores)

    def compact(self) -> None:
        """Joins the batches' files into one, those of other runs in the folder included."""
        old = self._read()
        if len(old) < 2:
            return
        self.add(list(self._scores.values()))
        for path in old:
            path.unlink(missing_ok=True)

    def _read(self) -> list[Path]:
        paths = sorted(self.folder.glob("*.parquet"))
        for path in paths:
            if path in self._known:
                continue
            self._known.add(path)
            for score in _read_scores(path):
                self._scores[Text(score.continuation, score.context)] = score
        return paths


@dataclass(frozen=True, slots=True)
class Run:
    """One model's results: its settings, suites and scores.

    Half-precision runs also have float32 scores of some items, and say what these showed.
    """

    folder: Path
    model: str
    settings: Mapping[str, str]
    versions: Mapping[str, str]
    suites: tuple[Suite, ...]
    scores: ScoreStore
    exact: ScoreStore | None = None
    precision: tuple[Precision, ...] = ()


def run_folder(out: Path, model: str, settings: Mapping[str, str]) -> Path:
    """The folder of a model under ``out``; another setting or revision gives another folder."""
    name = re.sub(r"[^\w.-]+", "-", Path(model).name).strip(".-")[:_LONGEST_NAME] or "model"
    key = hashlib.sha256(json.dumps(sorted(settings.items())).encode()).hexdigest()[:8]
    return out / f"{name}-{key}"


def write_run(
    folder: Path,
    model: str,
    settings: Mapping[str, str],
    suites: Sequence[Suite],
    command: Sequence[str],
    options: Mapping[str, Any],
) -> None:
    """Records what is scored. Suites recorded before are kept; one of the same name is replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".lock"):  # two commands may add their suites at once
        _write_run(folder, model, settings, suites, command, options)


def write_precision(folder: Path, suites: Sequence[Suite], precision: Precision) -> None:
    """Records what a half-precision run of some suites found."""
    with FileLock(folder / ".lock"):
        path = folder / _PRECISION
        entries = {name: asdict(one) for name, one in _precisions(path).items()}
        entries["+".join(suite.name for suite in suites)] = asdict(precision)
        write_durably(path, json.dumps(entries, indent=2).encode())


def _write_run(
    folder: Path,
    model: str,
    settings: Mapping[str, str],
    suites: Sequence[Suite],
    command: Sequence[str],
    options: Mapping[str, Any],
) -> None:
    path = folder / RECORD
    entries = {}
    if path.exists():
        read_record(path)  # refuses a damaged one
        entries = {entry["name"]: entry for entry in read_json(path, ResultsError)["suites"]}
    for suite in suites:
        file = f"suites/{file_name(suite.name)}.parquet"
        write_durably(folder / file, _parquet_bytes(suite.table))
        entries[suite.name] = {
            "name": suite.name,
            "benchmark": suite.benchmark,
            "config": suite.config,
            "items": len(suite),
            "data_hash": suite.data_hash,
            "file": file,
            "design": {
                "name": suite.design.name,
                "chance": suite.design.chance,
                "cells": {cell: list(suite.columns[cell]) for cell in suite.design.cells},
                "predictions": {
                    inequality.name: str(inequality) for inequality in suite.design.inequalities
                },
            },
            **options,
        }
    record = {
        "model": model,
        "settings": dict(settings),
        "suites": list(entries.values()),
        "versions": versions("torch", "transformers", "datasets", "evaluate", "kenlm", "numpy"),
        "python": platform.python_version(),
        "hardware": f"{platform.machine()}, {os.cpu_count()} processors",
        "command": list(command) or sys.argv,
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    write_durably(path, json.dumps(record, ensure_ascii=False, indent=2).encode())


def read_runs(path: Path) -> list[Run]:
    """All runs in a results folder, or under it.

    Raises:
        ResultsError: there is none, or one is damaged.
    """
    files = sorted(path.rglob("run.json")) if path.is_dir() else []
    if not files:
        raise ResultsError(
            f"{path} holds no results (no run.json); make some with `minpairs score`"
        )
    return [_read_run(file.parent) for file in files]


def _read_run(folder: Path) -> Run:
    record = read_record(folder / RECORD)
    return Run(
        folder,
        record.model,
        record.settings,
        record.versions,
        tuple(read_suite(folder, entry) for entry in record.suites),
        ScoreStore(folder / SCORES),
        ScoreStore(folder / EXACT) if (folder / EXACT).exists() else None,
        tuple(_precisions(folder / _PRECISION).values()),
    )


def _precisions(path: Path) -> dict[str, Precision]:
    if not path.exists():
        return {}
    try:
        return _PRECISIONS.validate_python(read_json(path, ResultsError))
    except ValidationError as error:
        raise ResultsError(f"{path} is damaged: {first_fault(error)}") from error


def _read_scores(path: Path) -> Iterator[Score]:
    if not path.exists():
        return  # another run has just joined it into a larger file
    try:
        table = read_parquet(path, str(path), ResultsError)
        for name in _ADDED:
            if name not in table.column_names:
                table = table.append_column(name, pa.nulls(len(table)))
        for name in _SCHEMA.names:
            if name not in table.column_names:
                raise ResultsError(f"it has no column {name!r}")
        table = table.select(_SCHEMA.names).cast(_SCHEMA)
    except (ResultsError, pa.ArrowException) as error:
        if not path.exists():
            return
        raise ResultsError(f"{path} is damaged: {error}; remove it and run again") from error
    batches = table.to_batches(max_chunksize=_ROWS)
    rows = (row for batch in batches for row in batch.to_pylist())
    for number, row in enumerate(rows, start=1):
        if not _is_sound(row):
            raise ResultsError(
                f"{path}, row {number} is no score (of {row['continuation']!r}: {row['logprob']} "
                f"over {row['tokens']} tokens); remove the file and run again"
            )
        row["token_texts"] = tuple(row["token_texts"] or ())
        row["token_logprobs"] = tuple(row["token_logprobs"] or ())
        yield Score(**row)


def _is_sound(row: Mapping[str, Any]) -> bool:
    """Whether a row can be a score: nothing missing, no number that is none."""
    needed = [row[name] for name in _NEEDED]
    numbers = [
        row["logprob"],
        row["unigram_logprob"] or 0.0,
        row["all_unigram_logprob"] or 0.0,
        *(row["token_logprobs"] or ()),
    ]
    return (
        None not in needed
        and None not in numbers
        and None not in (row["token_texts"] or ())
        and all(map(math.isfinite, numbers))
        and row["tokens"] > 0
    )


def _parquet_bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return bytes(sink.getvalue())
