"""The fault harness itself, and a few kills; two hundred are in ``scripts/trust/faults.py``."""

import time
from pathlib import Path

import pytest
from trust.harness import CommandFailedError, Job, disturbed, files, finish, killed
from trust.jobs import command, write_inputs


def _slow_writer(durable: bool) -> Job:
    """Writes ten numbers one by one; a durable one goes on where it was, the other loses some."""

    def run(out: Path) -> None:
        out.mkdir(parents=True, exist_ok=True)
        for number in range(10):
            time.sleep(0.01)
            path = out / f"{number}"
            if not (path.exists() and durable):
                path.unlink(missing_ok=True)
                time.sleep(0.01)
                path.write_text("done")

    return Job("writer", run, files, lambda out: {path.name for path in out.glob("*")})


def test_a_command_that_keeps_its_work_survives_kills(tmp_path: Path):
    tally = killed(_slow_writer(durable=True), tmp_path, kills=6, seed=1)
    assert (tally.injected, tally.survived, tally.lost) == (6, 6, 0), tally.notes


def test_records_that_a_command_loses_are_counted(tmp_path: Path):
    tally = killed(_slow_writer(durable=False), tmp_path, kills=12, seed=1)
    assert tally.lost > 0


def test_a_result_that_differs_is_no_survival(tmp_path: Path):
    runs = iter(range(99))

    def run(out: Path) -> None:
        out.mkdir(parents=True, exist_ok=True)
        (out / "result").write_text(f"{time.monotonic_ns()}")

    job = Job("clock", run, files)
    tally = disturbed(job, tmp_path, "none", lambda *_: next(runs), times=1)
    assert (tally.injected, tally.survived) == (1, 0)
    assert "other result" in tally.notes[0]


def test_a_command_that_fails_is_an_error_with_what_it_said(tmp_path: Path):
    with pytest.raises(CommandFailedError, match="no-such-corpus"):
        finish(
            lambda: command("train", "ngram", "no-such-corpus", "--out", str(tmp_path / "m.arpa")),
            tmp_path / "log",
        )


@pytest.mark.slow
def test_twenty_kills_of_training_an_ngram_lose_nothing(tmp_path: Path):
    from trust.jobs import training_ngram

    finish(lambda: write_inputs(tmp_path / "inputs"), tmp_path / "log")
    tally = killed(training_ngram(tmp_path / "inputs"), tmp_path / "kills", kills=20, seed=3)
    assert (tally.injected, tally.survived, tally.lost) == (20, 20, 0), tally.notes
