"""What a study trains, as data: one cell a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_type_hints

from pydantic import TypeAdapter, ValidationError

from minpairs.errors import nearest
from minpairs.studies.errors import StudyError
from minpairs.training.filters import load_filters
from minpairs.training.presets import (
    CAUSAL_PRESETS,
    LSTM_PRESETS,
    NGRAM_PRESETS,
    CausalSettings,
    LstmSettings,
    NgramSettings,
    chosen,
)

Study = Literal["climp", "let_alone"]
Units = Literal["char", "word"]
Settings = NgramSettings | LstmSettings | CausalSettings
Changes = Mapping[str, Mapping[str, Any]]  # by preset, the settings that are changed

# The study's own: sentences of Chinese Wikipedia, the largest for LSTMs alone.
CLIMP_SIZES = (400_000, 2_000_000, 21_500_000)
NGRAM_LARGEST = 2_000_000
CLIMP_MODELS = ("5gram", "lstm-200")
SCENARIOS = (
    "no_filtering",
    "no_paired_focus",
    "no_paired_focus_or_comparatives",
    "no_let",
    "no_alone",
    "no_let_or_alone",
)
# The study cuts Chinese words with jieba.
_SEGMENTATIONS: Mapping[str, Any] = {"char": "characters", "word": "jieba"}
_PRESETS: Mapping[str, Mapping[str, Settings]] = {
    "climp": {**NGRAM_PRESETS, **LSTM_PRESETS},
    "let_alone": {**CAUSAL_PRESETS},
}
PRESETS: Mapping[str, Settings] = {**_PRESETS["climp"], **_PRESETS["let_alone"]}


@dataclass(frozen=True, slots=True)
class Cell:
    """One model of a study.

    Attributes:
        name: of its files, and of the model in tables; no two cells share one.
        corpus: label of the text it is trained on.
        settings: of the model and its training.
    """

    name: str
    corpus: str
    settings: Settings

    @property
    def kind(self) -> Literal["ngram", "lstm", "causal"]:
        """What sort of model it is."""
        if isinstance(self.settings, NgramSettings):
            return "ngram"
        return "lstm" if isinstance(self.settings, LstmSettings) else "causal"


@dataclass(frozen=True, slots=True)
class Plan:
    """A study.

    Attributes:
        study: which.
        cells: its models.
        suites: what they are scored on, as ``minpairs score`` names it.
        measure: by which they are compared.
        limit: items of each suite; None for all.
        sizes: of CLiMP, for each corpus its number of sentences.
        variant: of let alone, the variant of the filters.
        rules: of let alone, a user's own file of filters.
    """

    study: Study
    cells: tuple[Cell, ...]
    suites: str
    measure: str
    limit: int | None = None
    sizes: Mapping[str, int] | None = None
    variant: str = "described"
    rules: Path | None = None


def climp_plan(
    sizes: Sequence[int],
    *,
    models: Sequence[str] = CLIMP_MODELS,
    units: Sequence[Units] = ("char", "word"),
    seeds: Sequence[int] = (1,),
    suites: str = "climp",
    limit: int | None = None,
    changes: Changes | None = None,
) -> Plan:
    """Sizes x kinds of model x characters or words, the largest corpora first as in the paper.

    Args:
        sizes: sentences of each corpus; the smaller ones are parts of the larger ones. n-gram
            models are trained on no more than ``NGRAM_LARGEST``, as in the paper.
        models: presets of n-gram models and LSTMs.
        units: what they read.
        seeds: of neural models; n-gram models have none.
        suites: what to score.
        limit: items of each suite; None for all.
        changes: by preset, the settings that differ from it.

    Raises:
        StudyError: an unknown preset, or nothing to train.
    """
    labels = {size_label(size): size for size in sorted(set(sizes), reverse=True)}
    cells = []
    for model in models:
        preset = _preset("climp", model)
        for label, size in labels.items():
            if isinstance(preset, NgramSettings) and size > NGRAM_LARGEST:
                continue
            for unit in units:
                own = {"segmentation": _SEGMENTATIONS[unit], **(changes or {}).get(model, {})}
                name = f"{model}-{label}-{unit}"
                if isinstance(preset, NgramSettings):
                    cells.append(Cell(name, label, chosen(NGRAM_PRESETS, model, own)))
                    continue
                for seed in seeds:
                    end = f"-seed{seed}" if len(seeds) > 1 else ""
                    settings = chosen(LSTM_PRESETS, model, {**own, "seed": seed})
                    cells.append(Cell(name + end, label, settings))
    return Plan("climp", _some(cells), suites, "sum", limit, labels)


def let_alone_plan(
    seeds: Sequence[int] = (1, 2),
    *,
    scenarios: Sequence[str] = SCENARIOS,
    preset: str = "opt-97m",
    variant: str = "described",
    rules: Path | None = None,
    suites: str = "let_alone",
    measure: str = "slor",
    limit: int | None = None,
    changes: Changes | None = None,
) -> Plan:
    """Filters x seeds, all seeds of a filter together.

    Args:
        seeds: of the models.
        scenarios: which filters; names in ``corpus_filters.yaml``, or in ``rules``.
        preset: of causal models.
        variant: of the filters.
        rules: a user's own filters; see ``load_filters``.
        suites: what to score.
        measure: by which scores are compared.
        limit: items of each suite; None for all.
        changes: by preset, the settings that differ from it.

    Raises:
        StudyError: an unknown preset, or nothing to train.
        FilterError: an unknown filter, or a fault in the file of rules.
    """
    _preset("let_alone", preset)
    filters = load_filters(variant, rules)
    for scenario in scenarios:
        filters.scenario(scenario)
    own = (changes or {}).get(preset, {})
    cells = [
        Cell(
            f"{preset}-{scenario}-seed{seed}",
            scenario,
            chosen(CAUSAL_PRESETS, preset, {**own, "seed": seed}),
        )
        for scenario in dict.fromkeys(scenarios)
        for seed in dict.fromkeys(seeds)
    ]
    return Plan("let_alone", _some(cells), suites, measure, limit, variant=variant, rules=rules)


def default_sizes(sentences: int) -> tuple[int, ...]:
    """The paper's sizes that a corpus is large enough for; else all of it, and a fifth."""
    fitting = tuple(size for size in CLIMP_SIZES if size <= sentences)
    return fitting or tuple(size for size in (sentences // 5, sentences) if size)


def size_label(sentences: int) -> str:
    """``0.4M``, ``20k`` or the number itself."""
    if sentences >= 100_000 and sentences % 100_000 == 0:
        return f"{sentences / 1e6:g}M"
    return f"{sentences / 1000:g}k" if sentences >= 1000 else str(sentences)


def parse_changes(study: Study, texts: Iterable[str], presets: Sequence[str]) -> Changes:
    """Settings as a command line gives them: ``max_steps=300``, or ``lstm-200.max_steps=300``.

    Without a preset's name, a setting is changed in each of ``presets`` that has it.

    Raises:
        StudyError: no such preset or setting, a value that does not fit, or one that a study sets.
    """
    changes: dict[str, dict[str, Any]] = {name: {} for name in presets}
    for text in texts:
        key, equals, value = text.partition("=")
        owner, dot, name = key.rpartition(".")
        if not equals:
            raise StudyError(f"--set {text!r} is not SETTING=VALUE or PRESET.SETTING=VALUE")
        if dot and owner not in changes:
            raise StudyError(f"--set {text!r}: {owner!r} is not trained; {nearest(owner, changes)}")
        if name in ("seed", "segmentation"):
            raise StudyError(f"--set {text!r}: the study varies {name}; see its options")
        owners = [owner] if dot else list(changes)
        kinds = {preset: type(_preset(study, preset)) for preset in owners}
        having = {p: kind for p, kind in kinds.items() if name in _names(kind)}
        if not having:
            known = {field for kind in kinds.values() for field in _names(kind)}
            raise StudyError(f"--set {text!r}: no setting {name!r}; {nearest(name, known)}")
        for preset, kind in having.items():
            changes[preset][name] = _value(kind, name, value, text)
    return changes


def _value(kind: type, name: str, value: str, text: str) -> Any:
    try:
        hints = get_type_hints(kind, localns={"Segmentation": str})  # imported for types alone
        return TypeAdapter(hints[name]).validate_python(None if value == "none" else value)
    except ValidationError as error:
        raise StudyError(f"--set {text!r}: {error.errors()[0]['msg']}") from error


def _names(kind: type) -> list[str]:
    return [field.name for field in fields(kind)]


def _preset(study: str, name: str) -> Settings:
    presets = _PRESETS[study]
    if name not in presets:
        raise StudyError(f"unknown preset {name!r}; {nearest(name, presets)}")
    return presets[name]


def _some(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    if not cells:
        raise StudyError("there is nothing to train: name models, sizes, filters and seeds")
    return tuple(cells)
