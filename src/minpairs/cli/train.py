"""``minpairs train``: n-gram models, LSTMs, OPT and BERT on a corpus."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from minpairs.cli._shared import console, progress, quiet_libraries
from minpairs.cli._training import PresetOption, about_presets, outcome, plain, takes_settings
from minpairs.cli.filter import (
    ColumnOption,
    CorpusArgument,
    LanguageOption,
    SplitOption,
    Unit,
    UnitOption,
    open_as_asked,
)
from minpairs.training.presets import (
    CAUSAL_PRESETS,
    LSTM_PRESETS,
    MASKED_PRESETS,
    NGRAM_PRESETS,
    CausalSettings,
    LstmSettings,
    MaskedSettings,
    NgramSettings,
    chosen,
)

train = typer.Typer(
    help="Trains a model on a corpus, as the published studies did: a preset, and what you change.",
    no_args_is_help=True,
)

OutOption = Annotated[Path, typer.Option(help="Folder of the model.")]
ScenarioOption = Annotated[
    str | None,
    typer.Option(help="For the card: what was filtered out of the corpus; default: as named."),
]


@train.command("ngram", epilog=about_presets(NGRAM_PRESETS))
@takes_settings(NgramSettings)
def train_ngram(
    corpus: CorpusArgument,
    out: Annotated[Path, typer.Option(help="The ARPA file to be written: NAME.arpa.")],
    preset: PresetOption = "5gram",
    binary: Annotated[
        bool,
        typer.Option("--binary", help="Write KenLM's binary too; build_binary must be installed."),
    ] = False,
    memory: Annotated[str, typer.Option(help="Memory for lmplz, as its -S.")] = "1G",
    column: ColumnOption = "text",
    unit: UnitOption = Unit.auto,
    language: LanguageOption = "en",
    split: SplitOption = "train",
    **changes: Any,
) -> None:
    """Trains an n-gram model with interpolated modified Kneser-Ney smoothing."""
    from minpairs.training import ngram

    quiet_libraries()
    settings = chosen(NGRAM_PRESETS, preset, plain(changes))
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


@train.command("lstm", epilog=about_presets(LSTM_PRESETS))
@takes_settings(LstmSettings)
def train_lstm(
    corpus: CorpusArgument,
    out: OutOption,
    preset: PresetOption = "lstm-200",
    column: ColumnOption = "text",
    unit: UnitOption = Unit.auto,
    language: LanguageOption = "en",
    split: SplitOption = "train",
    **changes: Any,
) -> None:
    """Trains an LSTM; run the same command again to go on with a run that was stopped.

    On several GPUs: accelerate launch -m minpairs train lstm …; several CPU processes: torchrun.
    """
    from minpairs.training.lstm_training import train_lstm

    quiet_libraries()
    settings = chosen(LSTM_PRESETS, preset, plain(changes))
    opened = open_as_asked(corpus, column, unit, language, split)
    _run(train_lstm, opened.sentences(), out, settings, corpus=opened.name)


@train.command("causal", epilog=about_presets(CAUSAL_PRESETS))
@takes_settings(CausalSettings)
def train_causal(
    corpus: CorpusArgument,
    out: OutOption,
    preset: PresetOption = "opt-97m",
    scenario: ScenarioOption = None,
    column: ColumnOption = "text",
    unit: UnitOption = Unit.auto,
    language: LanguageOption = "en",
    split: SplitOption = "train",
    **changes: Any,
) -> None:
    """Trains an OPT model; run the same command again to go on with a run that was stopped.

    The byte-level BPE is trained on the same text. Token counts for SLOR are written beside the
    model. On several GPUs: accelerate launch -m minpairs train causal …; several CPU processes:
    torchrun.
    """
    from minpairs.training.causal import train_causal

    quiet_libraries()
    settings = chosen(CAUSAL_PRESETS, preset, plain(changes))
    opened = open_as_asked(corpus, column, unit, language, split)
    _run(train_causal, opened, out, settings, scenario=scenario)


@train.command("masked", epilog=about_presets(MASKED_PRESETS))
@takes_settings(MaskedSettings)
def train_masked(
    corpus: CorpusArgument,
    out: OutOption,
    preset: PresetOption = "bert-small",
    scenario: ScenarioOption = None,
    column: ColumnOption = "text",
    unit: UnitOption = Unit.auto,
    language: LanguageOption = "en",
    split: SplitOption = "train",
    **changes: Any,
) -> None:
    """Trains a BERT model to find masked tokens; goes on with a run that was stopped.

    The tokenizer is trained on the same text. Token counts for SLOR are written beside the model.
    """
    from minpairs.training.masked import train_masked

    quiet_libraries()
    settings = chosen(MASKED_PRESETS, preset, plain(changes))
    opened = open_as_asked(corpus, column, unit, language, split)
    _run(train_masked, opened, out, settings, scenario=scenario)


def _run(train: Callable[..., Any], text: Any, out: Path, settings: Any, **about: Any) -> None:
    """Trains with a progress bar, and says what came of it."""
    from minpairs.scoring.processes import current_processes

    processes = current_processes()
    with progress(shown=processes.main) as bar:
        trained = train(text, out, settings, progress=bar("training"), **about)
    if processes.main:
        console.print(outcome(trained, settings), highlight=False, soft_wrap=True)
