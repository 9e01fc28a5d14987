"""``minpairs generate``: a benchmark from its grammar."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from minpairs.cli._shared import console


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
    check: Annotated[
        bool, typer.Option("--check", help="Check lexicon and templates, and write nothing.")
    ] = False,
) -> None:
    """Writes a benchmark (Parquet and card) from its lexicon and templates."""
    from minpairs.benchmarks.build import build
    from minpairs.grammar.checks import check as check_benchmark

    for benchmark in benchmarks:
        if check:
            found = check_benchmark(benchmark)
            print(found)
            if found.problems:
                raise typer.Exit(1)
        elif preview is not None:
            from minpairs.grammar import generate as draw_benchmark

            (table,) = draw_benchmark(benchmark, [preview], n or 10, seed).values()
            for row in table.to_pylist():
                print(*(value for value in row.values() if isinstance(value, str)), sep="\t")
        else:
            folder = out / Path(benchmark).name
            with console.status(f"writing {folder}"):
                tables = build(benchmark, folder, n=n, seed=seed)
            items = sum(table.num_rows for table in tables.values())
            console.print(f"{folder}: {items:,} items in {len(tables)} paradigms")
