"""``minpairs annotate``: people judge pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from minpairs.cli._shared import (
    AcceptableOption,
    GroupOption,
    UnacceptableOption,
    console,
)


def annotate(
    suites: Annotated[
        list[str],
        typer.Argument(
            help="What to judge: a benchmark folder or Hub dataset (climp, org/climp), some of its "
            "configurations (climp:classifier,ba_construction), or a file of pairs (CSV, TSV, "
            "JSONL, Parquet)."
        ),
    ],
    annotator: Annotated[str, typer.Option(help="Who judges; names the file of answers.")],
    items: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Pairs of each paradigm, the same for all annotators: the CLiMP paper has 100 in "
            "its first validation, 15 in its second. Default: all.",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Of the sample, and with the name of order and sides.")
    ] = 0,
    out: Annotated[Path, typer.Option(help="The study's folder, one for all annotators.")] = Path(
        "annotations"
    ),
    port: Annotated[int | None, typer.Option(help="Port of the page; default: a free one.")] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    acceptable: AcceptableOption = "sentence_good",
    unacceptable: UnacceptableOption = "sentence_bad",
    group: GroupOption = None,
) -> None:
    """Opens a page on this machine where a person chooses the better sentence of each pair.

    Keys: ← or 1, → or 2; 0 skips a pair that is broken (a choice is forced where one is merely
    unsure); Backspace takes the last answer back. Every answer is on disk before the next pair is
    shown: stop with Ctrl-C at any time, and repeat the command to go on.
    """
    from minpairs.annotation.page import launch
    from minpairs.annotation.session import Session
    from minpairs.annotation.study import build_study
    from minpairs.benchmarks.specs import load_specs

    loaded = load_specs(suites, acceptable=acceptable, unacceptable=unacceptable, group=group)
    session = Session(out, build_study(loaded, items, seed), annotator)
    try:
        page = launch(session, port=port, browser=browser)
        console.print(
            f"{session.annotator}: {session.done} of {len(session.trials)} pairs are done; "
            f"the page is at {page.local_url}; stop with Ctrl-C"
        )
        page.block_thread()
    finally:
        session.close()
    console.print(f"answers are in {out}; `minpairs agreement {out}` sums them up")
