import pytest

from minpairs.errors import LexiconError
from minpairs.grammar.constraints import compile_grammar, relation_matrix
from minpairs.grammar.lexicon import Entry, computed
from minpairs.grammar.template import parse_relation
from minpairs.grammar.texts import Reference

SETS = [frozenset(), frozenset("a"), frozenset("b"), frozenset("ab")]


def entries(*sets):
    return [Entry("t", i, str(i), computed(str(i)) | {"x": s}) for i, s in enumerate(sets)]


@pytest.mark.parametrize(
    ("operator", "holds"),
    [
        ("in", lambda a, b: bool(a & b)),
        ("not in", lambda a, b: not a & b),
        ("==", lambda a, b: a == b),
        ("!=", lambda a, b: a != b),
    ],
)
def test_set_relations(operator, holds):
    matrix = relation_matrix(parse_relation(f"l.x {operator} r.x"), entries(*SETS), entries(*SETS))
    assert matrix.tolist() == [[holds(a, b) for b in SETS] for a in SETS]


def test_less_compares_numbers_as_numbers():
    side = entries(frozenset({"9"}), frozenset({"10"}))
    assert relation_matrix(parse_relation("l.x < r.x"), side, side).tolist() == [
        [False, True],
        [False, False],
    ]


def test_less_compares_other_values_by_code_points():
    side = entries(frozenset({"9"}), frozenset({"10"}), frozenset({"b"}))
    assert relation_matrix(parse_relation("l.x < r.x"), side, side).tolist() == [
        [False, False, True],
        [True, False, True],
        [False, False, False],
    ]


@pytest.mark.parametrize("text", ["a.x not  in b.y", " a.x not in b.y "])
def test_blanks_in_a_relation_do_not_matter(text):
    relation = parse_relation(text)
    assert (relation.left, relation.operator) == (Reference("a", "x"), "not in")


def test_a_bare_slot_in_a_relation_means_its_form():
    assert parse_relation("a != b").right == Reference("b", "form")


@pytest.mark.parametrize("text", ["a.x", "a.x in", "a.x > b.x", "a.x in b.x in c.x", "a.x.y in b"])
def test_what_is_no_relation_is_none(text):
    assert parse_relation(text) is None


def test_where_needs_one_of_the_values_and_without_none(load, classifier):
    text = classifier.replace(
        "{from: nouns}", "{from: nouns, where: {classifiers: [只, 条]}, without: {form: 鱼}}"
    )
    template, lexicon = load(text)
    problem = compile_grammar(template.grammars[0], lexicon)
    assert [entry.form for entry in problem.candidates[2]] == ["狗", "猫"]


@pytest.mark.parametrize(
    ("operator", "left"), [("in", ["鱼"]), ("not in", ["书", "刀", "狗", "猫"])]
)
def test_a_relation_within_one_slot_is_a_filter(load, classifier, tables, operator, left):
    tables["nouns"] = tables["nouns"].replace("鱼\tanimal\t条", "鱼\tanimal\t条|鱼")
    text = classifier.replace(
        "relations:", f"relations:\n  - noun.form {operator} noun.classifiers"
    )
    template, lexicon = load(text, tables)
    candidates = compile_grammar(template.grammars[0], lexicon).candidates[2]
    assert sorted(entry.form for entry in candidates) == sorted(left)


def test_less_over_a_set_is_an_error_that_names_the_row(load, classifier):
    text = classifier.replace("relations:", "relations:\n  - noun.classifiers < verb.object")
    template, lexicon = load(text)
    message = (
        r"nouns\.tsv, line 4, column classifiers: '狗' has several values \(只\|条\), "
        r"but the relation 'noun\.classifiers < verb\.object' \(line 15\) needs exactly one"
    )
    with pytest.raises(LexiconError, match=message):
        compile_grammar(template.grammars[0], lexicon)


def test_two_relations_between_the_same_slots_both_hold(load, classifier):
    text = classifier.replace("relations:", "relations:\n  - wrong.form != right.form")
    template, lexicon = load(text)
    problem = compile_grammar(template.grammars[0], lexicon)
    assert not problem.matrices[(3, 4)].diagonal().any()
