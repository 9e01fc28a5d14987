"""Every complaint has its test or its decision, and every test that is named exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
ROW = re.compile(r"^\|\s*(\d+)\s*\|(?P<rest>.*)\|$", re.MULTILINE)
NAMED = re.compile(r"`([\w/.]+\.py)::(test_\w+)`")


def rows() -> dict[int, str]:
    text = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")
    found = [(int(match[1]), match["rest"].rsplit("|", 1)[1]) for match in ROW.finditer(text)]
    assert len(found) == len(dict(found)), "a number stands twice"
    return dict(found)


def functions(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_all_45_complaints_are_listed_once():
    assert sorted(rows()) == list(range(1, 46))


@pytest.mark.parametrize("number", range(1, 46))
def test_a_complaint_has_tests_that_exist_or_a_reasoned_decision(number):
    answer = rows()[number]
    named = NAMED.findall(answer)
    assert named or "Decision:" in answer
    missing = [f"{file}::{test}" for file, test in named if test not in functions(TESTS / file)]
    assert not missing


def test_every_test_in_this_folder_answers_a_complaint():
    named = {pair for answer in rows().values() for pair in NAMED.findall(answer)}
    here = {
        (f"complaints/{file.name}", test)
        for file in Path(__file__).parent.glob("test_*.py")
        if file.name != Path(__file__).name
        for test in functions(file)
        if test.startswith("test_")
    }
    assert here - named == {
        ("complaints/test_precision.py", "test_the_record_of_float64_would_see_it")
    }
