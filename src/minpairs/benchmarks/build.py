"""From a benchmark's grammar to its Hub folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from minpairs.benchmarks.hub import CardText, write_folder
from minpairs.benchmarks.proof import (
    COMMON,
    Bounds,
    Frequencies,
    ParadigmProof,
    faults,
    prove_paradigm,
)
from minpairs.benchmarks.proof_card import FIGURE, known, lexicon_section, proof_section
from minpairs.benchmarks.proof_figure import frequency_figure
from minpairs.benchmarks.schema import MINIMAL_PAIR
from minpairs.errors import TemplateError
from minpairs.grammar import Template
from minpairs.grammar._generate import (
    NO_PHRASES,
    benchmark_folder,
    load_benchmark,
    tables,
    template_files,
)
from minpairs.grammar._yaml import read_yaml
from minpairs.grammar.checks import check
from minpairs.grammar.constructions import Construction, load_constructions
from minpairs.hub.benchmark import FILE as REGISTRATION
from minpairs.hub.benchmark import registration

_Percent = Annotated[float, Field(ge=0, le=100)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid")
    title: str
    text: str


class _Bounds(BaseModel):
    """In per cent."""

    model_config = ConfigDict(extra="forbid")
    edit_only: _Percent
    unigram: Annotated[list[_Percent], Field(min_length=2, max_length=2)]


class _CardFile(BaseModel):
    """``card.yaml`` of a grammar folder: what a person writes on the card, what it must keep."""

    model_config = ConfigDict(extra="forbid")
    name: str
    language: str
    about: str
    union: str | None = None
    bounds: _Bounds | None = None
    sections: tuple[_Section, ...] = ()


def build(
    benchmark: str | Path,
    out: Path,
    *,
    n: int | None = None,
    seed: int = 0,
    phrases: Mapping[str, str] = NO_PHRASES,
) -> dict[str, pa.Table]:
    """Draws every paradigm of a benchmark and writes its Hub folder.

    Minimal pairs are proved: their card shows what can be guessed without grammar. The let-alone
    benchmark also gets a small corpus under every filter (``corpus.*``, ``unigrams.*``).

    Args:
        benchmark: ``climp``, ``let_alone``, or a folder of templates with a ``lexicon`` folder and
            a ``card.yaml``.
        out: the folder to write.
        n: items of each paradigm; default what its template says.
        seed: the same seed gives the same files, to the byte.
        phrases: texts for phrases of the templates, by name; the card says so.

    Returns:
        The rows by paradigm.

    Raises:
        MinpairsError: a fault in a file, or a grammar that is too small.
    """
    folder = benchmark_folder(benchmark)
    card = _read_card(folder / "card.yaml")
    templates, lexicon = load_benchmark(benchmark, phrases=phrases)
    drawn = tables(templates, lexicon, n, seed)
    uids = [path.stem for path in template_files(folder)]
    sections = [
        *_changes(phrases),
        *_constructions(load_constructions(folder, uids)),
    ]
    files: dict[str, bytes] = {}
    proofs = _proofs(templates, drawn)
    if proofs:
        frequencies = Frequencies.of(card.language)
        report = check(benchmark)
        sections += [proof_section(proofs, _bounds(card)), lexicon_section(report, frequencies)]
        files[FIGURE] = frequency_figure(
            known(report.words, frequencies), frequencies.known.values(), common=COMMON
        )
    about = {template.uid: template.about for template in templates}
    corpora, described = _corpora(folder, seed)
    text = _text(card, about | described, sections)
    boards = [*([card.union] if card.union else []), *uids]
    files[REGISTRATION] = registration(card.name, card.about, boards)
    write_folder({**drawn, **corpora}, out, text, files=files)
    return drawn


def _corpora(folder: Path, seed: int) -> tuple[dict[str, pa.Table], dict[str, str]]:
    """Of the let-alone benchmark, the sample corpus under every filter, and what each is."""
    if folder != benchmark_folder("let_alone"):
        return {}, {}
    from minpairs.training.sample import corpus_about, corpus_tables

    return corpus_tables(seed), corpus_about()


def check_bounds(benchmark: str | Path, seed: int = 0) -> list[str]:
    """Where a benchmark's minimal pairs miss the bounds that its ``card.yaml`` sets, if any.

    Raises:
        MinpairsError: a fault in a file, or a grammar that is too small.
    """
    path = benchmark_folder(benchmark) / "card.yaml"
    bounds = _bounds(_read_card(path)) if path.is_file() else None
    if bounds is None:
        return []
    templates, lexicon = load_benchmark(benchmark)
    pairs = [template for template in templates if template.design == MINIMAL_PAIR.name]
    return faults(_proofs(pairs, tables(pairs, lexicon, seed=seed)), bounds)


def _proofs(
    templates: Sequence[Template], drawn: Mapping[str, pa.Table]
) -> dict[str, ParadigmProof]:
    pairs = [template for template in templates if template.design == MINIMAL_PAIR.name]
    frequencies = {language: Frequencies.of(language) for language in {t.language for t in pairs}}
    return {t.uid: prove_paradigm(drawn[t.uid], frequencies[t.language]) for t in pairs}


def _read_card(path: Path) -> _CardFile:
    if not path.is_file():
        raise TemplateError(f"{path} is missing: it names the benchmark and says what it is")
    document = read_yaml(path, TemplateError)
    try:
        return _CardFile.model_validate(document.value)
    except ValidationError as error:
        first = error.errors()[0]
        raise document.fault(first["loc"], first["msg"]) from error


def _bounds(card: _CardFile) -> Bounds | None:
    if card.bounds is None:
        return None
    low, high = card.bounds.unigram
    return Bounds(card.bounds.edit_only / 100, (low / 100, high / 100))


def _changes(phrases: Mapping[str, str]) -> list[tuple[str, str]]:
    if not phrases:
        return []
    given = "\n".join(f"- `{name}` = `{text}`" for name, text in phrases.items())
    return [("Phrases that differ from the templates", given)]


def _constructions(constructions: Sequence[Construction]) -> list[tuple[str, str]]:
    lines = [f"- *{c.text}*, `<suite>.{c.name}`: {c.about.strip()}" for c in constructions[1:]]
    return [("Other constructions", "\n".join(lines))] if lines else []


def _text(
    card: _CardFile, about: Mapping[str, str], computed: Sequence[tuple[str, str]]
) -> CardText:
    return CardText(
        name=card.name,
        language=card.language,
        about=card.about,
        paradigms=about,
        union=card.union,
        sections=(*computed, *((section.title, section.text) for section in card.sections)),
    )
