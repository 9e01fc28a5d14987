"""``minpairs report``: what is printed, which files are written, and which measure is meant."""

from __future__ import annotations

import csv
import io

import pyarrow.parquet as pq
import pytest
from scored_runs import interactions, pairs, prefers_good, scored
from typer.testing import CliRunner

from minpairs.cli import app
from minpairs.errors import MeasureError


def report(folder, *options: str) -> str:
    done = CliRunner().invoke(app, ["report", str(folder), *options], env={"COLUMNS": "200"})
    if done.exception:
        raise done.exception
    return done.output


@pytest.fixture
def folder(tmp_path):
    scored(tmp_path / "one", [pairs()], prefers_good)
    return tmp_path


def test_markdown_latex_and_csv_are_written_beside_each_other(folder):
    report(folder)
    written = {path.name for path in folder.iterdir() if path.is_file()}
    assert written == {"report.md", "report.tex", "report.csv"}


@pytest.mark.parametrize(
    ("name", "file"), [("markdown", "report.md"), ("latex", "report.tex"), ("csv", "report.csv")]
)
def test_a_format_is_printed_as_it_is_written(folder, name, file):
    assert report(folder, "--format", name) == (folder / file).read_text()


def test_several_models_are_compared(folder):
    scored(folder / "two", [pairs()], lambda text: -len(text.continuation))
    assert "models in pairs" in report(folder)
    assert (folder / "comparisons.csv").is_file()


@pytest.mark.parametrize(
    ("form", "measure", "value"),
    [
        # CELL npi 0: -6 over two scored tokens of three; the counts have -2 a token.
        ("paper", "slor", (-6 + 4) / 2),
        ("as_released", "slor_as_released", -6 / 2 + 6 / 3),
        ("word", "slor_word", (-6 + 4) / 3),
    ],
)
def test_a_form_of_slor_is_another_measure(tmp_path, form, measure, value):
    def rule(text):
        return -6.0 if text.continuation.startswith("base_let_alone npi") else -4.0

    scored(tmp_path / "one", [interactions()], rule)
    text = report(tmp_path, "--measure", "slor", "--slor", form, "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(text))
    assert f"measure:{measure}|" in row["signature"]
    others = {"paper": (-4 + 4) / 2, "as_released": -4 / 2 + 2, "word": (-4 + 4) / 3}[form]
    # Of eight cells one differs: half of the orders have a ΔS(let alone) that is not 0.
    assert float(row["construction_delta"]) == pytest.approx((value - others) / 2)


def test_a_form_of_slor_needs_the_measure_slor(folder):
    with pytest.raises(MeasureError, match="the measure is 'sum'"):
        report(folder, "--slor", "word")


def test_score_refuses_a_form_of_slor_for_another_measure_before_it_loads_a_model():
    done = CliRunner().invoke(app, ["score", "no-model", "no-suite", "--slor", "word"])
    assert isinstance(done.exception, MeasureError)
    assert "the measure is 'sum'" in str(done.exception)


def test_scores_of_an_earlier_version_are_read_and_only_as_released_needs_more(folder):
    (path,) = (folder / "one" / "scores").glob("*.parquet")
    old = pq.read_table(path).drop_columns(["all_tokens", "all_unigram_logprob"])
    pq.write_table(old, path)
    assert "100.0" in report(folder, "--measure", "slor")
    with pytest.raises(MeasureError, match="this version or a later one"):
        report(folder, "--measure", "slor", "--slor", "as_released")


@pytest.mark.parametrize(("settings", "said"), [({"bos": "<s>"}, True), ({"bos": "none"}, False)])
def test_as_released_with_a_beginning_token_is_said_to_be_plain_slor(tmp_path, settings, said):
    scored(tmp_path / "one", [pairs()], prefers_good, **settings)
    text = report(tmp_path, "--measure", "slor_as_released", "--format", "markdown")
    assert ("--bos none" in text) is said


def test_a_broken_model_is_flagged_before_anything_else(tmp_path):
    scored(tmp_path / "one", [pairs()], lambda text: -4.0)
    text = report(tmp_path, "--format", "markdown")
    assert text.index("BROKEN MODEL?") < text.index("Intervals are")
