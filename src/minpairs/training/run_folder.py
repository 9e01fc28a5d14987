"""The folder of a training: whose it is, what it holds, and what a stopped run goes on from."""

from __future__ import annotations

import json
import math
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

from filelock import FileLock, Timeout

from minpairs.errors import MinpairsError, ModelError
from minpairs.files import check_room
from minpairs.parsing import read_json

_LARGEST = 700.0  # nats; exp of more is no float
RECORD, LOG = "training.json", "training_log.json"
CHECKPOINTS, PROCESSES = "checkpoints", "processes"


@dataclass(frozen=True, slots=True)
class Trained:
    """What came of it.

    Attributes:
        folder: the model, its tokenizer, and what was done.
        steps: optimizer steps taken.
        held_out_loss: nats a token on held-out sentences, or ``None`` without any.
        resumed_from: the step a stopped run was taken up at; 0 for a run in one go.
        tokens_per_second: tokens that were read in training, by all processes, in each second of
            this call, evaluation included; ``None`` where it found the model finished.
    """

    folder: Path
    steps: int
    held_out_loss: float | None
    resumed_from: int
    tokens_per_second: float | None = field(default=None, compare=False)

    @property
    def perplexity(self) -> float | None:
        """Of the held-out sentences, by the token."""
        return None if self.held_out_loss is None else perplexity(self.held_out_loss)


def finished(folder: Path, record: Mapping[str, Any]) -> Trained | None:
    """The model that a folder holds already, or ``None``.

    Raises:
        ModelError: the folder belongs to a run of other settings or another corpus, or to a
            stopped one of another number of processes.
    """
    path = folder / RECORD
    if not path.is_file():
        return None
    there = read_json(path, ModelError)
    if not isinstance(there, dict):
        raise ModelError(f"{path} is damaged; delete {folder} and train again")
    begun_with = there.pop(PROCESSES, 1)
    if there != json.loads(json.dumps(record)):
        differing = sorted(key for key in {*there, *record} if there.get(key) != record.get(key))
        raise ModelError(
            f"{folder} holds another run ({', '.join(differing)} differ): choose another --out, "
            "or delete it"
        )
    if not (folder / LOG).is_file():
        if begun_with != processes():
            raise ModelError(
                f"{folder} was begun with {begun_with} processes, so its batches are of as many: "
                f"go on with {begun_with}, or delete it"
            )
        return None
    log = read_json(folder / LOG, ModelError)
    return Trained(folder, log[-1]["step"], last_loss(log), 0)


def once(
    folder: Path, record: Mapping[str, Any], training: Callable[[], Trained], *work: Path
) -> Trained:
    """The finished model of a folder, or what a training makes of it; one training at a time.

    Args:
        folder: of the model.
        record: what makes this run this run.
        training: trains the model, or goes on with it.
        work: folders that it removes when it is done, for a run that was killed before it had.

    Raises:
        ModelError: the folder belongs to another run, or another process is training in it.
        WriteError: the disk is full.
    """

    def done() -> Trained | None:
        trained = finished(folder, record)
        if trained is not None:
            remove_work(folder, *work)
        return trained

    with ExitStack() as stack:
        trained = done()  # before the lock: a finished folder need not be one to write to
        if trained is None and os.environ.get("RANK", "0") == "0":  # it is there for all processes
            stack.enter_context(_alone(folder))
            trained = done()  # it may have been finished just now
        return _trained(folder, training) if trained is None else trained


def _trained(folder: Path, training: Callable[[], Trained]) -> Trained:
    try:
        return training()
    except (MinpairsError, OSError):
        raise
    except Exception:
        check_room(folder)  # of a full disk torch says "unexpected pos 64 vs 0"
        raise


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / ".lock", timeout=0)
    try:
        lock.acquire()
    except Timeout as error:
        raise ModelError(
            f"another process is training in {folder}: wait until it is done, "
            "or choose another --out"
        ) from error
    try:
        yield
        Path(lock.lock_file).unlink(missing_ok=True)  # who comes later finds a finished model
    finally:
        lock.release()


def last_whole_checkpoint(folder: Path, processes: int = 1) -> Path | None:
    """The last checkpoint that was written to its end, or ``None``.

    Args:
        folder: of checkpoints.
        processes: how many wrote it.
    """
    whole = [
        path
        for path in folder.glob("checkpoint-*")
        # Written last, so that a run killed before leaves none, or half of one.
        if _is_json(path / "trainer_state.json")
        # The other processes may have been killed before they had written theirs.
        and all(is_zipfile(path / f"rng_state_{n}.pth") for n in range(processes) if processes > 1)
    ]
    return max(whole, key=lambda path: int(path.name.rpartition("-")[2]), default=None)


def remove_work(folder: Path, *more: Path) -> None:
    """Removes what a finished model needs no more: its checkpoints, and other folders."""
    for leftover in (folder / CHECKPOINTS, *more):
        shutil.rmtree(leftover, ignore_errors=True)


def perplexity(loss: float) -> float:
    """Of a mean loss (nats a token)."""
    return math.exp(min(loss, _LARGEST))


def last_loss(log: Sequence[Mapping[str, Any]]) -> float | None:
    """Of held-out sentences (nats a token); ``None`` where none were held out."""
    losses = [entry["eval_loss"] for entry in log if "eval_loss" in entry]
    return losses[-1] if losses else None


def processes() -> int:
    """How many train together, as their launcher says."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def _is_json(path: Path) -> bool:
    try:
        json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return True
