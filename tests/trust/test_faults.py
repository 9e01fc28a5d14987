"""The fault harness itself, and a few kills; two hundred are in ``scripts/trust/faults.py``."""

import shutil
import time
from pathlib import Path

import pytest
from trust.harness import CommandFailedError, Job, disturbed, files, finish, killed
from trust.jobs import command, write_inputs


def _names(out: Path) -> set[object]:
    return {path.name for path in out.glob("*")}


def _durable(out: Path) -> None:
    """Writes ten numbers, each whole or not at all; what is there is kept."""
    out.mkdir(parents=True, exist_ok=True)
    for number in range(10):
        time.sleep(0.02)
        if not (out / f"{number}").exists():
            part = out.with_suffix(".part")
            part.write_text("done")
            part.rename(out / f"{number}")


def _forgetful(out: Path) -> None:
    """Begins anew each time: what it had written is gone."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    (out / f"{time.monotonic_ns()}").touch()
    time.sleep(0.2)


def _torn(out: Path) -> None:
    """Takes a file that is there for a whole one, though it is written in two steps."""
    out.mkdir(parents=True, exist_ok=True)
    if not (out / "numbers").exists():
        with (out / "numbers").open("w", buffering=1) as numbers:
            numbers.write("first\n")
            time.sleep(0.2)
            numbers.write("second\n")


def test_a_command_that_keeps_its_work_survives_kills(tmp_path: Path):
    tally = killed(Job("durable", _durable, files, _names), tmp_path, kills=6, seed=1)
    assert (tally.injected, tally.survived, tally.lost) == (6, 6, 0), tally.notes


def test_records_that_a_command_loses_are_counted(tmp_path: Path):
    tally = killed(Job("forgetful", _forgetful, files, _names), tmp_path, kills=6, seed=1)
    assert tally.lost > 0


def test_half_a_file_that_is_taken_for_a_whole_one_is_no_survival(tmp_path: Path):
    tally = killed(Job("torn", _torn, files, _names), tmp_path, kills=6, seed=1)
    assert tally.survived < tally.injected
    assert "other numbers" in tally.notes[0]


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
