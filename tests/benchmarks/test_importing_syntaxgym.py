"""SyntaxGym: formulas over surprisals become predictions over log-probabilities."""

from __future__ import annotations

import json

import pytest

from minpairs.benchmarks.importing import Options, import_source, read_source
from minpairs.benchmarks.importing._formula import Region, parse
from minpairs.benchmarks.schema import Text
from minpairs.benchmarks.suites import load_suites
from minpairs.errors import SuiteError

A, B, C, D = (Region(name, 2) for name in "abcd")


# --- formulas ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("(2;%a%) > (2;%b%)", [{A: 1, B: -1}]),
        ("(2;%a%) < (2;%b%)", [{B: 1, A: -1}]),
        ("(2;%a%)-(2;%b%)>0", [{A: 1, B: -1}]),
        ("(2;%a%) + (2;%b%) > (2;%c%)", [{A: 1, B: 1, C: -1}]),
        ("(2;%a%) + (2;%a%) > (2;%c%)", [{A: 2, C: -1}]),
        ("(2;%a%) - (2;%b%) - (2;%c%) > 0", [{A: 1, B: -1, C: -1}]),
        ("(2;%a%) - ((2;%b%) - (2;%c%)) > 0", [{A: 1, B: -1, C: 1}]),
        ("[(2;%a%) > (2;%b%)] & [(2;%c%) < (2;%d%)]", [{A: 1, B: -1}, {D: 1, C: -1}]),
        ("(2;%a%) > (2;%b%) & (2;%c%) > (2;%d%)", [{A: 1, B: -1}, {C: 1, D: -1}]),
        ("[[(2;%a%) - (2;%b%) ] > [(2;%c%) - (2;%d%)]]", [{A: 1, B: -1, C: -1, D: 1}]),
        ("(*;%a-b c%) > (10;%x_1%)", [{Region("a-b c", None): 1, Region("x_1", 10): -1}]),
    ],
)
def test_a_formula_is_the_inequalities_that_must_hold(formula, expected):
    assert parse(formula) == expected


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("(2;%a%) > (2;%b%) | (2;%c%) > (2;%d%)", "'|' (or) is no linear inequality"),
        ("(2;%a%) = (2;%b%)", "'=' is no linear inequality"),
        ("(2;%a%) > 3", "only 0 can stand alone on a side"),
        ("(2;%a%) > (2;%a%)", "both sides are the same"),
        ("(2;%a%)", "it compares nothing"),
        ("(2;%a%) > (2;%b%) > (2;%c%)", "unexpected '>'"),
        ("(2;%a%) >", "a region is missing before 'its end'"),
        ("[(2;%a%) > (2;%b%)", "'[' is not closed"),
        ("[(2;%a%) > (2;%b%)] + (2;%c%) > 0", "'+' joins regions, not comparisons"),
        ("[(2;%a%) > (2;%b%)] > (2;%c%)", "'>' compares sums of regions"),
        ("(2;%a%) & (2;%b%)", "'&' joins comparisons"),
        ("(2;a) > (2;%b%)", "cannot read"),
        ("", "a region is missing"),
    ],
)
def test_a_formula_that_cannot_be_used_is_an_error_that_quotes_it(formula, message):
    with pytest.raises(SuiteError) as error:
        parse(formula)
    assert f"cannot use the formula {formula!r}: " in str(error.value)
    assert message in str(error.value)


# --- suites --------------------------------------------------------------------------------------


def condition(name, *regions):
    return {
        "condition_name": name,
        "regions": [
            {"region_number": number, "content": content, "metric_value": {"sum": 1.0}}
            for number, content in enumerate(regions, start=1)
        ],
    }


def suite(*formulas, name="agreement", conditions=None, **changes):
    conditions = conditions or [
        condition("match", "My aunt", "paints", "barns"),
        condition("mis-match", "My aunt", "paint", "barns"),
    ]
    return {
        "meta": {"name": name, "metric": "sum"},
        "region_meta": {"1": "subject", "2": "verb", "3": "object"},
        "predictions": [{"type": "formula", "formula": formula} for formula in formulas],
        "items": [{"item_number": 1, "conditions": conditions}],
    } | changes


VERB = "(2;%mis-match%) > (2;%match%)"


@pytest.fixture
def written(tmp_path, monkeypatch):
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")

    def write(data, name="suite.json"):
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / name).write_text(json.dumps(data))
        return tmp_path / "in"

    return write


def loaded(source, tmp_path, **options):
    import_source("syntaxgym", source, tmp_path / "out", options=Options(**options))
    return load_suites(str(tmp_path / "out"))


def test_a_region_is_scored_after_the_regions_before_it(written, tmp_path):
    (read,) = loaded(written(suite(VERB)), tmp_path)
    assert read.texts("match_2") == [Text(" paints", "My aunt")]
    assert read.texts("mis_match_2") == [Text(" paint", "My aunt")]


def test_a_greater_surprisal_is_a_smaller_log_probability(written, tmp_path):
    (read,) = loaded(written(suite(VERB)), tmp_path)
    assert [str(inequality) for inequality in read.design.inequalities] == [
        "match_2 - mis_match_2 > 0"
    ]


def test_a_star_is_the_whole_sentence(written, tmp_path):
    (read,) = loaded(written(suite("(*;%match%) < (*;%mis-match%)")), tmp_path)
    assert read.texts("match_sentence") == [Text("My aunt paints barns")]


def test_the_first_region_has_no_context(written, tmp_path):
    conditions = [condition("a", "Aunts", "paint"), condition("b", "Aunt", "paint")]
    (read,) = loaded(written(suite("(1;%a%) < (1;%b%)", conditions=conditions)), tmp_path)
    assert read.texts("a_1") == [Text("Aunts")]


def test_regions_without_text_and_punctuation_get_no_space(written, tmp_path):
    conditions = [
        condition("comma", "When she sang", ",", " the dog", "slept"),
        condition("none", "When she sang", "", " the dog", "slept"),
    ]
    (read,) = loaded(written(suite("(4;%comma%) < (4;%none%)", conditions=conditions)), tmp_path)
    assert read.texts("comma_4") == [Text(" slept", "When she sang, the dog")]
    assert read.texts("none_4") == [Text(" slept", "When she sang the dog")]


def test_every_part_of_every_prediction_must_hold(written, tmp_path):
    (read,) = loaded(written(suite(VERB, f"{VERB} & (3;%mis-match%) > (3;%match%)")), tmp_path)
    names = [inequality.name for inequality in read.design.inequalities]
    assert names == ["prediction_1", "prediction_2.1", "prediction_2.2"]
    assert read.design.chance == 0.25  # the verb's prediction stands twice


def test_formulas_of_the_first_release_stand_under_meta(written, tmp_path):
    meta = {"name": "agreement", "metric": "sum", "string_predictions": [f"[{VERB}]"]}
    (read,) = loaded(written(suite(meta=meta)), tmp_path)
    assert len(read.design.inequalities) == 1


def test_predictions_can_be_chosen(written, tmp_path):
    source = written(suite(VERB, "(3;%match%) = (3;%mis-match%)"))
    with pytest.raises(SuiteError, match=r"suite\.json, prediction 2: .*--predictions 1 imports"):
        read_source("syntaxgym", source)
    (read,) = loaded(source, tmp_path, predictions=(1,))
    assert len(read.design.inequalities) == 1


def test_suites_of_several_files_keep_their_own_designs(written, tmp_path):
    written(suite(VERB, name="verb"), "a.json")
    source = written(suite("(*;%match%) < (*;%mis-match%)", name="sentence"), "b.json")
    designs = [(read.config, read.design.name) for read in loaded(source, tmp_path)]
    assert designs == [("verb", "verb"), ("sentence", "sentence")]


def test_a_region_that_is_empty_everywhere_counts_nothing(written, tmp_path):
    conditions = [condition("a", "Aunts", "", "paint"), condition("b", "Aunts", "", "paints")]
    formula = "(2;%a%) + (3;%a%) < (2;%b%) + (3;%b%)"
    (read,) = loaded(written(suite(formula, conditions=conditions)), tmp_path)
    assert str(read.design.inequalities[0]) == "a_3 - b_3 > 0"


def test_a_region_that_is_empty_in_some_items_is_an_error(written):
    data = suite(VERB)
    data["items"].append(
        {
            "item_number": 2,
            "conditions": [
                condition("match", "Aunts", "", "barns"),
                condition("mis-match", "Aunts", "paints", "barns"),
            ],
        }
    )
    with pytest.raises(SuiteError, match=r"1 empty 'match_2' cells .*suite\.json, item 2"):
        read_source("syntaxgym", written(data))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (suite("(2;%match%) < (2;%mismatch%)"), "no condition 'mismatch'; did you mean"),
        (suite("(9;%match%) < (2;%match%)"), "condition 'match' has no region 9"),
        (suite(), "has no predictions"),
        (suite(VERB, meta={"name": "x", "metric": "mean"}), "meta.metric is 'mean'"),
        (suite(VERB, meta={"metric": "sum"}), "no SyntaxGym suite: meta.name: Field required"),
        (suite(VERB, items=[]), "no SyntaxGym suite: items: .*at least 1 item"),
        (suite(VERB, "(2;%mis-match%) < (2;%match%)"), "predictions contradict each other"),
        (suite(VERB, conditions=[condition("match", "a", "b")] * 2), "'match' or a region of it"),
    ],
)
def test_a_suite_that_cannot_be_used_is_an_error(written, data, message):
    with pytest.raises(SuiteError, match=message):
        read_source("syntaxgym", written(data))


def test_a_prediction_that_is_not_there_cannot_be_chosen(written):
    with pytest.raises(SuiteError, match=r"suite\.json has no prediction 3: it has 1"):
        read_source("syntaxgym", written(suite(VERB)), Options(predictions=(3,)))


def test_two_suites_of_one_name_are_an_error(written):
    written(suite(VERB), "a.json")
    with pytest.raises(SuiteError, match=r"b\.json: there is another suite called 'agreement'"):
        read_source("syntaxgym", written(suite(VERB), "b.json"))


def test_a_file_that_is_no_json_is_an_error(tmp_path):
    (tmp_path / "suite.json").write_text("{")
    with pytest.raises(SuiteError, match=r"suite\.json is not JSON"):
        read_source("syntaxgym", tmp_path / "suite.json")
