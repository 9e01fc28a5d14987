"""Toy grammars written to a temporary folder."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from minpairs.grammar import Lexicon, Template, load_lexicon, load_template

TABLES = {
    "people": """
        form     gender
        李 先生  m
        孙 先生  m
        王 女士  f
        周 女士  f
        赵 老师  m|f
        吴 老师  m|f
        """,
    "nouns": """
        form  sort    classifiers
        书    thing   本
        刀    thing   把
        狗    animal  只|条
        鱼    animal  条
        猫    animal  只
        """,
    "verbs": """
        form  object
        买    thing|animal
        看    thing|animal
        喂    animal
        """,
    "classifiers": """
        form  kind
        本    volume
        把    handle
        只    body
        条    length
        """,
}

CLASSIFIER = """
uid: classifier
phenomenon: classifier
language: zh
design: minimal_pair
about: A noun takes a classifier of its class.
items: 20
slots:
  subject: {from: people}
  verb: {from: verbs}
  noun: {from: nouns}
  right: {from: classifiers}
  wrong: {from: classifiers}
relations:
  - noun.sort in verb.object
  - right.form in noun.classifiers
  - wrong.form not in noun.classifiers
phrases:
  object: "{noun}"
cells:
  acceptable: "{subject} {verb} 了 一 {right} {object} 。"
  unacceptable: "{subject} {verb} 了 一 {wrong} {object} 。"
balance:
  exchange: [right, wrong]
columns: {noun: noun.form}
cluster: noun.form
"""


def tsv(text: str) -> str:
    """A table written with two or more blanks between cells, as TSV; ``-`` is an empty cell."""
    lines = [line.strip() for line in text.strip().splitlines()]
    cells = [
        [c.strip() for c in line.replace("  ", "\t").split("\t") if c.strip()] for line in lines
    ]
    return "".join("\t".join("" if c == "-" else c for c in row) + "\n" for row in cells)


Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a benchmark folder: tables, their documentation and templates by uid."""

    def write(
        tables: dict[str, str] | None = None,
        templates: dict[str, str] | None = None,
        features: dict[str, object] | str | None = None,
        folder: str = "toy",
    ) -> Path:
        lexicon = tmp_path / folder / "lexicon"
        lexicon.mkdir(parents=True, exist_ok=True)
        tables = TABLES if tables is None else tables
        documented: dict[str, object] = {}
        for name, text in tables.items():
            content = text if "\t" in text else tsv(text)
            (lexicon / f"{name}.tsv").write_text(content, encoding="utf-8", newline="")
            header = next(line for line in content.split("\n") if not line.startswith("#"))
            columns = {column: f"the {column}" for column in header.split("\t")}
            documented[name] = {"about": f"the {name}", "columns": columns}
        if not isinstance(features, str):
            features = yaml.safe_dump(documented | (features or {}), sort_keys=False)
        (lexicon / "features.yaml").write_text(features, encoding="utf-8")
        for uid, text in ({"classifier": CLASSIFIER} if templates is None else templates).items():
            (tmp_path / folder / f"{uid}.yaml").write_text(text, encoding="utf-8")
        return tmp_path / folder

    return write


@pytest.fixture
def load(write: Write) -> Callable[..., tuple[Template, Lexicon]]:
    """Writes one template (by default classifier) and its tables, and loads both."""

    def load(
        text: str = CLASSIFIER, tables: dict[str, str] | None = None
    ) -> tuple[Template, Lexicon]:
        uid = yaml.safe_load(text)["uid"]
        folder = write(tables, {uid: text})
        lexicon = load_lexicon(folder / "lexicon")
        return load_template(folder / f"{uid}.yaml", lexicon), lexicon

    return load


@pytest.fixture
def classifier() -> str:
    """The text of the toy template."""
    return CLASSIFIER


@pytest.fixture
def tables() -> dict[str, str]:
    """The toy tables, as TSV."""
    return {name: tsv(text) for name, text in TABLES.items()}
