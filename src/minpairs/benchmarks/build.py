"""From a benchmark's grammar to its Hub folder."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, ValidationError

from minpairs.benchmarks.hub import CardText, write_folder
from minpairs.errors import TemplateError
from minpairs.grammar import generate
from minpairs.grammar._generate import benchmark_folder, templates
from minpairs.grammar._yaml import read_yaml


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid")
    title: str
    text: str


class _CardFile(BaseModel):
    """``card.yaml`` of a grammar folder: what a person writes on the card."""

    model_config = ConfigDict(extra="forbid")
    name: str
    language: str
    about: str
    union: str | None = None
    sections: tuple[_Section, ...] = ()


def build(
    benchmark: str | Path, out: Path, *, n: int | None = None, seed: int = 0
) -> dict[str, pa.Table]:
    """Draws every paradigm of a benchmark and writes its Hub folder.

    Args:
        benchmark: ``climp``, ``let_alone``, or a folder of templates with a ``lexicon`` folder and
            a ``card.yaml``.
        out: the folder to write.
        n: items of each paradigm; default what its template says.
        seed: the same seed gives the same files, to the byte.

    Returns:
        The rows by paradigm.

    Raises:
        MinpairsError: a fault in a file, or a grammar that is too small.
    """
    tables = generate(benchmark, n=n, seed=seed)
    about = {uid: template.about for uid, template in templates(benchmark).items()}
    write_folder(tables, out, _card(benchmark_folder(benchmark) / "card.yaml", about))
    return tables


def _card(path: Path, about: dict[str, str]) -> CardText:
    if not path.is_file():
        raise TemplateError(f"{path} is missing: it names the benchmark and says what it is")
    document = read_yaml(path, TemplateError)
    try:
        card = _CardFile.model_validate(document.value)
    except ValidationError as error:
        first = error.errors()[0]
        raise document.fault(first["loc"], first["msg"]) from error
    return CardText(
        name=card.name,
        language=card.language,
        about=card.about,
        paradigms=about,
        union=card.union,
        sections=tuple((section.title, section.text) for section in card.sections),
    )
