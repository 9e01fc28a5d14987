"""The layouts of the papers' tables, with the papers' numbers beside and marked."""

from __future__ import annotations

import numpy as np
import pytest
from scored_runs import interactions, scored

from minpairs.benchmarks.schema import INTERACTION, MINIMAL_PAIR, Design, Inequality
from minpairs.evaluation import evaluate_items
from minpairs.interactions import form_of
from minpairs.judgements import felicity, judge
from minpairs.report.deltas import deltas_table
from minpairs.report.let_alone import controls_among, filtering_table, form_table, meaning_table
from minpairs.report.phenomena import phenomena_by_model
from minpairs.report.published import published

FORM = form_of(INTERACTION)


def climp(*wrong: str, leave_out: str = ""):
    """Right on every paradigm but these."""
    names = {
        f"{phenomenon.name}_{i}": phenomenon.name
        for phenomenon in published().climp_phenomena
        for i in range(phenomenon.paradigms)
    }
    groups = [name for name in names if name != leave_out]
    values = {
        "acceptable": [-1.0 if name in wrong else 1.0 for name in groups],
        "unacceptable": [0.0] * len(groups),
    }
    return evaluate_items(values, MINIMAL_PAIR, groups=groups, phenomena=names)


def let_alone(**accuracy: float):
    """Suites of ten items with so many of them right in both orders."""
    values = {cell: np.zeros(10 * len(accuracy)) for cell in INTERACTION.cells}
    right = np.concatenate([np.arange(10) < 10 * share for share in accuracy.values()])
    for order in ("base", "swapped"):
        values[f"{order}_let_alone"] = np.where(right, 1.0, -1.0)
    groups = [name for name in accuracy for _ in range(10)]
    return evaluate_items(values, INTERACTION, groups=groups)


def row(table, index=0):
    keys = [column.key for column in table.columns]
    return dict(zip(keys, (*table.rows, *table.summary)[index], strict=True))


def test_climp_s_row_is_overall_and_nine_phenomena_in_the_paper_s_order():
    table = phenomena_by_model({"m": climp("classifier_0")})
    first = [column.key for column in table.columns[:4]]
    assert first == ["model", "overall", "classifier", "verb_complement"]
    assert len(table.columns) == 11
    assert row(table)["classifier"] == pytest.approx(2 / 3)
    assert row(table)["overall"] == pytest.approx(15 / 16)


def test_people_are_the_paper_s_and_marked_as_such():
    table = phenomena_by_model({"m": climp()})
    assert table.summary[0][:3] == ("people (the paper's)", 0.958, 0.997)
    assert any("of the paper's own items, which are not these" in n for n in table.footnotes)


def test_the_paper_s_overall_figure_is_the_mean_over_paradigms():
    people = published()
    mean = sum(p.human * p.paradigms for p in people.climp_phenomena) / 16
    assert mean == pytest.approx(people.climp_human_overall, abs=6e-4)


def test_a_phenomenon_of_which_a_paradigm_is_missing_is_not_shown_nor_is_an_overall_figure():
    table = phenomena_by_model({"m": climp(leave_out="coverb_1")})
    assert row(table)["coverb"] is None
    assert row(table)["overall"] is None
    assert "–: not all of its paradigms were scored." in table.footnotes


def test_phenomena_of_another_benchmark_have_no_people():
    values = {"acceptable": [1.0, 0.0], "unacceptable": [0.0, 1.0]}
    phenomena = {"a": "islands", "b": "ellipsis"}
    found = evaluate_items(values, MINIMAL_PAIR, groups=["a", "b"], phenomena=phenomena)
    table = phenomena_by_model({"m": found})
    assert (table.summary, row(table)["overall"]) == ((), 0.5)


def test_the_form_table_has_a_row_a_property_with_its_prediction_and_the_paper_s_figure():
    table = form_table({"m": let_alone(npi=1.0, vp=0.3)})
    assert [r[1] for r in table.rows] == ["NPI", "Conjunction (VP)"]
    assert row(table, 0)["prediction"] == "near 100 %"
    assert row(table, 1)["prediction"] == "near 25 %"
    assert row(table, 1)["accuracy"] == pytest.approx(0.3)
    assert row(table, 1)["paper"] == 0.311


def test_another_construction_is_named_and_has_no_figure_of_the_paper_s():
    values = {cell: [0.0] for cell in INTERACTION.cells}
    found = evaluate_items(values, INTERACTION, groups=["npi.much_less"])
    table = form_table({"m": found})
    assert (row(table)["property"], row(table)["paper"]) == ("NPI, much less", None)


def test_without_a_suite_of_let_alone_there_is_no_table():
    found = evaluate_items({cell: [0.0] for cell in INTERACTION.cells}, INTERACTION)
    assert form_table({"m": found}) is None
    assert meaning_table({"m": found}, {}) is None
    assert filtering_table({"m": found}) is None


def test_meaning_shows_the_interaction_and_simple_felicity_side_by_side(tmp_path):
    def rule(text):
        return -3.0 if " fits" in text.continuation else -4.0

    run = scored(tmp_path / "run", [interactions("scalar", contexts=True)], rule)
    simple = {"m": {"scalar": felicity(run)["let_alone.scalar"]}}
    table = meaning_table({"m": judge(run)["let_alone"]}, simple)
    found = row(table)
    assert (found["accuracy"], found["felicity"]) == (0.0, 1.0)
    assert (found["felicity_single"], found["control"], found["felicity_bias"]) == (1.0, 1.0, 0.0)
    assert row(table, 1)["model"] == "GPT-4.1 (the paper's)"
    assert row(table, 1)["accuracy"] == 0.94


def test_a_chat_model_stands_beside_scored_ones_and_how_it_was_asked_is_said():
    names = ("base_A", "base_B")
    inequalities = tuple(Inequality(name, ((name, 1.0),)) for name in names)
    design = Design("forced_choice", names, inequalities, 0.25)
    chat = evaluate_items(dict.fromkeys(names, (1.0, -1.0)), design, groups=["scalar", "scalar"])
    table = meaning_table({"scored": let_alone(scalar=0.2), "chat": chat}, {})
    assert [(row[0], row[4]) for row in table.rows] == [("scored", 0.2), ("chat", 0.5)]
    assert any("was asked by a prompt" in note for note in table.footnotes)


def test_suites_by_model_hold_accuracy_and_interval_in_one_cell():
    first, second = let_alone(npi=1.0, vp=0.3), let_alone(npi=0.5)
    table = filtering_table({"a": first, "b": second})
    assert [c.key for c in table.columns] == ["model", "npi", "vp"]
    assert table.rows[0][1].value == 1.0
    assert table.rows[0][1].interval == first.group("npi").interval
    assert table.rows[1][2] is None
    assert table.summary[0] == ("BabyLM (the paper's)", "98.6", "31.1")


def test_deltas_say_in_words_what_positive_means():
    table = deltas_table({"m": let_alone(npi=1.0)}, FORM, "slor")
    found = row(table)
    assert (found["construction_delta"], found["control_delta"], found["difference"]) == (1, 0, 1)
    notes = " ".join(table.footnotes)
    assert "Positive: the model finds the manipulated text worse." in notes
    assert "Positive: the manipulation costs more with let alone than with and" in notes


def test_deltas_of_pairs_are_no_table():
    assert deltas_table({"m": climp()}, FORM, "sum") is None


def test_controls_are_known_by_their_suites():
    assert controls_among(let_alone(npi=1.0, vp=0.3, gap=0.2)) == ["vp", "gap"]
    assert controls_among(climp()) == []


def test_the_paper_s_tables_agree_with_each_other():
    """Its Table 2 is the first row of Table 4, and every suite is there."""
    known = published()
    assert set(known.baseline) == {p.config for p in known.let_alone_properties}
    assert all(set(shares) == set(known.baseline) for shares in known.let_alone.values())
    assert sorted(known.filtering_order) == sorted(known.baseline)
