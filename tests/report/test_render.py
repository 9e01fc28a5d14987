"""Renderings of one small table."""

from __future__ import annotations

import csv
import io

import pytest
from rich.console import Console

from minpairs.report import Column, Table, to_csv, to_markdown, to_rich
from minpairs.report.model import Estimate
from minpairs.report.render import write_cell
from minpairs.statistics import Interval

TABLE = Table(
    columns=(
        Column("paradigm", "paradigm", "text"),
        Column("n", "n", "count"),
        Column("accuracy", "accuracy %", "percent"),
        Column("interval", "95 % interval", "interval"),
    ),
    rows=(("ba", 1000, 0.58765, Interval(0.5, 0.625)), ("[red]a|b", 0, None, None)),
    summary=(("macro", 1000, 0.25, Interval(0.2, 0.3)),),
    caption="A caption",
    footnotes=("A note.",),
    signatures=("model:m|ties:strict",),
)
MODELS = Table(
    columns=(
        Column("paradigm", "paradigm", "text"),
        Column("n", "n", "count"),
        Column("x", "x", "percent"),
        Column("y", "y", "percent"),
    ),
    rows=(("ba", 2, 0.5, 1.0),),
    summary=(("ties", None, 3, 4),),
    signatures=("model:x", "model:y"),
)


ROWS = Table(
    columns=(Column("model", "model", "text"), Column("n", "n", "count")),
    rows=(("x", 1), ("x", 2), ("y", 3)),
    summary=(("people (the paper's)", None),),
    signatures=("model:x", "model:y"),
    models_in_rows=True,
)


def test_csv_has_each_model_s_signature_in_its_rows():
    rows = list(csv.reader(io.StringIO(to_csv(ROWS))))
    assert rows[0] == ["model", "n", "signature"]
    assert [row[2] for row in rows[1:]] == ["model:x", "model:x", "model:y", ""]


@pytest.mark.parametrize(
    ("kind", "cell", "written"),
    [
        ("estimate", Estimate(0.984, Interval(0.973, 0.991)), "98.4 [97.3–99.1]"),
        ("points", 0.0123, "+1.2"),
        ("points", -0.0001, "0.0"),
        ("points_interval", Interval(-0.01, 0.02), "-1.0 to +2.0"),
        ("range", Interval(-0.0004, 0.5), "0.000 to +0.500"),
        ("p", 0.0125, "0.013"),
        ("p", 0.0002, "<0.001"),
        ("number", -0.25, "-0.250"),
    ],
)
def test_a_cell_is_written_for_readers_by_its_kind(kind, cell, written):
    assert write_cell(kind, cell) == written


def test_an_estimate_is_three_columns_in_csv_and_nothing_where_it_is_missing():
    estimate = Estimate(0.5, Interval(0.25, 0.75))
    table = Table((Column("a", "a", "estimate"),), ((estimate,), (None,)))
    rows = list(csv.reader(io.StringIO(to_csv(table))))
    assert rows == [["a", "a_low", "a_high"], ["0.5", "0.25", "0.75"], ["", "", ""]]


WIDE = Table(
    columns=(
        Column("paradigm", "paradigm", "text"),
        *(Column(f"m{i}", f"model number {i}", "percent") for i in range(12)),
    ),
    rows=(("verb_complement_duration", *((i + 12.5) / 100 for i in range(12))),),
    summary=(("macro (mean of 16 paradigms)", *(0.5,) * 12),),
    signatures=("model:m",),
)


def printed(table, width=100):
    console = Console(width=width, file=io.StringIO(), color_system=None)
    console.print(to_rich(table))
    return console.file.getvalue()


def parsed(table):
    return list(csv.reader(io.StringIO(to_csv(table))))


@pytest.mark.parametrize("part", ["A caption", "58.8", "1,000", "50.0–62.5", "A note."])
def test_the_terminal_shows_caption_numbers_and_notes(part):
    assert part in printed(TABLE)


def test_the_terminal_takes_names_in_brackets_as_they_are():
    assert "[red]a|b" in printed(TABLE)


@pytest.mark.parametrize("width", [32, 40, 57, 80, 133])
def test_a_narrow_terminal_cuts_no_number(width):
    text = printed(WIDE, width)
    assert max(map(len, text.splitlines())) <= width
    assert [f"{i + 12.5:.1f}" in text for i in range(12)] == [True] * 12


def test_a_table_that_fits_is_printed_in_one_block():
    assert printed(TABLE, 60).count("paradigm") == 1


def test_the_terminal_ends_with_the_signature():
    assert printed(TABLE).rstrip().endswith("model:m|ties:strict")


def test_a_missing_number_is_a_dash():
    assert printed(TABLE).split("[red]a|b")[1].split()[:3] == ["0", "–", "–"]


def test_markdown_is_a_table_with_a_bold_summary_and_the_signature_as_code():
    assert to_markdown(TABLE) == (
        "**A caption**\n\n"
        "| paradigm | n | accuracy % | 95 % interval |\n"
        "|:--|--:|--:|--:|\n"
        "| ba | 1,000 | 58.8 | 50.0–62.5 |\n"
        "| [red]a\\|b | 0 | – | – |\n"
        "| **macro** | **1,000** | **25.0** | **20.0–30.0** |\n\n"
        "A note.\n\n"
        "`model:m|ties:strict`\n"
    )


def test_csv_has_unrounded_fractions_both_interval_ends_and_the_signature():
    assert parsed(TABLE) == [
        ["paradigm", "n", "accuracy", "interval_low", "interval_high", "signature"],
        ["ba", "1000", "0.58765", "0.5", "0.625", "model:m|ties:strict"],
        ["[red]a|b", "0", "", "", "", "model:m|ties:strict"],
        ["macro", "1000", "0.25", "0.2", "0.3", "model:m|ties:strict"],
    ]


def test_csv_of_models_ends_with_a_signature_under_each():
    assert parsed(MODELS)[-1] == ["signature", "", "model:x", "model:y"]


def test_a_whole_number_in_a_column_of_shares_is_a_count():
    assert "| **ties** | **–** | **3** | **4** |" in to_markdown(MODELS)
