"""From evaluations to tables, and from tables to the terminal, Markdown, LaTeX and CSV."""

from minpairs.report.latex import to_latex
from minpairs.report.model import Column, Table
from minpairs.report.render import to_csv, to_markdown, to_rich
from minpairs.report.tables import models_table, phenomena_table, results_table

__all__ = [
    "Column",
    "Table",
    "models_table",
    "phenomena_table",
    "results_table",
    "to_csv",
    "to_latex",
    "to_markdown",
    "to_rich",
]
