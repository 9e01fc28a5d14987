"""Suites: from Hub folders and from files of pairs."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from minpairs.benchmarks.schema import MINIMAL_PAIR, Text
from minpairs.benchmarks.suites import from_table, load_pairs, load_suites, parse_spec
from minpairs.errors import SuiteError

PAIRS = pa.table(
    {"sentence_good": ["He runs.", "We run."], "sentence_bad": ["He run.", "We runs."]}
)
CELLS = [
    f"{order}_{construction}{manipulated}"
    for order in ("base", "swapped")
    for construction in ("let_alone", "and")
    for manipulated in ("", "_manipulated")
]
CARD = """---
configs:
- config_name: all
  data_files: [{split: test, path: data/*/*.parquet}]
  default: true
- config_name: agreement
  data_files: [{split: test, path: data/agreement/*.parquet}]
- config_name: binding
  data_files: [{split: test, path: data/binding/*.parquet}]
---
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    for config in ("agreement", "binding"):
        (tmp_path / "bench" / "data" / config).mkdir(parents=True)
        pq.write_table(PAIRS, tmp_path / "bench" / "data" / config / "test.parquet")
    (tmp_path / "bench" / "README.md").write_text(CARD)
    return tmp_path / "bench"


def test_a_folder_s_configurations_but_for_their_union_are_its_suites(folder):
    suites = load_suites(str(folder))
    assert [suite.name for suite in suites] == ["bench.agreement", "bench.binding"]
    assert suites[0].design == MINIMAL_PAIR
    assert suites[0].texts("acceptable") == [Text("He runs."), Text("We run.")]


def test_configurations_can_be_chosen(folder):
    assert [suite.config for suite in load_suites(str(folder), ["binding"])] == ["binding"]


def test_a_misspelt_configuration_is_an_error_with_the_nearest(folder):
    with pytest.raises(SuiteError, match="no configuration 'bindng'; did you mean 'binding'"):
        load_suites(str(folder), ["bindng"])


def test_a_benchmark_that_is_not_here_is_an_error_that_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SuiteError, match="minpairs generate climp"):
        load_suites("climp")


def test_an_interaction_s_cells_are_found_by_their_names():
    suite = from_table("let_alone", "npi", pa.table({cell: ["text."] for cell in CELLS}))
    assert suite.design.name == "interaction"
    assert suite.design.cells == tuple(CELLS)


def test_cells_may_have_a_context_and_a_continuation():
    columns = {f"{cell}_context": ["Before."] for cell in CELLS}
    columns |= {f"{cell}_continuation": [" After."] for cell in CELLS}
    suite = from_table("let_alone", "scalar", pa.table(columns))
    assert suite.texts("base_and") == [Text(" After.", "Before.")]


def test_another_construction_is_found_too():
    cells = [cell.replace("let_alone", "much_less") for cell in CELLS]
    suite = from_table("let_alone", "npi.much_less", pa.table({cell: ["x."] for cell in cells}))
    assert set(suite.design.cells) == set(cells)


def test_a_missing_cell_is_an_error_that_names_it():
    columns = {cell: ["text."] for cell in CELLS if cell != "base_and"}
    with pytest.raises(SuiteError, match="'base_and_context'"):
        from_table("let_alone", "npi", pa.table(columns))


def test_columns_of_no_design_are_an_error():
    with pytest.raises(SuiteError, match="neither sentence_good and sentence_bad"):
        from_table("mine", "x", pa.table({"text": ["a"]}))


@pytest.mark.parametrize("value", ["", " ", None])
def test_an_empty_cell_is_an_error_that_names_the_row(value):
    table = pa.table({"sentence_good": ["a", "b"], "sentence_bad": ["c", value]})
    with pytest.raises(SuiteError, match=r"mine\.x, row 1: cell 'unacceptable' is empty"):
        from_table("mine", "x", table)


def test_the_hash_is_that_of_the_texts():
    suite = from_table("a", "x", PAIRS)
    assert from_table("b", "y", PAIRS).data_hash == suite.data_hash
    assert from_table("a", "x", PAIRS.slice(0, 1)).data_hash != suite.data_hash


def test_a_sample_is_drawn_by_seed_and_keeps_the_order():
    table = pa.table(
        {"sentence_good": [f"{n} good" for n in range(50)], "sentence_bad": ["bad"] * 50}
    )
    suite = from_table("mine", "x", table)
    one, again, other = suite.sample(10, 1), suite.sample(10, 1), suite.sample(10, 2)
    drawn = [int(text.continuation.split()[0]) for text in one.texts("acceptable")]
    assert len(one) == 10
    assert drawn == sorted(drawn)
    assert one.data_hash == again.data_hash != other.data_hash
    assert suite.sample(50, 1) is suite


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("pairs.csv", "good,bad,kind\nHe runs.,He run.,sv\nWe run.,We runs.,sv\n"),
        ("pairs.tsv", "good\tbad\tkind\nHe runs.\tHe run.\tsv\nWe run.\tWe runs.\tsv\n"),
        (
            "pairs.jsonl",
            '{"good":"He runs.","bad":"He run.","kind":"sv"}\n'
            '{"good":"We run.","bad":"We runs.","kind":"sv"}\n',
        ),
    ],
)
def test_pairs_are_read_from_files(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    (suite,) = load_pairs(tmp_path / name, acceptable="good", unacceptable="bad", group="kind")
    assert suite.name == "pairs.sv"
    assert suite.texts("unacceptable") == [Text("He run."), Text("We runs.")]


def test_a_missing_column_is_an_error_with_the_nearest(tmp_path):
    (tmp_path / "pairs.csv").write_text("good,bad\na,b\n")
    with pytest.raises(SuiteError, match="no column 'god'; did you mean 'good'"):
        load_pairs(tmp_path / "pairs.csv", acceptable="god", unacceptable="bad")


def test_an_unknown_kind_of_file_is_an_error(tmp_path):
    (tmp_path / "pairs.xlsx").write_bytes(b"x")
    with pytest.raises(SuiteError, match=r"cannot read '\.xlsx' files"):
        load_pairs(tmp_path / "pairs.xlsx", acceptable="good", unacceptable="bad")


def test_specs_name_a_dataset_and_its_configurations():
    assert parse_spec("climp") == ("climp", None)
    assert parse_spec("org/climp:classifier, ba_construction") == (
        "org/climp",
        ["classifier", "ba_construction"],
    )
    with pytest.raises(SuiteError, match="'climp:' is not"):
        parse_spec("climp:")


def test_true_words_are_set_apart_by_spaces():
    table = pa.table(
        {
            "sentence_good": ["他看了书。"],
            "sentence_bad": ["他书看了。"],
            "words_good": [["他", "看", "了", "书", "。"]],
            "words_bad": [["他", "书", "看", "了", "。"]],
        }
    )
    suite = from_table("mine", "x", table).by_words()
    assert suite.texts("acceptable") == [Text("他 看 了 书 。")]
    assert suite.texts("unacceptable") == [Text("他 书 看 了 。")]


def test_true_words_of_a_suite_that_has_none_are_an_error():
    with pytest.raises(SuiteError, match="gold segmentation needs words_good"):
        from_table("mine", "x", PAIRS).by_words()


def test_variants_of_a_configuration_are_left_out_unless_named(folder):
    (folder / "data" / "binding.other").mkdir()
    pq.write_table(PAIRS, folder / "data" / "binding.other" / "test.parquet")
    entry = (
        "- config_name: binding.other\n  data_files: [{split: test, path: data/binding.other/*}]"
    )
    (folder / "README.md").write_text(CARD.replace("\n---\n", f"\n{entry}\n---\n"))
    assert [suite.config for suite in load_suites(str(folder))] == ["agreement", "binding"]
    (named,) = load_suites(str(folder), ["binding.other"])
    assert named.config == "binding.other"


def test_a_folder_of_training_texts_alone_holds_no_suites(folder):
    (folder / "README.md").write_text(
        "---\nconfigs:\n- config_name: corpus.no_let\n"
        "  data_files: [{split: test, path: data/agreement/*.parquet}]\n---\n"
    )
    with pytest.raises(SuiteError, match=r"holds no suites, only corpus\.no_let"):
        load_suites(str(folder))


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        ("../secret.parquet", "leads out of the folder"),
        ("data/none/*.parquet", "names no file that is there"),
        ("/data/a.parquet", "data_files '/data/a.parquet'"),
    ],
)
def test_a_card_names_files_that_are_there_and_inside_its_folder(folder, path, fault):
    pq.write_table(PAIRS, folder.parent / "secret.parquet")
    card = folder / "README.md"
    card.write_text(card.read_text().replace("data/binding/*.parquet", path))
    with pytest.raises(SuiteError, match=fault):
        load_suites(str(folder))
