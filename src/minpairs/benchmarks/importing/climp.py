"""CLiMP as published: 15 CSV files with a pandas index, and one of bare lines.

Xiang, Yang, Li, Warstadt and Kann (EACL 2021). ``ba_construction_1000.csv`` has neither header nor
labels: acceptable and unacceptable sentences alternate, one a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from minpairs.benchmarks.importing._model import ImportedSuite, Pair, pair_suites
from minpairs.benchmarks.reading import SourceFile, read_sheet
from minpairs.errors import SuiteError

_HEADER = ",0,1,2,3"


def read(files: Sequence[SourceFile]) -> list[ImportedSuite]:
    """One suite a file.

    Raises:
        SuiteError: a file is of neither form, or its sentences do not alternate.
    """
    return pair_suites(pair for file in files for pair in _pairs(file))


def _pairs(file: SourceFile) -> Iterator[Pair]:
    lines = file.text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    if lines[0] == _HEADER:
        return _labelled(file)
    if any("," in line for line in lines):
        raise SuiteError(
            f"{file.name}, line 1: expected the header {_HEADER!r}, or bare lines without commas "
            "as in ba_construction_1000.csv; `minpairs import pairs` reads other CSV files"
        )
    return _bare(file, lines)


def _labelled(file: SourceFile) -> Iterator[Pair]:
    sheet = read_sheet(file)
    phenomena, paradigms, sentences, labels = (sheet.column(name) for name in "0123")
    _check_even(file, len(sheet))
    for i, (label, place) in enumerate(zip(labels, sheet.places, strict=True)):
        expected = "0" if i % 2 else "1"
        if label != expected:
            raise SuiteError(
                f"{place}: label {label!r} where {expected!r} is expected: acceptable (1) and "
                "unacceptable (0) sentences alternate"
            )
    for i in range(0, len(sheet), 2):
        if paradigms[i] != paradigms[i + 1]:
            raise SuiteError(f"{sheet.places[i + 1]}: a pair of two paradigms")
        yield Pair(paradigms[i], sentences[i], sentences[i + 1], sheet.places[i], phenomena[i])


def _bare(file: SourceFile, lines: Sequence[str]) -> Iterator[Pair]:
    _check_even(file, len(lines))
    paradigm = re.sub(r"_\d+$", "", file.stem)
    for i in range(0, len(lines), 2):
        yield Pair(paradigm, lines[i], lines[i + 1], f"{file.name}, line {i + 1}", paradigm)


def _check_even(file: SourceFile, sentences: int) -> None:
    if sentences % 2:
        raise SuiteError(f"{file.name} has {sentences} sentences: the last has no partner")
