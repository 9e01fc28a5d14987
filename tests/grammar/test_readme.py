"""The worked example of generation/README.md, as a reader would follow it."""

import re
from pathlib import Path

import pytest

from minpairs.errors import GrammarTooSmallError
from minpairs.grammar import generate
from minpairs.grammar.checks import check

README = Path(__file__).parents[2] / "generation" / "README.md"
FILE = re.compile(r"`(agreement/[\w./]+)`[^\n]*\n\n```\w+\n(.*?)```", re.DOTALL)


@pytest.fixture
def folder(tmp_path):
    for name, text in FILE.findall(README.read_text(encoding="utf-8")):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "agreement"


def test_the_example_has_the_four_files(folder):
    files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*"))
    assert files == [
        "lexicon/copulas.tsv", "lexicon/features.yaml", "lexicon/nouns.tsv", "verb_agreement.yaml",
    ]  # fmt: skip


def test_the_example_is_sound(folder):
    assert check(folder).problems == ()


def test_the_example_fails_with_the_message_that_is_printed(folder):
    with pytest.raises(GrammarTooSmallError) as caught:
        generate(folder)
    message = str(caught.value).partition(": ")[2]
    assert message in README.read_text(encoding="utf-8")


def test_the_example_yields_what_the_message_says(folder):
    table = generate(folder, n=8)["verb_agreement"]
    assert table.num_rows == 8
    for row in table.to_pylist():
        assert re.fullmatch(r"The \w+ (is|are|was|were) here\.", row["sentence_good"])
    assert sorted(table["edit_good"].to_pylist()) == sorted(table["edit_bad"].to_pylist())


def test_the_table_of_keys_is_complete():
    from minpairs.grammar._models import TemplateModel

    text = README.read_text(encoding="utf-8").partition("## The template")[2]
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == set(TemplateModel.model_fields)
