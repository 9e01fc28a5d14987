import pytest

from minpairs.errors import TemplateError
from minpairs.grammar import load_lexicon, load_template
from minpairs.grammar.texts import Reference


def names(pieces):
    return [str(p) if isinstance(p, Reference) else p for p in pieces]


def test_a_template_without_variants_is_one_grammar(load):
    template, _ = load()
    (grammar,) = template.grammars
    assert (template.uid, template.design, template.items) == ("classifier", "minimal_pair", 20)
    assert [slot.name for slot in grammar.slots] == ["subject", "verb", "noun", "right", "wrong"]
    assert [str(r) for r in grammar.relations][1] == "right.form in noun.classifiers"


def test_phrases_are_written_out_in_cells(load):
    template, _ = load()
    (acceptable, _) = template.grammars[0].cells
    assert names(acceptable.continuation) == [
        "subject.form", " ", "verb.form", " 了 一 ", "right.form", " ", "noun.form", " 。",
    ]  # fmt: skip


def test_a_bare_where_value_is_a_list_of_one(load, classifier):
    text = classifier.replace("{from: nouns}", "{from: nouns, where: {sort: animal}}")
    assert load(text)[0].grammars[0].slots[2].where == (("sort", frozenset({"animal"})),)


def test_words_that_yaml_would_take_for_truth_values_stay_words(load, classifier):
    tables = {"people": "form  ok\n张  no\n王  yes", "nouns": "form  n\n书  1e3"}
    text = """
uid: t
phenomenon: x
language: zh
design: minimal_pair
about: x
slots: {a: {from: people, where: {ok: [no, yes]}}, b: {from: nouns, where: {n: 1e3}}}
cells: {acceptable: "{a} {b}", unacceptable: "{b} {a}"}
"""
    (grammar,) = load(text, tables)[0].grammars
    assert grammar.slots[0].where == (("ok", frozenset({"no", "yes"})),)
    assert grammar.slots[1].where == (("n", frozenset({"1e3"})),)


VARIANTS = """
variants:
  objects:
    cells: {unacceptable: "{subject} {verb} 一 {wrong} {noun} 。"}
  animals:
    slots: {noun: {from: nouns, where: {sort: animal}}}
    relations: [noun.form != subject.form]
    phrases: {object: "那 {noun}"}
"""


def test_variants_inherit_override_and_extend(load, classifier):
    objects, animals = load(classifier + VARIANTS)[0].grammars
    assert (objects.name, animals.name) == ("objects", "animals")
    assert objects.slots[2].where == ()
    assert animals.slots[2].where == (("sort", frozenset({"animal"})),)
    assert len(objects.relations) == 3
    assert len(animals.relations) == 4
    assert " 了 一 " in names(objects.cells[0].continuation)
    assert " 一 " in names(objects.cells[1].continuation)
    assert " 那 " in names(animals.cells[0].continuation)
    assert " 那 " not in names(objects.cells[0].continuation)


def test_variants_write_the_cells_of_the_first_in_its_order(load, classifier):
    cells = '{unacceptable: "{wrong} {noun}", acceptable: "{right} {noun}"}'
    text = classifier + f"variants: {{one: {{}}, two: {{cells: {cells}}}}}\n"
    one, two = load(text)[0].grammars
    assert [c.name for c in one.cells] == [c.name for c in two.cells]


CROSS = """
uid: crossed
phenomenon: x
language: en
design: interaction
about: x
slots:
  noun: {from: nouns}
cross:
  order:
    base: {first: red, second: blue}
    swapped: {first: blue, second: red}
  construction:
    let_alone: {conjunction: let alone}
    and: {conjunction: and}
cells:
  "{order}_{construction}": "not the {first} {noun} {conjunction} the {second} {noun}."
  "{order}_{construction}_manipulated": "the {first} {noun} {conjunction} the {second} {noun}."
"""


def test_a_crossing_writes_every_cell_once_for_each_combination(load):
    template, _ = load(CROSS)
    assert template.cells == (
        "base_let_alone", "base_let_alone_manipulated", "base_and", "base_and_manipulated",
        "swapped_let_alone", "swapped_let_alone_manipulated", "swapped_and",
        "swapped_and_manipulated",
    )  # fmt: skip
    assert names(template.grammars[0].cells[4].continuation) == [
        "not the blue ", "noun.form", " let alone the red ", "noun.form", ".",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("uid: classifier", "uid: classifer", 2, "uid: 'classifer' must equal the file name"),
        ("language: zh", "language: fr", 4, "language: input should be 'zh' or 'en'"),
        ("language: zh", "langauge: zh", 4, r"langauge: unknown key .*'language'\?"),
        ("about: A", "abuot: A", 2, "about: key 'about' is missing"),
        ("items: 20", "items: 0", 7, "items: input should be greater than or equal to 1"),
        ("items: 20", "items: many", 7, "items: input should be a valid integer"),
        ("{from: people}", "{form: people}", 9, r"slots\.subject\.form: unknown key .*'from'"),
        ("{from: people}", "{from: peple}", 9, r"slots\.subject\.from: unknown table .*'people'\?"),
        ("{from: people}", "people", 9, r"slots\.subject: input should be"),
        (
            "{from: people}",
            "{from: people, where: {gendr: f}}",
            9,
            r"slots\.subject\.where\.gendr: table 'people' has no feature 'gendr'; .*'gender'\?",
        ),
        ("subject:", "2nd:", 9, r"slots\.2nd: a name is letters, digits"),
        (
            "- noun.sort in verb.object",
            "- nuon.sort in verb.object",
            15,
            r"relations\.0: unknown slot 'nuon' .*'noun'\?",
        ),
        (
            "- noun.sort in verb.object",
            "- noun.sorts in verb.object",
            15,
            r"relations\.0: table 'nouns' has no feature 'sorts'; did you mean 'sort'\?",
        ),
        (
            "- noun.sort in verb.object",
            "- noun.sort within verb.object",
            15,
            r"relations\.0: .* is not of the form",
        ),
        (
            'object: "{noun}"',
            'object: "{nuon}"',
            19,
            r"phrases\.object: \{nuon\} is neither a slot nor a phrase; did you mean 'noun'\?",
        ),
        (
            'object: "{noun}"',
            'object: "{object}"',
            19,
            r"phrases\.object: phrases run in a circle: object -> object",
        ),
        (
            'object: "{noun}"',
            'object: "{noun"',
            19,
            r"phrases\.object: a brace without its partner",
        ),
        ('object: "{noun}"', 'noun: "x"', 19, r"phrases\.noun: 'noun' is already the name"),
        ("  acceptable:", "  aceptable:", 21, r"cells\.aceptable: .* did you mean 'acceptable'\?"),
        (
            "{right} {object} 。",
            "{rigth} {object} 。",
            21,
            r"cells\.acceptable: \{rigth\} .*'right'\?",
        ),
        (
            "{right} {object} 。",
            "{right.knd} {object} 。",
            21,
            r"cells\.acceptable: table 'classifiers' has no feature 'knd'; did you mean 'kind'",
        ),
        (
            "exchange: [right, wrong]",
            "exchange: [right]",
            24,
            r"balance\.exchange: list should have",
        ),
        (
            "exchange: [right, wrong]",
            "exchange: [right, wrng]",
            24,
            r"balance\.exchange\.1: unknown slot 'wrng'",
        ),
        ("exchange: [right, wrong]", "even: [noun.srt]", 24, r"balance\.even\.0: .*'sort'\?"),
        ("{noun: noun.form}", "{noun: nuon.form}", 25, r"columns\.noun: unknown slot 'nuon'"),
        (
            "{noun: noun.form}",
            "{edit_good: noun.form}",
            25,
            r"columns\.edit_good: .* is a column of every",
        ),
        ("cluster: noun.form", "cluster: noun.fom", 26, "cluster: table 'nouns' has no feature"),
        (
            "cluster: noun.form",
            "cluster: noun form",
            26,
            r"cluster: .* not of the form slot\.feature",
        ),
    ],
)
def test_a_faulty_template_is_refused_with_line_field_and_nearest_name(
    write, classifier, old, new, line, message
):
    assert old in classifier
    folder = write(None, {"classifier": classifier.replace(old, new, 1)})
    lexicon = load_lexicon(folder / "lexicon")
    with pytest.raises(TemplateError, match=rf"classifier\.yaml, line {line}, .*{message}"):
        load_template(folder / "classifier.yaml", lexicon)


def test_all_faults_of_keys_are_told_at_once(write, classifier):
    text = classifier.replace("about:", "abuot:").replace("items: 20", "items: 0")
    folder = write(None, {"classifier": text})
    with pytest.raises(TemplateError) as caught:
        load_template(folder / "classifier.yaml", load_lexicon(folder / "lexicon"))
    assert len(str(caught.value).splitlines()) == 3


def test_a_value_outside_a_closed_column_is_refused(write, classifier):
    gender = {"about": "g", "values": ["m", "f"]}
    features = {"people": {"about": "p", "columns": {"form": "f", "gender": gender}}}
    text = classifier.replace("{from: people}", "{from: people, where: {gender: [f, n]}}")
    folder = write(None, {"classifier": text}, features)
    with pytest.raises(TemplateError, match=r"where\.gender: 'n' is not a value of people\.gender"):
        load_template(folder / "classifier.yaml", load_lexicon(folder / "lexicon"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("swapped: {first: blue, second: red}", "swapped: {first: blue, secnd: red}",
         r"line 12, cross\.order\.swapped: the phrase 'second' of 'base' is missing; .*'secnd'"),
        ('"{order}_{construction}":', '"{oder}_{construction}":', r"\{oder\} .* 'order'\?"),
        ('"{order}_{construction}":', '"{order}":', r"the cell's name must hold \{construction\}"),
        ('"{order}_{construction}":', '"{order}-{construction}":', r"'base-let_alone' is no name"),
        ('_manipulated"', '_manipulatd"', r"cells: the cell 'base_let_alone' needs a cell "
         "'base_let_alone_manipulated' to compare with"),
        ("first: red, second: blue}\n    swapped: {first: blue", "noun: red, second: blue}\n    "
         "swapped: {noun: blue", r"line 11, cross\.order\.base\.noun: 'noun' is already the name"),
        ("let_alone: {conjunction: let alone}\n    and", "let_alone: {}\n    and",
         r"\{conjunction\} is neither a slot nor a phrase"),
    ],
)  # fmt: skip
def test_a_faulty_crossing_is_refused(write, old, new, message):
    assert old in CROSS
    text = CROSS.replace(old, new, 1)
    folder = write(None, {"crossed": text})
    with pytest.raises(TemplateError, match=r"crossed\.yaml, .*" + message):
        load_template(folder / "crossed.yaml", load_lexicon(folder / "lexicon"))


def test_a_cell_without_text_is_refused(write, classifier):
    text = classifier.replace('"{subject} {verb} 了 一 {right} {object} 。"', '" "')
    folder = write(None, {"classifier": text})
    with pytest.raises(
        TemplateError, match=r"cells\.acceptable: the cell 'acceptable' has no text"
    ):
        load_template(folder / "classifier.yaml", load_lexicon(folder / "lexicon"))


@pytest.mark.parametrize(
    ("variants", "message"),
    [
        (
            "{a: {}, b: {columns: {other: noun.form}}}",
            r"variants\.b\.columns: the columns noun, other",
        ),
        ("{a: {}, b: {cells: {acceptable: {context: x, continuation: y}}}}", r"variants\.b\.cells"),
        ("{a: {slots: {noun: {from: nuons}}}}", r"variants\.a\.slots\.noun\.from: unknown table"),
        ("{a: {relation: []}}", r"variants\.a\.relation: unknown key .* 'relations'\?"),
        ("{a: {relations: [x.y in z.w]}}", r"variants\.a\.relations\.0: unknown slot 'x'"),
    ],
)
def test_a_faulty_variant_is_refused(write, classifier, variants, message):
    folder = write(None, {"classifier": classifier + f"variants: {variants}\n"})
    with pytest.raises(TemplateError, match=message):
        load_template(folder / "classifier.yaml", load_lexicon(folder / "lexicon"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("uid: a\nuid: b\n", r"line 2: key 'uid' stands here and on line 1"),
        ("uid: !!binary aGk=\n", r"line 1: the tag .* is not allowed"),
        ("uid: &a [*a]\n", r"line 1: an alias refers to itself"),
        ("a: &a x\nb: [" + "*a, " * 21 + "x]\n", r"line 2: more than 20 aliases"),
        ("uid: [\n", r"line \d: not YAML"),
        ("uid: a\n--- \nuid: b\n", r"line \d: not YAML"),
        ("uid: a\nb: \x01\n", r"line 2: holds an unprintable character"),
        ("[" * 5000, r"line 1: nested more than 20 levels deep"),
        ("? [a]\n: b\n", r"line 1: a key must be a plain word"),
        ("- a\n", r"line 1: input should be"),
    ],
)
def test_a_file_that_is_not_plain_yaml_is_refused(write, text, message):
    folder = write(None, {"t": text})
    with pytest.raises(TemplateError, match=r"t\.yaml, " + message):
        load_template(folder / "t.yaml", load_lexicon(folder / "lexicon"))
