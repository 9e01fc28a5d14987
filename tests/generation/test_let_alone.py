"""The let-alone grammars: eight cells that differ where the design says, and nowhere else."""

import csv
import re
import shutil
from collections import Counter
from functools import cache
from itertools import groupby, product
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from minpairs.grammar import draw, generate, load_lexicon, load_template, rows

FOLDER = Path(__file__).parents[2] / "generation" / "let_alone"
FORMAL = ("npi", "clause", "cleft", "vp", "gap")
ORDERS = ("base", "swapped")
CONJUNCTIONS = {"let_alone": "let alone", "and": "and"}
SEVENTEEN = 17  # scales

seeds = st.integers(0, 9)  # few, so that the tests share what was drawn
few = settings(max_examples=6, deadline=None)


@cache
def lexicon():
    return load_lexicon(FOLDER / "lexicon")


@cache
def items(uid, seed=0, n=SEVENTEEN * 2):
    template = load_template(FOLDER / f"{uid}.yaml", lexicon())
    return tuple(rows(template, draw(template, lexicon(), n, seed)).to_pylist())


@cache
def table(name):
    lines = (FOLDER / "lexicon" / f"{name}.tsv").read_text("utf-8").splitlines()
    rows = csv.DictReader(
        (line for line in lines if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE
    )
    return {row["form"]: row for row in rows}


def values(row, column):
    return set(row[column].split("|"))


def phrases(item, order):
    """The two focus phrases in order of mention."""
    pair = [f"{item[modifier]} {item['noun']}" for modifier in ("first", "second")]
    return pair if order == "base" else pair[::-1]


def negated(item):
    """The negated modals that the item may have, by its metadata."""
    return [
        row["form"]
        for row in table("modals").values()
        if row["affirmative"] == item["modal"] and row["negation"] == item["negation"]
    ]


def capital(text):
    return text[0].upper() + text[1:]


def texts(item):
    """Every whole text of an item, by cell."""
    cells = product(ORDERS, CONJUNCTIONS, ("", "_manipulated"))
    names = [f"{order}_{conjunction}{manipulated}" for order, conjunction, manipulated in cells]
    return {
        name: item[name] if name in item else item[f"{name}_context"] + item[f"{name}_continuation"]
        for name in names
    }


def parts(item, order, conjunction):
    """The base cell, and its pieces by which the manipulations are told."""
    earlier, later = phrases(item, order)
    (modal,) = negated(item)
    subject, verb = item["subject"], item["verb_phrase"]
    joined = f"the {earlier} {CONJUNCTIONS[conjunction]} the {later}"
    return earlier, later, modal, subject, verb, joined


# --- the eight cells -----------------------------------------------------------------------------


@pytest.mark.parametrize("uid", [*FORMAL, "scalar"])
@few
@given(seed=seeds)
def test_base_cell_is_subject_negated_modal_verb_phrase_and_the_two_focus_phrases(uid, seed):
    for item in items(uid, seed):
        for order, conjunction in product(ORDERS, CONJUNCTIONS):
            _, _, modal, subject, verb, joined = parts(item, order, conjunction)
            cell = f"{order}_{conjunction}"
            text = item[cell] if uid in FORMAL else item[f"{cell}_context"]
            assert text == capital(f"{subject} {modal} {verb} {joined}.")


def npi(item, order, conjunction):
    _, _, _, subject, verb, joined = parts(item, order, conjunction)
    return f"{subject} {item['modal']} {verb} {joined}."


def clause(item, order, conjunction):
    earlier, later, modal, subject, verb, _ = parts(item, order, conjunction)
    again = table("subjects")[subject]["again"]
    second = f"{again} {modal} {verb} the {later}"
    return f"{subject} {modal} {verb} the {earlier} {CONJUNCTIONS[conjunction]} {second}."


def cleft(item, order, conjunction):
    _, _, modal, subject, verb, joined = parts(item, order, conjunction)
    return f"It {table('modals')[modal]['cleft']} {joined} that {subject} {modal} {verb}."


def vp(item, order, conjunction):
    earlier, later, modal, subject, verb, _ = parts(item, order, conjunction)
    conjunction = CONJUNCTIONS[conjunction]
    return f"{subject} {modal} {verb} the {earlier} {conjunction} {verb} the {later}."


def gap(item, order, conjunction):
    earlier, later, modal, subject, verb, _ = parts(item, order, conjunction)
    other, remnant = table("subjects")[subject]["other"], table("verb_phrases")[verb]["remnant"]
    conjunction = CONJUNCTIONS[conjunction]
    return f"{subject} {modal} {verb} the {earlier} {conjunction} {other} {remnant} {later}."


@pytest.mark.parametrize("manipulation", [npi, clause, cleft, vp, gap], ids=FORMAL)
@few
@given(seed=seeds)
def test_manipulated_cell_differs_from_the_base_cell_by_the_manipulation_alone(manipulation, seed):
    for item in items(manipulation.__name__, seed):
        for order, conjunction in product(ORDERS, CONJUNCTIONS):
            expected = capital(manipulation(item, order, conjunction))
            assert item[f"{order}_{conjunction}_manipulated"] == expected
            assert item[f"{order}_{conjunction}"] != expected


@few
@given(seed=seeds)
def test_scalar_manipulation_keeps_the_context_and_exchanges_the_phrases_of_the_follow_up(seed):
    for item in items("scalar", seed):
        for order, conjunction in product(ORDERS, CONJUNCTIONS):
            cell, (earlier, later) = f"{order}_{conjunction}", phrases(item, order)
            assert item[f"{cell}_manipulated_context"] == item[f"{cell}_context"]
            fits, contradicts = (
                item[f"{name}_continuation"] for name in (cell, f"{cell}_manipulated")
            )
            be = table("nouns")[item["noun"]]["be"]
            told = [
                f" The {a} {be} {item['comparative']} than the {b}."
                for a, b in ((earlier, later), (later, earlier))
            ]
            assert sorted([fits, contradicts]) == sorted(told)


@pytest.mark.parametrize("uid", [*FORMAL, "scalar"])
@few
@given(seed=seeds)
def test_control_cells_have_and_for_let_alone_and_the_same_follow_up(uid, seed):
    for item in items(uid, seed):
        cells = texts(item)
        for order, manipulated in product(ORDERS, ("", "_manipulated")):
            construction = cells[f"{order}_let_alone{manipulated}"]
            assert construction.count(" let alone ") == 1
            control = construction.replace(" let alone ", " and ")
            assert cells[f"{order}_and{manipulated}"] == control


@pytest.mark.parametrize("uid", [*FORMAL, "scalar"])
@few
@given(seed=seeds)
def test_swapped_cells_are_the_base_cells_with_the_two_phrases_exchanged(uid, seed):
    for item in items(uid, seed):
        cells = texts(item)
        one, two = phrases(item, "base")
        for conjunction, manipulated in product(CONJUNCTIONS, ("", "_manipulated")):
            base = cells[f"base_{conjunction}{manipulated}"]
            other = {one: two, two: one}
            exchanged = re.sub(f"{one}|{two}", lambda found, other=other: other[found[0]], base)
            assert cells[f"swapped_{conjunction}{manipulated}"] == exchanged


@pytest.mark.parametrize("uid", [*FORMAL, "scalar"])
@few
@given(seed=seeds)
def test_punctuation_is_the_same_in_all_cells(uid, seed):
    stops = 1 if uid in FORMAL else 2
    for item in items(uid, seed):
        for text in texts(item).values():
            # the apostrophe of a contraction belongs to the negation, which npi takes away
            assert re.sub(r"[\w\s'-]", "", text) == "." * stops
            assert text.endswith(".")
            assert "  " not in text


@pytest.mark.parametrize("uid", [*FORMAL, "scalar"])
def test_comma_before_the_conjunction_is_one_line_and_stands_in_every_cell(uid, tmp_path):
    shutil.copytree(FOLDER, tmp_path / "let_alone")
    template = tmp_path / "let_alone" / f"{uid}.yaml"
    template.write_text(template.read_text("utf-8").replace('comma: ""', 'comma: ","'), "utf-8")
    with_comma = generate(tmp_path / "let_alone", [uid], n=SEVENTEEN)[uid].to_pylist()
    for item, plain in zip(with_comma, items(uid, n=SEVENTEEN), strict=True):
        for name, text in texts(item).items():
            assert text.count(",") == 1
            assert re.search(r", (let alone|and) ", text)
            assert text.replace(",", "") == texts(plain)[name]


# --- items ---------------------------------------------------------------------------------------


@few
@given(seed=seeds)
def test_formal_suites_share_their_items_and_base_cells(seed):
    shared = [
        [
            {key: value for key, value in item.items() if not key.endswith("_manipulated")}
            for item in items(uid, seed)
        ]
        for uid in FORMAL
    ]
    assert all(suite == shared[0] for suite in shared)
    base_cells = {f"{order}_{conjunction}" for order, conjunction in product(ORDERS, CONJUNCTIONS)}
    assert base_cells <= set(shared[0][0])


@pytest.mark.parametrize("uid", [*FORMAL, "scalar"])
@few
@given(seed=seeds)
def test_items_are_spread_evenly_over_the_seventeen_scales(uid, seed):
    counts = Counter(item["scale"] for item in items(uid, seed))
    assert len(counts) == SEVENTEEN
    assert set(counts.values()) == {2}


@few
@given(seed=seeds)
def test_scalar_follow_up_names_either_phrase_equally_often(seed):
    assert Counter(item["higher"] for item in items("scalar", seed)) == {"first": 17, "second": 17}


@pytest.mark.parametrize(("uid", "size"), [("npi", 5217), ("scalar", 16887)])
def test_grammar_yields_the_published_number_of_items_without_repeating_one(uid, size):
    drawn = items(uid, n=None)
    assert len(drawn) == size
    assert len({tuple(sorted(texts(item).values())) for item in drawn}) == size
    counts = Counter(item["scale"] for item in drawn)
    assert max(counts.values()) - min(counts.values()) <= 1


def frames(uid, *columns):
    """Neighbouring items that agree in the columns: what they agree in, and how many they are."""
    agree = groupby(tuple(item[column] for column in columns) for item in items(uid, n=None))
    return [(frame, len(list(group))) for frame, group in agree]


FRAME = ("subject", "modal", "negation", "verb_phrase", "noun")


def test_ten_items_in_a_row_share_their_frame_and_no_frame_comes_again():
    runs = frames("npi", *FRAME)
    assert len({frame for frame, _ in runs}) == len(runs)
    counts = Counter(size for _, size in runs)
    assert max(counts) == 10
    assert counts[10] > 0.9 * len(runs)


def test_a_context_of_scalar_is_followed_by_several_comparatives():
    contexts = Counter(item["base_let_alone_context"] for item in items("scalar", n=None))
    assert max(contexts.values()) <= 6
    assert 16887 / len(contexts) > 3


def test_orientation_is_even_within_each_scale():
    counts = Counter((item["scale"], item["higher"]) for item in items("scalar", n=None))
    assert len(counts) == 2 * SEVENTEEN
    assert max(counts.values()) - min(counts.values()) <= 1


# --- agreement -----------------------------------------------------------------------------------

SINGULAR_IN_S = {"bus", "dress", "mattress", "necklace", "canvas", "bus stop"}


def test_nouns_in_the_plural_take_are_and_others_take_is():
    for form, row in table("nouns").items():
        plural = form.endswith("s") and form not in SINGULAR_IN_S
        assert row["be"] == ("are" if plural else "is"), form


@few
@given(seed=seeds)
def test_was_and_were_agree_with_the_subject(seed):
    plural = {"you", "we", "they", "the children", "the twins", "my parents", "the students"}
    plural |= {"the tourists", "our cousins"}
    for item in items("clause", seed):
        text = item["base_let_alone_manipulated"]
        wrong = r"\b(was|wasn't)\b" if item["subject"] in plural else r"\b(were|weren't)\b"
        assert not re.search(wrong, text)


def test_second_subject_of_gapping_is_another_person_in_a_form_without_case():
    for form, row in table("subjects").items():
        assert row["other"] not in {form, row["again"], "I", "he", "she", "we", "they"}


# --- orientation ---------------------------------------------------------------------------------

# what is said of the thing named after "let alone", checked by hand, one verb phrase a domain
SECOND_IS = {
    "afford": {"more expensive", "pricier", "costlier"},
    "lift": {"heavier", "weightier"},
    "push": {"heavier", "weightier"},
    "jump over": {"taller", "higher"},
    "see over": {"taller", "higher"},
    "climb": {"taller", "higher"},
    "reach": {"farther away", "further away", "more distant"},
    "walk to": {"farther away", "further away", "farther off", "more distant", "more remote"},
    "swim to": {"farther away", "further away", "more distant"},
    "overtake": {"faster", "quicker", "swifter", "speedier"},
    "outrun": {"faster", "quicker", "swifter", "speedier"},
    "get away from": {"faster", "quicker", "swifter", "speedier"},
    "touch": {"hotter", "warmer"},
    "sit next to": {"hotter", "warmer"},
    "sip": {"hotter"},
    "fit into": {"smaller", "snugger", "tinier"},
    "hide inside": {"smaller", "more cramped"},
    "swallow": {"bigger", "larger"},
    "finish": {"bigger", "larger", "more filling"},
    "squeeze through": {"narrower", "smaller"},
    "jump across": {"wider", "broader"},
    "reach around": {"wider", "broader", "thicker"},
    "memorize": {"longer", "lengthier", "thicker"},
    "reach the bottom of": {"deeper"},
    "sleep through": {"louder", "noisier"},
    "hear": {"quieter", "less loud", "less noisy"},
    "look at": {"brighter", "more powerful"},
    "read by": {"dimmer", "weaker", "less bright", "less powerful"},
    "tear apart": {"stronger", "tougher", "thicker"},
    "bend": {"stronger", "tougher", "thicker", "sturdier"},
    "unscrew": {"tighter", "stiffer"},
    "twist open": {"tighter", "stiffer"},
    "untie": {"tighter"},
    "walk up": {"steeper"},
    "eat": {"hotter", "spicier", "more fiery"},
}


def test_fitting_follow_up_puts_the_second_phrase_further_towards_the_harder_pole():
    seen = set()
    for item in items("scalar", n=None):
        harder = SECOND_IS.get(item["verb_phrase"])
        if harder is None:
            continue
        seen.add(item["verb_phrase"])
        for order in ORDERS:
            earlier, later = phrases(item, order)
            subject = later if item["comparative"] in harder else earlier
            fits = item[f"{order}_let_alone_continuation"]
            assert fits.startswith(f" The {subject} "), (item["verb_phrase"], fits)
            assert item["higher"] == ("second" if item["comparative"] in harder else "first")
    assert seen == set(SECOND_IS)


def test_hand_checked_verb_phrases_cover_every_domain():
    covered = set().union(*(values(table("verb_phrases")[verb], "domains") for verb in SECOND_IS))
    assert covered == set().union(*(values(row, "domains") for row in table("nouns").values()))


def test_every_domain_lies_on_one_scale():
    scales: dict[str, set[str]] = {}
    for row in table("verb_phrases").values():
        for domain in values(row, "domains"):
            scales.setdefault(domain, set()).add(row["scale"])
    assert all(len(found) == 1 for found in scales.values()), scales


def test_noun_verb_phrase_and_comparative_that_stand_together_share_a_domain():
    nouns, verbs, comparatives = (
        {frozenset(values(row, "domains")) for row in table(name).values()}
        for name in ("nouns", "verb_phrases", "comparatives")
    )
    for noun, verb, comparative in product(nouns, verbs, comparatives):
        if noun & verb and verb & comparative and noun & comparative:
            assert noun & verb & comparative


def test_modifiers_of_a_noun_that_stand_together_are_of_one_kind_natural_with_it():
    for noun in table("nouns").values():
        palettes = values(noun, "palettes")
        fitting = [m for m in table("modifiers").values() if values(m, "palettes") & palettes]
        for one, two in product(fitting, fitting):
            shared = values(one, "palettes") & values(two, "palettes")
            assert not shared or shared & palettes, (noun, one, two)


# --- the lexicon and the other constructions -----------------------------------------------------


@pytest.mark.parametrize(
    ("name", "least"),
    [("nouns", 150), ("verb_phrases", 30), ("comparatives", 30), ("modifiers", 15)],
)
def test_lexicon_is_larger_than_the_published_one(name, least):
    assert len(table(name)) >= least


def test_constructions_say_their_text_and_what_is_expected_of_every_suite():
    document = yaml.safe_load((FOLDER / "constructions.yaml").read_text("utf-8"))
    assert list(document) == ["let_alone", "much_less", "never_mind", "not_to_mention"]
    for name, body in document.items():
        assert body["text"] == name.replace("_", " ")
        assert body["about"]
        assert set(body["expected"]) == {*FORMAL, "scalar"}
        assert set(body["expected"].values()) <= {"rejected", "accepted", "open", "contradicts"}


@pytest.mark.parametrize("uid", [*FORMAL, "scalar"])
def test_templates_take_let_alone_from_the_constructions(uid):
    document = yaml.safe_load((FOLDER / "constructions.yaml").read_text("utf-8"))
    template = yaml.safe_load((FOLDER / f"{uid}.yaml").read_text("utf-8"))
    conjunction = template["cross"]["construction"]["let_alone"]["conjunction"]
    assert conjunction == document["let_alone"]["text"]
