"""Faults of items: each is found, counted, placed, an error, and kept when asked."""

from __future__ import annotations

import pytest

from minpairs.benchmarks.importing import Options, import_source, read_source
from minpairs.benchmarks.suites import load_suites
from minpairs.errors import SuiteError


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")


def source(tmp_path, *lines):
    path = tmp_path / "pairs.csv"
    path.write_text("\n".join(["sentence_good,sentence_bad", *lines, ""]), encoding="utf-8")
    return path


CLEAN = "We sing.,We sings."


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([CLEAN, "She sat.,She sat."], "1 identical pairs in pairs: pairs.csv, line 3"),
        ([CLEAN, CLEAN, CLEAN], "2 duplicate pairs in pairs: pairs.csv, lines 3, 4"),
        ([CLEAN, "He ran.,He run. "], "1 pairs with stray white space in pairs: .*line 3"),
        ([CLEAN, "He  ran.,He run."], "1 pairs with stray white space in pairs: .*line 3"),
        ([CLEAN, "他\u3000来了。,他来过了。"], "1 pairs with stray white space in pairs: .*line 3"),
        (["他来吗？,他来嘛？", "他走吗?,他走嘛?"], "1 pairs with mixed-width punctuation .*line 3"),
        (["他走了。,他走了."], "1 pairs with mixed-width punctuation .*line 2"),
    ],
)
def test_a_fault_is_an_error_that_counts_and_places_it(tmp_path, lines, message):
    with pytest.raises(SuiteError, match=message):
        import_source("pairs", source(tmp_path, *lines), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "lines",
    [
        ["We (all) sing!,We (all) sings!"],
        ["他走了.,他走过了."],
        ["他买了3.5斤。,他买过3.5斤。"],
    ],
)
def test_marks_of_one_width_or_within_numbers_are_no_mixture(tmp_path, lines):
    assert read_source("pairs", source(tmp_path, *lines)).faults == ()


def test_many_places_are_counted_and_the_first_five_shown(tmp_path):
    (faults,) = read_source("pairs", source(tmp_path, *[CLEAN] * 9)).faults
    assert str(faults).endswith("lines 3, 4, 5, 6, 7 … and 3 more")


def test_every_fault_is_listed_at_once(tmp_path):
    path = source(tmp_path, CLEAN, CLEAN, "She sat.,She sat.")
    with pytest.raises(SuiteError, match=r"--keep imports .*\n.*1 duplicate.*\n.*1 identical"):
        import_source("pairs", path, tmp_path / "out")


def test_faults_are_kept_when_asked_and_stand_on_the_card(tmp_path):
    path = source(tmp_path, CLEAN, CLEAN)
    imported = import_source("pairs", path, tmp_path / "out", keep=True)
    assert [faults.kind for faults in imported.faults] == ["duplicate pairs"]
    assert "- 1 duplicate pairs in pairs: pairs.csv, line 3" in (
        tmp_path / "out" / "README.md"
    ).read_text(encoding="utf-8")
    (suite,) = load_suites(str(tmp_path / "out"))
    assert len(suite) == 2


@pytest.mark.parametrize("keep", [False, True])
def test_an_empty_cell_is_always_an_error(tmp_path, keep):
    path = source(tmp_path, CLEAN, "We swim., ", "We ski.,")
    with pytest.raises(SuiteError, match=r"2 empty 'unacceptable' cells in pairs: .*lines 3, 4"):
        import_source("pairs", path, tmp_path / "out", keep=keep)


def test_a_cell_that_is_no_text_is_an_error(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"sentence_good": "We sing.", "sentence_bad": 7}\n')
    with pytest.raises(SuiteError, match=r"pairs\.jsonl, line 1: 'unacceptable' is no text but 7"):
        read_source("pairs", path)


def test_items_of_other_designs_are_checked_too(tmp_path):
    path = tmp_path / "aann.csv"
    path.write_text(
        "construction,order_swap,no_article,no_modifier,no_numeral\n"
        "a fine ten days,fine a ten days,fine ten days,a ten days,a fine days\n"
        "a fine ten days,fine a ten days,fine ten days,a ten days,a fine days\n"
        "a dull six weeks,a dull six weeks,dull six weeks,a six weeks,a dull weeks\n"
    )
    faults = read_source("aann", path).faults
    assert [str(fault) for fault in faults] == [
        "1 duplicate items in aann: aann.csv, line 3",
        "1 identical items in aann: aann.csv, line 4",
    ]


def test_a_source_without_items_is_an_error(tmp_path):
    with pytest.raises(SuiteError, match=r"pairs\.csv holds no items"):
        read_source("pairs", source(tmp_path))


def test_an_unknown_format_is_an_error_with_the_nearest(tmp_path):
    with pytest.raises(SuiteError, match="unknown format 'clmp'; did you mean 'climp'"):
        read_source("clmp", tmp_path)


def test_a_missing_column_is_an_error_with_the_nearest(tmp_path):
    options = Options(acceptable="sentence_god")
    with pytest.raises(SuiteError, match="no column 'sentence_god'; did you mean 'sentence_good'"):
        read_source("pairs", source(tmp_path, CLEAN), options)
