"""Named settings: what the published studies trained, and what may be changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from minpairs.errors import ModelError, nearest
from minpairs.training.errors import CorpusError

if TYPE_CHECKING:
    from minpairs.scoring.segmentation import Segmentation  # loads torch

__all__ = [
    "CAUSAL_PRESETS",
    "LSTM_PRESETS",
    "MASKED_PRESETS",
    "NGRAM_PRESETS",
    "CausalSettings",
    "LstmSettings",
    "MaskedSettings",
    "NgramSettings",
    "TrainingSettings",
    "chosen",
]

Estimator = Literal["auto", "own", "lmplz"]
Pieces = Literal["wordpiece", "characters"]
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
        batch_size: sentences (packed: rows of several) a step and device.
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


@dataclass(frozen=True, slots=True)
class CausalSettings(TrainingSettings):
    """An OPT model and its training; the defaults are the let-alone study's (its Table 5).

    Their rows are running text, in which a sentence reads the ones before it; ours are whole
    sentences that begin with ``<s>`` and read nothing else, as they are scored.

    Attributes:
        vocabulary: tokens of the byte-level BPE, special ones included; fewer on a small text.
        layers: decoder layers.
        hidden: size of the hidden states.
        feed_forward: size of the feed-forward layers.
        heads: attention heads a layer.
        positions: longest row in tokens, ``<s>`` included; longer sentences are cut.
        dropout: in embeddings, attention output and feed-forward layers.
        packed: whether rows are filled up with whole sentences, which cannot read one another;
            otherwise a row is a sentence, and a batch holds sentences of about one length.
    """

    optimizer: str = "adamw_torch_fused"
    learning_rate: float = 1e-4
    schedule: str = "linear"
    warmup_steps: int = 32_000
    weight_decay: float = 0.01
    clip: float = 1.0
    batch_size: int = 32
    epochs: float = 20.0
    log_every: int = 100
    vocabulary: int = 16_384
    layers: int = 12
    hidden: int = 768
    feed_forward: int = 3072
    heads: int = 12
    positions: int = 256
    dropout: float = 0.1
    packed: bool = True


@dataclass(frozen=True, slots=True)
class MaskedSettings(TrainingSettings):
    """A BERT model and its training: masked tokens only, no next sentence.

    The defaults have the shape of BERT-small (Turc et al. 2019); the training is ours.

    Attributes:
        pieces: tokens: ``wordpiece`` (pieces of words, Chinese by characters) or ``characters``.
        vocabulary: tokens, special ones included; fewer on a small text.
        layers: encoder layers.
        hidden: size of the hidden states.
        feed_forward: size of the feed-forward layers.
        heads: attention heads a layer.
        positions: longest row in tokens, ``[CLS]`` and ``[SEP]`` included; longer sentences are
            cut.
        dropout: in embeddings, attention and feed-forward layers.
        masked: share of a sentence's tokens that are to be found, at least one; of these 80 % are
            ``[MASK]``, 10 % another token, and 10 % as they were (Devlin et al. 2019).
    """

    optimizer: str = "adamw_torch_fused"
    learning_rate: float = 5e-4
    schedule: str = "linear"
    warmup_steps: int = 2_000
    weight_decay: float = 0.01
    clip: float = 1.0
    batch_size: int = 128
    epochs: float = 20.0
    log_every: int = 100
    pieces: Pieces = "wordpiece"
    vocabulary: int = 16_384
    layers: int = 4
    hidden: int = 512
    feed_forward: int = 2048
    heads: int = 8
    positions: int = 128
    dropout: float = 0.1
    masked: float = 0.15


Settings = TypeVar("Settings", NgramSettings, LstmSettings, CausalSettings, MaskedSettings)

NGRAM_PRESETS: Mapping[str, NgramSettings] = {"5gram": NgramSettings()}
LSTM_PRESETS: Mapping[str, LstmSettings] = {"lstm-200": LstmSettings()}
CAUSAL_PRESETS: Mapping[str, CausalSettings] = {
    "opt-97m": CausalSettings(),
    # Small enough for a laptop: some minutes for a million words on two cores.
    "opt-tiny": CausalSettings(
        learning_rate=2e-3,
        warmup_steps=100,
        epochs=1.0,
        vocabulary=8_192,
        layers=4,
        hidden=192,
        feed_forward=768,
        heads=3,
        dropout=0.0,
        packed=False,
    ),
}
MASKED_PRESETS: Mapping[str, MaskedSettings] = {
    "bert-small": MaskedSettings(),
    "bert-tiny": MaskedSettings(
        learning_rate=2e-3,
        warmup_steps=100,
        batch_size=32,
        epochs=2.0,
        vocabulary=8_192,
        layers=2,
        hidden=128,
        feed_forward=512,
        heads=2,
        dropout=0.0,
    ),
}


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


def check_heads(settings: CausalSettings | MaskedSettings) -> None:
    """Checks that the hidden states can be shared among the attention heads.

    Raises:
        ModelError: they cannot.
    """
    if settings.hidden % settings.heads:
        raise ModelError(
            f"{settings.hidden} hidden units cannot be shared among {settings.heads} heads: choose "
            "a multiple"
        )
