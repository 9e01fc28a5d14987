"""BLiMP as published: JSON Lines with ``UID`` and ``linguistics_term``.

Warstadt, Parrish, Liu, Mohananey, Peng, Wang and Bowman (TACL 2020).
"""

from __future__ import annotations

from collections.abc import Sequence

from minpairs.benchmarks.importing._model import ImportedSuite, pair_suites, sheet_pairs
from minpairs.benchmarks.reading import SourceFile, read_sheet


def read(files: Sequence[SourceFile]) -> list[ImportedSuite]:
    """One suite a ``UID``."""
    pairs = []
    for file in files:
        sheet = read_sheet(file)
        names = sheet.column("UID")
        pairs += sheet_pairs(sheet, names, phenomenon="linguistics_term", skip=("pairID",))
    return pair_suites(pairs)
