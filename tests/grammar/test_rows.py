import pyarrow as pa
import pytest

from minpairs.grammar import draw, rows
from minpairs.grammar.rows import edits
from minpairs.grammar.texts import capitalise


def test_a_pair_is_a_row_with_its_words_and_edit(load):
    template, lexicon = load()
    table = rows(template, draw(template, lexicon, 10))
    assert table.column_names == [
        "pair_id", "UID", "phenomenon", "sentence_good", "sentence_bad", "words_good",
        "words_bad", "edit_good", "edit_bad", "noun", "cluster",
    ]  # fmt: skip
    assert table["pair_id"].to_pylist() == list(range(10))
    for row in table.to_pylist():
        assert row["UID"] == row["phenomenon"] == "classifier"
        assert "".join(row["words_good"]) == row["sentence_good"]
        assert "".join(row["words_bad"]) == row["sentence_bad"]
        assert row["words_good"][-1] == "。"
        assert (
            row["sentence_good"].replace(row["edit_good"], row["edit_bad"]) == row["sentence_bad"]
        )
        assert row["noun"] == row["cluster"]
        assert row["noun"] in row["sentence_good"]


def test_the_words_of_a_form_are_words_of_the_sentence(load):
    template, lexicon = load()
    (row,) = rows(template, draw(template, lexicon, 1)).to_pylist()
    assert len(row["words_good"]) == 8
    assert len(row["words_good"][0]) == 1  # the surname of 李 先生


def test_columns_and_types_do_not_depend_on_the_number_of_rows(load):
    template, lexicon = load()
    assert rows(template, []).schema == rows(template, draw(template, lexicon, 3)).schema
    assert rows(template, []).schema.field("words_good").type == pa.list_(pa.string())


ENGLISH = """
uid: agree
phenomenon: agreement
language: en
design: interaction
about: x
slots: {noun: {from: things}}
cells:
  base: "{noun}, {noun.be} here."
  base_manipulated: {context: "the {noun} ran.", continuation: "{noun.be} it?"}
columns: {noun: noun, set: noun.tags, phrase: "the {noun}"}
cluster: noun.tags
"""
THINGS = {"things": "form\tbe\ttags\nold dogs\tare\tz|a\n"}


def test_other_designs_have_one_column_a_cell_or_two_with_a_context(load):
    template, lexicon = load(ENGLISH, THINGS)
    (row,) = rows(template, draw(template, lexicon, 1)).to_pylist()
    assert row == {
        "item_id": 0,
        "noun": "old dogs",
        "set": "a|z",
        "phrase": "the old dogs",
        "cluster": "a|z",
        "base": "Old dogs, are here.",
        "base_manipulated_context": "The old dogs ran.",
        "base_manipulated_continuation": " Are it?",
    }


@pytest.mark.parametrize(
    ("good", "bad", "expected"),
    [
        ("他 买 了 书", "他 买 过 书", ("了", "过")),
        ("他 书 买", "他 买 书", ("书买", "买书")),
        ("他 买", "他 买 书", ("", "书")),
        ("买 买", "买", ("买", "")),
        ("一 只 狗 的 家", "一 本 狗 的 书", ("只狗的家", "本狗的书")),
        ("同", "同", ("", "")),
    ],
)
def test_the_edit_is_what_remains_between_common_words(good, bad, expected):
    assert edits(good.split(), bad.split(), "zh") == expected


def test_an_english_edit_keeps_its_blanks():
    assert edits(["a", "b", "c", "d"], ["a", "c", "b", "d"], "en") == ("b c", "c b")


@pytest.mark.parametrize(
    ("text", "expected"), [("the dog", "The dog"), ('"so', '"So'), ("1 dog", "1 dog"), ("", "")]
)
def test_the_first_letter_is_a_capital(text, expected):
    assert capitalise(text) == expected
