"""``minpairs score``: a model on suites."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from minpairs.cli._shared import (
    AcceptableOption,
    GroupOption,
    Kind,
    MeasureOption,
    Pll,
    Segmentation,
    SlorOption,
    SuiteSegmentation,
    Ties,
    TiesOption,
    UnacceptableOption,
    console,
    progress,
    quiet_libraries,
)
from minpairs.cli.report import print_report

if TYPE_CHECKING:
    from minpairs.scoring import Scorer


def score(
    model: Annotated[
        str,
        typer.Argument(
            help="Hub name, local folder, or KenLM file; or chat:NAME for a chat model at "
            "--base-url (for its options see minpairs chat --help)."
        ),
    ],
    suites: Annotated[
        list[str],
        typer.Argument(
            help="What to score: a benchmark folder or Hub dataset (climp, org/climp), some of its "
            "configurations (climp:classifier,ba_construction), or a file of pairs (CSV, TSV, "
            "JSONL, Parquet)."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for results.")] = Path("results"),
    kind: Annotated[
        Kind | None, typer.Option(help="Kind of model, if it cannot be told from the model.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Score a random sample of so many items a suite.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of that sample.")] = 0,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")] = "auto",
    dtype: Annotated[
        str,
        typer.Option(
            help="float32, bfloat16, float16, or adaptive: bfloat16, and float32 for every item "
            "whose verdict bfloat16 might change."
        ),
    ] = "float32",
    precision_sample: Annotated[
        int,
        typer.Option(
            min=0,
            help="Half precision: so many random margins (of an item's predictions) are compared "
            "with float32; 0: none.",
        ),
    ] = 300,
    batch_tokens: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Tokens in one forward pass (default: as memory allows); never changes a score.",
        ),
    ] = None,
    bos: Annotated[
        str, typer.Option(help="Token before every text: auto (the model's own), none, or a token.")
    ] = "auto",
    eos: Annotated[bool, typer.Option("--eos", help="Score the end of the sentence too.")] = False,
    pll: Annotated[Pll, typer.Option(help="Masked models: which masking.")] = Pll.original,
    segmentation: Annotated[
        SuiteSegmentation,
        typer.Option(
            help="n-gram models: the units of a text; gold: the true words, which generated suites "
            "know (also for neural models of words that are set apart by spaces)."
        ),
    ] = SuiteSegmentation.characters,
    unigrams: Annotated[
        Path | None, typer.Option(help="Token counts for SLOR (JSON or Parquet).")
    ] = None,
    tokens: Annotated[
        bool, typer.Option("--tokens", help="Keep each token's log-probability too.")
    ] = False,
    acceptable: AcceptableOption = "sentence_good",
    unacceptable: UnacceptableOption = "sentence_bad",
    group: GroupOption = None,
    measure: MeasureOption = "sum",
    slor: SlorOption = None,
    ties: TiesOption = Ties.strict,
    revision: Annotated[str | None, typer.Option(help="Revision of a Hub model.")] = None,
    trust_remote_code: Annotated[
        bool, typer.Option("--trust-remote-code", help="Run code that comes with the model.")
    ] = False,
    allow_pickle: Annotated[
        bool,
        typer.Option(
            "--allow-pickle",
            help="Read weights that are not safetensors (.bin) too; tensors only, never code.",
        ),
    ] = False,
) -> None:
    """Scores a model on suites, and prints its accuracy.

    Scores are kept as they are found: run the same command again to go on with a run that was
    stopped. Nothing is ever scored twice.
    """
    from minpairs.benchmarks.specs import load_specs
    from minpairs.finished import request_key
    from minpairs.measures import slor_measure
    from minpairs.running import score_suites
    from minpairs.scoring.processes import current_processes

    measure = slor_measure(measure, slor.value if slor else None)
    loaded = [
        suite.sample(limit, seed)
        for suite in load_specs(
            suites, acceptable=acceptable, unacceptable=unacceptable, group=group
        )
    ]
    if segmentation is SuiteSegmentation.gold:
        loaded = [suite.by_words() for suite in loaded]
        segmentation = SuiteSegmentation.words
    units = Segmentation(segmentation.value)

    def load(precision: str) -> Scorer:
        from minpairs.scoring import load_scorer
        from minpairs.scoring.memory import keep_freed_memory

        quiet_libraries()
        keep_freed_memory()
        return load_scorer(
            model,
            kind=kind.value if kind else None,
            device=device,
            dtype=precision,
            bos=bos,
            eos=eos,
            pll=pll.value,
            segmentation=units.value,
            batch_tokens=batch_tokens,
            unigrams=unigrams,
            revision=revision,
            trust_remote_code=trust_remote_code,
            allow_pickle=allow_pickle,
        )

    def announce(settings: Mapping[str, str]) -> None:
        described = ", ".join(f"{name} {value}" for name, value in settings.items())
        if processes.main:
            console.print(f"{model}: {described}", markup=False)

    processes = current_processes()
    request = request_key(
        model,
        loaded,
        {
            **{"kind": kind, "dtype": dtype, "bos": bos, "eos": eos, "pll": pll},
            **{"segmentation": units, "tokens": tokens, "trust": trust_remote_code},
            **{"pickle": allow_pickle, "revision": revision, "seed": seed},
            # Of half precision: whose verdicts are compared, and on how many items.
            **{"measure": measure, "precision_sample": precision_sample},
        },
        [unigrams] if unigrams else [],
    )
    with progress(shown=processes.main) as bar:
        folder = score_suites(
            load,
            loaded,
            out,
            model=model,
            dtype=dtype,
            measure=measure,
            precision_sample=precision_sample,
            seed=seed,
            keep_tokens=tokens,
            command=sys.argv,
            options={"limit": limit, "seed": seed},
            request=request if processes.size == 1 else None,
            progress=bar,
            announce=announce,
        )
    if processes.main:
        console.print(f"results are in {folder}")
        print_report(folder, measure, ties)
