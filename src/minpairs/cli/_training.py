"""What the commands that train have in common: an option for every setting of a preset."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from minpairs.cli._shared import Segmentation

if TYPE_CHECKING:
    from minpairs.training.presets import TrainingSettings
    from minpairs.training.run_folder import Trained

Command = TypeVar("Command", bound=Callable[..., None])


class Precision(StrEnum):
    """Floating-point format of training."""

    auto = "auto"
    float32 = "float32"
    bfloat16 = "bfloat16"


class Estimator(StrEnum):
    """Who estimates an n-gram model."""

    auto = "auto"
    own = "own"
    lmplz = "lmplz"


class Pieces(StrEnum):
    """Tokens of a masked model."""

    wordpiece = "wordpiece"
    characters = "characters"


PresetOption = Annotated[str, typer.Option(help="Named settings; see below.")]

# By the name of the setting: its type on the command line, and its option.
_OPTIONS: Mapping[str, tuple[Any, Any]] = {
    # Units and tokens
    "order": (int, typer.Option(min=2, max=6, help="Units of the longest n-grams.")),
    "segmentation": (Segmentation, typer.Option(help="The model's units.")),
    "pieces": (
        Pieces,
        typer.Option(help="wordpiece: pieces of words, Chinese by characters; or characters."),
    ),
    "vocabulary": (int, typer.Option(min=2, help="Tokens of the vocabulary.")),
    "min_count": (int, typer.Option(min=1, help="Units that are rarer become <unk>.")),
    "max_units": (
        int,
        typer.Option(min=1, help="Keep at most so many units, the most frequent."),
    ),
    "estimator": (
        Estimator,
        typer.Option(
            help="lmplz; own: the same model without it; auto: lmplz where it is installed and "
            "there is no cut-off."
        ),
    ),
    # The model
    "layers": (int, typer.Option(min=1, help="Stacked layers.")),
    "units": (int, typer.Option(min=1, help="Size of a layer's state.")),
    "hidden": (int, typer.Option(min=1, help="Size of the hidden states.")),
    "embedding": (int, typer.Option(min=1, help="Size of the embedding.")),
    "feed_forward": (int, typer.Option(min=1, help="Size of the feed-forward layers.")),
    "heads": (int, typer.Option(min=1, help="Attention heads a layer.")),
    "positions": (
        int,
        typer.Option(min=4, help="Longest row in tokens; longer sentences are cut."),
    ),
    "tied": (bool, typer.Option("--tied/--untied", help="One input and output embedding, or two.")),
    "dropout": (float, typer.Option(min=0, max=0.99, help="Share of units set to 0.")),
    # The rows
    "packed": (
        bool,
        typer.Option(
            "--packed/--plain",
            help="Rows of several whole sentences, none of which reads another; or a sentence a "
            "row, in batches of about one length.",
        ),
    ),
    "masked": (float, typer.Option(min=0.01, max=0.99, help="Share of tokens to be found.")),
    "batch_size": (int, typer.Option(min=1, help="Sentences (packed: rows) a step and device.")),
    "accumulation": (int, typer.Option(min=1, help="Batches added up for a step.")),
    "epochs": (float, typer.Option(min=0, help="Times the corpus is read.")),
    "max_steps": (int, typer.Option(min=1, help="Stop after so many steps, for trials.")),
    "held_out": (
        float,
        typer.Option(min=0, max=0.5, help="Share of sentences to watch the loss on."),
    ),
    # The optimizer
    "optimizer": (str, typer.Option(help="sgd, adamw_torch, … (TrainingArguments' optim).")),
    "learning_rate": (float, typer.Option(min=0, help="The highest one.")),
    "schedule": (
        str,
        typer.Option(
            help="linear, cosine, constant, …, or reduce_lr_on_plateau (a quarter when the "
            "held-out loss does not fall)."
        ),
    ),
    "warmup_steps": (int, typer.Option(min=0, help="Steps to the highest rate.")),
    "weight_decay": (float, typer.Option(min=0, help="Weight decay.")),
    "clip": (float, typer.Option(min=0, help="Largest gradient norm.")),
    # The run
    "checkpoint_every": (
        int,
        typer.Option(min=1, help="Evaluate and save each so many steps; else each epoch."),
    ),
    "log_every": (int, typer.Option(min=1, help="Steps between logged losses.")),
    "precision": (Precision, typer.Option(help="auto: bfloat16 on GPUs that have it.")),
    "seed": (int, typer.Option(help="Of weights, dropout, order, and what is held out.")),
}


def takes_settings(kind: type) -> Callable[[Command], Command]:
    """Gives a command one option for every setting of a kind, after its ``preset``.

    The command takes them as ``**changes``; what was not given is ``None``.
    """
    names = {field.name for field in fields(kind)}
    options = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[type_ | None, option],
        )
        for name, (type_, option) in _OPTIONS.items()
        if name in names
    ]

    def decorate(command: Command) -> Command:
        own = inspect.signature(command, eval_str=True).parameters.values()
        parameters = []
        for parameter in own:
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
                parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            if parameter.name == "preset":
                parameters.extend(options)
        # What typer reads to build the command line.
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        return command

    return decorate


def plain(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Enumerations of the command line as the strings they stand for."""
    return {
        name: value.value if isinstance(value, StrEnum) else value
        for name, value in changes.items()
    }


def about_presets(presets: Mapping[str, Any]) -> str:
    """What the presets are, for the end of a command's help."""
    return "\n\n".join(
        f"{name}: " + ", ".join(f"{key} {value}" for key, value in asdict(settings).items())
        for name, settings in presets.items()
    )


def outcome(trained: Trained, settings: TrainingSettings) -> str:
    """One line on what came of a training."""
    resumed = f", resumed at {trained.resumed_from:,}" if trained.resumed_from else ""
    line = f"{trained.folder}: {trained.steps:,} steps (seed {settings.seed}){resumed}"
    if trained.held_out_loss is not None:
        line += (
            f"; held-out loss {trained.held_out_loss:.4f} nats a token, "
            f"perplexity {trained.perplexity:.1f}"
        )
    if trained.tokens_per_second is not None:
        line += f"; {trained.tokens_per_second:,.0f} tokens/s"
    return line
