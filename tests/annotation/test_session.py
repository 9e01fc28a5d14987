"""One annotator at work: nothing that was answered is lost, and nothing unread is answered."""

from __future__ import annotations

import csv
import json
from itertools import count
from unittest.mock import Mock

import pytest

from minpairs.annotation import Choice, Session, Study, read_judgements
from minpairs.annotation.journal import annotator_path
from minpairs.errors import MinpairsError, ResultsError


@pytest.fixture
def open_session(tmp_path, study):
    opened = []

    def open_(annotator="ann", **more) -> Session:
        opened.append(Session(tmp_path, more.pop("study", study), annotator, **more))
        return opened[-1]

    yield open_
    for session in opened:
        session.close()


def answer(session: Session, *choices: str) -> None:
    for choice in choices:
        assert session.answer(session.current.pair, Choice(choice))


def lines(tmp_path) -> list[dict]:
    return [json.loads(line) for line in (tmp_path / "ann.jsonl").read_text().splitlines()]


def test_an_answer_is_in_the_file_at_once(tmp_path, open_session):
    session = open_session()
    trial = session.current
    answer(session, "right")
    (line,) = lines(tmp_path)
    assert [line[key] for key in ("pair", "left", "right", "choice")] == [
        trial.pair,
        trial.left,
        trial.right,
        "right",
    ]


def test_an_answer_that_cannot_be_synced_to_disk_is_asked_again(tmp_path, open_session):
    session = open_session()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("minpairs.annotation.journal.os.fsync", Mock(side_effect=OSError("full")))
        with pytest.raises(OSError, match="full"):
            answer(session, "left")
    assert session.done == 0
    answer(session, "right")
    assert [line["choice"] for line in lines(tmp_path)] == ["right"]


def test_the_file_does_not_say_which_sentence_is_acceptable(tmp_path, open_session):
    answer(open_session(), "left")
    assert set(lines(tmp_path)[0]) == {"pair", "left", "right", "choice", "seconds", "time"}


def test_a_session_goes_on_where_it_was_left(open_session):
    session = open_session()
    answer(session, "left", "skip", "right")
    due = session.current
    session.close()
    again = open_session()
    assert (again.done, again.skipped, again.current) == (3, 1, due)


def test_an_answer_cut_short_by_a_crash_is_asked_again(tmp_path, open_session):
    session = open_session()
    answer(session, "left", "left")
    session.close()
    path = tmp_path / "ann.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    again = open_session()
    assert again.done == 1
    answer(again, "right")
    again.close()
    assert [one.choice for one in read_judgements(path)] == [Choice.left, Choice.right]


def test_an_answer_for_a_pair_that_is_not_shown_is_refused(tmp_path, open_session):
    session = open_session()
    first = session.current.pair
    assert session.answer(first, Choice.left)
    assert not session.answer(first, Choice.left)
    assert session.done == 1
    assert len(lines(tmp_path)) == 1


def test_nothing_is_asked_after_the_last_pair(open_session):
    session = open_session()
    answer(session, *["left"] * 8)
    assert session.current is None
    assert not session.answer("mine.first:0", Choice.left)


def test_undo_returns_to_the_last_pair_also_after_a_restart(open_session):
    session = open_session()
    answer(session, "left", "right")
    session.close()
    again = open_session()
    assert again.undo()
    assert again.done == 1
    answer(again, "left")
    again.close()
    assert open_session().done == 2


def test_undo_only_adds_to_the_file(tmp_path, open_session):
    session = open_session()
    pair = session.current.pair
    answer(session, "left")
    session.undo()
    answer(session, "right")
    assert [line.get("choice") for line in lines(tmp_path)] == ["left", None, "right"]
    assert lines(tmp_path)[1] == {"undo": pair}
    assert [one.choice for one in read_judgements(tmp_path / "ann.jsonl")] == [Choice.right]


def test_undo_without_an_answer_does_nothing(tmp_path, open_session):
    assert not open_session().undo()
    assert lines(tmp_path) == []


def test_answers_are_timed_from_when_the_pair_was_shown(open_session):
    clock = count(0, 2)
    session = open_session(clock=lambda: float(next(clock)))
    session.show()  # at 2 s
    answer(session, "left")  # at 4 s
    assert next(csv.DictReader(session.export().splitlines()))["seconds"] == "2.0"


def test_the_export_has_a_row_for_each_judgement_that_stands(open_session):
    session = open_session()
    first = session.current
    answer(session, "left", "skip", "left")
    session.undo()
    rows = list(csv.DictReader(session.export().splitlines()))
    assert [(row["annotator"], row["choice"], row["chosen"]) for row in rows] == [
        ("ann", "left", first.left),
        ("ann", "skip", ""),
    ]


@pytest.mark.parametrize(
    "name",
    ["../x", "a/b", "/etc/x", "a\\b", "", ".", "..", ".hidden", "x.", " x", "a\nb", "x" * 65],
)
def test_a_name_that_could_leave_the_folder_is_refused(tmp_path, study, name):
    with pytest.raises(MinpairsError, match="an annotator cannot be called"):
        Session(tmp_path / "study", study, name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["x", "小王", "Ann B. O-1", "Zoë"])
def test_names_in_any_script_are_file_names(tmp_path, name):
    assert annotator_path(tmp_path, name) == tmp_path / f"{name}.jsonl"


def test_two_spellings_of_an_accent_are_one_annotator(tmp_path):
    assert annotator_path(tmp_path, "Zoe\u0308") == annotator_path(tmp_path, "Zo\u00eb")


def test_two_processes_cannot_answer_for_one_annotator(open_session):
    open_session()
    with pytest.raises(ResultsError, match=r"ann\.jsonl is open in another `minpairs annotate`"):
        open_session()


def test_a_file_from_another_order_is_refused(tmp_path, open_session):
    session = open_session("bob")
    answer(session, "left", "left")
    session.close()
    (tmp_path / "bob.jsonl").rename(tmp_path / "ann.jsonl")
    with pytest.raises(ResultsError, match="written for another study or seed"):
        open_session("ann")


def test_a_file_with_more_judgements_than_pairs_is_refused(tmp_path, open_session, study):
    session = open_session()
    answer(session, *["left"] * 8)
    session.close()
    extra = lines(tmp_path)[0] | {"pair": "mine.third:0"}
    with (tmp_path / "ann.jsonl").open("a") as file:
        file.write(json.dumps(extra) + "\n")
    with pytest.raises(ResultsError, match=r"judgement 9 is of 'mine.third:0'"):
        open_session()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "Expecting"),
        ("{}", "'choice'"),
        ('{"undo": "mine.first:9"}', "it takes back 'mine.first:9', not the last answer"),
        ('{"pair": "p", "choice": "both"}', "'both' is not a valid Choice"),
        ('{"pair": "p", "choice": "left"}', "missing 4 required"),
        ("3", "int"),
    ],
)
def test_a_damaged_line_is_named(tmp_path, line, reason):
    path = tmp_path / "ann.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(ResultsError, match=rf"ann\.jsonl, line 1 is damaged: .*{reason}"):
        read_judgements(path)


def test_a_pair_judged_twice_is_named(tmp_path, open_session):
    answer(open_session(), "left")
    path = tmp_path / "ann.jsonl"
    path.write_text(path.read_text() * 2)
    with pytest.raises(ResultsError, match=r"line 2 is damaged: pair '.*' is judged twice"):
        read_judgements(path)


def test_another_studys_folder_is_refused(open_session, study):
    open_session()
    with pytest.raises(ResultsError, match="holds another study"):
        open_session("bob", study=Study(9, None, study.pairs))
