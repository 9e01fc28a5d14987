"""LaTeX that compiles: everything escaped, every row as wide as its heading."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minpairs.report import Column, Table, to_latex
from minpairs.report.latex import escape
from minpairs.statistics import Interval

TABLE = Table(
    columns=(
        Column("paradigm", "paradigm", "text"),
        Column("accuracy", "accuracy %", "percent"),
        Column("interval", "95 % interval", "interval"),
    ),
    rows=(("ba_construction", 0.587, Interval(0.5, 0.625)), ("[a] & {b} ~ ^ \\ $", None, None)),
    summary=(("macro", 0.25, Interval(0.2, 0.3)),),
    caption="climp: 50 % of A_B",
    footnotes=("Positive: Δ ≥ 0 – as predicted.",),
    signatures=(r"model:m_1|bos:<\|endoftext\|>|ties:strict",),
)
# What may stand unescaped: commands, groups, maths, column and line ends.
_COMMAND = re.compile(r"\\([A-Za-z]+\*?|[\\{}$&#%_])|[{}$&~]")


def bodies(latex: str) -> list[list[str]]:
    """The cells of each row of a tabular."""
    inside = latex.partition("\\toprule")[2].partition("\\bottomrule")[0]
    rows = [line.removesuffix(r" \\") for line in inside.splitlines() if line.endswith(r" \\")]
    return [re.split(r"(?<!\\)&", row) for row in rows]


def test_a_table_is_booktabs_with_caption_label_notes_and_signature():
    latex = to_latex([TABLE])
    for part in (r"\toprule", r"\midrule", r"\bottomrule", r"\label{tab:climp-50-of-a-b}"):
        assert part in latex
    assert r"\caption{climp: 50 \% of A\_B}" in latex
    assert r"Positive: $\Delta$ $\geq$ 0 -- as predicted." in latex
    assert r"m\_\allowbreak{}1" in latex


def test_every_row_has_a_cell_for_each_column():
    rows = bodies(to_latex([TABLE]))
    assert len(rows) == 4
    assert {len(row) for row in rows} == {3}


def test_a_row_does_not_begin_with_a_bracket_that_a_line_end_would_read():
    assert r"{}[a] \& \{b\}" in to_latex([TABLE])


def test_numbers_are_as_readers_see_them():
    assert r"ba\_construction & 58.7 & 50.0--62.5 \\" in to_latex([TABLE])


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"])))
def test_nothing_of_latex_s_own_is_left_in_a_text(text):
    bare = _COMMAND.sub("", escape(text).replace("{}", ""))
    assert not set("#%_^<>|\\") & set(bare)


def test_labels_are_told_apart():
    latex = to_latex([TABLE, TABLE])
    assert len(set(re.findall(r"\\label\{(.*)\}", latex))) == 2


def test_chinese_names_the_engine_that_prints_it():
    chinese = Table(TABLE.columns, (("把字句", 0.5, None),), caption="climp")
    assert "XeLaTeX" in to_latex([chinese])
    assert "把字句" in to_latex([chinese])
    assert "XeLaTeX" not in to_latex([TABLE])


def test_a_wide_table_takes_the_width_of_the_page():
    columns = (Column("p", "p", "text"), *(Column(f"c{i}", f"c {i}", "count") for i in range(9)))
    latex = to_latex([Table(columns, (("x", *range(9)),), caption="wide")])
    assert r"\begin{table*}" in latex
    assert r"\shortstack[r]{c\\0}" in latex


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="no LaTeX here")
def test_it_compiles(tmp_path):
    preamble = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{booktabs}"
    body = to_latex([TABLE, TABLE])
    (tmp_path / "a.tex").write_text(f"{preamble}\\begin{{document}}\n{body}\n\\end{{document}}\n")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
