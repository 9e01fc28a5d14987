"""Which pairs people see, in which order, and on which side."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from minpairs.annotation import Pair, Study, Trial, build_study, read_study, trials
from minpairs.annotation.study import keep_study
from minpairs.benchmarks.suites import from_table
from minpairs.errors import ResultsError, SuiteError


def suite(config: str, n: int, **columns):
    table = {
        "sentence_good": [f"{config} good {i}" for i in range(n)],
        "sentence_bad": [f"{config} bad {i}" for i in range(n)],
        **columns,
    }
    return from_table("mine", config, pa.table(table))


def test_all_annotators_get_the_pairs_that_score_limit_would_take():
    suites = [suite("a", 30), suite("b", 30)]
    study = build_study(suites, items=5, seed=3)
    assert [pair.acceptable for pair in study.pairs] == [
        text.continuation for whole in suites for text in whole.sample(5, 3).texts("acceptable")
    ]


def test_a_pair_is_named_by_its_id_in_the_benchmark():
    study = build_study([suite("a", 2, pair_id=[7, 9])])
    assert [pair.id for pair in study.pairs] == ["mine.a:7", "mine.a:9"]


def test_ids_that_are_not_unique_are_replaced_by_rows():
    study = build_study([suite("a", 2, pair_id=[7, 7])])
    assert [pair.id for pair in study.pairs] == ["mine.a:0", "mine.a:1"]


def test_one_suite_named_twice_is_an_error():
    with pytest.raises(SuiteError, match=r"'mine.a:0' comes 2 times; name each suite once"):
        build_study([suite("a", 1), suite("a", 1)])


def test_a_pair_of_equal_sentences_is_an_error():
    broken = from_table("mine", "a", pa.table({"sentence_good": ["x"], "sentence_bad": ["x"]}))
    with pytest.raises(SuiteError, match=r"mine.a:0: both members are 'x'"):
        build_study([broken])


def test_people_judge_minimal_pairs_only():
    cells = ("base_let_alone", "base_and", "swapped_let_alone", "swapped_and")
    columns = {f"{cell}{end}": ["x"] for cell in cells for end in ("", "_manipulated")}
    with pytest.raises(SuiteError, match=r"mine.npi has items of design interaction"):
        build_study([from_table("mine", "npi", pa.table(columns))])


def test_order_and_sides_are_the_same_every_time(study):
    # Written out: they must be the same on every machine and in every version.
    assert trials(study, "ann")[:2] == [
        Trial(pair="mine.first:1", left="first good 1", right="first bad 1"),
        Trial(pair="mine.first:3", left="first bad 3", right="first good 3"),
    ]


def test_order_and_sides_differ_between_annotators_and_seeds(study):
    other_seed = Study(1, None, study.pairs)
    orders = [trials(study, "ann"), trials(study, "bob"), trials(other_seed, "ann")]
    assert orders[0] != orders[1]
    assert orders[0] != orders[2]


def test_every_pair_comes_once_with_both_its_members(study):
    assert sorted((t.pair, *sorted((t.left, t.right))) for t in trials(study, "ann")) == sorted(
        (p.id, *sorted((p.acceptable, p.unacceptable))) for p in study.pairs
    )


@pytest.mark.parametrize("annotator", ["ann", "bob", "小王"])
def test_sides_are_balanced_within_each_paradigm(study, annotator):
    left = [trial.left for trial in trials(study, annotator)]
    for paradigm in ("first", "second"):
        assert sum(sentence.startswith(f"{paradigm} good") for sentence in left) == 2


def test_the_odd_pair_falls_on_either_side():
    one = Study(0, None, (Pair("p", "a", "good", "bad"),))
    assert {trials(one, f"annotator {i}")[0].left for i in range(20)} == {"good", "bad"}


def test_a_trial_does_not_say_which_sentence_is_acceptable():
    assert Trial.__slots__ == ("pair", "left", "right")


def test_a_study_is_read_as_it_was_written(tmp_path, study):
    keep_study(tmp_path / "new", study)
    assert read_study(tmp_path / "new") == study


def test_writing_the_same_study_again_changes_nothing(tmp_path, study):
    keep_study(tmp_path, study)
    before = (tmp_path / "study.json").read_bytes()
    keep_study(tmp_path, study)
    assert (tmp_path / "study.json").read_bytes() == before


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        (lambda s: Study(1, None, s.pairs), "its seed is 0, not 1"),
        (lambda s: Study(0, 4, s.pairs), "it has all items a paradigm, not 4"),
        (lambda s: Study(0, None, s.pairs[:4]), "its paradigms are mine.first, mine.second"),
        (lambda s: Study(0, None, s.pairs[:-1]), "it has 8 pairs"),
        (
            lambda s: Study(0, None, (Pair("mine.first:0", "mine.first", "x", "y"), *s.pairs[1:])),
            "pair mine.first:0 was 'first good 0' and is now 'x'",
        ),
    ],
)
def test_another_study_in_the_folder_is_an_error_that_says_what_differs(
    tmp_path, study, other, difference
):
    keep_study(tmp_path, study)
    with pytest.raises(ResultsError, match=difference):
        keep_study(tmp_path, other(study))


def test_a_folder_without_a_study_says_how_to_make_one(tmp_path):
    with pytest.raises(ResultsError, match="make one with `minpairs annotate`"):
        read_study(tmp_path)


@pytest.mark.parametrize("content", ["{", "[]", json.dumps({"seed": 0, "items": None})])
def test_a_damaged_study_is_named(tmp_path, content):
    (tmp_path / "study.json").write_text(content)
    with pytest.raises(ResultsError, match=r"study\.json is damaged"):
        read_study(tmp_path)
