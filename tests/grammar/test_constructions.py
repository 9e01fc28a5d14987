"""Other constructions: the same items with other words in one place."""

import pytest

from minpairs.errors import TemplateError
from minpairs.grammar import draw, generate
from minpairs.grammar._generate import load_benchmark
from minpairs.grammar.checks import check

TEMPLATE = """
uid: npi
phenomenon: x
language: en
design: interaction
about: x
items: 4
slots: {noun: {from: nouns}}
cross:
  construction:
    and: {conjunction: and}
    let_alone: {conjunction: let alone}
cells:
  "{construction}": "No {noun} {conjunction} two."
  "{construction}_manipulated": "One {noun} {conjunction} two."
"""
CONSTRUCTIONS = """
let_alone: {text: let alone, about: Itself.}
much_less: {text: much less, about: A relative., expected: {npi: rejected}}
"""
TABLES = {"nouns": "form  sort\n" + "".join(f"n{i}  x\n" for i in range(9))}


@pytest.fixture
def folder(write):
    """A benchmark of one template in two constructions."""
    folder = write(TABLES, {"npi": TEMPLATE})
    (folder / "constructions.yaml").write_text(CONSTRUCTIONS)
    return folder


def change(folder, name, old, new):
    path = folder / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_each_construction_is_a_paradigm_with_the_same_items(folder):
    tables = generate(folder)
    assert list(tables) == ["npi", "npi.much_less"]
    for row, other in zip(*(table.to_pylist() for table in tables.values()), strict=True):
        assert other["much_less"] == row["let_alone"].replace("let alone", "much less")
        assert other["much_less_manipulated"].startswith("One n")
        assert other["and"] == row["and"]


def test_the_cells_keep_their_order(folder):
    names = generate(folder)["npi.much_less"].column_names
    assert names == ["item_id", "and", "and_manipulated", "much_less", "much_less_manipulated"]


def test_one_construction_can_be_chosen(folder):
    chosen = generate(folder, ["npi.much_less"])
    assert list(chosen) == ["npi.much_less"]
    assert chosen["npi.much_less"].equals(generate(folder)["npi.much_less"])


def test_items_are_drawn_once_for_all_constructions(folder, monkeypatch):
    drawn = []

    def watched(template, *arguments):
        drawn.append(template.uid)
        return draw(template, *arguments)

    monkeypatch.setattr("minpairs.grammar._generate.draw", watched)
    generate(folder)
    assert drawn == ["npi"]


def test_the_description_says_what_is_expected(folder):
    _, other = load_benchmark(folder)[0]
    assert other.about == (
        "The items of `npi`, with *much less* for *let alone*; "
        "expected of the manipulation: rejected."
    )


def test_a_template_that_crosses_no_construction_has_none(folder):
    text = TEMPLATE.replace("uid: npi", "uid: vp").replace("construction", "conjunct")
    (folder / "vp.yaml").write_text(text)
    assert list(generate(folder)) == ["npi", "vp", "npi.much_less"]


def test_a_misspelt_construction_is_an_error_with_the_nearest(folder):
    with pytest.raises(TemplateError, match=r"'npi.much_les'; did you mean 'npi.much_less'\?"):
        generate(folder, ["npi.much_les"])


def test_a_first_construction_that_is_no_choice_is_an_error_with_the_nearest(folder):
    change(folder, "constructions.yaml", "let_alone:", "letalone:")
    message = (
        r"npi.yaml, line 10, cross.construction: constructions.yaml begins with 'letalone', "
        r"which is no choice here; did you mean 'let_alone'\?"
    )
    with pytest.raises(TemplateError, match=message):
        generate(folder)
    assert "no choice here" in check(folder).problems[0]


def test_a_text_that_the_template_does_not_have_is_an_error(folder):
    change(folder, "npi.yaml", "conjunction: let alone", "conjunction: leave alone")
    with pytest.raises(TemplateError, match=r"let_alone: one phrase must be 'let alone'"):
        generate(folder)


def test_an_expectation_of_no_template_is_an_error_with_the_nearest(folder):
    change(folder, "constructions.yaml", "{npi: rejected}", "{npl: rejected}")
    with pytest.raises(
        TemplateError,
        match=r"constructions.yaml, line 3, much_less.expected.npl: no template 'npl'; did you",
    ):
        generate(folder)


def test_an_unknown_key_of_a_construction_is_an_error(folder):
    change(folder, "constructions.yaml", "about: A relative.", "abuot: A relative.")
    with pytest.raises(TemplateError, match=r"constructions.yaml, line 3, much_less"):
        generate(folder)
