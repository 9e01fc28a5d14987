"""Answers: read strictly, and never lost."""

from __future__ import annotations

import pytest

from minpairs.errors import ResultsError
from minpairs.scoring.chat import Answer, AnswerStore, read_letter


def answer(key: str, reply: str = "A") -> Answer:
    return Answer(
        key, "s", 0, ("a", "b"), "A", reply, read_letter(reply), None, -0.5, 9, 1, "stop", "m",
        0.1, 1, "2026-01-01",
    )  # fmt: skip


@pytest.mark.parametrize("reply", ["A", " A", "A\n", "A.", "A)", "\tA. \n"])
def test_a_letter_is_read(reply):
    assert read_letter(reply) == "A"


@pytest.mark.parametrize(
    "reply",
    ["", "a", "C", "AB", "A B", "(A)", "A..", "A.)", "A:", "**A**", "Answer: A", "A. It is.", "А"],
)
def test_anything_else_is_not(reply):
    assert read_letter(reply) is None


def test_answers_are_there_again(tmp_path):
    odd = answer("k", 'He said "\u2028 \ud800\n"')
    with AnswerStore(tmp_path / "answers.jsonl").writing() as keep:
        keep(odd)
    assert AnswerStore(tmp_path / "answers.jsonl").get("k") == odd


def test_a_line_cut_short_by_a_kill_is_left_out_and_written_anew(tmp_path):
    path = tmp_path / "answers.jsonl"
    with AnswerStore(path).writing() as keep:
        keep(answer("whole"))
        keep(answer("cut"))
    path.write_bytes(path.read_bytes()[:-20])
    store = AnswerStore(path)
    assert (len(store), store.get("cut")) == (1, None)
    with store.writing() as keep:
        keep(answer("cut"))
    assert len(AnswerStore(path)) == 2


def test_damage_elsewhere_is_an_error_that_names_the_line(tmp_path):
    path = tmp_path / "answers.jsonl"
    with AnswerStore(path).writing() as keep:
        keep(answer("one"))
    path.write_bytes(b'{"key": "zero"}\n' + path.read_bytes())
    with pytest.raises(ResultsError, match=r"answers\.jsonl, line 1 is damaged"):
        AnswerStore(path)


def test_two_runs_do_not_write_at_once(tmp_path):
    path = tmp_path / "answers.jsonl"
    with (
        AnswerStore(path).writing(),
        pytest.raises(ResultsError, match="another run"),
        AnswerStore(path).writing(),
    ):
        pass


def test_what_another_run_has_added_is_seen_before_writing(tmp_path):
    path = tmp_path / "answers.jsonl"
    mine = AnswerStore(path)
    with AnswerStore(path).writing() as keep:
        keep(answer("theirs"))
    with mine.writing():
        assert mine.get("theirs") == answer("theirs")
