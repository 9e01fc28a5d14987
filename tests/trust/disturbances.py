"""Other faults than kills: full disk, no leave to write, no network, two at once, wrong clock."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from trust.harness import (
    Job,
    Tally,
    Work,
    disturbed,
    finish,
    kill,
    read_only,
    small_disk,
    start,
    wait,
)
from trust.jobs import (
    filtering,
    generating,
    scoring,
    training_causal,
    training_lstm,
    training_ngram,
)

# Names of jobs; all where there are none.
Only = Sequence[str]


def _jobs(inputs: Path, only: Only, *more: Job) -> tuple[Job, ...]:
    every = (
        scoring(inputs, "model.arpa", "many.tsv"),
        generating(inputs),
        filtering(inputs),
        training_ngram(inputs),
        *more,
    )
    return tuple(job for job in every if not only or job.name in only)


def full_disk(inputs: Path, folder: Path, only: Only = ()) -> list[Tally]:
    """A tmpfs too small for the command; then room is made, and the command is repeated."""

    def disturb(out: Path, work: Work) -> None:
        needed = sum(p.stat().st_size for p in (out.parent / "undisturbed").rglob("*"))
        share = (0.2, 0.5, 0.8)[int(out.name.removeprefix("run"))]
        with small_disk(out, f"{max(int(share * needed) // 4096, 2) * 4}k"):
            if not wait(start(work, out.with_suffix(".log"))):
                raise RuntimeError(f"{out}: {share} of {needed} bytes were enough")
            shutil.copytree(out, out.with_suffix(".kept"))
        out.rmdir()
        out.with_suffix(".kept").rename(out)  # the same files, on a larger disk

    return [
        disturbed(job, folder / job.name.replace(" ", "-"), "full disk (tmpfs)", disturb, 3)
        for job in _jobs(inputs, only, training_causal(inputs))
    ]


def no_leave(inputs: Path, folder: Path, only: Only = ()) -> list[Tally]:
    """A disk made read-only in the middle of a run (rights alone do not stop root).

    Not while a model is trained: its folder's lock is open all the time, so Linux refuses.
    """

    def disturb(out: Path, work: Work) -> None:
        with small_disk(out, "50m"):
            child = start(work, out.with_suffix(".log"))
            # Training writes one file, at its end: its disk is read-only from the start.
            while "train" not in str(out) and not any(path.is_file() for path in out.rglob("*")):
                time.sleep(0.001)
            while read_only(out):  # refused while a file is open for writing
                time.sleep(0.001)
            if not wait(child):
                raise RuntimeError(f"{out}: the run was done before the disk was read-only")
            shutil.copytree(out, out.with_suffix(".kept"))
        out.rmdir()
        out.with_suffix(".kept").rename(out)

    return [
        disturbed(job, folder / job.name.replace(" ", "-"), "disk made read-only", disturb, 3)
        for job in _jobs(inputs, only)
    ]


def two_at_once(inputs: Path, folder: Path, only: Only = ()) -> list[Tally]:
    """The same command twice, at the same time and in the same folder."""

    def disturb(out: Path, work: Work) -> None:
        children = [start(work, out.with_suffix(f".{number}.log")) for number in range(2)]
        for child in children:
            wait(child)

    return [
        disturbed(job, folder / job.name.replace(" ", "-"), "two at once", disturb, 3)
        for job in _jobs(inputs, only, training_causal(inputs))
    ]


def clock_changed(inputs: Path, folder: Path, only: Only = ()) -> list[Tally]:
    """A clock that jumps by years, back and forth, each time it is read; then a kill."""

    def disturb(out: Path, work: Work) -> None:
        def jumping() -> None:
            true, turn = time.time, iter(range(10**9))
            time.time = lambda: true() + (-1) ** next(turn) * 7e7
            work()

        child = start(jumping, out.with_suffix(".log"))
        time.sleep(0.3)
        if not os.waitpid(child, os.WNOHANG)[0]:
            kill(child)

    return [
        disturbed(job, folder / job.name.replace(" ", "-"), "clock jumps, then a kill", disturb, 3)
        for job in _jobs(inputs, only, training_lstm(inputs), training_causal(inputs))
    ]


def network_cut(inputs: Path, folder: Path, only: Only = ()) -> list[Tally]:
    """A chat run whose server goes away in the middle, and comes back."""
    from chat_servers import Request, Response, said, serving
    from trust.jobs import command

    if only and "chat" not in only:
        return []
    asked: list[str] = []
    cut = {"from": 10**9}

    def behaviour(request: Request) -> Response:
        if request.number >= cut["from"]:
            return Response(reset=True)
        asked.append(request.prompt)
        return said("A" if len(request.prompt) % 2 else "B")

    tally = Tally("chat", "network cut")
    answers: list[list[tuple[object, ...]]] = []
    for number, after in enumerate((10**9, 5, 60, 150)):
        out = folder / f"run{number}"
        out.parent.mkdir(parents=True, exist_ok=True)
        cut["from"] = after
        asked.clear()
        words = ["chat", "toy", str(inputs / "few.tsv"), "--out", str(out), "--limit", "100"]
        with serving(behaviour) as server:
            more = ["--base-url", server.url, "--retries", "0", "--concurrency", "4"]
            log = out.with_suffix(".log")
            status = wait(start(lambda w=(*words, *more): command(*w), log))
            kept = _answers(out)
            cut["from"] = 10**9
            if number:
                finish(lambda w=(*words, *more): command(*w), log)
        found = _answers(out)
        answers.append(sorted(map(_said, found)))  # the rest is ports and seconds
        if not number:
            continue
        tally.injected += 1
        tally.lost += len(kept - found)
        twice = len(asked) - len(set(asked))
        if status and answers[0] == answers[-1] and not twice and kept <= found:
            tally.survived += 1
        else:
            tally.notes.append(f"{out}: status {status}, {twice} questions asked twice")
    return [tally]


def _said(line: bytes) -> tuple[object, ...]:
    answer = json.loads(line)
    return tuple(str(answer[name]) for name in ("suite", "item", "cells", "fits", "reply"))


def _answers(out: Path) -> set[bytes]:
    return {line for path in out.rglob("answers.jsonl") for line in path.read_bytes().splitlines()}


ALL = (full_disk, no_leave, two_at_once, clock_changed, network_cut)
