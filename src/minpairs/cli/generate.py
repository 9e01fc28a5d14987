"""``minpairs generate``: a benchmark from its grammar."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from minpairs.cli._shared import console
from minpairs.errors import MinpairsError


def generate(
    benchmarks: Annotated[
        list[str],
        typer.Argument(help="climp, let_alone, or a folder with templates and a lexicon."),
    ],
    out: Annotated[
        Path, typer.Option(help="Where the benchmark's Hub folder is written (as OUT/NAME).")
    ] = Path(),
    n: Annotated[
        int | None, typer.Option("--n", min=1, help="Items of each paradigm; default: its own.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same files.")] = 0,
    preview: Annotated[
        str | None,
        typer.Option(help="Print some items of this paradigm, and write nothing.", metavar="UID"),
    ] = None,
    phrases: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="Another text for a phrase of the templates.", metavar="PHRASE=TEXT"
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Check lexicon, templates and the bounds of the card; write nothing."
        ),
    ] = False,
) -> None:
    """Writes a benchmark (Parquet and card) from its lexicon and templates."""
    from minpairs.benchmarks.build import build

    given = dict(_phrase(text) for text in phrases or ())
    for benchmark in benchmarks:
        if check:
            _check(benchmark, seed)
        elif preview is not None:
            from minpairs.grammar import generate as draw_benchmark

            (table,) = draw_benchmark(benchmark, [preview], n or 10, seed, given).values()
            for row in table.to_pylist():
                print(*(value for value in row.values() if isinstance(value, str)), sep="\t")
        else:
            folder = out / Path(benchmark).name
            with console.status(f"writing {folder}"):
                tables = build(benchmark, folder, n=n, seed=seed, phrases=given)
            items = sum(table.num_rows for table in tables.values())
            console.print(f"{folder}: {items:,} items in {len(tables)} paradigms")


def _phrase(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise MinpairsError(f"--set {text!r} is not PHRASE=TEXT")
    return name, value


def _check(benchmark: str, seed: int) -> None:
    """Prints what is wrong with a benchmark; exit code 1 if anything is."""
    from minpairs.benchmarks.build import check_bounds
    from minpairs.grammar.checks import check

    found = check(benchmark)
    print(found)
    missed = [] if found.problems else check_bounds(benchmark, seed)
    for fault in missed:
        print(f"problem: {fault}")
    if found.problems or missed:
        raise typer.Exit(1)
