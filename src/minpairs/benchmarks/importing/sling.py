"""SLING as published: JSON Lines, one paradigm a file.

Song, Krishna, Bhatt and Iyyer (EMNLP 2022). Some files write ``Phenomenon`` with a capital, and two
versions of a file share a paradigm's name, so a paradigm is called after its file.
"""

from __future__ import annotations

from collections.abc import Sequence

from minpairs.benchmarks.importing._model import ImportedSuite, pair_suites, sheet_pairs
from minpairs.benchmarks.reading import SourceFile, read_sheet

_SKIP = ("Phenomenon", "paradigm", "Paradigm", "pair_ID")


def read(files: Sequence[SourceFile]) -> list[ImportedSuite]:
    """One suite a file."""
    pairs = []
    for file in files:
        sheet = read_sheet(file)
        phenomenon = "Phenomenon" if "Phenomenon" in sheet.columns else "phenomenon"
        names = [file.stem] * len(sheet)
        pairs += sheet_pairs(sheet, names, phenomenon=phenomenon, skip=_SKIP)
    return pair_suites(pairs)
