"""Any table of pairs with named columns: CSV, TSV, JSON Lines or Parquet."""

from __future__ import annotations

from collections.abc import Sequence

from minpairs.benchmarks.importing._model import ImportedSuite, pair_suites, sheet_pairs
from minpairs.benchmarks.reading import SourceFile, read_sheet


def read(
    files: Sequence[SourceFile],
    *,
    acceptable: str = "sentence_good",
    unacceptable: str = "sentence_bad",
    group: str | None = None,
) -> list[ImportedSuite]:
    """One suite a value of the column ``group``, or one a file where no column is given."""
    pairs = []
    for file in files:
        sheet = read_sheet(file)
        names = sheet.column(group) if group else [file.stem] * len(sheet)
        phenomenon = "phenomenon" if "phenomenon" in sheet.columns else None
        pairs += sheet_pairs(
            sheet,
            names,
            good=acceptable,
            bad=unacceptable,
            phenomenon=phenomenon,
            skip=(group,) if group else (),
        )
    return pair_suites(pairs)
