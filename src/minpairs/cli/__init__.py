"""The command line: one module a command; each parses its options and calls the library."""

from __future__ import annotations

import logging
import sys
from typing import Annotated

import typer

from minpairs._version import __version__
from minpairs.cli._shared import console
from minpairs.cli.generate import generate
from minpairs.cli.report import report
from minpairs.cli.score import score
from minpairs.errors import MinpairsError

app = typer.Typer(
    help="Does a language model prefer the sentence a speaker would accept?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _command in (generate, score, report):
    app.command()(_command)


@app.callback(invoke_without_command=True)
def _main(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say what is done.")] = False,
) -> None:
    logging.basicConfig(
        level=logging.INFO if verbose else logging.WARNING, format="%(message)s", stream=sys.stderr
    )
    for name in ("httpx", "datasets", "transformers", "filelock", "fsspec"):
        logging.getLogger(name).setLevel(logging.ERROR)
    if version:
        print(__version__)
        raise typer.Exit


def main() -> None:
    """Runs the command line; faults of the input end with one clear line and exit code 2."""
    try:
        app()
    except MinpairsError as error:
        console.print(f"[red]error:[/red] {error}", highlight=False, markup=True)
        raise SystemExit(2) from error
