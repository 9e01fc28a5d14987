import pytest

from minpairs.errors import LexiconError
from minpairs.grammar import load_lexicon


def one(write, rows, features=None):
    """Loads a lexicon of one table."""
    return load_lexicon(write({"words": rows}, {}, features) / "lexicon").tables["words"]


def test_a_cell_is_a_set_of_values(write):
    (dog,) = one(write, "form\tsort\tnote\n狗\tanimal|pet\t\n").entries
    assert dog.features["sort"] == {"animal", "pet"}
    assert dog.features["note"] == frozenset()


def test_characters_and_words_are_computed_without_the_blanks_between_words(write):
    (nurse,) = one(write, "form\tsort\n男 护士\tperson\n").entries
    assert nurse.form == "男 护士"
    assert nurse.features["characters"] == {"3"}
    assert nurse.features["words"] == {"2"}
    assert nurse.features["form"] == {"男 护士"}


def test_comment_lines_are_skipped_and_counted(write):
    (entry,) = one(write, "# a table\nform\tsort\n# pets\n狗\tanimal\n").entries
    assert entry.line == 4


def test_quotation_marks_are_ordinary_characters(write):
    (entry,) = one(write, 'form\tsort\n"a\tx\n').entries
    assert entry.form == '"a'


def test_entries_are_ordered_by_content_not_by_row(write):
    rows = ["b\tx", "a\ty", "c\tx"]
    first = one(write, "form\tsort\n" + "\n".join(rows) + "\n")
    second = one(write, "form\tsort\n" + "\n".join(reversed(rows)) + "\n")
    assert [e.form for e in first.entries] == [e.form for e in second.entries] == ["a", "b", "c"]


def test_homonyms_are_told_apart_by_a_sense(write):
    table = one(write, "form\tsense\nbank\tmoney\nbank\triver\n")
    assert len(table.entries) == 2


CLOSED = {
    "words": {
        "about": "words",
        "columns": {"form": "form", "sort": {"about": "sort", "values": ["animal", "person"]}},
    }
}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            "form\tsort\n狗\tanimal\n狗\tpet\n",
            r"words\.tsv, line 3, column form: '狗' already .* 2",
        ),
        ("form\tsort\n狗\n", r"words\.tsv, line 2: has 1 cells, but the header has 2 columns"),
        ("form\tsort\n\n狗\ta\n", r"words\.tsv, line 2: has \d cells, but the header has 2"),
        ("form\tsort\n狗 \ta\n", r"line 2, column form: '狗 ' has blanks at its ends"),
        ("form\tsort\n男  护士\ta\n", r"line 2, column form: '男  护士' has blanks .* doubled"),
        ("form\tsort\n男\u3000护士\ta\n", r"line 2, column form: .* other than a plain space"),
        ("form\tsort\n狗\ta| b\n", r"line 2, column sort: ' b' has blanks at its ends"),
        ("form\tsort\n狗\ta||b\n", r"line 2, column sort: 'a\|\|b' has an empty value"),
        ("form\tsort\n狗\ta|a\n", r"line 2, column sort: 'a' stands twice"),
        ("form\tsort\n\ta\n", r"line 2, column form: must be one form, not ''"),
        ("form\tsort\na|b\tx\n", r"line 2, column form: must be one form, not 'a\|b'"),
        ("form\tsort\n狗\u200b\ta\n", r"line 2, column form: .* holds an invisible character"),
        ("form\tsort\ncafe\u0301\ta\n", r"line 2, column form: .* Unicode form NFC"),
        ("form\tform\n狗\ta\n", r"line 1, column 2: 'form' stands twice"),
        ("form\tsort\n", r"words\.tsv, line 1: the table has no rows"),
        ("# only a remark\n", r"words\.tsv, line 1: has no header line"),
        ("form\tsort\n狗\ta\r\n", r"words\.tsv, line 2: holds a carriage return"),
        ("form\tsort\n狗\ta\0\n", r"words\.tsv, line 2: holds a NUL character"),
    ],
)
def test_a_faulty_table_is_refused_with_line_and_column(write, rows, message):
    features = {"words": {"about": "words", "columns": {"form": "form", "sort": "sort"}}}
    with pytest.raises(LexiconError, match=message):
        one(write, rows, features)


def test_bytes_that_are_not_utf8_are_named_with_their_line(write):
    folder = write({"words": "form\tsort\na\tx\n"}, {}) / "lexicon"
    (folder / "words.tsv").write_bytes("form\tsort\na\tx\n狗\tx\n".encode("gbk"))
    with pytest.raises(LexiconError, match=r"words\.tsv, line 3: not UTF-8"):
        load_lexicon(folder)


def test_a_byte_order_mark_is_refused(write):
    folder = write({"words": "form\tsort\na\tx\n"}, {}) / "lexicon"
    (folder / "words.tsv").write_text("\ufeffform\tsort\na\tx\n", encoding="utf-8")
    with pytest.raises(LexiconError, match=r"words\.tsv, line 1: starts with a byte-order mark"):
        load_lexicon(folder)


def test_a_value_outside_a_closed_list_is_refused_with_the_nearest(write):
    message = r"words\.tsv, line 2, column sort: 'animl' is not .*did you mean 'animal'\?"
    with pytest.raises(LexiconError, match=message):
        one(write, "form\tsort\n狗\taniml\n", CLOSED)


def test_an_undocumented_column_is_refused_with_the_nearest(write):
    message = r"words\.tsv, line 1, column 2: 'sorts' is not documented .*did you mean 'sort'\?"
    with pytest.raises(LexiconError, match=message):
        one(write, "form\tsorts\n狗\tanimal\n", CLOSED)


def test_a_documented_column_that_is_missing_is_named(write):
    with pytest.raises(LexiconError, match=r"words\.tsv, line 1: column 'sort', documented in"):
        one(write, "form\n狗\n", CLOSED)


def test_a_table_without_documentation_is_named(write):
    folder = write({"words": "form\tsort\na\tx\n"}, {}) / "lexicon"
    (folder / "word.tsv").write_text("form\na\n", encoding="utf-8")
    with pytest.raises(LexiconError, match=r"table 'word' is not documented .*'words'"):
        load_lexicon(folder)


def test_documentation_without_a_table_is_named_with_its_line(write):
    features = "words: {about: w, columns: {form: f}}\nwrds: {about: w, columns: {form: f}}\n"
    folder = write({"words": "form\na\n"}, {}, features) / "lexicon"
    with pytest.raises(LexiconError, match=r"features\.yaml, line 2, wrds: .* 'words'\?"):
        load_lexicon(folder)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ("words: {abot: w, columns: {form: f}}", r"line 1, words\.abot: unknown key .*'about'\?"),
        ("words: {about: w}", r"line 1, words: key 'columns' is missing"),
        ("words: {about: w, columns: {sort: s, form: f}}", r"the first column must be 'form'"),
        ("words: {about: '', columns: {form: f}}", r"words\.about: must say in words"),
        ("words: {about: w, columns: {form: f, words: n}}", r"'words' is computed from the form"),
        ("words: {about: w, columns: {form: f, a-b: n}}", r"columns\.a-b: a column's name is"),
        (
            "words: {about: w, columns: {form: {about: f, vales: []}}}",
            r"unknown key 'vales'.*values",
        ),
        ("words: {about: w, columns: {form: {about: f, values: [a, a]}}}", r"'a' is listed twice"),
        (
            "words: {about: w, columns: {form: {about: f, values: ['a|b']}}}",
            r"cannot stand in a cell",
        ),
        ("words: [a]", r"line 1, words: must be \{about"),
        ("- words", r"line 1: must map each table"),
        ("words: {about: w}\nwords: {about: w}", r"line 2: key 'words' stands here and on line 1"),
        ("words: !!python/name:os.system {}", r"line 1: the tag .* is not allowed"),
        ("words: {about: w", r"line \d: not YAML"),
        ("", r"line 1: is empty"),
    ],
)
def test_faulty_documentation_is_refused_with_line_and_field(write, features, message):
    folder = write({"words": "form\na\n"}, {}, features) / "lexicon"
    with pytest.raises(LexiconError, match=r"features\.yaml, .*" + message):
        load_lexicon(folder)


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(LexiconError, match="there is no such lexicon folder"):
        load_lexicon(tmp_path / "none")
