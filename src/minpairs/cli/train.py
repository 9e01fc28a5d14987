"""``minpairs train``: n-gram models and LSTMs on a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from minpairs.cli._shared import Segmentation, console, progress, quiet_libraries
from minpairs.cli.filter import (
    ColumnOption,
    CorpusArgument,
    LanguageOption,
    SplitOption,
    Unit,
    UnitOption,
    open_as_asked,
)

train = typer.Typer(
    help="Trains a model on a corpus, as the published studies did: a preset, and what you change.",
    no_args_is_help=True,
)


class Estimator(StrEnum):
    """Who estimates an n-gram model."""

    auto = "auto"
    own = "own"
    lmplz = "lmplz"


class Precision(StrEnum):
    """Floating-point format of training."""

    auto = "auto"
    float32 = "float32"
    bfloat16 = "bfloat16"


SegmentationOption = Annotated[
    Segmentation | None, typer.Option(help="The model's units.  [preset: characters]")
]
MinCountOption = Annotated[
    int | None, typer.Option(min=1, help="Units that are rarer become <unk>.  [presets: 1; LSTM 2]")
]
MaxUnitsOption = Annotated[
    int | None, typer.Option(min=1, help="Keep at most so many units, the most frequent.")
]


@train.command("ngram")
def train_ngram(
    corpus: CorpusArgument,
    out: Annotated[Path, typer.Option(help="The ARPA file to be written: NAME.arpa.")],
    preset: Annotated[str, typer.Option(help="Named settings.")] = "5gram",
    order: Annotated[
        int | None, typer.Option(min=2, max=6, help="Units of the longest n-grams.  [preset: 5]")
    ] = None,
    segmentation: SegmentationOption = None,
    min_count: MinCountOption = None,
    max_units: MaxUnitsOption = None,
    estimator: Annotated[
        Estimator | None,
        typer.Option(
            help="lmplz; own: the same model without it; auto: lmplz where it is installed and "
            "there is no cut-off.  [preset: auto]"
        ),
    ] = None,
    binary: Annotated[
        bool,
        typer.Option("--binary", help="Write KenLM's binary too; build_binary must be installed."),
    ] = False,
    memory: Annotated[str, typer.Option(help="Memory for lmplz, as its -S.")] = "1G",
    column: ColumnOption = "text",
    unit: UnitOption = Unit.auto,
    language: LanguageOption = "en",
    split: SplitOption = "train",
) -> None:
    """Trains an n-gram model with interpolated modified Kneser-Ney smoothing."""
    from minpairs.training import ngram
    from minpairs.training.presets import NGRAM_PRESETS, chosen

    quiet_libraries()
    changes = {
        "order": order,
        "segmentation": segmentation,
        "min_count": min_count,
        "max_units": max_units,
        "estimator": estimator,
    }
    settings = chosen(NGRAM_PRESETS, preset, _plain(changes))
    opened = open_as_asked(corpus, column, unit, language, split)
    with console.status(f"estimating {out}"):
        trained = ngram.train_ngram(
            opened.sentences(),
            out,
            settings,
            binary=binary,
            memory=memory,
            corpus={"name": opened.name, "identity": opened.identity},
        )
    if trained.fallback:
        orders = ", ".join(map(str, trained.fallback))
        console.print(f"too few counts for discounts of order {orders}: took 0.5, 1 and 1.5")
    console.print(
        f"{trained.path}: {' + '.join(f'{n:,}' for n in trained.ngrams)} n-grams of "
        f"{settings.segmentation} (by {trained.estimator})"
    )


@train.command("lstm")
def train_lstm(
    corpus: CorpusArgument,
    out: Annotated[Path, typer.Option(help="Folder of the model.")],
    preset: Annotated[str, typer.Option(help="Named settings.")] = "lstm-200",
    segmentation: SegmentationOption = None,
    min_count: MinCountOption = None,
    max_units: MaxUnitsOption = None,
    layers: Annotated[int | None, typer.Option(min=1, help="Stacked layers.  [2]")] = None,
    units: Annotated[
        int | None, typer.Option(min=1, help="Size of a layer's state.  [200]")
    ] = None,
    embedding: Annotated[
        int | None, typer.Option(min=1, help="Size of the embedding. [200]")
    ] = None,
    dropout: Annotated[float | None, typer.Option(min=0, max=0.99, help="[0.2]")] = None,
    tied: Annotated[
        bool | None,
        typer.Option("--tied/--untied", help="One input and output embedding. [untied]"),
    ] = None,
    optimizer: Annotated[
        str | None, typer.Option(help="sgd, adamw_torch, … (TrainingArguments' optim).  [sgd]")
    ] = None,
    learning_rate: Annotated[float | None, typer.Option(min=0, help="[20]")] = None,
    schedule: Annotated[
        str | None,
        typer.Option(
            help="reduce_lr_on_plateau (a quarter when the held-out loss does not fall), linear, "
            "cosine, constant, …  [reduce_lr_on_plateau]"
        ),
    ] = None,
    warmup_steps: Annotated[int | None, typer.Option(min=0, help="[0]")] = None,
    weight_decay: Annotated[float | None, typer.Option(min=0, help="[0]")] = None,
    clip: Annotated[
        float | None, typer.Option(min=0, help="Largest gradient norm.  [0.25]")
    ] = None,
    batch_size: Annotated[
        int | None, typer.Option(min=1, help="Sentences a step and device.  [20]")
    ] = None,
    accumulation: Annotated[
        int | None, typer.Option(min=1, help="Batches added up for a step.  [1]")
    ] = None,
    epochs: Annotated[float | None, typer.Option(min=0, help="[40]")] = None,
    max_steps: Annotated[
        int | None, typer.Option(min=1, help="Stop after so many steps, for trials.")
    ] = None,
    held_out: Annotated[
        float | None, typer.Option(min=0, max=0.5, help="Share of sentences held out.  [0.01]")
    ] = None,
    checkpoint_every: Annotated[
        int | None, typer.Option(min=1, help="Evaluate and save each so many steps.  [each epoch]")
    ] = None,
    log_every: Annotated[int | None, typer.Option(min=1, help="Steps between logs.  [50]")] = None,
    precision: Annotated[
        Precision | None, typer.Option(help="auto: bfloat16 on GPUs that have it.  [auto]")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="[1]")] = None,
    column: ColumnOption = "text",
    unit: UnitOption = Unit.auto,
    language: LanguageOption = "en",
    split: SplitOption = "train",
) -> None:
    """Trains an LSTM; run the same command again to go on with a run that was stopped.

    On several GPUs: accelerate launch -m minpairs train lstm …; several CPU processes: torchrun.
    """
    from minpairs.scoring.processes import current_processes
    from minpairs.training import lstm_training
    from minpairs.training.presets import LSTM_PRESETS, chosen

    quiet_libraries()
    changes = {
        "segmentation": segmentation,
        "min_count": min_count,
        "max_units": max_units,
        "layers": layers,
        "units": units,
        "embedding": embedding,
        "dropout": dropout,
        "tied": tied,
        "optimizer": optimizer,
        "learning_rate": learning_rate,
        "schedule": schedule,
        "warmup_steps": warmup_steps,
        "weight_decay": weight_decay,
        "clip": clip,
        "batch_size": batch_size,
        "accumulation": accumulation,
        "epochs": epochs,
        "max_steps": max_steps,
        "held_out": held_out,
        "checkpoint_every": checkpoint_every,
        "log_every": log_every,
        "precision": precision,
        "seed": seed,
    }
    settings = chosen(LSTM_PRESETS, preset, _plain(changes))
    opened = open_as_asked(corpus, column, unit, language, split)
    processes = current_processes()
    with progress(shown=processes.main) as bar:
        trained = lstm_training.train_lstm(
            opened.sentences(), out, settings, corpus=opened.name, progress=bar("training")
        )
    if not processes.main:
        return
    resumed = f", resumed at {trained.resumed_from:,}" if trained.resumed_from else ""
    loss = trained.held_out_loss
    watched = "" if loss is None else f"; held-out loss {loss:.4f} nats a token"
    console.print(f"{out}: {trained.steps:,} steps{resumed}{watched}")


def _plain(changes: Mapping[str, object]) -> dict[str, object]:
    """Enumerations of the command line as the strings they stand for."""
    return {
        name: value.value if isinstance(value, StrEnum) else value
        for name, value in changes.items()
    }
