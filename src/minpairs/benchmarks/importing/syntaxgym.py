"""SyntaxGym suites: JSON files of regions, conditions and predictions over region surprisals.

Gauthier, Hu, Wilcox, Qian and Levy (ACL 2020). A surprisal is a negative log-probability, so
predictions keep their terms and change their signs. A region's sum is the score of the region after
all regions before it; regions are joined by a space, but for none before closing punctuation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from minpairs.benchmarks.designs import Columns, Layout, chance
from minpairs.benchmarks.importing._formula import Region, Sum, parse
from minpairs.benchmarks.importing._model import ImportedSuite, config_names
from minpairs.benchmarks.reading import SourceFile
from minpairs.benchmarks.schema import Design, Inequality
from minpairs.errors import SuiteError, nearest
from minpairs.parsing import parse_json

_CLOSING = re.compile(r"[,.;:?!)\]}'’”%]")


class _Region(BaseModel):
    region_number: int
    content: str


class _Condition(BaseModel):
    condition_name: str
    regions: list[_Region]


class _Item(BaseModel):
    item_number: Annotated[str, BeforeValidator(str)]
    conditions: list[_Condition] = Field(min_length=1)


class _Meta(BaseModel):
    name: str = Field(min_length=1)
    metric: str
    string_predictions: list[str] = []


class _Prediction(BaseModel):
    type: str = "formula"
    formula: str


class _File(BaseModel):
    model_config = ConfigDict(extra="ignore")
    meta: _Meta
    predictions: list[_Prediction]
    items: list[_Item] = Field(min_length=1)


def read(files: Sequence[SourceFile], *, predictions: Sequence[int] = ()) -> list[ImportedSuite]:
    """One suite a file; all its predictions must hold for an item to be right.

    Args:
        files: the JSON files.
        predictions: only these of each file's predictions, counted from 1; default all.

    Raises:
        SuiteError: a file is no suite, a formula is no conjunction of linear inequalities, or it
            names a condition or region that is missing or empty in an item.
    """
    suites: dict[str, ImportedSuite] = {}
    for file in files:
        suite = _suite(file, predictions)
        if suite.config in suites:
            raise SuiteError(f"{file.name}: there is another suite called {suite.config!r}")
        suites[suite.config] = suite
    return list(suites.values())


def _suite(file: SourceFile, chosen: Sequence[int]) -> ImportedSuite:
    data = _parse(file)
    if data.meta.metric != "sum":
        raise SuiteError(
            f"{file.name}: meta.metric is {data.meta.metric!r}; predictions over sums of "
            "surprisals ('sum') are the only ones that exist"
        )
    sums = _sums(file, data, chosen)
    items = [_conditions(item, f"{file.name}, item {item.item_number}") for item in data.items]
    places = tuple(f"{file.name}, item {item.item_number}" for item in data.items)
    texts = {
        region: [_cell(item, region, at) for item, at in zip(items, places, strict=True)]
        for region in dict.fromkeys(region for _, weights in sums for region in weights)
    }
    # A region without text in every item has surprisal 0; in some items, it makes no sense.
    silent = {region for region, cells in texts.items() if not any(text for _, text in cells)}
    inequalities = []
    names = _cell_names([region for region in texts if region not in silent])
    for name, weights in sums:
        terms = tuple((names[r], -weight) for r, weight in weights.items() if r not in silent)
        if not terms:
            raise SuiteError(f"{file.name}: {name} is about regions that are empty in every item")
        # The positive terms first, for the reader.
        terms = tuple(sorted(terms, key=lambda term: term[1] < 0))
        inequalities.append(Inequality(name, terms))
    columns: dict[str, Sequence[Any]] = {"item_number": [item.item_number for item in data.items]}
    layout: dict[str, Columns] = {}
    for region, cell in names.items():
        cells = texts[region]
        if region.number is None:
            columns[cell], layout[cell] = [text for _, text in cells], (None, cell)
            continue
        columns[f"{cell}_context"] = [context for context, _ in cells]
        columns[f"{cell}_continuation"] = [text for _, text in cells]
        layout[cell] = (f"{cell}_context", f"{cell}_continuation")
    config = config_names([data.meta.name])[data.meta.name]
    by_chance = chance(inequalities)
    if not 0 < by_chance < 1:
        raise SuiteError(f"{file.name}: its predictions contradict each other")
    design = Design(data.meta.name, tuple(names.values()), tuple(inequalities), by_chance)
    return ImportedSuite(config, columns, Layout(design, layout), places)


def _parse(file: SourceFile) -> _File:
    try:
        return _File.model_validate(parse_json(file.text, file.name, SuiteError))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise SuiteError(f"{file.name} is no SyntaxGym suite: {field}: {first['msg']}") from error


def _sums(file: SourceFile, data: _File, chosen: Sequence[int]) -> list[tuple[str, Sum]]:
    """The inequalities by name; files of the ACL 2020 study keep their formulas under ``meta``."""
    formulas = [p.formula for p in data.predictions] or data.meta.string_predictions
    if not formulas:
        raise SuiteError(f"{file.name} has no predictions, so nothing can be right or wrong")
    for number in chosen:
        if not 1 <= number <= len(formulas):
            raise SuiteError(f"{file.name} has no prediction {number}: it has {len(formulas)}")
    sums: list[tuple[str, Sum]] = []
    for number in chosen or range(1, len(formulas) + 1):
        try:
            parts = parse(formulas[number - 1])
        except SuiteError as error:
            others = [n for n in range(1, len(formulas) + 1) if n != number]
            hint = f"; --predictions {others[0]} imports another one" if others else ""
            raise SuiteError(f"{file.name}, prediction {number}: {error}{hint}") from error
        for part, weights in enumerate(parts, start=1):
            name = f"prediction_{number}" + (f".{part}" if len(parts) > 1 else "")
            sums.append((name, weights))
    return sums


def _conditions(item: _Item, place: str) -> dict[str, dict[int, str]]:
    """The regions of each condition, by number and in order; blanks at their ends removed."""
    conditions: dict[str, dict[int, str]] = {}
    for condition in item.conditions:
        regions = {region.region_number: region.content.strip() for region in condition.regions}
        if condition.condition_name in conditions or len(regions) < len(condition.regions):
            raise SuiteError(
                f"{place}: condition {condition.condition_name!r} or a region of it stands twice"
            )
        conditions[condition.condition_name] = dict(sorted(regions.items()))
    return conditions


def _cell(item: Mapping[str, Mapping[int, str]], region: Region, place: str) -> tuple[str, str]:
    """Context and continuation; the continuation is empty where the region is."""
    if region.condition not in item:
        hint = nearest(region.condition, item)
        raise SuiteError(f"{place} has no condition {region.condition!r}; {hint}")
    regions = item[region.condition]
    if region.number is None:
        return "", _joined(list(regions.values()))
    if region.number not in regions:
        raise SuiteError(f"{place}: condition {region.condition!r} has no region {region.number}")
    before = _joined([text for number, text in regions.items() if number < region.number])
    whole = _joined([text for number, text in regions.items() if number <= region.number])
    return before, whole[len(before) :]


def _joined(regions: Sequence[str]) -> str:
    sentence = ""
    for text in regions:
        space = " " if sentence and text and not _CLOSING.match(text) else ""
        sentence += space + text
    return sentence


def _cell_names(regions: Sequence[Region]) -> dict[Region, str]:
    """Names for formulas: the condition's, and the region's number or ``sentence``."""
    names: dict[Region, str] = {}
    for region in regions:
        number = "sentence" if region.number is None else region.number
        name = re.sub(r"[^A-Za-z0-9_]", "_", f"{region.condition}_{number}")
        name = name if re.match("[A-Za-z_]", name) else f"_{name}"
        while name in names.values():
            name += "_"
        names[region] = name
    return names
