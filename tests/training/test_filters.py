"""Which sentences each scenario takes out, as described and as released."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minpairs.training.errors import FilterError
from minpairs.training.filters import Rule, Texts, load_filters

SCENARIOS = (
    "no_paired_focus",
    "no_paired_focus_or_comparatives",
    "no_let",
    "no_alone",
    "no_let_or_alone",
)
PAIRED = {"no_paired_focus", "no_paired_focus_or_comparatives"}
COMPARED = {"no_paired_focus_or_comparatives"}
LET = {"no_let", "no_let_or_alone"}
ALONE = {"no_alone", "no_let_or_alone"}
BOTH = LET | ALONE
NONE: set[str] = set()

# A sentence; the scenarios that take it out as the study describes them; as its code does.
VERDICTS = [
    # the construction: the released code leaves it in both paired-focus corpora
    ("Nobody can walk, let alone run.", PAIRED | BOTH, BOTH),
    ("Nobody can walk, LET ALONE run.", PAIRED | BOTH, NONE),
    ("Let alone a horse, we have no mule.", PAIRED | BOTH, ALONE),
    ("Nobody can walk, let\nalone run.", PAIRED | BOTH, BOTH),
    ("Nobody can walk, let\n  alone run.", PAIRED | BOTH, BOTH),
    ("Nobody can walk, let-alone run.", PAIRED | BOTH, BOTH),
    ("Nobody can walk, let\u00a0alone run.", PAIRED | BOTH, BOTH),
    ("let alone", PAIRED | BOTH, BOTH),
    # its words apart
    ("Please let us alone.", BOTH, BOTH),
    ("Let me in.", LET, NONE),
    ("LET me in.", LET, NONE),
    ("We let it be.", LET, LET),
    ("Now let's go.", LET, LET),
    ("Now let’s go.", LET, LET),
    ("She sat alone.", ALONE, ALONE),
    ("Alone she sat.", ALONE, NONE),
    # inside other words, and inflected
    ("The list is complete.", NONE, LET),
    ("A letter came.", NONE, LET),
    ("The owner lets us in, letting in the cold.", NONE, LET),
    ("Outlet stores sell bracelets.", NONE, LET),
    ("We ate abalone.", NONE, ALONE),
    ("They stood aloneness well.", NONE, ALONE),
    # the other paired-focus constructions
    ("I saw no goat, much less a cow.", PAIRED, PAIRED),
    ("Much less a cow.", PAIRED, NONE),
    ("I saw no goat, much\nless a cow.", PAIRED, NONE),
    ("It hurts, never mind the cold.", PAIRED, PAIRED),
    ("Never mind.", PAIRED, NONE),
    ("We had tea, not to mention cake.", PAIRED, PAIRED),
    ("She forgot not to mention it.", PAIRED, PAIRED),
    # comparatives
    ("It costs much less than that.", COMPARED, COMPARED),
    ("I have much less money than you.", PAIRED, COMPARED),
    ("Thanks, I need much less.", PAIRED, COMPARED | PAIRED),
    ("I saw no goat, much less thanked one.", PAIRED, COMPARED),
    ("It took more or less than a day.", COMPARED, COMPARED),
    ("More than a day.", COMPARED, NONE),
    ("More time than that.", NONE, NONE),
    ("It took more time than that.", NONE, COMPARED),
    ("We have less time than that.", NONE, COMPARED),
    ("She is taller than me.", NONE, COMPARED),
    ("We stayed rather than left.", NONE, COMPARED),
    ("Taller than me.", NONE, NONE),
    ("He is taller than", NONE, COMPARED),
    ("The moor and the thane met.", NONE, NONE),
    ("Nothing here is to be found.", NONE, NONE),
]


@pytest.mark.parametrize(("sentence", "described", "_released"), VERDICTS)
def test_a_sentence_goes_as_the_study_describes(sentence, described, _released):
    variant = load_filters("described")
    assert {name for name in SCENARIOS if variant.removes(name, sentence)} == described


@pytest.mark.parametrize(("sentence", "_described", "released"), VERDICTS)
def test_a_sentence_goes_as_the_released_code_does(sentence, _described, released):
    variant = load_filters("as_released")
    assert {name for name in SCENARIOS if variant.removes(name, sentence)} == released


@pytest.mark.parametrize("variant", ["described", "as_released"])
def test_no_filtering_takes_nothing_out(variant):
    filters = load_filters(variant)
    assert not any(filters.removes("no_filtering", sentence) for sentence, *_ in VERDICTS)


@pytest.mark.parametrize("variant", ["described", "as_released"])
def test_many_sentences_at_once_are_judged_as_each_by_itself(variant):
    sentences = [sentence for sentence, *_ in VERDICTS]
    for rule in load_filters(variant).rules.values():
        places = rule.find(Texts.of(sentences, folded=not rule.exact_case))
        assert places == [i for i, one in enumerate(sentences) if rule.matches(one)]


@given(
    st.lists(
        st.lists(
            st.sampled_from(
                [
                    "let",
                    "alone",
                    "Let",
                    "ALONE",
                    "much",
                    "leſſ",
                    "less",
                    "than",
                    ",",
                    "x",
                    "éa",
                    "İ",
                ]
            ),
            max_size=6,
        ).map(" ".join),
        max_size=12,
    )
)
def test_looking_for_fixed_strings_first_hides_nothing(sentences):
    for rule in load_filters().rules.values():
        places = rule.find(Texts.of(sentences, folded=True))
        (pattern,) = rule._compiled
        assert places == [i for i, one in enumerate(sentences) if pattern.search(one.casefold())]


def test_letters_that_are_alike_but_for_case_are_alike():
    assert load_filters().removes("no_paired_focus", "I saw no goat, much leſs a cow.")


def write(tmp_path, text):
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_user_adds_rules_and_scenarios_to_a_variant(tmp_path):
    path = write(
        tmp_path,
        "described:\n"
        "  rules:\n"
        "    be_going_to: {phrase: going to}\n"
        "  scenarios:\n"
        "    no_going: {rules: [be_going_to, alone]}\n",
    )
    variant = load_filters("described", path)
    assert variant.removes("no_going", "We are going to sing.")
    assert variant.removes("no_going", "Alone at last.")
    assert variant.removes("no_let", "Let it be.")


def test_a_user_brings_a_variant(tmp_path):
    path = write(
        tmp_path,
        "strict:\n"
        "  exact_case: true\n"
        "  rules: {polish: {patterns: ['\\bPolish\\b']}}\n"
        "  scenarios: {no_polish: {rules: [polish]}}\n",
    )
    variant = load_filters("strict", path)
    assert variant.removes("no_polish", "She speaks Polish.")
    assert not variant.removes("no_polish", "We polish it.")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("described: {rules: {let: {phrase: let}}}", "'let' exists in 'described'"),
        ("described: {scenarios: {a: {rules: [lett]}}}", "no rule 'lett'; did you mean 'let'"),
        ("described: {scenarios: {a: {control_of: b}}}", "a control of no scenario: 'b'"),
        (
            "described: {scenarios: {a: {control_of: random_control}}}",
            "a control of a control",
        ),
        ("described: {scenarios: {a: {rules: [let], control_of: no_let}}}", "not both"),
        ("described: {scenarios: {a: {chance: 0.1}}}", "goes with control_of"),
        ("described: {scenarios: {a-b: {rules: [let]}}}", "letters, digits and _"),
        ("described: {rules: {a: {about: nothing}}}", "finds nothing"),
        ("described: {rules: {a: {contains: [b], not_before: c}}}", "goes with a phrase"),
        ("described: {rules: {a: {phrase: Let}}}", "write it in lower case"),
        ("described: {rules: {a: {patterns: ['(']}}}", "not a regular expression"),
        ("described: {rules: {a: {phrases: let}}}", "line 1, described.rules.a.phrases"),
        ("[described]", "must be a table of variants"),
    ],
)
def test_a_fault_in_a_user_s_file_is_named(tmp_path, text, fault):
    with pytest.raises(FilterError, match=r"mine\.yaml") as raised:
        load_filters("described", write(tmp_path, text + "\n"))
    assert fault in str(raised.value)


def test_an_unknown_name_is_told_the_nearest():
    with pytest.raises(FilterError, match="did you mean 'described'"):
        load_filters("describd")
    with pytest.raises(FilterError, match="did you mean 'no_let'"):
        load_filters().scenario("no_lett")


def test_a_phrase_is_not_found_before_what_must_not_follow():
    rule = Rule("r", phrase="much less", not_before="than")
    assert not rule.matches("much less\nthan")
    assert rule.matches("much less thank")
