"""``minpairs.evaluate``: one call from a model to a table."""

import io

import pyarrow as pa
import pytest
from rich.console import Console
from tiny_models import byte_tokenizer, causal

import minpairs
from minpairs.benchmarks.suites import from_table
from minpairs.errors import MeasureError, ModelError, SuiteError

PAIRS = "good,bad,kind\nYes.,No.,<i>\nA letter came.,A letter come.,b\nThe cat.,Cat the.,b\n"
COLUMNS = {"acceptable": "good", "unacceptable": "bad", "group": "kind", "progress": False}


@pytest.fixture(scope="module")
def scorer():
    return minpairs.load_scorer(causal(), tokenizer=byte_tokenizer(), device="cpu")


@pytest.fixture
def pairs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pairs.csv").write_text(PAIRS)
    return "pairs.csv"


def interactions():
    cells = {
        "let_alone": "He cannot lift a bag, let alone a box.",
        "let_alone_manipulated": "He can lift a bag, let alone a box.",
        "and": "He cannot lift a bag and a box.",
        "and_manipulated": "He can lift a bag and a box.",
    }
    return pa.table({f"{order}_{cell}": [text] for order in ("base", "swapped")
                     for cell, text in cells.items()})  # fmt: skip


def test_a_result_has_the_accuracy_that_the_scores_give(scorer, pairs):
    result = minpairs.evaluate(scorer, pairs, **COLUMNS)
    sentences = [line.split(",") for line in PAIRS.splitlines()[1:]]
    good = scorer.score([row[0] for row in sentences])
    bad = scorer.score([row[1] for row in sentences])
    right = [a.logprob > b.logprob for a, b in zip(good, bad, strict=True)]
    assert result.evaluation.micro.accuracy == sum(right) / 3
    assert result.accuracy == (right[0] + (right[1] + right[2]) / 2) / 2


def test_it_prints_its_table(scorer, pairs):
    result = minpairs.evaluate(scorer, pairs, **COLUMNS)
    assert "macro (mean of 2 paradigms)" in str(result)
    assert str(result.evaluation.signature)[:20] in str(result)
    terminal = Console(file=io.StringIO(), width=100)
    terminal.print(result)
    assert terminal.file.getvalue().rstrip() == str(result) == repr(result)


def test_a_notebook_shows_it_with_names_escaped(scorer, pairs):
    html = minpairs.evaluate(scorer, pairs, **COLUMNS)._repr_html_()
    assert '<td style="text-align: left">&lt;i&gt;</td>' in html
    assert "<i>" not in html
    assert html.count("<table>") == html.count("</table>") == 1


def test_a_frame_has_a_row_a_paradigm_and_the_means(scorer, pairs):
    frame = minpairs.evaluate(scorer, pairs, **COLUMNS).to_pandas()
    assert list(frame["level"]) == ["paradigm", "paradigm", "macro", "micro"]
    assert list(frame["n"]) == [1, 2, 3, 3]
    assert (frame["low"] <= frame["accuracy"]).all()
    assert frame["signature"].str.contains("measure:sum").all()


def test_an_interaction_has_both_orders_in_its_frame(scorer, pairs):
    suite = from_table("mine", "npi", interactions())
    frame = minpairs.evaluate(scorer, suite, progress=False).to_pandas()
    assert {"base_accuracy", "swapped_accuracy", "order_bias"} <= set(frame.columns)
    assert frame["order_bias"].tolist() == [0.0]  # one sentence stands in both orders


def test_the_second_call_scores_nothing(scorer, pairs, monkeypatch):
    first = minpairs.evaluate(scorer, pairs, **COLUMNS)
    monkeypatch.setattr(scorer.backend, "run", None)
    second = minpairs.evaluate(scorer, pairs, measure="mean", **COLUMNS)
    assert second.folder == first.folder
    assert second.evaluation.signature.get("measure") == "mean"


def test_what_an_earlier_call_scored_is_kept_and_not_reported(scorer, pairs):
    minpairs.evaluate(scorer, from_table("mine", "npi", interactions()), progress=False)
    result = minpairs.evaluate(scorer, pairs, **COLUMNS)
    assert list(result.evaluations) == ["pairs"]
    assert len(minpairs.results.read_runs(result.folder)[0].suites) == 3


def test_several_benchmarks_have_no_one_accuracy(scorer, pairs):
    suite = from_table("mine", "npi", interactions())
    result = minpairs.evaluate(scorer, [pairs, suite], **COLUMNS)
    assert list(result.evaluations) == ["pairs", "mine"]
    with pytest.raises(MeasureError, match=r"result.evaluations\['pairs'\].*pairs, mine"):
        _ = result.accuracy


def test_a_model_object_keeps_its_precision(pairs):
    model = causal().bfloat16()
    result = minpairs.evaluate(model, pairs, tokenizer=byte_tokenizer(), device="cpu", **COLUMNS)
    assert result.evaluation.signature.get("dtype") == "bfloat16"
    assert "bfloat16: margins (sum) differ from float32" in str(result).replace("\n", " ")


@pytest.mark.parametrize(
    ("model", "suites", "options", "error", "message"),
    [
        ("chat:gpt", "pairs.csv", {}, ModelError, "minpairs chat"),
        (None, "pairs.csv", {"dtype": "bfloat16"}, ModelError, "give dtype to load_scorer"),
        (None, "pairs.csv", {"bos": "none"}, ModelError, "give bos to load_scorer"),
        (None, [], {}, SuiteError, "no suite was named"),
        (None, "climp", {}, SuiteError, "minpairs generate climp"),
    ],
)
def test_faults_are_our_errors(scorer, pairs, model, suites, options, error, message):
    with pytest.raises(error, match=message):
        minpairs.evaluate(model or scorer, suites, **options, **COLUMNS)
