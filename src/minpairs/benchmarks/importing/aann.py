"""The AANN suite as published: *a beautiful five days* and four corruptions of it, a CSV file.

Misra and Mahowald (EMNLP 2024), items of Mahowald (EACL 2023). An item is right when the
construction scores above all four corruptions; chance is 1/5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minpairs.benchmarks.designs import Layout
from minpairs.benchmarks.importing._model import ImportedSuite, as_text
from minpairs.benchmarks.reading import SourceFile, read_sheet
from minpairs.benchmarks.schema import Design, Inequality

CORRUPTIONS = ("order_swap", "no_article", "no_modifier", "no_numeral")
DESIGN = Design(
    "aann",
    ("construction", *CORRUPTIONS),
    tuple(Inequality.parse(name, f"construction > {name}") for name in CORRUPTIONS),
    0.2,
)


def read(files: Sequence[SourceFile]) -> list[ImportedSuite]:
    """One suite a file; cells follow the column ``prefix`` where there is one."""
    suites = []
    for file in files:
        sheet = read_sheet(file)
        prefixes = sheet.columns.get("prefix")
        columns: dict[str, Sequence[Any]] = {"item_id": range(len(sheet))}
        for name, values in sheet.columns.items():
            if name not in (*DESIGN.cells, "prefix", "item_id", ""):
                columns[name] = [as_text(value) for value in values]
        if prefixes is not None:
            columns["prefix"] = [prefix or "" for prefix in prefixes]
        for cell in DESIGN.cells:
            texts = sheet.column(cell)
            columns[cell] = [
                f" {text}" if text and prefixes is not None and prefixes[i] else text
                for i, text in enumerate(texts)
            ]
        context = None if prefixes is None else "prefix"
        layout = Layout(DESIGN, {cell: (context, cell) for cell in DESIGN.cells})
        name = "aann" if len(files) == 1 else file.stem
        suites.append(ImportedSuite(name, columns, layout, sheet.places))
    return suites
