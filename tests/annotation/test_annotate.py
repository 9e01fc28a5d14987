"""The command up to the page: what it refuses, and how it says so."""

from __future__ import annotations

import sys

import pytest
from typer.testing import CliRunner

from minpairs.annotation import read_study
from minpairs.cli import app
from minpairs.errors import MinpairsError


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.csv").write_text("good,bad,uid\na,b,one\nc,d,two\n", encoding="utf-8")
    columns = ["--acceptable", "good", "--unacceptable", "bad", "--group", "uid"]

    def run_(*options: str) -> None:
        command = ["annotate", "mine.csv", *columns, "--no-browser", *options]
        CliRunner().invoke(app, command, catch_exceptions=False)

    return run_


def test_without_gradio_the_error_says_what_to_install(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "gradio", None)
    with pytest.raises(MinpairsError, match=r"pip install 'minpairs\[annotate\]'"):
        run("--annotator", "ann")


def test_a_file_of_pairs_becomes_a_study_with_its_groups_as_paradigms(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "gradio", None)
    with pytest.raises(MinpairsError, match="gradio"):
        run("--annotator", "ann", "--items", "1", "--out", "study")
    assert read_study(tmp_path / "study").paradigms == ["mine.one", "mine.two"]


def test_a_name_that_leads_out_of_the_folder_writes_nothing(run, tmp_path):
    with pytest.raises(MinpairsError, match=r"an annotator cannot be called '\.\./x'"):
        run("--annotator", "../x", "--out", "study")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.csv"]
