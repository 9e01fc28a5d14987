import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from datasets import disable_progress_bars, get_dataset_config_names, load_dataset

from minpairs.benchmarks import hub
from minpairs.benchmarks.hub import CardText, content_hash, write_folder
from minpairs.errors import SuiteError

disable_progress_bars()
CARD = CardText("Toy", "zh", "A toy.", {"one": "The first."}, union="all")


def pairs(*good: str, **columns: list[str]) -> pa.Table:
    """Rows as the grammar writes them: each sentence against the same one ending in 'x'."""
    strings, words = pa.string(), pa.list_(pa.string())
    return pa.table(
        {
            "pair_id": pa.array(range(len(good)), pa.int64()),
            "UID": pa.array(["one"] * len(good), strings),
            "sentence_good": pa.array(good, strings),
            "sentence_bad": pa.array([g + "x" for g in good], strings),
            "words_good": pa.array([list(g) for g in good], words),
            "words_bad": pa.array([[*g, "x"] for g in good], words),
            "edit_good": pa.array([""] * len(good), strings),
            "edit_bad": pa.array(["x"] * len(good), strings),
        }
        | {name: pa.array(values, strings) for name, values in columns.items()}
    )


def load(folder, config, tmp_path):
    return load_dataset(str(folder), config, split="test", cache_dir=str(tmp_path / "cache"))


def parquet_files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.parquet"))


def front_matter(folder: Path) -> dict:
    return yaml.safe_load((folder / "README.md").read_text(encoding="utf-8").split("---\n")[1])


def test_a_written_folder_loads_with_its_rows_and_types(tmp_path):
    table = pairs("甲乙", "丙|丁")
    write_folder({"one": table}, tmp_path / "toy", CARD)
    assert load(tmp_path / "toy", "one", tmp_path).to_list() == table.to_pylist()
    assert get_dataset_config_names(str(tmp_path / "toy")) == ["all", "one"]


def test_the_union_is_the_default_config(tmp_path):
    write_folder({"one": pairs("a"), "two": pairs("b", "c")}, tmp_path / "toy", CARD)
    assert load(tmp_path / "toy", None, tmp_path)["sentence_good"] == ["a", "b", "c"]


def test_the_union_uses_the_same_files_where_columns_agree(tmp_path):
    write_folder({"one": pairs("a"), "two": pairs("b")}, tmp_path / "toy", CARD)
    files = parquet_files(tmp_path / "toy")
    assert len(files) == 2
    assert front_matter(tmp_path / "toy")["configs"][0]["data_files"][0]["path"] == files


def test_the_union_keeps_the_columns_that_all_have_where_they_differ(tmp_path):
    tables = {"one": pairs("a", noun=["n"]), "two": pairs("b", verb=["v"], noun=["m"])}
    write_folder(tables, tmp_path / "toy", CARD)
    joined = load(tmp_path / "toy", "all", tmp_path)
    assert joined["noun"] == ["n", "m"]
    assert "verb" not in joined.column_names
    assert load(tmp_path / "toy", "two", tmp_path)["verb"] == ["v"]


def test_without_a_union_a_config_must_be_named(tmp_path):
    write_folder(
        {"one": pairs("a"), "two": pairs("b")}, tmp_path / "toy", CardText("Toy", "en", "x")
    )
    with pytest.raises(ValueError, match="Config name is missing"):
        load(tmp_path / "toy", None, tmp_path)
    assert load(tmp_path / "toy", "two", tmp_path)["sentence_good"] == ["b"]


def test_new_rows_are_seen_in_spite_of_the_cache_of_datasets(tmp_path):
    for sentence in ("old", "new"):
        write_folder({"one": pairs(sentence)}, tmp_path / "toy", CARD)
        assert load(tmp_path / "toy", "one", tmp_path)["sentence_good"] == [sentence]
        assert load(tmp_path / "toy", "all", tmp_path)["sentence_good"] == [sentence]


def test_folders_of_one_name_do_not_share_a_cache(tmp_path):
    for sentence in ("here", "there"):
        write_folder({"one": pairs(sentence)}, tmp_path / sentence / "toy", CARD)
    for sentence in ("here", "there"):
        rows = load(tmp_path / sentence / "toy", "one", tmp_path)
        assert rows["sentence_good"] == [sentence]


def test_the_same_rows_give_the_same_bytes(tmp_path):
    tables = {"one": pairs("a", "b"), "two": pairs("c", noun=["n"])}
    chunked = {name: pa.concat_tables([t.slice(0, 1), t.slice(1)]) for name, t in tables.items()}
    digests = []
    for folder, written in ((tmp_path / "a", tables), (tmp_path / "b", chunked)):
        write_folder(written, folder, CARD)
        files = [*folder.rglob("*.parquet"), folder / "README.md"]
        digests.append(
            {str(f.relative_to(folder)): hashlib.sha256(f.read_bytes()).digest() for f in files}
        )
    assert digests[0] == digests[1]


def test_the_hash_is_in_the_file_name_and_the_description(tmp_path):
    write_folder({"one": pairs("a")}, tmp_path, CARD)
    sha256 = content_hash(pairs("a"))
    assert parquet_files(tmp_path) == [f"data/one/test-{sha256[:16]}.parquet"]
    assert front_matter(tmp_path)["configs"][1]["description"] == f"sha256 {sha256}"
    assert (
        sha256 != content_hash(pairs("b")) != content_hash(pairs("b").rename_columns([*"abcdefgh"]))
    )


def test_features_stand_under_dataset_info_only(tmp_path):
    write_folder({"one": pairs("a")}, tmp_path, CARD)
    card = front_matter(tmp_path)
    assert [info["config_name"] for info in card["dataset_info"]] == ["all", "one"]
    assert {"name": "words_good", "list": "string"} in card["dataset_info"][0]["features"]
    assert card["dataset_info"][1]["splits"][0]["num_examples"] == 1
    assert not any("features" in config for config in card["configs"])


def test_data_of_an_earlier_generation_are_removed_and_nothing_else(tmp_path):
    write_folder({"one": pairs("a"), "two": pairs("b")}, tmp_path, CARD)
    (tmp_path / "data" / "one" / "notes.txt").write_text("mine")
    (tmp_path / "other.parquet").write_text("mine")
    write_folder({"one": pairs("c")}, tmp_path, CARD)
    sha256 = content_hash(pairs("c"))
    assert parquet_files(tmp_path) == [f"data/one/test-{sha256[:16]}.parquet", "other.parquet"]
    assert (tmp_path / "data" / "one" / "notes.txt").exists()
    assert not (tmp_path / "data" / "two").exists()


@pytest.mark.parametrize("step", ["render", "_remove_stale", "_write"])
def test_a_card_never_points_at_missing_files(tmp_path, monkeypatch, step):
    write_folder({"one": pairs("old")}, tmp_path / "toy", CARD)

    def killed(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(hub, step, killed)
    with pytest.raises(KeyboardInterrupt):
        write_folder({"one": pairs("new")}, tmp_path / "toy", CARD)
    expected = "new" if step == "_remove_stale" else "old"
    assert load(tmp_path / "toy", "one", tmp_path)["sentence_good"] == [expected]


def test_the_card_tells_what_a_reader_must_know(tmp_path):
    card = CardText(
        "Toy", "zh", "About it.", {"one": "The first."}, "all", {"extra": {"one": "5 %"}},
        (("Further", "More."),),
    )  # fmt: skip
    write_folder({"one": pairs("甲", "a|b")}, tmp_path, card)
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert front_matter(tmp_path)["license"] == "cc-by-4.0"
    assert front_matter(tmp_path)["language"] == ["zh"]
    assert "# Toy\n\nAbout it.\n" in text
    assert "No human validation has been run yet." in text
    row = "| `one` | The first. | 2 | 5 % | 甲 / \\*甲x |"
    assert row in text
    assert "## Further\n\nMore.\n" in text


def test_further_files_stand_where_the_card_says(tmp_path):
    write_folder({"one": pairs("a")}, tmp_path, CARD, files={"figures/x.svg": b"<svg/>"})
    assert (tmp_path / "figures" / "x.svg").read_bytes() == b"<svg/>"
    assert load(tmp_path, "one", tmp_path / "cache")["sentence_good"] == ["a"]


def test_repeated_and_distinct_texts_are_read_as_they_were(tmp_path):
    table = pairs(*(f"sentence {i}" for i in range(9)), scale=["height"] * 9)
    write_folder({"one": table}, tmp_path / "toy", CARD)
    assert load(tmp_path / "toy", "one", tmp_path).to_list() == table.to_pylist()
    (path,) = (tmp_path / "toy").rglob("*.parquet")
    group = pq.ParquetFile(path).metadata.row_group(0)
    columns = [group.column(i) for i in range(group.num_columns)]
    repeated = {c.path_in_schema for c in columns if c.has_dictionary_page}
    assert {"scale", "UID", "words_good.list.element"} <= repeated
    assert "sentence_good" not in repeated


def test_the_card_of_an_interaction_shows_a_cell_and_its_manipulation(tmp_path):
    table = pa.table(
        {
            "item_id": pa.array([0], pa.int64()),
            "base_and_context": ["No."],
            "base_and_continuation": [" Yes."],
            "base_and_manipulated_context": ["Yes."],
            "base_and_manipulated_continuation": [" No."],
        }
    )
    write_folder({"scalar": table}, tmp_path, CardText("Toy", "en", "x", {"scalar": "A scale."}))
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "| `scalar` | A scale. | 1 | No. Yes. / Yes. No. |" in text


@pytest.mark.parametrize("name", ["a/b", "a:b", "a*b", "", "default"])
def test_a_name_that_datasets_refuses_is_an_error(tmp_path, name):
    with pytest.raises(SuiteError, match="cannot name a config"):
        write_folder({name: pairs("a")}, tmp_path, CARD)


def test_a_config_of_the_name_of_the_union_is_an_error(tmp_path):
    with pytest.raises(SuiteError, match="'all' joins all configs"):
        write_folder({"all": pairs("a")}, tmp_path, CARD)


def test_nothing_to_write_is_an_error(tmp_path):
    with pytest.raises(SuiteError, match="there is nothing to write"):
        write_folder({}, tmp_path, CARD)


def test_a_script_of_the_folders_name_is_an_error(tmp_path):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "toy.py").write_text("")
    with pytest.raises(SuiteError, match="load_dataset refuses a folder with a script"):
        write_folder({"one": pairs("a")}, tmp_path / "toy", CARD)


def test_a_column_that_the_card_cannot_describe_is_an_error(tmp_path):
    with pytest.raises(SuiteError, match="column 'when': cannot describe date32"):
        write_folder({"one": pa.table({"when": pa.array([1], pa.date32())})}, tmp_path, CARD)
