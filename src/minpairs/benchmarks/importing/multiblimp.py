"""MultiBLiMP as published: TSV or CSV with ``sen`` and ``wrong_sen``, one language a file.

Jumelet, Weissweiler and Bisazza (TACL 2026). Files are called ``fra.tsv`` or ``fra/data.tsv``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from minpairs.benchmarks.importing._model import ImportedSuite, pair_suites, sheet_pairs
from minpairs.benchmarks.reading import SourceFile, read_sheet


def read(files: Sequence[SourceFile]) -> list[ImportedSuite]:
    """One suite for each language and phenomenon; ``SV-#`` (number) becomes ``SV-number``."""
    pairs = []
    for file in files:
        sheet = read_sheet(file)
        language = PurePosixPath(file.name).parent.name if file.stem == "data" else file.stem
        label = "phenomenon" if "phenomenon" in sheet.columns else None
        labels = sheet.column(label) if label else [None] * len(sheet)
        names = [language if name is None else f"{language}_{name}" for name in labels]
        pairs += sheet_pairs(sheet, names, good="sen", bad="wrong_sen", phenomenon=label)
    return pair_suites(pairs)
