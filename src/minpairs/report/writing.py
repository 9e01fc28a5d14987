"""A report's files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from minpairs.files import write_durably
from minpairs.report.assemble import Judged, by_benchmark, compare
from minpairs.report.comparison import comparison_table
from minpairs.report.frame import accuracy_rows, to_flat_csv
from minpairs.report.latex import to_latex
from minpairs.report.model import Table
from minpairs.report.render import to_csv, to_markdown

COMPARISONS = "comparisons.csv"


def render(judged: Sequence[Judged], tables: Sequence[Table]) -> dict[str, str]:
    """The files by name: ``report.md``, ``report.tex``, ``report.csv``, ``comparisons.csv``.

    ``report.csv`` has one row a model and paradigm, suite, phenomenon or mean; ``comparisons.csv``
    is there where models were compared.
    """
    evaluations = by_benchmark(judged)
    files = {
        "report.md": "\n".join(map(to_markdown, tables)),
        "report.tex": to_latex(tables),
        "report.csv": to_flat_csv(accuracy_rows(evaluations)),
    }
    parts: list[str] = []
    for benchmark in evaluations:
        found = compare(judged, benchmark)
        if found:
            # One table of all benchmarks: their name comes first in every row.
            head, *rows = to_csv(comparison_table(found)).splitlines(keepends=True)
            parts += [] if parts else [f"benchmark,{head}"]
            parts += [f"{benchmark},{row}" for row in rows]
    if parts:
        files[COMPARISONS] = "".join(parts)
    return files


def write_report(folder: Path, files: Mapping[str, str]) -> None:
    """Writes the files; comparisons of an earlier report that no longer hold are removed."""
    for name, text in files.items():
        write_durably(folder / name, text.encode())
    if COMPARISONS not in files:
        (folder / COMPARISONS).unlink(missing_ok=True)
