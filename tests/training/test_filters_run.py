"""Filtering a corpus: what is written, what is reported, and runs that are stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import datasets
import pyarrow.parquet as pq
import pytest

from minpairs.errors import ResultsError
from minpairs.training import _part
from minpairs.training.corpus import open_corpus
from minpairs.training.errors import FilterError
from minpairs.training.filter_report import by_rule, by_source, left_in, read_report, summary
from minpairs.training.filtering import count_folder, filter_corpus
from minpairs.training.filters import Rule, load_filters
from minpairs.training.unigram_counts import token_counter

LINES = {
    "childes": [
        "*MOT:\tlet me see .",
        "*MOT:\tare you alone ?",
        "*CHI:\tno !",
        "*MOT:\tyou cannot walk , let alone run .",
    ],
    "bnc_spoken": ["Never mind.", "That is complete.", "I have more than you.", "Let us alone."],
}
SCENARIOS = list(load_filters().scenarios)


@pytest.fixture
def folder(tmp_path):
    for name, lines in LINES.items():
        path = tmp_path / "corpus" / f"{name}.train"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path / "corpus"


def texts(out, scenario):
    rows = datasets.load_dataset(str(out), f"corpus.{scenario}", split="train")
    return list(rows["text"])


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_each_scenario_is_a_config_without_what_it_takes_out(folder, tmp_path):
    filter_corpus(open_corpus(folder), tmp_path / "out")
    assert texts(tmp_path / "out", "no_let") == [
        "Never mind.",
        "That is complete.",
        "I have more than you.",
        "are you alone ?",
        "no !",
    ]
    assert len(texts(tmp_path / "out", "no_filtering")) == 8
    rows = datasets.load_dataset(str(tmp_path / "out"), "corpus.no_let", split="train")
    assert list(rows["source"]) == ["bnc_spoken"] * 3 + ["childes"] * 2


def test_the_report_counts_by_rule_and_by_source(folder, tmp_path):
    report = filter_corpus(open_corpus(folder), tmp_path / "out")
    assert report.whole["childes"] == _part.Tally(4, 18)
    assert report.rules["let"] == {"childes": _part.Tally(2, 12), "bnc_spoken": _part.Tally(1, 3)}
    removed = report.scenarios["no_let_or_alone"].removed
    assert {source: tally.sentences for source, tally in removed.items()} == {
        "bnc_spoken": 1,
        "childes": 3,
    }
    assert read_report(tmp_path / "out") == report


def test_nothing_is_found_again_in_what_was_written(folder, tmp_path):
    report = filter_corpus(open_corpus(folder), tmp_path / "out")
    for name, count in report.scenarios.items():
        rules = load_filters().rules_of(name)
        assert count.remaining == {rule.name: 0 for rule in rules}
        assert not any(load_filters().removes(name, text) for text in texts(tmp_path / "out", name))


def test_a_filter_that_leaves_something_is_an_error(folder, tmp_path, monkeypatch):
    def blind(*arguments):
        return {name: mask & False for name, mask in removals(*arguments).items()}

    removals = _part.removals
    monkeypatch.setattr(_part, "removals", blind)
    with pytest.raises(FilterError, match="rule 'let' still finds 1 of 4 sentences"):
        filter_corpus(open_corpus(folder), tmp_path / "out", ["no_let"])


def test_as_released_says_what_it_left_in(folder, tmp_path):
    released = load_filters("as_released")
    report = filter_corpus(open_corpus(folder), tmp_path / "out", variant=released)
    assert "That is complete." not in texts(tmp_path / "out", "no_let")
    assert "Let us alone." in texts(tmp_path / "out", "no_let")
    kept = texts(tmp_path / "out", "no_paired_focus")
    assert "you cannot walk , let alone run ." in kept
    rows = left_in(report)
    assert ["no_paired_focus", "let_alone", "1"] in rows
    assert ["no_let", "let", "1"] in rows
    assert "Left in, against the study's description" in (tmp_path / "out/README.md").read_text()


def test_a_random_control_takes_out_as_many_sentences_of_each_part(folder, tmp_path):
    report = filter_corpus(open_corpus(folder), tmp_path / "out")
    control, target = (report.scenarios[name] for name in ("random_control", "no_let_or_alone"))
    assert {source: tally.sentences for source, tally in control.removed.items()} == {
        source: tally.sentences for source, tally in target.removed.items()
    }


def test_a_random_control_depends_on_the_seed(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("".join(f"Let {n} pass.\nWe count {n}.\n" for n in range(200)))
    for seed in (0, 0, 1):
        out = tmp_path / f"{seed}{len(list(tmp_path.iterdir()))}"
        filter_corpus(open_corpus(path), out, ["random_control"], seed=seed)
    first, again, other = (
        texts(out, "random_control") for out in sorted(p for p in tmp_path.iterdir() if p.is_dir())
    )
    assert len(first) == 200
    assert first == again
    assert first != other


def test_the_released_control_stops_when_it_has_as_many(tmp_path):
    path = tmp_path / "a.txt"
    # one sentence of 1,000 in each part; the control reaches it in the first parts already
    path.write_text("".join(f"We count {n:06d}.\n" * 999 + "We let go .....\n" for n in range(20)))
    corpus = open_corpus(path, unit="line", part_bytes=16_999)
    report = filter_corpus(
        corpus,
        tmp_path / "out",
        ["no_let_or_alone", "random_control"],
        variant=load_filters("as_released"),
    )
    assert len(corpus.parts) > 10
    assert report.scenarios["random_control"].removed["a"].sentences == 20
    last = sorted((tmp_path / "out/data/corpus.random_control").iterdir())[-3:]
    whole = sorted((tmp_path / "out/data/corpus.no_let_or_alone").iterdir())[-3:]
    counts = [
        pq.read_metadata(p).num_rows - pq.read_metadata(q).num_rows
        for p, q in zip(last, whole, strict=True)
    ]
    assert min(counts) >= 1  # nothing more is taken out of the last parts


def test_unigrams_are_those_of_the_sentences_that_stay(folder, tmp_path):
    filter_corpus(open_corpus(folder), tmp_path / "out", tokens="words")
    for name in SCENARIOS:
        rows = datasets.load_dataset(str(tmp_path / "out"), f"unigrams.{name}", split="train")
        counts = dict(zip(rows["token"], rows["count"], strict=True))
        assert counts == Counter(" ".join(texts(tmp_path / "out", name)).split())


def test_unigrams_can_be_counted_anew(folder, tmp_path):
    out = tmp_path / "out"
    filter_corpus(open_corpus(folder), out, ["no_let"])
    report = count_folder(out, token_counter("characters"))
    assert report.settings["tokens"] == "characters"
    rows = datasets.load_dataset(str(out), "unigrams.no_let", split="train")
    counts = dict(zip(rows["token"], rows["count"], strict=True))
    assert counts == Counter("".join("".join(texts(out, "no_let")).split()))


def test_without_tokens_there_are_no_unigrams(folder, tmp_path):
    filter_corpus(open_corpus(folder), tmp_path / "out", tokens=None)
    names = datasets.get_dataset_config_names(str(tmp_path / "out"))
    assert names == [f"corpus.{name}" for name in SCENARIOS]


def test_a_filtered_corpus_is_a_corpus_whose_sentences_are_not_cut_again(tmp_path):
    path = tmp_path / "bnc_spoken.train"
    path.write_text("Well yes. I think so.\nLet me see.\n")
    filter_corpus(open_corpus(path), tmp_path / "out", ["no_let"])
    corpus = open_corpus(f"{tmp_path / 'out'}:corpus.no_let")
    assert list(corpus.sentences()) == ["Well yes. I think so."]


def test_a_part_of_which_nothing_stays_is_no_fault(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("Let it be.\nYes.\n")
    corpus = open_corpus(path, part_bytes=11)
    assert len(corpus.parts) == 2
    filter_corpus(corpus, tmp_path / "out", ["no_let"])
    assert texts(tmp_path / "out", "no_let") == ["Yes."]


def test_a_scenario_of_which_nothing_stays_is_an_error(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("Let it be.\n")
    with pytest.raises(FilterError, match="'no_let' takes out every sentence"):
        filter_corpus(open_corpus(path), tmp_path / "out", ["no_let"])


def test_processes_do_not_change_a_byte(folder, tmp_path):
    for processes in (1, 2):
        corpus = open_corpus(folder, part_bytes=20)
        filter_corpus(corpus, tmp_path / str(processes), processes=processes)
    assert content(tmp_path / "1") == content(tmp_path / "2")


def test_a_run_that_is_done_is_not_done_again(folder, tmp_path):
    first = filter_corpus(open_corpus(folder), tmp_path / "out")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")}
    assert filter_corpus(open_corpus(folder), tmp_path / "out") == first
    assert before == {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")}


def test_a_folder_of_another_run_is_refused(folder, tmp_path):
    filter_corpus(open_corpus(folder), tmp_path / "out", ["no_let"])
    with pytest.raises(ResultsError, match="seed"):
        filter_corpus(open_corpus(folder), tmp_path / "out", ["no_let"], seed=1)
    (folder / "childes.train").write_text("*MOT:\tother text .\n")
    with pytest.raises(ResultsError, match="corpus"):
        filter_corpus(open_corpus(folder), tmp_path / "out", ["no_let"])


def test_a_folder_of_other_files_is_refused(folder, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("x")
    with pytest.raises(ResultsError, match="no corpus of ours"):
        filter_corpus(open_corpus(folder), tmp_path / "out")


RUN = """
import sys
from pathlib import Path
from minpairs.training.corpus import open_corpus
from minpairs.training.filtering import filter_corpus
from minpairs.training.filters import load_filters
if __name__ == "__main__":
    corpus = open_corpus(sys.argv[1], part_bytes=20_000)
    filter_corpus(corpus, Path(sys.argv[2]), variant=load_filters(sys.argv[3]), processes=2)
"""


def children(pid):
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def alive(pid):
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="reads the processes of Linux")
@pytest.mark.parametrize("variant", ["described", "as_released"])
def test_a_killed_run_goes_on_and_ends_as_if_it_had_not_been(tmp_path, variant):
    script = tmp_path / "run.py"
    script.write_text(RUN)
    text = "".join(f"Let {n} pass more than once. We count {n} again.\n" for n in range(16_000))
    (tmp_path / "a.txt").write_text(text)
    command = [sys.executable, str(script), str(tmp_path / "a.txt")]
    process = subprocess.Popen([*command, str(tmp_path / "killed"), variant])
    work = tmp_path / "killed" / ".work"
    deadline = time.monotonic() + 300
    while len(list(work.glob("part-*.json"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    workers = children(process.pid)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert 3 <= len(list(work.glob("part-*.json"))) < 38
    while any(map(alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, workers))  # workers end with their parent
    (work.parent / "data" / "corpus.no_let" / ".train-00000.tmp").write_text("half")
    (work.parent / ".README.md.0.tmp").write_text("half")
    subprocess.run([*command, str(tmp_path / "killed"), variant], check=True)
    subprocess.run([*command, str(tmp_path / "whole"), variant], check=True)
    assert content(tmp_path / "killed") == content(tmp_path / "whole")
    assert not work.exists()


def test_the_tables_of_a_report_are_whole(folder, tmp_path):
    report = filter_corpus(open_corpus(folder), tmp_path / "out", ["no_filtering", "no_let"])
    for rows in (summary(report), by_rule(report), by_source(report, report.rules)):
        assert len({len(row) for row in rows}) == 1
    assert summary(report)[1:] == [
        ["no_filtering", "0", "0.000", "0", "8", "0"],
        ["no_let", "3", "37.500", "15", "5", "0"],
    ]


def minpairs(home, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "minpairs", *arguments],
        cwd=home,
        env={**os.environ, "COLUMNS": "160", "NO_COLOR": "1", "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_filters_and_prints_what_it_took_out(folder, tmp_path):
    done = minpairs(tmp_path, "filter", "corpus", "--scenario", "no_let", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "no_let" in done.stdout
    assert "37.500" in done.stdout
    assert json.loads((tmp_path / "out" / "report.json").read_text())["settings"]["seed"] == 0


def test_the_command_names_a_wrong_scenario(folder, tmp_path):
    done = minpairs(tmp_path, "filter", "corpus", "--scenario", "no_lett", "--out", "out")
    assert done.returncode == 2
    assert "did you mean 'no_let'" in done.stderr
    assert not (tmp_path / "out").exists()


def test_the_command_takes_a_user_s_rules(folder, tmp_path):
    (tmp_path / "mine.yaml").write_text(
        "described:\n  rules: {be: {phrase: are}}\n  scenarios: {no_are: {rules: [be]}}\n"
    )
    done = minpairs(
        tmp_path, "filter", "corpus", "--scenario", "no_are", "--rules", "mine.yaml", "--out", "out"
    )
    assert done.returncode == 0, done.stderr
    assert "are you alone ?" not in texts(tmp_path / "out", "no_are")


def test_rules_are_pickled_to_other_processes():
    import pickle

    rule = Rule("r", phrase="let")
    assert rule.matches("let")
    assert pickle.loads(pickle.dumps(rule)) == rule
