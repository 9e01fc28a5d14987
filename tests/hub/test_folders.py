"""A dataset folder is sent only if it is what its card says."""

from __future__ import annotations

import pyarrow as pa
import pytest

from minpairs.benchmarks.hub import CardText, write_folder
from minpairs.errors import SuiteError
from minpairs.hub.folders import card_configs, checked_files

CARD = CardText("Toy", "en", "A toy. ![Words](figures/words.svg)", union="all")


def rows(*good: str, **columns: str) -> pa.Table:
    table = {"sentence_good": list(good), "sentence_bad": [f"{text}x" for text in good]}
    return pa.table(table | {name: [value] * len(good) for name, value in columns.items()})


@pytest.fixture
def folder(tmp_path):
    tables = {"one": rows("a", "b"), "two": rows("c", noun="d")}
    write_folder(tables, tmp_path / "toy", CARD, files={"figures/words.svg": b"<svg/>"})
    return tmp_path / "toy"


def data_files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.glob("data/*/*"))


def test_the_card_its_figure_and_its_data_belong_to_the_dataset(folder):
    assert checked_files(folder) == ["README.md", "figures/words.svg", *data_files(folder)]


def test_a_registration_belongs_to_it_too(folder):
    (folder / "eval.yaml").write_text("name: Toy")
    assert "eval.yaml" in checked_files(folder)


@pytest.mark.parametrize("name", ["notes.txt", "data/one/test.parquet", ".env", "one.py"])
def test_a_stray_file_does_not(folder, name):
    (folder / name).write_text("mine")
    assert name not in checked_files(folder)


def test_a_config_that_joins_the_others_files_is_checked_by_their_hashes(tmp_path):
    write_folder(
        {"one": rows("a"), "two": rows("b")}, tmp_path, CardText("T", "en", "x", union="all")
    )
    assert checked_files(tmp_path)[1:] == data_files(tmp_path)


def test_the_card_says_what_each_config_is(folder):
    everything, one, two = card_configs(folder)
    assert (everything.name, everything.rows) == ("all", 3)
    assert (one.rows, one.columns) == (2, ("sentence_good", "sentence_bad"))
    assert two.files == (f"data/two/test-{two.sha256[:16]}.parquet",)


def test_rows_that_were_changed_are_refused(folder):
    (path,) = folder.glob("data/one/*")
    pa.parquet.write_table(rows("a", "c"), path)
    with pytest.raises(SuiteError, match="config 'one' is said to have 2 rows of sha256"):
        checked_files(folder)


def test_a_missing_file_is_refused(folder):
    (path,) = folder.glob("data/two/*")
    path.unlink()
    with pytest.raises(SuiteError, match=path.name):
        checked_files(folder)


def test_a_missing_figure_is_refused(folder):
    (folder / "figures" / "words.svg").unlink()
    with pytest.raises(SuiteError, match=r"shows 'figures/words\.svg'"):
        checked_files(folder)


def test_a_file_outside_the_folder_is_refused(folder):
    card = folder / "README.md"
    card.write_text(card.read_text().replace("path: data/one/", "path: ../data/one/"))
    with pytest.raises(SuiteError, match="lies outside the folder"):
        checked_files(folder)


@pytest.mark.parametrize(
    "card", ["# no YAML", "---\nconfigs: 3\n---\n", "---\nconfigs:\n- config_name: a\n---\n"]
)
def test_a_card_of_another_kind_is_refused(tmp_path, card):
    (tmp_path / "README.md").write_text(card)
    with pytest.raises(SuiteError, match=r"README\.md is not a card of ours"):
        card_configs(tmp_path)


def test_a_folder_without_a_card_is_refused(tmp_path):
    with pytest.raises(SuiteError, match="minpairs generate"):
        card_configs(tmp_path)
