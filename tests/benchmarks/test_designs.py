"""Designs as data: written on a card, read from it, and ignored by datasets."""

from __future__ import annotations

import datasets
import pyarrow as pa
import pytest

from minpairs.benchmarks.designs import Layout, chance, from_card, to_card
from minpairs.benchmarks.hub import CardText, write_folder
from minpairs.benchmarks.schema import INTERACTION, MINIMAL_PAIR, Design, Inequality, Text
from minpairs.benchmarks.suites import load_suites
from minpairs.errors import SuiteError

ORDER = Layout(
    Design(
        "word_order",
        ("fronted", "plain", "scrambled"),
        (
            Inequality.parse("fronting", "plain > fronted"),
            Inequality.parse("scrambling", "2 * plain > fronted + scrambled"),
        ),
        0.4,
    ),
    {"fronted": (None, "fronted"), "plain": ("lead", "plain"), "scrambled": ("lead", "scrambled")},
)
ROWS = pa.table(
    {
        "lead": ["This morning"],
        "fronted": ["Bread she baked."],
        "plain": [" she baked bread."],
        "scrambled": [" baked bread she."],
    }
)
PAIRS = pa.table({"sentence_good": ["We sing."], "sentence_bad": ["We sings."]})
CARD = CardText("Toy", "en", "Toy suites.")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    write_folder({"order": ROWS, "agreement": PAIRS}, tmp_path / "toy", CARD, {"order": ORDER})
    return tmp_path / "toy"


# --- the card ------------------------------------------------------------------------------------


def test_a_design_on_the_card_makes_the_suite(folder):
    (order,) = load_suites(str(folder), ["order"])
    assert order.design == ORDER.design
    assert order.texts("plain") == [Text(" she baked bread.", "This morning")]
    assert order.texts("fronted") == [Text("Bread she baked.")]


def test_a_config_without_a_design_is_known_by_its_columns(folder):
    assert [suite.design for suite in load_suites(str(folder))] == [ORDER.design, MINIMAL_PAIR]


def test_datasets_loads_a_folder_whose_card_has_designs(folder):
    assert datasets.load_dataset(str(folder), "order", split="test").column_names == [
        "lead",
        "fronted",
        "plain",
        "scrambled",
    ]


def test_a_card_without_designs_does_not_speak_of_them(tmp_path):
    write_folder({"agreement": PAIRS}, tmp_path / "toy", CARD)
    assert "designs" not in (tmp_path / "toy" / "README.md").read_text()


def test_the_card_shows_the_cells_of_the_first_prediction(folder):
    text = (folder / "README.md").read_text()
    assert "This morning she baked bread. / Bread she baked." in text


def test_a_folder_without_a_card_has_no_designs(tmp_path, monkeypatch):
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "test.csv").write_text("sentence_good,sentence_bad\nWe sing.,We sings.\n")
    (suite,) = load_suites(str(tmp_path / "bare"))
    assert suite.design == MINIMAL_PAIR


def test_what_is_written_is_read_back():
    assert from_card(to_card({"order": ORDER}), ["order"], "card") == {"order": ORDER}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"config_name": "ordr"}, "design of 'ordr' is of no config here; did you mean 'order'"),
        ({"chance": 1.5}, "chance: Input should be less than 1"),
        ({"cells": {"plain": "plain"}}, "names cell 'fronted'"),
        ({"predictions": {"a": "plain >"}}, "one side of 'plain >' is empty"),
        ({"predictions": {}}, "predictions: .* at least 1 item"),
        ({"shape": "square"}, "shape: Extra inputs are not permitted"),
        ({"cells": {"plain": ["a", "b", "c"]}}, "cells.plain"),
    ],
)
def test_a_wrong_entry_is_an_error_that_names_its_field(change, message):
    entry = to_card({"order": ORDER})[0] | change
    with pytest.raises(SuiteError, match=rf"card: .*{message}"):
        from_card([entry], ["order"], "card")


def test_designs_that_are_no_list_are_an_error():
    with pytest.raises(SuiteError, match="`designs:` must be a list"):
        from_card({"order": {}}, ["order"], "card")


def test_a_config_has_one_design():
    with pytest.raises(SuiteError, match="'order' stands twice"):
        from_card(to_card({"order": ORDER}) * 2, ["order"], "card")


def test_a_design_of_a_missing_column_is_not_written(tmp_path):
    table = ROWS.rename_columns(["lead", "fronted", "plain", "scrambld"])
    with pytest.raises(SuiteError, match=r"no column 'scrambled'.*did you mean 'scrambld'"):
        write_folder({"order": table}, tmp_path / "toy", CARD, {"order": ORDER})
    assert not (tmp_path / "toy").exists()


def test_a_design_of_no_config_is_not_written(tmp_path):
    with pytest.raises(SuiteError, match="config 'ordre'; did you mean 'order'"):
        write_folder({"order": ROWS}, tmp_path / "toy", CARD, {"ordre": ORDER})


def test_a_design_whose_column_went_missing_is_an_error_on_loading(folder):
    card = folder / "README.md"
    card.write_text(card.read_text().replace("    - scrambled\n", "    - scramble\n"))
    with pytest.raises(SuiteError, match=r"toy\.order has no column 'scramble'"):
        load_suites(str(folder), ["order"])


# --- chance --------------------------------------------------------------------------------------


def _inequalities(*formulas):
    return [Inequality.parse(formula, formula) for formula in formulas]


@pytest.mark.parametrize(
    ("formulas", "expected"),
    [
        (["a > b"], 1 / 2),
        (["a > b", "c > d"], 1 / 4),
        (["a > b", "a > c"], 1 / 3),
        (["a > b", "b > c", "c > d"], 1 / 24),
        (["a > b", "a > c", "a > d"], 1 / 4),
        (["a > b", "a > c", "a > d", "a > e"], 1 / 5),
        (["a > b", "2 * a > 2 * b"], 1 / 2),
        (["a > b", "b > a"], 0),
    ],
)
def test_chance_is_that_of_scores_in_random_order(formulas, expected):
    assert chance(_inequalities(*formulas)) == pytest.approx(expected, abs=1e-6)


def test_chance_of_the_interaction_is_that_of_its_design():
    assert chance(INTERACTION.inequalities) == INTERACTION.chance
