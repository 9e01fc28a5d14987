"""Defects that hostile files and faults have shown: each stays mended."""

import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from trust.readers import BY_NAME, scores_parquet

from minpairs.benchmarks.importing import import_source
from minpairs.benchmarks.suites import from_table, load_pairs
from minpairs.errors import ModelError, ResultsError, SuiteError, TextError, WriteError
from minpairs.files import file_name, write_durably
from minpairs.results import read_runs, write_run
from minpairs.scoring import load_scorer
from minpairs.studies.corpora import sampled_texts
from minpairs.training.corpus import open_corpus
from minpairs.training.filtering import filter_corpus
from minpairs.training.run_folder import LOG, RECORD, Trained, once


def test_a_word_with_a_nul_character_has_no_score_of_another_word(tmp_path: Path):
    # KenLM reads a word up to the NUL: "fo\0…" had the score of "fo".
    path = BY_NAME["ARPA"].put(tmp_path, BY_NAME["ARPA"].valid)
    scorer = load_scorer(path, kind="ngram", segmentation="words")
    with pytest.raises(TextError, match="NUL"):
        scorer.score(["f\0oo"])


def test_suites_whose_names_differ_in_a_mark_have_files_of_their_own(tmp_path: Path):
    # "a/b" and "a-b" were written to one file: the report read one suite's items as the other's.
    pairs = {"sentence_good": ["A."], "sentence_bad": ["B."]}
    suites = [from_table("mine", name, pa.table(pairs)) for name in ("a/b", "a-b")]
    write_run(tmp_path, "toy", {"kind": "causal"}, suites, ["test"], {})
    assert len(list((tmp_path / "suites").glob("*.parquet"))) == 2


@pytest.mark.parametrize("name", ["..", "../../x", "/etc/passwd", "a" * 999, ".hidden", "a\nb"])
def test_no_name_leads_out_of_a_folder_or_is_too_long_for_it(name: str, tmp_path: Path):
    path = tmp_path / f"{file_name(name)}.parquet"
    path.write_bytes(b"")
    assert path.resolve().parent == tmp_path.resolve()
    assert not path.name.startswith(".")


def test_an_ordinary_name_stays_as_it_is():
    assert file_name("climp.ba_construction") == "climp.ba_construction"


@pytest.mark.parametrize(
    "change",
    [
        {"logprob": float("nan")},
        {"logprob": float("-inf")},
        {"logprob": None},
        {"tokens": 0},
        {"tokens": None},
        {"unigram_logprob": float("inf")},
        {"continuation": None},
    ],
    ids=str,
)
def test_a_score_that_is_none_is_refused(change: dict[str, object], tmp_path: Path):
    BY_NAME["scores"].put(tmp_path, scores_parquet(**change))
    with pytest.raises(ResultsError, match=r"one\.parquet, row 1 is no score"):
        read_runs(tmp_path)


def test_items_that_were_exchanged_after_scoring_are_refused(tmp_path: Path):
    reader = BY_NAME["scored suite"]
    path = reader.put(tmp_path, reader.valid)
    table = pq.read_table(path)
    swapped = {"sentence_good": table["sentence_bad"], "sentence_bad": table["sentence_good"]}
    pq.write_table(pa.table(swapped), path)
    with pytest.raises(ResultsError, match="other items than were scored"):
        read_runs(tmp_path)


@pytest.mark.parametrize("file", ["../other.parquet", "/etc/passwd", "suites/../../x", "a\\b"])
def test_a_record_cannot_name_a_file_elsewhere(file: str, tmp_path: Path):
    reader = BY_NAME["run record"]
    record = json.loads(reader.valid)
    record["suites"][0]["file"] = file
    reader.put(tmp_path, json.dumps(record).encode())
    with pytest.raises(ResultsError, match="leads out of the folder"):
        read_runs(tmp_path)


@pytest.mark.parametrize("uid", ["..", "../../x", ".", "a/../../b"])
def test_an_imported_paradigm_stays_in_its_folder(uid: str, tmp_path: Path):
    row = {"sentence_good": "A.", "sentence_bad": "B.", "UID": uid, "phenomenon": "x"}
    (tmp_path / "z.jsonl").write_text(json.dumps(row) + "\n")
    import_source("zhoblimp", tmp_path / "z.jsonl", tmp_path / "out")
    (written,) = tmp_path.rglob("*.parquet")
    assert written.parent.parent == tmp_path / "out" / "data"


def test_a_paradigm_whose_name_no_file_can_have_is_refused(tmp_path: Path):
    row = {"sentence_good": "A.", "sentence_bad": "B.", "UID": "é" * 150, "phenomenon": "x"}
    (tmp_path / "z.jsonl").write_text(json.dumps(row) + "\n")
    with pytest.raises(SuiteError, match="200 bytes at most"):
        import_source("zhoblimp", tmp_path / "z.jsonl", tmp_path / "out")


def test_groups_are_names_not_lists(tmp_path: Path):
    row = {"good": "A.", "bad": "B.", "group": ["x"]}
    (tmp_path / "p.jsonl").write_text(json.dumps(row) + "\n")
    with pytest.raises(SuiteError, match=r"p\.jsonl: row 0: column 'group' holds"):
        load_pairs(tmp_path / "p.jsonl", acceptable="good", unacceptable="bad", group="group")


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EDQUOT])
def test_a_disk_that_takes_nothing_is_an_error_of_ours_and_loses_nothing(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "run.json"
    write_durably(path, b"before")

    def full(_: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(WriteError, match=r"run\.json: .*run the same command again"):
        write_durably(path, b"after")
    assert path.read_bytes() == b"before"
    assert [each.name for each in tmp_path.iterdir()] == ["run.json"]


@pytest.mark.parametrize("gone", ["tokens-00000.parquet", "part-00000.json", "plan.json"])
def test_a_filter_killed_while_it_cleaned_up_can_be_finished(
    gone: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    # Of the folder of work a part was gone and the rest was there: it failed at every later try.
    (tmp_path / "a.txt").write_text("The fox naps.\nNobody let the hen out.\n")
    corpus = open_corpus(tmp_path / "a.txt")
    work = tmp_path / "out" / ".work"

    def half(folder: Path, **_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("shutil.rmtree", half)
        with pytest.raises(KeyboardInterrupt):
            filter_corpus(corpus, tmp_path / "out", ["no_let"])
    (work / gone).unlink(missing_ok=True)
    assert filter_corpus(corpus, tmp_path / "out", ["no_let"]).scenarios["no_let"].rows == 1
    assert not work.exists()


def test_a_filter_killed_while_it_cleaned_up_is_cleaned_up(tmp_path: Path):
    (tmp_path / "a.txt").write_text("The fox naps.\nNobody let the hen out.\n")
    corpus = open_corpus(tmp_path / "a.txt")
    filter_corpus(corpus, tmp_path / "out", ["no_let"])
    (tmp_path / "out" / ".work").mkdir()
    (tmp_path / "out" / ".work" / "part-00000.json").write_text("{}")
    filter_corpus(corpus, tmp_path / "out", ["no_let"])
    assert not (tmp_path / "out" / ".work").exists()


_WORK = ("coded", "checkpoints/checkpoint-5")


def _finished_model(folder: Path) -> None:
    """A folder of a training that was killed when it had begun to clean up."""
    for name in _WORK:
        (folder / name).mkdir(parents=True)
    write_durably(folder / RECORD, b"{}")
    write_durably(folder / LOG, json.dumps([{"step": 5, "eval_loss": 1.5}]).encode())


def _training() -> Trained:
    raise AssertionError("trained again")


def test_a_training_killed_while_it_cleaned_up_is_cleaned_up(tmp_path: Path):
    # The corpus, as tokens, stayed beside the model for good.
    _finished_model(tmp_path)
    assert once(tmp_path, {}, _training, tmp_path / "coded").held_out_loss == 1.5
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([RECORD, LOG])


def test_a_second_training_in_a_folder_is_refused_and_leaves_the_first_alone(tmp_path: Path):
    # The first to end removed the checkpoints that the other was writing.
    def training() -> Trained:
        with pytest.raises(ModelError, match="another process is training in"):
            once(tmp_path, {}, _training)
        return Trained(tmp_path, 5, None, 0)

    assert once(tmp_path, {}, training).steps == 5
    assert not list(tmp_path.iterdir())


def test_a_disk_that_fills_up_in_a_training_is_called_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def training() -> Trained:
        raise RuntimeError("unexpected pos 64 vs 0")  # what torch says of it

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(RuntimeError, match="unexpected pos"):
        once(tmp_path, {}, training)
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(WriteError, match="No space left on device"):
        once(tmp_path, {}, training)


def test_two_studies_that_draw_sentences_at_once_draw_whole_samples(tmp_path: Path):
    # Both wrote to one file: what the first had renamed was the half of the second.
    (tmp_path / "a.txt").write_text("\n".join("abcdef") + "\n")
    corpus = open_corpus(tmp_path / "a.txt", unit="line")
    sizes, out = {"six": 6}, tmp_path / "out"

    def meanwhile() -> Iterator[str]:
        for number, sentence in enumerate(corpus.sentences()):
            if number == 3:
                sampled_texts(corpus, sizes, out, 6)
                assert (out / "six.txt").read_text().split() == list("abcdef")
            yield sentence
        assert (out / "six.txt").read_text().split() == list("abcdef")

    names = {name: getattr(corpus, name) for name in ("identity", "name", "language")}
    other: Any = SimpleNamespace(**names, sentences=meanwhile)
    (text,) = sampled_texts(other, sizes, out, 6).values()
    assert list(text.open().sentences()) == list("abcdef")
    assert sorted(path.name for path in out.iterdir()) == ["sampled.json", "six.txt"]
