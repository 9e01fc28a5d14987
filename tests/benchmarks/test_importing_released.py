"""The published files, where they are at hand: their counts, as measured from them."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest

from minpairs.benchmarks.importing import Options, import_source, read_source
from minpairs.benchmarks.schema import INTERACTION
from minpairs.benchmarks.suites import load_suites
from minpairs.errors import SuiteError
from minpairs.evaluation import evaluate_items

DATA = Path(__file__).parents[3] / "shared" / "data"
CLIMP = DATA / "climp_as_released"
LET_ALONE = DATA / "let_alone_as_released"
AANN = DATA / "aann_golden"

needs_climp = pytest.mark.skipif(not CLIMP.is_dir(), reason=f"published CLiMP is not at {CLIMP}")
needs_let_alone = pytest.mark.skipif(
    not LET_ALONE.is_dir(), reason=f"published let-alone suites are not at {LET_ALONE}"
)
needs_aann = pytest.mark.skipif(not AANN.is_dir(), reason=f"AANN scores are not at {AANN}")


@pytest.fixture(scope="module")
def let_alone():
    return read_source("let-alone", LET_ALONE)


@needs_climp
def test_climp_is_16_paradigms_of_1000_pairs():
    suites = read_source("climp", CLIMP).suites
    assert [len(suite) for suite in suites] == [1_000] * 16
    assert len({suite.columns["phenomenon"][0] for suite in suites}) == 9


@needs_climp
def test_climp_has_16_duplicate_pairs_and_no_other_fault():
    faults = read_source("climp", CLIMP).faults
    assert [(fault.kind, fault.config, len(fault.places)) for fault in faults] == [
        ("duplicate pairs", "anaphor_agreement_gender", 12),
        ("duplicate pairs", "filler_gap_dependency", 4),
    ]


@needs_climp
def test_climp_is_imported_when_its_faults_are_accepted(tmp_path, monkeypatch):
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    with pytest.raises(SuiteError, match="12 duplicate pairs in anaphor_agreement_gender"):
        import_source("climp", CLIMP, tmp_path / "climp")
    import_source("climp", CLIMP, tmp_path / "climp", keep=True)
    assert sum(map(len, load_suites(str(tmp_path / "climp")))) == 16_000


@needs_let_alone
def test_let_alone_is_five_formal_suites_and_a_scalar_one(let_alone):
    assert {suite.config: len(suite) for suite in let_alone.suites} == {
        **dict.fromkeys(("npi", "clause", "cleft", "vp", "gap"), 5_217),
        "scalar": 16_887,
    }
    assert not let_alone.faults


@needs_let_alone
def test_let_alone_has_208680_formal_cells_of_which_125208_are_distinct(let_alone):
    cells = [
        text
        for suite in let_alone.suites
        if suite.config != "scalar"
        for cell in INTERACTION.cells
        for text in suite.texts(cell)
    ]
    assert (len(cells), len(set(cells))) == (208_680, 125_208)


@needs_let_alone
def test_let_alone_re_orients_7137_rows(let_alone):
    (note,) = let_alone.notes
    assert "7,137 of 16,887 rows (42.3%) were re-oriented" in note


@needs_let_alone
def test_raw_and_repaired_differ_in_the_and_cells_of_those_rows_only(let_alone):
    raw, repaired = (
        next(suite for suite in imported.suites if suite.config == "scalar")
        for imported in (read_source("let-alone", LET_ALONE, Options(raw=True)), let_alone)
    )
    for cell in INTERACTION.cells:
        pairs = zip(raw.texts(cell), repaired.texts(cell), strict=True)
        differing = sum(one != other for one, other in pairs)
        assert differing == (7_137 if "_and" in cell else 0)


def _means(name):
    with gzip.open(AANN / f"{name}.csv.gz", "rt", encoding="utf-8") as file:
        return {row["idx"]: row for row in csv.DictReader(file)}


@needs_aann
@pytest.mark.parametrize(
    ("model", "accuracy"), [("1e-3", 58.87), ("seed_1024-1e-3", 57.28), ("seed_211-1e-3", 54.39)]
)
def test_the_imported_aann_design_gives_the_published_accuracies(
    tmp_path, monkeypatch, model, accuracy
):
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    (tmp_path / "aann.csv").write_text(
        "construction,order_swap,no_article,no_modifier,no_numeral\n"
        "a dull six weeks,dull a six weeks,dull six weeks,a six weeks,a dull weeks\n"
    )
    import_source("aann", tmp_path / "aann.csv", tmp_path / "out")
    (suite,) = load_suites(str(tmp_path / "out"))
    scores, unigrams = _means(f"smolm-autoreg-bpe-babylm-{model}"), _means("unigrams_babylm")
    slor = {
        cell: [
            float(scores[i][f"{cell}_score"]) - float(unigrams[i][f"{cell}_score"]) for i in scores
        ]
        for cell in suite.design.cells
    }
    result = evaluate_items(slor, suite.design).micro
    assert (result.n, result.chance) == (12_960, 0.2)
    assert round(100 * result.accuracy, 2) == accuracy
