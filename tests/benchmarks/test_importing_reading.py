"""Files and archives as people have them: every row with its line, every fault with its place."""

from __future__ import annotations

import gzip
import tarfile
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from minpairs.benchmarks.reading import SourceFile, read_sheet, source_files
from minpairs.benchmarks.suites import load_pairs
from minpairs.errors import SuiteError


def sheet(name, text):
    return read_sheet(SourceFile(name, text if isinstance(text, bytes) else text.encode()))


# --- sources -------------------------------------------------------------------------------------


def test_a_folder_is_searched_to_its_bottom_and_hidden_files_are_left(tmp_path):
    for name in ("b.csv", "deep/a.csv", "notes.txt", ".hidden.csv", "__MACOSX/b.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert [file.name for file in source_files(tmp_path, [".csv"])] == ["b.csv", "deep/a.csv"]


def test_compressed_files_are_read_as_what_they_hold(tmp_path):
    (tmp_path / "a.tsv.gz").write_bytes(gzip.compress(b"x\ty\n1\t2\n"))
    (file,) = source_files(tmp_path, [".tsv"])
    assert (file.stem, file.suffix) == ("a", ".tsv")
    assert read_sheet(file).columns == {"x": ["1"], "y": ["2"]}


def test_archives_are_read_as_downloaded(tmp_path):
    (tmp_path / "a.csv").write_text("x\n1\n")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(tmp_path / "a.csv", "corpus/a.csv")
        archive.write(tmp_path / "a.csv", "__MACOSX/corpus/a.csv")
    with tarfile.open(tmp_path / "all.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "a.csv", "corpus/a.csv")
    for name in ("all.zip", "all.tar.gz"):
        (file,) = source_files(tmp_path / name, [".csv"])
        assert (file.name, file.text) == ("corpus/a.csv", "x\n1\n")


def test_a_source_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(SuiteError, match="nowhere does not exist"):
        source_files(tmp_path / "nowhere", [".csv"])


def test_a_source_without_such_files_is_an_error(tmp_path):
    with pytest.raises(SuiteError, match=r"holds no file that ends in \.csv or \.tsv"):
        source_files(tmp_path, [".csv", ".tsv"])


@pytest.mark.parametrize("name", ["all.zip", "all.tar.gz", "a.csv.gz"])
def test_a_damaged_archive_is_an_error(tmp_path, name):
    (tmp_path / name).write_bytes(b"\x1f\x8bnot what it says")
    with pytest.raises(SuiteError, match=rf"cannot read .*{name}"):
        source_files(tmp_path / name, [".csv"])


# --- tables --------------------------------------------------------------------------------------


def test_each_row_knows_its_line():
    read = sheet("a.csv", 'good,bad\n"one,\ntwo",three\n\nfour,five\n')
    assert read.columns["good"] == ["one,\ntwo", "four"]
    assert read.places == ("a.csv, line 2", "a.csv, line 5")


def test_texts_are_taken_as_they_stand():
    assert sheet("a.csv", "a,b\n 1.0 ,NULL\n").columns == {"a": [" 1.0 "], "b": ["NULL"]}


def test_a_byte_order_mark_is_no_part_of_the_first_column():
    assert list(sheet("a.csv", b"\xef\xbb\xbfgood,bad\na,b\n").columns) == ["good", "bad"]


def test_json_lines_know_their_line_and_may_lack_a_column():
    read = sheet("a.jsonl", '{"a": "x"}\n\n{"a": "y", "b": 2}\n')
    assert read.columns == {"a": ["x", "y"], "b": [None, 2]}
    assert read.places == ("a.jsonl, line 1", "a.jsonl, line 3")


def test_parquet_rows_are_counted(tmp_path):
    pq.write_table(pa.table({"a": ["x", "y"]}), tmp_path / "a.parquet")
    (file,) = source_files(tmp_path, [".parquet"])
    assert read_sheet(file).places == ("a.parquet, row 1", "a.parquet, row 2")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "a,b\n1,2\n3\n", "a.csv, line 3: 1 columns, but the header has 2"),
        ("a.tsv", "a\tb\n1\t2\t3\n", "a.tsv, line 2: 3 columns, but the header has 2"),
        ("a.csv", 'a,b\n"x" y,2\n', "a.csv, line 2: .*a quote within a quoted field is doubled"),
        ("a.csv", "a,b,a\n1,2,3\n", "a.csv, line 1: column 'a' stands twice"),
        ("a.csv", "", "a.csv is empty"),
        ("a.csv", b"a,b\nx,y\n1,\xff\n", "a.csv, line 3: byte 0xff is not UTF-8"),
        ("a.jsonl", '{"a": 1}\n{"a": \n', "a.jsonl, line 2 is not JSON"),
        ("a.jsonl", '["a"]\n', "a.jsonl, line 1 is not a JSON object"),
        ("a.parquet", "PAR1", "cannot read a.parquet"),
        ("a.xlsx", "x", "a.xlsx: cannot read '.xlsx' files"),
    ],
)
def test_a_fault_of_a_file_is_an_error_with_its_place(name, text, message):
    with pytest.raises(SuiteError, match=message):
        sheet(name, text)


def test_a_missing_column_is_an_error_with_the_nearest():
    with pytest.raises(SuiteError, match=r"a\.csv has no column 'god'; did you mean 'good'"):
        sheet("a.csv", "good,bad\na,b\n").column("god")


def test_a_file_of_pairs_to_be_scored_is_read_with_the_same_care(tmp_path):
    (tmp_path / "mine.csv").write_text("good,bad\nWe ski.,We skis.\nShe ran.\n")
    with pytest.raises(SuiteError, match=r"mine\.csv, line 3: 1 columns, but the header has 2"):
        load_pairs(tmp_path / "mine.csv", acceptable="good", unacceptable="bad")
