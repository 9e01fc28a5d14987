"""Named settings: what the published studies trained, and what may be changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeVar

from minpairs.errors import nearest
from minpairs.scoring.segmentation import Segmentation
from minpairs.training.errors import CorpusError

Estimator = Literal["auto", "own", "lmplz"]
Precision = Literal["auto", "float32", "bfloat16"]


@dataclass(frozen=True, slots=True)
class NgramSettings:
    """How an n-gram model is estimated.

    Attributes:
        order: units of the longest n-grams.
        segmentation: what a unit is.
        min_count: units that are rarer become ``<unk>``; 1: none does, and an unknown unit gets
            what smoothing leaves for it, as ``lmplz`` does.
        max_units: the most units that are kept, ``None`` for all.
        estimator: ``lmplz``, our ``own``, or ``auto``: ``lmplz`` if it is installed.
    """

    order: int = 5
    segmentation: Segmentation = "characters"
    min_count: int = 1
    max_units: int | None = None
    estimator: Estimator = "auto"


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How a neural model is trained; the defaults are the CLiMP study's LSTMs', as far as known.

    Attributes:
        optimizer: a name that ``transformers.TrainingArguments(optim=…)`` takes.
        learning_rate: the highest one.
        schedule: ``reduce_lr_on_plateau`` (a quarter of the rate whenever the held-out loss has
            not fallen), or another of ``transformers.SchedulerType``.
        warmup_steps: steps from rate 0 to ``learning_rate``.
        weight_decay: decoupled with AdamW, L2 with SGD.
        clip: largest norm of the gradient.
        batch_size: sentences a step and device.
        accumulation: batches that are added up for a step.
        epochs: times that the corpus is read.
        max_steps: stop after so many steps; -1: after ``epochs``.
        held_out: share of the sentences that the loss is watched on.
        checkpoint_every: evaluate and save after so many steps; ``None``: after each epoch.
        log_every: steps between two logged losses.
        precision: ``float32``, ``bfloat16`` or ``auto``: ``bfloat16`` on GPUs that have it.
        seed: of the weights, dropout, the order of sentences, and which are held out.
    """

    optimizer: str = "sgd"
    learning_rate: float = 20.0
    schedule: str = "reduce_lr_on_plateau"
    warmup_steps: int = 0
    weight_decay: float = 0.0
    clip: float = 0.25
    batch_size: int = 20
    accumulation: int = 1
    epochs: float = 40.0
    max_steps: int = -1
    held_out: float = 0.01
    checkpoint_every: int | None = None
    log_every: int = 50
    precision: Precision = "auto"
    seed: int = 1


@dataclass(frozen=True, slots=True)
class LstmSettings(TrainingSettings):
    """An LSTM and its training; the defaults are the CLiMP study's.

    Their paper gives two layers of 200 units and dropout 0.2, the defaults of PyTorch's word-level
    language-model example. The rest is taken from there too, but that each sentence begins with a
    fresh state, where the example reads running text in stretches of 35 words.

    Attributes:
        segmentation: what a unit is.
        min_count: units that are rarer become ``<unk>`` (the study's cut-off is unknown).
        max_units: the most units that are kept, ``None`` for all.
        layers: stacked LSTM layers.
        units: size of a layer's state.
        embedding: size of the input embedding.
        dropout: after the embedding, between layers, and before the head.
        tied: whether input and output embedding are one; ``embedding`` is then ``units``.
    """

    segmentation: Segmentation = "characters"
    min_count: int = 2
    max_units: int | None = None
    layers: int = 2
    units: int = 200
    embedding: int = 200
    dropout: float = 0.2
    tied: bool = False


Settings = TypeVar("Settings", NgramSettings, LstmSettings)

NGRAM_PRESETS: Mapping[str, NgramSettings] = {"5gram": NgramSettings()}
LSTM_PRESETS: Mapping[str, LstmSettings] = {"lstm-200": LstmSettings()}


def chosen(presets: Mapping[str, Settings], name: str, changes: Mapping[str, Any]) -> Settings:
    """A preset with some values changed; ``None`` changes nothing.

    Raises:
        CorpusError: there is no such preset, or no such setting.
    """
    if name not in presets:
        raise CorpusError(f"unknown preset {name!r}; {nearest(name, presets)}")
    preset = presets[name]
    names = [field.name for field in fields(preset)]
    given = {key: value for key, value in changes.items() if value is not None}
    for key in given:
        if key not in names:
            raise CorpusError(f"preset {name} has no setting {key!r}; {nearest(key, names)}")
    return replace(preset, **given)
