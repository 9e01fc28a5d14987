"""What the judgements say: accuracy by paradigm, majority, intervals, and suspect pairs."""

from __future__ import annotations

import csv
import json
from dataclasses import asdict

import numpy as np
import pytest
from typer.testing import CliRunner

from minpairs.annotation import (
    Choice,
    Judgement,
    Pair,
    Study,
    agree,
    agreement_table,
    read_annotators,
    read_studies,
    suspects_table,
)
from minpairs.annotation.crossed import crossed_interval
from minpairs.annotation.study import keep_study
from minpairs.cli import app
from minpairs.errors import ResultsError
from minpairs.report import to_csv
from minpairs.statistics import wilson


def judged(study: Study, answers: str, side: Choice = Choice.left) -> list[Judgement]:
    """Answers to a study's pairs in order: r(ight), w(rong), s(kip), or . for none."""
    other = Choice.right if side is Choice.left else Choice.left
    acceptable_left = side is Choice.left
    return [
        Judgement(
            pair.id,
            pair.acceptable if acceptable_left else pair.unacceptable,
            pair.unacceptable if acceptable_left else pair.acceptable,
            {"r": side, "w": other, "s": Choice.skip}[answer],
            2.0,
            "2030-01-01T00:00:00+00:00",
        )
        for pair, answer in zip(study.pairs, answers, strict=False)
        if answer != "."
    ]


def write(folder, name: str, judgements) -> None:
    lines = [json.dumps(asdict(judgement)) + "\n" for judgement in judgements]
    (folder / f"{name}.jsonl").write_text("".join(lines))


def test_accuracy_is_the_share_of_judgements_for_the_acceptable_sentence(study):
    found = agree(study, {"ann": judged(study, "rrrrrrww"), "bob": judged(study, "rrrwrrrr")})
    assert [result.accuracy for result in found.paradigms] == [7 / 8, 6 / 8]


def test_the_side_of_the_acceptable_sentence_makes_no_difference(study):
    found = agree(study, {"ann": judged(study, "rrrwrrrr", side=Choice.right)})
    assert [result.accuracy for result in found.paradigms] == [3 / 4, 1]


def test_the_overall_accuracy_is_the_unweighted_mean_of_paradigms(study):
    found = agree(study, {"ann": judged(study, "rrrr...w")})
    assert found.accuracy == 0.5
    assert found.majority == 0.5


def test_a_paradigm_that_nobody_judged_is_left_out_of_the_mean_and_named(study):
    found = agree(study, {"ann": judged(study, "rrrr")})
    assert (found.accuracy, found.unjudged) == (1, ("mine.second",))
    notes = agreement_table(found, study).footnotes
    assert "Nobody has judged mine.second: not in the mean." in notes


def test_a_majority_is_more_than_half_of_the_votes(study):
    people = {
        "ann": judged(study, "rrww"),
        "bob": judged(study, "rwrw"),
        "cyd": judged(study, "rrr."),
    }
    (result,) = agree(study, people).paradigms
    assert (result.majority, result.ties) == (3 / 4, 0)


def test_a_tied_vote_is_counted_and_is_not_right(study):
    people = {"ann": judged(study, "rr"), "bob": judged(study, "rw")}
    (result,) = agree(study, people).paradigms
    assert (result.majority, result.ties) == (1 / 2, 1)


def test_skips_are_counted_and_are_no_judgements(study):
    people = {"ann": judged(study, "rrrs"), "bob": judged(study, "rrss")}
    (result,) = agree(study, people).paradigms
    assert (result.pairs, result.judgements, result.skipped, result.accuracy) == (3, 5, 3, 1)


def test_only_people_with_a_judgement_are_counted(study):
    people = {"ann": judged(study, "rr"), "bob": judged(study, "ss"), "cyd": []}
    found = agree(study, people)
    assert found.paradigms[0].annotators == 1
    assert [one.accuracy for one in found.annotators] == [1, None, None]


def test_pairs_that_most_got_wrong_or_skipped_are_suspect_worst_first(study):
    people = {
        "ann": judged(study, "wwrsrs"),
        "bob": judged(study, "wwrswr"),
        "cyd": judged(study, "wrrrr."),
    }
    rows = suspects_table(agree(study, people)).rows
    assert [(row[0], *row[3:]) for row in rows] == [
        ("mine.first:0", 0, 3, 0),
        ("mine.first:1", 1, 2, 0),
        ("mine.first:3", 1, 0, 2),
    ]


def test_an_annotator_who_keeps_to_one_side_shows(study):
    left = judged(study, "rrrr", Choice.left)[:2] + judged(study, "wwww", Choice.right)[2:]
    assert agree(study, {"ann": left}).annotators[0].left == 1.0


def test_judgements_of_another_study_are_refused(study):
    other = Study(0, None, (Pair("mine.first:0", "mine.first", "x", "y"),))
    with pytest.raises(ResultsError, match=r"ann judged 'mine\.first:0' \('x', 'y'\)"):
        agree(study, {"ann": judged(other, "r")})


def test_a_study_of_skips_alone_has_no_agreement(study):
    with pytest.raises(ResultsError, match="every pair was skipped"):
        agree(study, {"ann": judged(study, "ssss")})


def codes(items: int, people: int) -> tuple[np.ndarray, np.ndarray]:
    return np.repeat(np.arange(items), people), np.tile(np.arange(people), items)


def test_one_persons_interval_is_no_narrower_than_that_of_independent_pairs():
    credit = np.array([1.0] * 9 + [0.0])
    found, plain = crossed_interval(credit, *codes(10, 1)), wilson(0.9, 10)
    assert found.low <= plain.low
    assert found.high >= plain.high


def test_people_who_never_differ_are_worth_one():
    alone = np.array([1.0] * 9 + [0.0])
    one = crossed_interval(alone, *codes(10, 1))
    twelve = crossed_interval(np.repeat(alone, 12), *codes(10, 12))
    assert twelve.low == pytest.approx(one.low, abs=0.01)


def test_where_all_are_right_the_smaller_number_counts():
    found = crossed_interval(np.ones(150), *codes(10, 15))
    student_t_9 = 2.262157  # its 97.5 % quantile
    assert found.high == 1
    assert found.low == pytest.approx(wilson(1, 10, student_t_9).low, abs=1e-6)


def test_a_single_judgement_has_an_interval():
    assert crossed_interval(np.ones(1), *codes(1, 1)) == wilson(1, 1)


def test_the_interval_covers_where_pairs_and_people_differ():
    rng = np.random.default_rng(5)
    items, people = codes(15, 16)

    def shares(pair_effect, person_effect):
        return 1 / (1 + np.exp(-(3.0 + 1.5 * pair_effect + 0.8 * person_effect)))

    truth = shares(*rng.normal(size=(2, 200_000))).mean()
    crossed = plain = 0
    for _ in range(200):
        chance = shares(rng.normal(size=15)[items], rng.normal(size=16)[people])
        credit = (rng.random(240) < chance).astype(float)
        interval = crossed_interval(credit, items, people)
        crossed += interval.low <= truth <= interval.high
        interval = wilson(float(credit.mean()), 240)
        plain += interval.low <= truth <= interval.high
    assert crossed > 0.88 * 200
    assert plain < 0.75 * 200


def test_all_files_of_a_folder_are_read(tmp_path, study):
    write(tmp_path, "ann", judged(study, "r"))
    write(tmp_path, "小王", judged(study, "ww"))
    assert {name: len(given) for name, given in read_annotators(tmp_path).items()} == {
        "ann": 1,
        "小王": 2,
    }


def test_a_folder_without_judgements_is_an_error(tmp_path):
    with pytest.raises(ResultsError, match="holds no judgements yet"):
        read_annotators(tmp_path)


def split(tmp_path, study: Study) -> list:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder, pairs in zip(folders, (study.pairs[:4], study.pairs[4:]), strict=True):
        part = Study(0, None, pairs)
        keep_study(folder, part)
        write(folder, "ann", judged(part, "rrrr"))
    return folders


def test_studies_of_different_paradigms_are_one(tmp_path, study):
    joined, judgements = read_studies(split(tmp_path, study))
    assert joined == study
    assert len(judgements["ann"]) == 8


def test_a_paradigm_in_two_studies_is_an_error(tmp_path, study):
    one, _ = split(tmp_path, study)
    with pytest.raises(ResultsError, match=r"mine\.first is in .*one and in .*one"):
        read_studies([one, one])


def test_the_table_in_csv_has_a_row_for_each_paradigm_and_the_mean(study):
    table = agreement_table(agree(study, {"ann": judged(study, "rrrwrrrr")}), study)
    rows = list(csv.DictReader(to_csv(table).splitlines()))
    assert [(row["paradigm"], row["accuracy"], row["annotators"]) for row in rows] == [
        ("mine.first", "0.75", "1"),
        ("mine.second", "1.0", "1"),
        ("mean of 2 paradigms", "0.875", "1"),
    ]
    assert "design:forced_choice" in rows[0]["signature"]


def test_one_annotator_is_said_to_be_one(study):
    notes = agreement_table(agree(study, {"ann": judged(study, "rr")}), study).footnotes
    assert any(note.startswith("There is one annotator") for note in notes)


def test_the_command_prints_and_writes_all(tmp_path, study):
    keep_study(tmp_path, study)
    write(tmp_path, "ann", judged(study, "rrrwrrrr"))
    write(tmp_path, "bob", judged(study, "rrrwrrrs"))
    result = CliRunner().invoke(app, ["agreement", str(tmp_path)])
    assert result.exit_code == 0
    assert "mean of 2 paradigms" in result.output
    assert "Pairs that most annotators got wrong or skipped" in result.output
    assert "87.5" in (tmp_path / "agreement.md").read_text()
    assert (tmp_path / "suspects.csv").read_text().splitlines()[1].startswith("mine.first:3,")
    assert len((tmp_path / "judgements.csv").read_text().splitlines()) == 17
    assert (tmp_path / "agreement.csv").read_text().startswith("paradigm,annotators,pairs,")
