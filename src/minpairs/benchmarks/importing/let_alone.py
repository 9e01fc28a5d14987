"""The let-alone suites as published: six TSV files.

Scivetti, Aoyama, Wilcox and Schneider (EMNLP 2025). In their semantic suite the *and* columns call
"right" the follow-up that makes the first phrase greater, whatever the comparative: in 42 % of rows
that is the opposite of what "right" means in the let-alone columns. By default these rows are
re-oriented, so that all "right" cells of an item and order have the same follow-up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from minpairs.benchmarks.designs import Layout
from minpairs.benchmarks.importing._model import ImportedSuite
from minpairs.benchmarks.reading import Sheet, SourceFile, read_sheet
from minpairs.benchmarks.schema import INTERACTION
from minpairs.errors import SuiteError

# Our name of each formal suite: what the manipulated columns are called, let alone and and.
_FORMAL = {
    "npi": ("no_npi", "npi"),
    "cleft": ("psuedo", "psuedo"),
    "clause": ("cp", "cp"),
    "gap": ("gap", "gap"),
    "vp": ("vp", "vp"),
}
_METADATA = {"noun": "noun", "first": "color1", "second": "color2", "verb_phrase": "predicate2"}
_FORMAL_LAYOUT = Layout(INTERACTION, {cell: (None, cell) for cell in INTERACTION.cells})
_SCALAR_LAYOUT = Layout(
    INTERACTION, {cell: (f"{cell}_context", f"{cell}_continuation") for cell in INTERACTION.cells}
)


def read(
    files: Sequence[SourceFile], *, raw: bool = False
) -> tuple[list[ImportedSuite], list[str]]:
    """One suite a file, and what was done to the rows.

    Args:
        files: the TSV files, in any order; each is known by its columns.
        raw: leave the orientation of the *and* columns as released.

    Raises:
        SuiteError: a file's columns are those of no suite, two files are the same suite, or a
            semantic cell is not a sentence with a follow-up.
    """
    suites: dict[str, ImportedSuite] = {}
    notes: list[str] = []
    for file in files:
        sheet = read_sheet(file)
        if "semantic_right" in sheet.columns:
            suite, turned = _scalar(sheet, raw)
            share = f"{turned:,} of {len(sheet):,} rows ({turned / max(len(sheet), 1):.1%})"
            done = "were left as released" if raw else "were re-oriented"
            notes.append(f"{sheet.file}: the `and` cells of {share} {done}")
        else:
            suite = _formal(sheet)
        if suite.config in suites:
            raise SuiteError(f"{file.name}: there is another file of the suite {suite.config!r}")
        suites[suite.config] = suite
    return list(suites.values()), notes


def _formal(sheet: Sheet) -> ImportedSuite:
    for config, (construction, control) in _FORMAL.items():
        names = {
            f"{ours}_{conjunction}{manipulated}": f"{theirs}{infix}{changed}_subbed"
            for ours, theirs in (("base", "base"), ("swapped", "swap"))
            for conjunction, infix, change in (
                ("let_alone", "", construction),
                ("and", "_and", control),
            )
            for manipulated, changed in (("", ""), ("_manipulated", f"_{change}"))
        }
        if set(names.values()) <= set(sheet.columns):
            columns = _metadata(sheet) | {ours: sheet.column(name) for ours, name in names.items()}
            return ImportedSuite(config, columns, _FORMAL_LAYOUT, sheet.places)
    raise SuiteError(
        f"{sheet.file} has the columns {', '.join(sheet.columns)}: those of no let-alone suite "
        f"(base_subbed and base_M_subbed with M of {', '.join(m for m, _ in _FORMAL.values())}, "
        "or semantic_right)"
    )


def _scalar(sheet: Sheet, raw: bool) -> tuple[ImportedSuite, int]:
    split = {
        cell: [_split(text, at) for text, at in zip(sheet.column(name), sheet.places, strict=True)]
        for cell, name in _scalar_names().items()
    }
    opposite = [_is_opposite(split, i, place) for i, place in enumerate(sheet.places)]
    if not raw:
        for i in (i for i, turned in enumerate(opposite) if turned):
            for order in ("base", "swapped"):
                right, wrong = split[f"{order}_and"], split[f"{order}_and_manipulated"]
                right[i], wrong[i] = wrong[i], right[i]
    columns = _metadata(sheet) | {
        "comparative": sheet.column("predicate1"),
        # Released `and` cells always make the first phrase the greater one.
        "higher": ["second" if turned else "first" for turned in opposite],
    }
    for cell, texts in split.items():
        columns[f"{cell}_context"] = [context for context, _ in texts]
        columns[f"{cell}_continuation"] = [continuation for _, continuation in texts]
    return ImportedSuite("scalar", columns, _SCALAR_LAYOUT, sheet.places), sum(opposite)


def _scalar_names() -> dict[str, str]:
    return {
        f"{ours}_{conjunction}{manipulated}": f"semantic{theirs}{infix}_{felicity}"
        for ours, theirs in (("base", ""), ("swapped", "_swapped"))
        for conjunction, infix in (("let_alone", ""), ("and", "_and"))
        for manipulated, felicity in (("", "right"), ("_manipulated", "wrong"))
    }


def _split(text: str, place: str) -> tuple[str, str]:
    """The sentence, and the follow-up with the space before it."""
    context, stop, follow_up = text.partition(". ")
    if not stop or ". " in follow_up:
        raise SuiteError(f"{place}: {text!r} is not a sentence with one follow-up")
    return f"{context}.", f" {follow_up}"


def _is_opposite(split: Mapping[str, Sequence[tuple[str, str]]], row: int, place: str) -> bool:
    """Whether the `and` cells call right what the let-alone cells call wrong, in both orders."""
    answers = set()
    for order in ("base", "swapped"):
        right, wrong, and_right, and_wrong = (
            split[f"{order}_{cell}"][row][1]
            for cell in ("let_alone", "let_alone_manipulated", "and", "and_manipulated")
        )
        if {right, wrong} != {and_right, and_wrong}:
            raise SuiteError(f"{place}: the `and` cells have other follow-ups than let alone's")
        answers.add(and_right != right)
    if len(answers) > 1:
        raise SuiteError(f"{place}: the `and` cells of the two orders are oriented differently")
    return answers.pop()


def _metadata(sheet: Sheet) -> dict[str, Sequence[Any]]:
    ids: dict[str, Sequence[Any]] = {"item_id": range(len(sheet))}
    return ids | {ours: sheet.column(theirs) for ours, theirs in _METADATA.items()}
