"""The command line: one module a command; each parses its options and calls the library."""

from __future__ import annotations

import errno
import logging
import os
import sys
from typing import Annotated, Any

import typer
from rich.markup import escape
from typer.core import TyperGroup

from minpairs._version import __version__
from minpairs.cli._shared import console
from minpairs.cli.agreement import agreement
from minpairs.cli.annotate import annotate
from minpairs.cli.chat import chat
from minpairs.cli.filter import filter_
from minpairs.cli.generate import generate
from minpairs.cli.import_ import import_
from minpairs.cli.publish import publish
from minpairs.cli.report import report
from minpairs.cli.score import score
from minpairs.cli.study import study
from minpairs.cli.train import train
from minpairs.cli.unigrams import unigrams
from minpairs.errors import MinpairsError

# Of a disk: full, over quota, a file too large for it, read-only, not ours.
_DISK_FAULTS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM)
_SPIN = "30000"  # turns of a loop


class _Commands(TyperGroup):
    """The commands; ``score`` on a chat model is ``chat``, which has options of its own."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[:1] == ["score"] and any(argument.startswith("chat:") for argument in args):
            args = ["chat", *args[1:]]
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_Commands,
    help="Does a language model prefer the sentence a speaker would accept?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _command in (generate, score, chat, report, annotate, agreement, unigrams, publish):
    app.command()(_command)
app.command("import")(import_)  # a name that Python keeps for itself
app.command("filter")(filter_)  # likewise a name of Python's
app.add_typer(train, name="train")
app.add_typer(study, name="study")


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


def _spin_briefly() -> None:
    """Keeps OpenMP threads from waiting long on a processor that others need.

    libgomp reads this once, when torch is imported. Threads that sleep at once wake too late for
    the next of a model's many small steps; threads that spin for long slow a busy machine.
    """
    if not {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} & set(os.environ):
        os.environ["GOMP_SPINCOUNT"] = _SPIN


def main() -> None:
    """Runs the command line; faults of the input end with one clear line and exit code 2."""
    _spin_briefly()
    try:
        app()
    except MinpairsError as error:
        console.print(f"[red]error:[/red] {escape(str(error))}", highlight=False, soft_wrap=True)
        raise SystemExit(2) from error
    except OSError as error:
        if error.errno not in _DISK_FAULTS:
            raise
        console.print(
            f"[red]error:[/red] {escape(str(error))}; what was written before is kept: make room, "
            "or give leave to write there, and run the same command again",
            highlight=False,
            soft_wrap=True,
        )
        raise SystemExit(2) from error
