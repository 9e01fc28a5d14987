"""Whole studies, very small: from a corpus to tables, and on from where one was stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import pytest
from filelock import FileLock

from minpairs.cli import main
from minpairs.studies import cell as cells

ROOT = Path(__file__).parents[2]
WORDS = (["他", "她", "小王", "老师"], ["看了", "买了", "找到了"], ["一本书。", "两只猫。", "水。"])
CHINESE = ["".join(parts) for parts in product(*WORDS)]
NOUNS = (["the owl", "a fox"], ["saw", "heard"], ["the moon", "a child"], ["alone", "again"])
ENGLISH = [" ".join(parts) + "." for parts in product(*NOUNS)] + ["Let it be."]
SMALL = (
    *("--set", "5gram.order=3", "lstm-200.layers=1", "lstm-200.units=4", "lstm-200.embedding=4"),
    *("lstm-200.max_steps=3", "lstm-200.held_out=0.1"),
)
OPT = (
    *("layers=1", "hidden=8", "feed_forward=8", "heads=2", "vocabulary=280", "positions=128"),
    *("max_steps=2", "warmup_steps=1", "batch_size=4", "held_out=0.1"),
)


@pytest.fixture
def chinese(tmp_path):
    return write(tmp_path / "zh.txt", CHINESE)


def write(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def run(monkeypatch, *arguments):
    """The exit code of a command; 0 where it ended by itself."""
    monkeypatch.setattr("sys.argv", ["minpairs", "study", *map(str, arguments)])
    try:
        main()
    except SystemExit as stopped:
        return int(stopped.code or 0)
    return 0


def climp(corpus, out, *more):
    return (
        *("climp", "--corpus", corpus, "--unit", "line", "--out", out, "--sizes", 20, 36),
        *("--suites", f"{ROOT / 'climp'}:classifier,passive_formal", "--limit", 3),
        *("--units", "char", *more),
    )


def ngrams(corpus, out, *more):
    return climp(corpus, out, "--models", "5gram", "--set", "order=3", *more)


def test_climp_ends_in_its_table(chinese, tmp_path, monkeypatch):
    out = tmp_path / "out"
    assert run(monkeypatch, *climp(chinese, out, *SMALL)) == 0
    names = [f"{model}-{size}-char" for model in ("5gram", "lstm-200") for size in (36, 20)]
    assert sorted(path.stem for path in (out / "cells").glob("*.json")) == sorted(names)
    report = (out / "report.md").read_text(encoding="utf-8")
    assert "CLiMP, Table 2: a trial on 3 items a suite" in report
    for name in names:
        assert f"| {name} |" in report
        assert (out / "models" / name / "unigrams.parquet").is_file()
    assert "5gram, as the preset but order 3." in report
    assert (out / "report.tex").is_file()


def test_what_is_done_is_not_redone(chinese, tmp_path, monkeypatch):
    out = tmp_path / "out"
    assert run(monkeypatch, *ngrams(chinese, out)) == 0
    before = (out / "report.md").read_bytes()
    (out / "report.md").unlink()
    monkeypatch.setattr(cells, "_train", stop)
    assert run(monkeypatch, *ngrams(chinese, out)) == 0
    assert (out / "report.md").read_bytes() == before


def test_a_model_that_was_trained_is_only_scored_anew_on_more_items(chinese, tmp_path, monkeypatch):
    out = tmp_path / "out"
    assert run(monkeypatch, *ngrams(chinese, out)) == 0
    arpa = out / "models" / "5gram-20-char" / "5gram-20-char.arpa"
    trained = arpa.stat().st_mtime_ns
    assert run(monkeypatch, *ngrams(chinese, out, "--limit", 4)) == 0
    assert arpa.stat().st_mtime_ns == trained
    assert "a trial on 4 items" in (out / "report.md").read_text(encoding="utf-8")


def test_a_cell_of_other_settings_is_refused(chinese, tmp_path, monkeypatch, capsys):
    out = tmp_path / "out"
    assert run(monkeypatch, *ngrams(chinese, out)) == 0
    changed = ngrams(chinese, out, "--set", "min_count=2")
    assert run(monkeypatch, *changed) == 2
    assert "is of another cell (cell differ)" in " ".join(capsys.readouterr().err.split())


def test_a_cell_that_fails_stops_no_other_and_is_named(chinese, tmp_path, monkeypatch, capsys):
    out = tmp_path / "out"
    impossible = climp(chinese, out, *SMALL, "lstm-200.optimizer=none_such")
    assert run(monkeypatch, *impossible) == 2
    said = capsys.readouterr().err
    assert "lstm-200-36-char: the training cannot be set up" in said
    assert sorted(path.stem for path in (out / "cells").glob("*.json")) == [
        "5gram-20-char",
        "5gram-36-char",
    ]
    assert not (out / "report.md").exists()


def test_a_cell_that_another_process_is_at_is_left_to_it(chinese, tmp_path, monkeypatch, capsys):
    out = tmp_path / "out"
    (out / "cells").mkdir(parents=True)
    with FileLock(out / "cells" / "5gram-20-char.lock"):
        assert run(monkeypatch, *ngrams(chinese, out)) == 2
    assert "5gram-20-char: another process is at it" in capsys.readouterr().err
    assert [path.stem for path in (out / "cells").glob("*.json")] == ["5gram-36-char"]


def test_a_fault_of_any_kind_is_kept_with_its_traceback(chinese, tmp_path, monkeypatch, capsys):
    out = tmp_path / "out"
    monkeypatch.setattr(cells, "_train", stop)
    assert run(monkeypatch, *ngrams(chinese, out)) == 2
    assert "5gram-36-char: AssertionError: trained again" in capsys.readouterr().err
    assert "Traceback" in (out / "cells" / "5gram-20-char.error").read_text()


def test_a_dry_run_prints_the_plan_and_writes_nothing(chinese, tmp_path, monkeypatch, capsys):
    assert run(monkeypatch, *climp(chinese, tmp_path / "out", "--dry-run")) == 0
    assert "lstm-200-36-char" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()


def test_let_alone_ends_in_its_tables(tmp_path, monkeypatch):
    out = tmp_path / "out"
    corpus = write(tmp_path / "en.txt", ENGLISH)
    command = (
        *("let-alone", "--corpus", corpus, "--unit", "line", "--out", out, "--seeds", 1, 2),
        *("--scenarios", "no_filtering", "no_let", "--preset", "opt-tiny", "--set", *OPT),
        *("--suites", f"{ROOT / 'let_alone'}:npi,scalar", "--limit", 2),
    )
    assert run(monkeypatch, *command) == 0
    report = (out / "report.md").read_text(encoding="utf-8")
    assert "Let alone, Table 4: accuracy by filter (described); a trial on 2 items" in report
    for caption in ("Table 2: form", "Table 3: meaning", "Table 4: ΔSLOR by filter"):
        assert caption in report
    (row,) = [line for line in report.splitlines() if line.startswith("| no_let |")][:1]
    assert row.split("|")[2].strip() == "2"  # seeds
    assert row.count("±") == 2
    assert "NoLet" in (out / "figure3.svg").read_text(encoding="utf-8")
    assert "| no_let | 1 | 5.882 | 3 | 16 | 0 |" in report  # what the filter took out


def test_let_alone_takes_filters_of_one_s_own(tmp_path, monkeypatch, capsys):
    rules = tmp_path / "mine.yaml"
    rules.write_text(
        "described:\n  rules: {fox: {phrase: fox}}\n  scenarios: {no_fox: {rules: [fox]}}\n"
    )
    command = ("let-alone", "--corpus", write(tmp_path / "en.txt", ENGLISH), "--dry-run")
    mine = (*command, "--out", tmp_path / "out", "--scenarios", "no_let", "no_fox")
    assert run(monkeypatch, *mine, "--rules", rules) == 0
    assert "opt-97m-no_fox-seed2" in capsys.readouterr().out
    assert run(monkeypatch, *mine) == 2
    assert "no_fox" in capsys.readouterr().err


def stop(*_):
    raise AssertionError("trained again")


@pytest.mark.slow
def test_a_study_that_was_killed_ends_as_if_it_had_not_been(chinese, tmp_path):
    def start(out, *more):
        arguments = map(str, climp(chinese, out, *more, *SMALL))
        return subprocess.Popen(
            [sys.executable, "-m", "minpairs", "study", *arguments],
            stdout=subprocess.DEVNULL,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )

    killed, whole = tmp_path / "killed", tmp_path / "whole"
    process = start(killed)
    while not list((killed / "cells").glob("*.json")) and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (killed / "report.md").exists()
    assert start(killed, "--processes", "2").wait() == 0
    assert start(whole).wait() == 0

    def tables(out):
        text = (out / "report.md").read_text(encoding="utf-8")
        lines = [line for line in text.split("Training")[0].splitlines() if line.startswith("|")]
        assert lines
        return lines

    assert tables(killed) == tables(whole)
