"""Which sentences a scenario takes out of a training corpus: rules, read from YAML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from minpairs.errors import nearest
from minpairs.grammar._yaml import Document, read_yaml
from minpairs.training.errors import FilterError

__all__ = ["Rule", "Scenario", "Texts", "Variant", "load_filters"]

_BETWEEN = "\0"  # stands between texts; in no rule, since YAML has none
# Between the words of a phrase: white space, line breaks too, or hyphens and dashes.
_GAP = r"[\s\-\u2010-\u2015]+"


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts to be searched, each by itself and all in one string.

    Attributes:
        rows: the texts.
        joined: the same with ``_BETWEEN`` before each.
        starts: where each begins in ``joined``.
    """

    rows: Sequence[str]
    joined: str
    starts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, rows: Sequence[str], *, folded: bool) -> Texts:
        """Joins texts, case-folded or as they are."""
        rows = [row.casefold() for row in rows] if folded else rows
        lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows)) + len(_BETWEEN)
        starts = np.cumsum(lengths) - lengths
        return cls(rows, _BETWEEN + _BETWEEN.join(rows), starts)

    def containing(self, literal: str) -> list[int]:
        """The places of the texts that hold a string."""
        hits = []
        at = self.joined.find(literal)
        while at >= 0:
            hits.append(at)
            at = self.joined.find(literal, at + 1)
        rows = np.searchsorted(self.starts, np.array(hits, dtype=np.int64), side="right") - 1
        return [int(row) for row in np.unique(rows)]


@dataclass(frozen=True)
class Rule:
    """One test of a sentence: it matches where all of its conditions hold.

    Attributes:
        name: its name in the file.
        about: what it finds.
        phrase: whole words in sequence; empty for none.
        not_before: a word that must not follow the phrase.
        contains: strings that must all be there, anywhere.
        lacks: strings that must not be there.
        patterns: regular expressions that must each be found somewhere.
        exact_case: upper and lower case differ; else the rule sees case-folded text.
        line_end: the sentence is tested with its line end, as lines of a file are.
    """

    name: str
    about: str = ""
    phrase: str = ""
    not_before: str = ""
    contains: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    exact_case: bool = False
    line_end: bool = False

    def matches(self, sentence: str) -> bool:
        """Whether the rule finds something in one sentence."""
        return bool(self.find(Texts.of([sentence], folded=not self.exact_case)))

    def find(self, texts: Texts) -> list[int]:
        """The places of those texts that match; texts are case-folded unless ``exact_case``."""
        rows = texts.rows
        # Fixed strings are looked for first, all texts at once: they spare nearly all the rest.
        first, *others = self._literals or [""]
        places: Iterable[int] = texts.containing(first) if first else range(len(rows))
        for literal in others:
            places = [i for i in places if literal in rows[i]]
        for literal in self.lacks:
            places = [i for i in places if literal not in rows[i]]
        end = "\n" if self.line_end else ""
        for pattern in self._compiled:
            search = pattern.search
            places = [i for i in places if search(rows[i] + end)]
        return list(places)

    @cached_property
    def _literals(self) -> list[str]:
        words = self.phrase.split() if self.phrase else []
        return sorted({*self.contains, *words}, key=lambda word: (-len(word), word))

    @cached_property
    def _compiled(self) -> list[re.Pattern[str]]:
        found = [re.compile(pattern) for pattern in self.patterns]
        if self.phrase:
            words = _GAP.join(map(re.escape, self.phrase.split()))
            after = rf"(?!{_GAP}{re.escape(self.not_before)}\b)" if self.not_before else ""
            found.append(re.compile(rf"\b{words}\b{after}"))
        return found


@dataclass(frozen=True, slots=True)
class Scenario:
    """What is taken out of a corpus.

    Attributes:
        name: its name in the file, and of its config (``corpus.<name>``).
        about: what it is for.
        rules: names of rules; a sentence that matches any of them is taken out.
        control_of: for a random control, the scenario whose number of sentences it takes out.
        chance: for a random control, the probability of each sentence, in order, until there are
            as many; None: so many of every part of the corpus, all equally likely.
    """

    name: str
    about: str = ""
    rules: tuple[str, ...] = ()
    control_of: str | None = None
    chance: float | None = None


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to filter: its rules and scenarios by name."""

    name: str
    about: str
    rules: Mapping[str, Rule] = field(default_factory=dict)
    scenarios: Mapping[str, Scenario] = field(default_factory=dict)

    def scenario(self, name: str) -> Scenario:
        """A scenario by name.

        Raises:
            FilterError: there is none of that name.
        """
        if name not in self.scenarios:
            hint = nearest(name, self.scenarios)
            raise FilterError(f"no scenario {name!r} in variant {self.name!r}; {hint}")
        return self.scenarios[name]

    def needed(self, scenarios: Iterable[str]) -> dict[str, Rule]:
        """The rules that these scenarios use, those of what they are controls of too."""
        used = [self.scenario(name) for name in scenarios]
        used += [self.scenario(one.control_of) for one in used if one.control_of]
        names = {name for one in used for name in one.rules}
        return {name: rule for name, rule in self.rules.items() if name in names}

    def rules_of(self, scenario: str) -> tuple[Rule, ...]:
        """The rules of a scenario; of a random control none."""
        return tuple(self.rules[name] for name in self.scenario(scenario).rules)

    def removes(self, scenario: str, sentence: str) -> bool:
        """Whether a scenario (no random control) takes a sentence out."""
        return any(rule.matches(sentence) for rule in self.rules_of(scenario))


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from error
    return text


_Text = Annotated[str, Field(min_length=1)]
_Pattern = Annotated[str, Field(min_length=1), AfterValidator(_pattern)]


class _Rule(BaseModel):
    model_config = ConfigDict(extra="forbid")
    about: str = ""
    phrase: str = ""
    not_before: str = ""
    contains: tuple[_Text, ...] = ()
    lacks: tuple[_Text, ...] = ()
    patterns: tuple[_Pattern, ...] = ()


class _Scenario(BaseModel):
    model_config = ConfigDict(extra="forbid")
    about: str = ""
    rules: tuple[str, ...] = ()
    control_of: str | None = None
    chance: Annotated[float, Field(gt=0, le=1)] | None = None


class _Variant(BaseModel):
    model_config = ConfigDict(extra="forbid")
    about: str = ""
    exact_case: bool = False
    line_end: bool = False
    rules: dict[str, _Rule] = {}
    scenarios: dict[str, _Scenario] = {}


def load_filters(variant: str = "described", own: Path | None = None) -> Variant:
    """The rules and scenarios of a variant: the package's, and those of a user's file.

    A user's file has the same form. It may add rules and scenarios to a variant of the package,
    and name the package's rules in them; or it may bring a variant of its own.

    Args:
        variant: ``described`` (as the let-alone study says), ``as_released`` (as its code does),
            or one of the user's.
        own: the user's file.

    Raises:
        FilterError: a fault in the file, with its line; or no such variant.
    """
    merged = _read(_packaged())
    if own is not None:
        for name, theirs in _read(own).items():
            merged[name] = _merge(merged[name], theirs, own) if name in merged else theirs
    if variant not in merged:
        raise FilterError(
            f"{own or _packaged()}: no variant {variant!r}; {nearest(variant, merged)}"
        )
    return _checked(merged[variant], str(own or _packaged()))


def _packaged() -> Path:
    return Path(str(resources.files("minpairs.grammars"))) / "let_alone" / "corpus_filters.yaml"


def _read(path: Path) -> dict[str, Variant]:
    document = read_yaml(path, FilterError)
    if not isinstance(document.value, dict):
        raise document.fault((), "must be a table of variants, as in described: {rules: …}")
    return {name: _variant(document, name, value) for name, value in document.value.items()}


def _variant(document: Document, name: str, value: object) -> Variant:
    try:
        read = _Variant.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        raise document.fault((name, *first["loc"]), first["msg"]) from error
    rules = {}
    for key, rule in read.rules.items():
        where = (name, "rules", key)
        if not (rule.phrase or rule.contains or rule.patterns):
            raise document.fault(where, "finds nothing; give phrase, contains or patterns")
        if rule.not_before and not rule.phrase:
            raise document.fault((*where, "not_before"), "goes with a phrase")
        for text in (rule.phrase, rule.not_before, *rule.contains, *rule.lacks, *rule.patterns):
            plain = re.sub(r"\\.", "", text)  # in \W or \S the case is no letter's
            if not read.exact_case and plain != plain.casefold():
                raise document.fault(where, f"{text!r} never matches: write it in lower case")
        rules[key] = Rule(
            key, **rule.model_dump(), exact_case=read.exact_case, line_end=read.line_end
        )
    scenarios = {}
    for key, scenario in read.scenarios.items():
        where = (name, "scenarios", key)
        if scenario.rules and scenario.control_of:
            raise document.fault(where, "has rules or is a random control, not both")
        if scenario.chance is not None and scenario.control_of is None:
            raise document.fault((*where, "chance"), "goes with control_of")
        if not re.fullmatch(r"\w+", key):
            raise document.fault(where, "a scenario's name is letters, digits and _")
        scenarios[key] = Scenario(key, **scenario.model_dump())
    return Variant(name, read.about, rules, scenarios)


def _merge(ours: Variant, theirs: Variant, path: Path) -> Variant:
    for kind, old, new in (
        ("rule", ours.rules, theirs.rules),
        ("scenario", ours.scenarios, theirs.scenarios),
    ):
        twice = sorted(set(old) & set(new))
        if twice:
            raise FilterError(
                f"{path}: the {kind} {twice[0]!r} exists in {ours.name!r}; give yours another name"
            )
    return Variant(
        ours.name,
        ours.about,
        {**ours.rules, **theirs.rules},
        {**ours.scenarios, **theirs.scenarios},
    )


def _checked(variant: Variant, path: str) -> Variant:
    for scenario in variant.scenarios.values():
        where = f"{path}: scenario {scenario.name!r} of {variant.name!r}"
        for name in scenario.rules:
            if name not in variant.rules:
                raise FilterError(f"{where} has no rule {name!r}; {nearest(name, variant.rules)}")
        target = scenario.control_of
        if target is None:
            continue
        if target not in variant.scenarios:
            hint = nearest(target, variant.scenarios)
            raise FilterError(f"{where} is a control of no scenario: {target!r}; {hint}")
        if variant.scenarios[target].control_of is not None:
            raise FilterError(f"{where} is a control of a control, {target!r}")
    return variant
