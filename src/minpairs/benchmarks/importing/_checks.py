"""Faults of imported items that a person should know of before any model is scored on them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from minpairs.benchmarks.importing._model import ImportedSuite
from minpairs.benchmarks.schema import MINIMAL_PAIR
from minpairs.errors import SuiteError

_SHOWN = 5
_STRAY = re.compile(r"^\s|\s$|\s\s|[^\S ]")  # also a tab, line break, no-break or ideographic space
_HALF = ",.?!;:()"
# Half-width marks beside a character that is not ASCII: 3.5 and U.S. are not meant.
_HALF_WIDTH = re.compile(rf"(?<=[^\x00-\x7f])[{_HALF}]|[{_HALF}](?=[^\x00-\x7f])")
_FULL_WIDTH = re.compile("[，。．？！；：（）]")


@dataclass(frozen=True, slots=True)
class Faults:
    """Faults of one kind in one suite.

    Attributes:
        kind: what they are, such as ``duplicate pairs``.
        config: the suite.
        places: where each stands.
    """

    kind: str
    config: str
    places: tuple[str, ...]

    def __str__(self) -> str:
        return f"{len(self.places)} {self.kind} in {self.config}: {_listed(self.places)}"


def check(suites: Iterable[ImportedSuite]) -> list[Faults]:
    """All faults, by suite and kind.

    *Identical*: a prediction that weighs a text against itself (a pair's two members are the
    same), so that it can only tie. *Duplicate*: all cells as in an earlier item. *Stray white
    space*: at an end of a text, doubled, or other than a plain space. *Mixed-width punctuation*:
    half-width marks in a suite that writes full-width ones too.

    Raises:
        SuiteError: an empty cell, or one that is no text.
    """
    return [faults for suite in suites for faults in _suite_faults(suite)]


def _suite_faults(suite: ImportedSuite) -> list[Faults]:
    _refuse_empty(suite)
    names = suite.layout.design.cells
    items = list(zip(*(map("".join, suite.texts(name)) for name in names), strict=True))
    widths = any(_FULL_WIDTH.search(text) for item in items for text in item)
    seen: set[tuple[str, ...]] = set()
    found: dict[str, list[str]] = {}
    unit = "pairs" if suite.layout.design == MINIMAL_PAIR else "items"
    for item, place in zip(items, suite.places, strict=True):
        if _is_identical(suite, dict(zip(names, item, strict=True))):
            found.setdefault(f"identical {unit}", []).append(place)
        if item in seen:
            found.setdefault(f"duplicate {unit}", []).append(place)
        seen.add(item)
        if any(_STRAY.search(text) for text in item):
            found.setdefault(f"{unit} with stray white space", []).append(place)
        if widths and any(_HALF_WIDTH.search(text) for text in item):
            found.setdefault(f"{unit} with mixed-width punctuation", []).append(place)
    return [Faults(kind, suite.config, tuple(places)) for kind, places in found.items()]


def _refuse_empty(suite: ImportedSuite) -> None:
    for cell in suite.layout.design.cells:
        empty = []
        for (context, continuation), place in zip(suite.texts(cell), suite.places, strict=True):
            if not isinstance(context, str) or not isinstance(continuation or "", str):
                raise SuiteError(f"{place}: {cell!r} is no text but {continuation!r}")
            if not (continuation or "").strip():
                empty.append(place)
        if empty:
            raise SuiteError(
                f"{len(empty)} empty {cell!r} cells in {suite.config}: {_listed(empty)}; "
                "nothing can be scored there: write the sentences or remove the items"
            )


def _is_identical(suite: ImportedSuite, texts: Mapping[str, str]) -> bool:
    for inequality in suite.layout.design.inequalities:
        weights: dict[str, float] = {}
        for cell, weight in inequality.terms:
            weights[texts[cell]] = weights.get(texts[cell], 0.0) + weight
        if not any(weights.values()):
            return True
    return False


def _listed(places: Iterable[str]) -> str:
    """``a.csv, lines 3, 5; b.csv, line 7 … and 12 more``."""
    every = list(places)
    lines: dict[tuple[str, str], list[str]] = {}
    for place in every[:_SHOWN]:
        file, _, position = place.rpartition(", ")
        word, _, number = position.partition(" ")
        lines.setdefault((file, word), []).append(number)
    shown = "; ".join(
        f"{file}, {word}{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"
        for (file, word), numbers in lines.items()
    )
    more = len(every) - _SHOWN
    return shown + (f" … and {more} more" if more > 0 else "")
