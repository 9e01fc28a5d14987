"""Readers: which sentences a corpus holds, whatever it is stored as."""

from __future__ import annotations

import json

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minpairs.training.corpus import open_corpus
from minpairs.training.errors import CorpusError
from minpairs.training.sentences import split_sentences
from minpairs.training.sources import PARAGRAPHS, SourceFormat

TEXT = "Mr. Smith came. He let nobody in."
SENTENCES = ["Mr. Smith came.", "He let nobody in."]


def everything(corpus):
    return list(corpus.sentences())


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
    return path


@pytest.fixture
def babylm(tmp_path):
    """A folder as BabyLM has it: each source laid out in its own way."""
    files = {
        "childes": "*MOT:\tdo you see it ?\n*CHI:\tyes . no .\n\n",
        "switchboard": "A:\tUh-huh. Okay.\nB:\tRight.\n",
        "bnc_spoken": "Well yes. I think so.\n",
        "open_subtitles": "A: hello there. Go!\n",
        "gutenberg": "CHAPTER I\n\nNobody could walk, let\nalone run. It was\nlate.\n\nThe end.\n",
        "simple_wiki": "= = = Cats = = =\n\nCats sleep. Dogs bark.\n",
    }
    for name, text in files.items():
        write(tmp_path / "train" / f"{name}.train", text)
    write(tmp_path / "train" / "childes.dev", "*MOT:\tnot this .\n")
    return tmp_path / "train"


def test_each_source_of_babylm_is_read_in_its_own_way(babylm):
    corpus = open_corpus(babylm)
    found = {}
    for part in corpus.parts:
        read = corpus.read(part)
        for source, text in zip(read.sources, read.texts, strict=True):
            found.setdefault(source, []).append(text)
    assert found == {
        "childes": ["do you see it ?", "yes . no ."],
        "switchboard": ["Uh-huh. Okay.", "Right."],
        "bnc_spoken": ["Well yes. I think so."],
        "open_subtitles": ["A: hello there. Go!"],
        "gutenberg": ["CHAPTER I", "Nobody could walk, let alone run.", "It was late.", "The end."],
        "simple_wiki": ["= = = Cats = = =", "Cats sleep.", "Dogs bark."],
    }


def test_a_text_file_has_a_paragraph_on_a_line(tmp_path):
    assert everything(open_corpus(write(tmp_path / "a.txt", f"{TEXT}\n\nYes\n"))) == [
        *SENTENCES,
        "Yes",
    ]


def test_a_file_without_a_last_line_end_and_with_other_line_ends_reads_alike(tmp_path):
    for ends in ("\n", "\r\n", "\r"):
        path = write(tmp_path / "a.txt", ends.join(["\ufeffOne came.", "Two came.", "Three"]))
        assert everything(open_corpus(path)) == ["One came.", "Two came.", "Three"]


def test_the_unit_can_be_said(tmp_path):
    path = write(tmp_path / "a.txt", "One came. Two\ncame.\n")
    assert everything(open_corpus(path, unit="line")) == ["One came. Two", "came."]
    assert everything(open_corpus(path, unit="wrapped")) == ["One came.", "Two came."]


def test_a_label_goes_even_where_the_unit_is_said(tmp_path):
    path = write(tmp_path / "childes.train", "*MOT:\tOne. Two.\n")
    assert everything(open_corpus(path, unit="paragraph")) == ["One.", "Two."]


def test_a_label_is_cut_from_the_start_of_a_line_only(tmp_path):
    path = write(tmp_path / "switchboard.train", "A:\tPlan B:\tgo\n")
    assert everything(open_corpus(path)) == ["Plan B:\tgo"]


def test_rows_of_every_kind_hold_the_same_sentences(tmp_path):
    rows = [{"text": TEXT, "source": "web"}, {"text": "Nobody could walk, let\nalone run."}]
    expected = [*SENTENCES, "Nobody could walk, let alone run."]
    write(tmp_path / "a.jsonl", "\n".join(json.dumps(row) for row in rows) + "\n\n")
    table = pa.Table.from_pylist(rows)
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=1)
    dataset = datasets.Dataset(table)
    dataset.save_to_disk(tmp_path / "saved")
    for spec in (tmp_path / "a.jsonl", tmp_path / "a.parquet", dataset, tmp_path / "saved"):
        corpus = open_corpus(spec)
        assert everything(corpus) == expected
        assert corpus.read(corpus.parts[0]).sources[0] == "web"


def test_another_column_can_hold_the_text(tmp_path):
    path = write(tmp_path / "a.jsonl", json.dumps({"body": TEXT}) + "\n")
    assert everything(open_corpus(path, column="body")) == SENTENCES


def test_a_sentence_is_always_one_line():
    text = "One\u2028line\x0chere. Two\x85lines."
    (first, second) = split_sentences(text, PARAGRAPHS)
    assert (first, second) == ("One line here.", "Two lines.")


@settings(deadline=None, max_examples=150)
@given(
    lines=st.lists(
        st.sampled_from(
            ["", " ", "One", "two three", "It ended.", "“Why?”", "é ü", "let", "alone"]
        ),
        max_size=30,
    ),
    size=st.integers(1, 40),
    unit=st.sampled_from(["line", "paragraph", "wrapped"]),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_however_a_file_is_cut_into_parts_it_holds_the_same(
    tmp_path_factory, lines, size, unit, end
):
    path = write(tmp_path_factory.mktemp("parts") / "a.txt", end.join([*lines, "End"]))
    whole = split_sentences(path.read_bytes().decode(), SourceFormat(unit))
    assert everything(open_corpus(path, unit=unit, part_bytes=size)) == whole


def test_memory_holds_one_part_at_a_time(tmp_path):
    path = write(tmp_path / "a.txt", "A sentence stands here.\n" * 1000)
    corpus = open_corpus(path, part_bytes=1000)
    assert len(corpus.parts) == 24
    assert max(len(corpus.read(part).texts) for part in corpus.parts) <= 42


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("a.txt", b"fine\nbad \xff\n", "a.txt, byte 9: not UTF-8"),
        ("a.jsonl", b'{"text": "x"}\n{"text"\n', "line 2 from byte 0 is not JSON"),
        ("a.jsonl", b'{"body": "x"}\n', "has no text under 'text'"),
        ("a.parquet", b"PAR", "is not a Parquet file"),
        ("a.csv", b"text\n", "unknown kind of file"),
        ("a.txt", b"", "is empty"),
    ],
)
def test_a_damaged_file_is_an_error_that_names_the_place(tmp_path, name, content, fault):
    path = write(tmp_path / name, content)
    with pytest.raises(CorpusError, match=r"a\.") as raised:
        everything(open_corpus(path))
    assert fault in str(raised.value)


def test_a_row_without_a_text_is_an_error(tmp_path):
    pq.write_table(pa.table({"text": ["x", None]}), tmp_path / "a.parquet")
    with pytest.raises(CorpusError, match="row 1: column 'text' holds None"):
        everything(open_corpus(tmp_path / "a.parquet"))


def test_a_folder_above_the_corpus_names_what_is_below(babylm):
    with pytest.raises(CorpusError, match="its folders are train"):
        open_corpus(babylm.parent)


@pytest.mark.parametrize(
    ("spec", "fault"),
    [("nowhere", "no such file or folder"), ("org/name", "name one config")],
)
def test_a_corpus_that_is_not_there_is_an_error(spec, fault):
    with pytest.raises(CorpusError, match=fault):
        open_corpus(spec)


def test_a_dataset_of_several_splits_is_refused():
    rows = datasets.Dataset.from_dict({"text": ["x"]})
    with pytest.raises(CorpusError, match="give one split"):
        open_corpus(datasets.DatasetDict(train=rows))


def test_an_unknown_column_or_unit_is_told_the_nearest(tmp_path):
    rows = datasets.Dataset.from_dict({"texts": ["x"]})
    with pytest.raises(CorpusError, match="did you mean 'texts'"):
        open_corpus(rows)
    with pytest.raises(CorpusError, match="did you mean 'line'"):
        open_corpus(tmp_path, unit="lines")
