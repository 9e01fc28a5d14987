"""Faults on purpose: commands that are killed, starved or disturbed, then run again to the end.

A command runs in a fork of this process, which has loaded all libraries already: a kill costs what
the command does, and not the seconds that Python and torch take to start.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

Work = Callable[[], object]


@dataclass(frozen=True)
class Job:
    """A command that is disturbed.

    Attributes:
        name: what tables call it.
        run: does all of it, into a folder; called again it goes on with what is there.
        result: what came of it, by name: the same after every undisturbed run.
        records: what it has promised to keep so far, readable at any time.
        threads: whether it may use several threads.
    """

    name: str
    run: Callable[[Path], object]
    result: Callable[[Path], Mapping[str, object]]
    records: Callable[[Path], set[object]] = lambda _: set()


@dataclass
class Tally:
    """What faults did to a job.

    Attributes:
        job: its name.
        fault: what was done to it.
        injected: how often.
        survived: after how many of these the same command finished with an undisturbed run's
            result.
        lost: records that were kept before a fault and not after it.
        notes: what went wrong.
    """

    job: str
    fault: str
    injected: int = 0
    survived: int = 0
    lost: int = 0
    notes: list[str] = field(default_factory=list)


class CommandFailedError(RuntimeError):
    """A command that should have finished did not."""


def start(work: Work, log: Path) -> int:
    """Starts work in a fork, in a process group of its own; its output goes to ``log``."""
    log.parent.mkdir(parents=True, exist_ok=True)
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        return child
    os.setsid()
    end = 1
    try:
        out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        os.dup2(out, 1)
        os.dup2(out, 2)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
        sys.stdout = os.fdopen(1, "w", buffering=1, closefd=False)  # a test runner had its own
        sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)
        try:
            work()
            end = 0
        except SystemExit as error:
            end = error.code if isinstance(error.code, int) else int(bool(error.code))
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
    finally:
        os._exit(end)


def wait(child: int, seconds: float = 600.0) -> int:
    """The status a process ended with; one that takes too long is killed and is an error."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(0.003)
    kill(child)
    raise CommandFailedError(f"did not end within {seconds} seconds")


def kill(child: int) -> int:
    """Kills a process and its workers at once, as power cuts do; returns its status."""
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        os.kill(child, signal.SIGKILL)  # it had no time to make its group
    return os.waitpid(child, 0)[1]


def finish(work: Work, log: Path, seconds: float = 600.0) -> None:
    """Runs work to its end.

    Raises:
        CommandFailedError: it ended with an error, or takes longer than that.
    """
    status = wait(start(work, log), seconds)
    if status:
        said = log.read_text(errors="replace")[-1500:] if log.exists() else ""
        raise CommandFailedError(f"ended with status {status}: {said}")


def undisturbed(job: Job, folder: Path) -> tuple[Mapping[str, object], float]:
    """What comes of a job that nobody disturbs, and the seconds it takes."""
    begun = time.monotonic()
    finish(lambda: job.run(folder), folder.with_suffix(".log"))
    return job.result(folder), time.monotonic() - begun


def killed(job: Job, folder: Path, kills: int, seed: int, most: int = 4) -> Tally:
    """Kills a job at random moments, up to ``most`` times before it may finish, and anew."""
    draw = random.Random(seed)
    tally = Tally(job.name, "SIGKILL")
    folder.mkdir(parents=True, exist_ok=True)
    expected, seconds = undisturbed(job, folder / "undisturbed")
    number = 0
    while tally.injected < kills:
        number += 1
        out, log = folder / f"run{number}", folder / f"run{number}.log"
        wanted = min(draw.randint(1, most), kills - tally.injected)
        done, kept = 0, set[object]()
        for _ in range(wanted):
            child = start(lambda out=out: job.run(out), log)
            time.sleep(draw.uniform(0.0, seconds))
            if os.waitpid(child, os.WNOHANG)[0]:
                break  # it was faster than the kill
            kill(child)
            done += 1
            now = job.records(out) if out.exists() else set()
            tally.lost += len(kept - now)
            kept = now
        tally.injected += done
        _check(job, out, log, expected, kept, done, tally)
    return tally


def disturbed(
    job: Job, folder: Path, fault: str, disturb: Callable[[Path, Work], object], times: int
) -> Tally:
    """Runs a job under a fault, then without it to the end.

    Args:
        job: the job.
        folder: where.
        fault: its name, for the table.
        disturb: runs the job's work in a folder while the fault is there; returns when it is over.
        times: how often.
    """
    tally = Tally(job.name, fault)
    folder.mkdir(parents=True, exist_ok=True)
    expected, _ = undisturbed(job, folder / "undisturbed")
    for number in range(times):
        out, log = folder / f"run{number}", folder / f"run{number}.log"
        disturb(out, lambda out=out: job.run(out))
        kept = job.records(out) if out.exists() else set()
        tally.injected += 1
        _check(job, out, log, expected, kept, 1, tally)
    return tally


def _check(
    job: Job,
    out: Path,
    log: Path,
    expected: Mapping[str, object],
    kept: set[object],
    faults: int,
    tally: Tally,
) -> None:
    try:
        finish(lambda: job.run(out), log)
        found = job.result(out)
    except Exception as error:
        tally.notes.append(f"{out}: {error}")
        return
    different = [
        name for name in {*expected, *found} if expected.get(name, "") != found.get(name, "")
    ]
    gone = kept - job.records(out)
    tally.lost += len(gone)
    if different or gone:
        tally.notes.append(f"{out}: other {', '.join(sorted(different))}; lost {len(gone)}")
    else:
        tally.survived += faults


def files(folder: Path, *, without: tuple[str, ...] = ()) -> dict[str, object]:
    """Every file of a folder by its path, as bytes; locks and some names left out."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in without and not path.name.endswith(".lock")
    }


def read_only(folder: Path) -> int:
    """Makes a mounted file system read-only; not 0 where it cannot be yet."""
    command = ["mount", "-o", "remount,ro", folder]
    return subprocess.run(command, capture_output=True, check=False).returncode


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """A file system of a given size at ``folder`` (a tmpfs: needs root)."""
    folder.mkdir(parents=True, exist_ok=True)
    options = f"size={size}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
