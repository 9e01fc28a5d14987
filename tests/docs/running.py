"""Runs a page's blocks: Python in one namespace, commands through typer, files as they are told."""

from __future__ import annotations

import configparser
import re
from pathlib import Path
from typing import Any

import typer
from docs.blocks import ROOT, SHELL, Block, commands
from typer.core import TyperGroup
from typer.testing import CliRunner

from minpairs.cli import app

LAUNCHERS = ("accelerate", "torchrun", "srun")
_ASSIGNMENT = re.compile(r"\w+=\S*")


def run_block(block: Block, page: str, namespace: dict[str, Any]) -> None:
    """Runs one block of a page in the current folder; what a block may not do is an error."""
    if block.title is not None:
        path = Path(block.title)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
    elif block.language == "python":
        code = compile("\n" * (block.line - 1) + block.text, page, "exec")
        exec(code, namespace)
    elif block.language in SHELL:
        *first, last = commands(block.text)
        for words in first:
            run_command(words)
        run_command(last, fails=block.fails)


def run_command(words: list[str], fails: str | None = None) -> None:
    """Runs ``minpairs …`` in this process; checks ``make`` and ``pip`` against their files."""
    words = drop_assignments(words)
    if words[0] == "minpairs":
        result = CliRunner().invoke(app, words[1:])
        said = f"{result.output}\n{result.exception or ''}"
        if fails is not None:
            assert result.exit_code != 0, f"{' '.join(words)} was meant to fail"
            assert fails in said, said
        else:
            assert result.exit_code == 0, f"{' '.join(words)}\n{said}"
    elif words[0] == "make":
        check_targets(words[1:])
    elif words[:2] == ["pip", "install"]:
        check_extras(words[2:])
    else:
        raise AssertionError(f"do not know how to run {' '.join(words)!r}: mark it, with a reason")


def check_block(block: Block) -> None:
    """What can be said of a block that is not run: it parses, and its options exist."""
    assert block.not_run
    assert len(block.not_run.split()) >= 3, f"line {block.line}: a reason, please"
    if block.language == "python":
        compile(block.text, f"line {block.line}", "exec")
    elif block.language in SHELL:
        for command in map(drop_assignments, commands(block.text)):
            launched = bool(command) and command[0] in LAUNCHERS and "minpairs" in command
            words = command[command.index("minpairs") :] if launched else command
            if not words:
                continue  # only variables were set
            if words[0] == "minpairs":
                parse(words[1:])
            elif words[0] == "make":
                check_targets(words[1:])
            elif words[:2] == ["pip", "install"]:
                check_extras(words[2:])


def parse(arguments: list[str]) -> None:
    """Parses a command line without running it; an unknown command or option is an error."""
    command: Any = typer.main.get_command(app)
    parent = None
    name = "minpairs"
    while True:
        context = command.make_context(name, list(arguments), parent=parent)
        if not isinstance(command, TyperGroup):
            return
        rest = [*context._protected_args, *context.args]
        if not rest:
            return  # an option of the group, as --version
        name, found, arguments = command.resolve_command(context, rest)
        command, parent = found, context


def drop_assignments(words: list[str]) -> list[str]:
    """A command without the variables that are set for it."""
    while words and _ASSIGNMENT.fullmatch(words[0]):
        words = words[1:]
    return words


def check_targets(words: list[str]) -> None:
    """Every target of a ``make`` command is in the Makefile."""
    rules = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for word in words:
        assert "=" in word or word in rules, f"the Makefile has no target {word!r}"


def check_extras(words: list[str]) -> None:
    """Every extra of ours that ``pip install`` names is in setup.cfg."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    for word in words:
        extras = re.fullmatch(r"(?:\.|minpairs)\[([\w,]+)\]", word)
        for extra in extras[1].split(",") if extras else ():
            assert extra in config["options.extras_require"], f"there is no extra {extra!r}"
