"""``minpairs import``: a benchmark that is there already, as a Hub folder of ours."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from minpairs.cli._shared import console
from minpairs.errors import SuiteError


class Kind(StrEnum):
    """Formats; the keys of ``benchmarks.importing.FORMATS``."""

    climp = "climp"
    let_alone = "let-alone"
    sling = "sling"
    zhoblimp = "zhoblimp"
    blimp = "blimp"
    multiblimp = "multiblimp"
    syntaxgym = "syntaxgym"
    aann = "aann"
    pairs = "pairs"


def import_(
    kind: Annotated[Kind, typer.Argument(metavar="FORMAT", help="One of: " + ", ".join(Kind))],
    source: Annotated[
        Path,
        typer.Argument(help="A file, a folder of files, or an archive (zip, tar) as downloaded."),
    ],
    out: Annotated[Path, typer.Option(help="The Hub folder to be written.")],
    keep: Annotated[
        bool,
        typer.Option(
            "--keep",
            help="Import identical and duplicate items, stray white space and mixed-width "
            "punctuation as they stand.",
        ),
    ] = False,
    raw: Annotated[
        bool,
        typer.Option("--raw", help="let-alone: leave the `and` cells oriented as released."),
    ] = False,
    predictions: Annotated[
        str,
        typer.Option(help="syntaxgym: only these predictions, as 1 or 1,3.", metavar="N,N…"),
    ] = "",
    acceptable: Annotated[
        str, typer.Option(help="pairs: column of the acceptable sentence.")
    ] = "sentence_good",
    unacceptable: Annotated[
        str, typer.Option(help="pairs: column of the unacceptable sentence.")
    ] = "sentence_bad",
    group: Annotated[
        str | None, typer.Option(help="pairs: column that names the paradigm.")
    ] = None,
) -> None:
    """Checks a published benchmark, or any file of pairs, and writes it for `minpairs score`.

    Faults of the items end with an error that lists them by file and line; with --keep they are
    reported on standard error, and on the card.
    """
    from minpairs.benchmarks.importing import Options, import_source

    options = Options(raw, _numbers(predictions), acceptable, unacceptable, group)
    imported = import_source(kind.value, source, out, keep=keep, options=options)
    for faults in imported.faults:
        console.print(f"kept: {faults}", markup=False, highlight=False, soft_wrap=True)
    for note in imported.notes:
        console.print(note, markup=False, highlight=False, soft_wrap=True)
    count = len(imported.suites)
    console.print(f"{out}: {len(imported):,} items in {count} {'suites' if count > 1 else 'suite'}")


def _numbers(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")] if text else []
    if not all(part.isdecimal() for part in parts):
        raise SuiteError(f"--predictions {text!r}: numbers, joined by commas, are expected")
    return tuple(map(int, parts))
