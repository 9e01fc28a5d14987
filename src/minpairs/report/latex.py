r"""Tables in LaTeX with booktabs, to be ``\input`` into a paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from minpairs.report.model import Cell, Table
from minpairs.report.render import write_cell

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "–": "--",
    "—": "---",
    "−": "$-$",
    "±": r"$\pm$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "·": r"$\cdot$",
    "→": r"$\rightarrow$",
    "Δ": r"$\Delta$",
    "…": r"\dots{}",
    "’": "'",
    "\N{NO-BREAK SPACE}": "~",
    "ǎ": r"\v{a}",
}
_CJK = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_BREAKS = re.compile(r"(?<=[|:@/+,_-])")
_WIDE = 7  # columns; more take the width of the page
_HEADER = r"""% Written by minpairs. In the preamble: \usepackage{booktabs}, and with pdfLaTeX also
% \usepackage[T1]{fontenc}."""
_CJK_HEADER = r"% There is Chinese in it: compile with XeLaTeX or LuaLaTeX and \usepackage{ctex}."


def to_latex(tables: Sequence[Table]) -> str:
    """Tables as ``table`` environments, with notes and signatures under each.

    Everything in them is escaped. Labels are ``tab:`` and the caption in ASCII.
    """
    text = "\n".join(
        _table(table, label) for table, label in zip(tables, _labels(tables), strict=True)
    )
    header = f"{_HEADER}\n{_CJK_HEADER}" if _CJK.search(text) else _HEADER
    return f"{header}\n\n{text}"


def escape(text: str) -> str:
    """Text as LaTeX prints it."""
    return "".join(_ESCAPES.get(character, character) for character in text)


def _table(table: Table, label: str) -> str:
    wide = len(table.columns) > _WIDE
    environment = "table*" if wide else "table"
    columns = "".join("l" if column.kind == "text" else "r" for column in table.columns)
    lines = [
        rf"\begin{{{environment}}}",
        r"\centering",
        r"\footnotesize\setlength{\tabcolsep}{3pt}" if wide else r"\small",
        rf"\caption{{{escape(table.caption)}}}",
        rf"\label{{tab:{label}}}",
        rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
        r"\toprule",
        _row(
            escape(column.title) if column.kind == "text" else _heading(column.title)
            for column in table.columns
        ),
        r"\midrule",
        *(_row(_cells(table, row)) for row in table.rows),
    ]
    if table.summary:
        lines += [r"\midrule", *(_row(_cells(table, row)) for row in table.summary)]
    lines += [r"\bottomrule", r"\end{tabular}"]
    if table.footnotes:
        notes = " ".join(map(escape, table.footnotes))
        lines += ["", rf"\smallskip\parbox{{\linewidth}}{{\footnotesize\raggedright {notes}}}"]
    for signature in filter(None, table.signatures):
        lines += ["", rf"\parbox{{\linewidth}}{{\tiny\ttfamily\raggedright {_code(signature)}}}"]
    return "\n".join([*lines, rf"\end{{{environment}}}", ""])


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cells(table: Table, row: Sequence[Cell]) -> list[str]:
    cells = (
        escape(write_cell(column.kind, cell))
        for column, cell in zip(table.columns, row, strict=True)
    )
    # A row that begins with a bracket would be read as the length after \\.
    return [f"{{}}{cell}" if cell.startswith("[") else cell for cell in cells]


def _code(line: str) -> str:
    """A long line in typewriter that may break after its separators."""
    return r"\allowbreak{}".join(escape(part) for part in _BREAKS.split(line))


def _labels(tables: Sequence[Table]) -> list[str]:
    labels: list[str] = []
    for table in tables:
        words = re.findall(r"[a-z0-9]+", table.caption.lower()) or ["table"]
        label = "-".join(words)[:60]
        while label in labels:
            label += "-again"
        labels.append(label)
    return labels


def _heading(title: str) -> str:
    """A heading of several words on as many lines: numbers are narrow."""
    words = [escape(word) for word in title.split(" ")]
    lines = r"\\".join(words)
    return words[0] if len(words) == 1 else rf"\shortstack[r]{{{lines}}}"
