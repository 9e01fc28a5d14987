"""From files as released to a report, by the command line: one path for every design."""

from __future__ import annotations

import json
import math

import pytest
from typer.testing import CliRunner

from minpairs.cli import app
from minpairs.errors import SuiteError
from minpairs.judgements import judge
from minpairs.results import read_runs

# Unigram costs in powers of ten: what each sentence scores can be added up by eye.
COSTS = {
    "she": 1,
    "they": 1,
    "sings": 2,
    "sing": 3,
    "songs": 1,
    "a": 1,
    "fine": 2,
    "ten": 2,
    "days": 1,
}


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.chdir(tmp_path)
    unigrams = "".join(f"{-cost}\t{word}\t0\n" for word, cost in COSTS.items())
    (tmp_path / "words.arpa").write_text(
        f"\\data\\\nngram 1={len(COSTS) + 3}\nngram 2=1\n\n"
        f"\\1-grams:\n-5\t<unk>\t0\n0\t<s>\t0\n-1\t</s>\t0\n{unigrams}\n"
        "\\2-grams:\n-1\t<s> she\n\n\\end\\\n"  # KenLM wants one
    )

    def invoke(*arguments):
        result = CliRunner().invoke(app, list(map(str, arguments)))
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    def evaluations(*folders):
        invoke("score", "words.arpa", *folders, "--segmentation", "words", "--out", "results")
        return judge(read_runs(tmp_path / "results")[0])

    invoke.evaluations = evaluations
    return invoke


def regions(name, *contents):
    numbered = [{"region_number": n, "content": text} for n, text in enumerate(contents, start=1)]
    return {"condition_name": name, "regions": numbered}


def test_a_syntaxgym_suite_becomes_an_evaluation(run, tmp_path):
    items = [
        {
            "item_number": 1,
            "conditions": [
                regions("s", "she", "sings", "songs"),
                regions("p", "she", "sing", "songs"),
            ],
        },
        {
            "item_number": 2,
            "conditions": [
                regions("s", "they", "sing", "songs"),
                regions("p", "they", "sings", "songs"),
            ],
        },
    ]
    formula = "[(2;%p%) > (2;%s%)] & [(*;%p%) > (*;%s%)]"
    suite = {
        "meta": {"name": "agreement", "metric": "sum"},
        "predictions": [{"type": "formula", "formula": formula}],
        "items": items,
    }
    (tmp_path / "suite.json").write_text(json.dumps(suite))
    run("import", "syntaxgym", "suite.json", "--out", "gym")
    (evaluation,) = run.evaluations("gym").values()
    result = evaluation.group("agreement")
    assert (result.n, result.right, result.accuracy) == (2, 1, 0.5)
    assert result.inequalities[0].mean_difference == 0  # + and - one power of ten
    assert evaluation.design == "agreement"


def test_an_aann_item_becomes_an_evaluation(run, tmp_path):
    (tmp_path / "aann.csv").write_text(
        "prefix,construction,order_swap,no_article,no_modifier,no_numeral\n"
        "she sings,a fine ten days,fine a ten days,fine ten days,a ten days,a fine days\n"
    )
    run("import", "aann", "aann.csv", "--out", "aann")
    (evaluation,) = run.evaluations("aann").values()
    result = evaluation.micro
    differences = [one.mean_difference / math.log(10) for one in result.inequalities]
    assert differences == pytest.approx([0, -1, -2, -2])
    assert (result.accuracy, result.chance) == (0, 0.2)


def test_blimp_pairs_become_an_evaluation(run, tmp_path):
    rows = [
        {"sentence_good": "she sings", "sentence_bad": "she sing", "UID": "third"},
        {"sentence_good": "they sing", "sentence_bad": "they sings", "UID": "plural"},
    ]
    lines = [json.dumps(row | {"linguistics_term": "agreement"}) for row in rows]
    (tmp_path / "blimp.jsonl").write_text("\n".join(lines))
    run("import", "blimp", "blimp.jsonl", "--out", "blimp")
    (evaluation,) = run.evaluations("blimp").values()
    assert {group.name: group.accuracy for group in evaluation.groups} == {"third": 1, "plural": 0}
    assert [phenomenon.name for phenomenon in evaluation.phenomena] == ["agreement"]


def test_several_designs_are_scored_and_reported_together(run, tmp_path):
    (tmp_path / "aann.csv").write_text(
        "construction,order_swap,no_article,no_modifier,no_numeral\n"
        "a fine ten days,fine a ten days,fine ten days,a ten days,a fine days\n"
    )
    (tmp_path / "mine.csv").write_text("ok,not\nshe sings,she sing\n")
    run("import", "aann", "aann.csv", "--out", "aann")
    run(
        "import",
        "pairs",
        "mine.csv",
        "--acceptable",
        "ok",
        "--unacceptable",
        "not",
        "--out",
        "mine",
    )
    assert set(run.evaluations("aann", "mine")) == {"aann", "mine"}


def test_the_command_reports_what_it_kept_on_standard_error(run, tmp_path):
    (tmp_path / "mine.csv").write_text("sentence_good,sentence_bad\na,b\na,b\n")
    with pytest.raises(SuiteError, match="1 duplicate pairs in mine"):
        run("import", "pairs", "mine.csv", "--out", "mine")
    result = run("import", "pairs", "mine.csv", "--out", "mine", "--keep")
    assert "kept: 1 duplicate pairs in mine: mine.csv, line 3" in result.stderr
    assert result.stdout == ""


def test_predictions_are_chosen_by_number(run):
    with pytest.raises(SuiteError, match="--predictions '1,x': numbers, joined by commas"):
        run("import", "syntaxgym", "suite.json", "--out", "gym", "--predictions", "1,x")
