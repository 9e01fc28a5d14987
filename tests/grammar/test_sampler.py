import os
import random
import re
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minpairs.errors import GrammarTooSmallError, LexiconError, TemplateError
from minpairs.grammar import draw, generate, sampler


def texts(items, name):
    return [item.cells[name].text for item in items]


def form(items, slot):
    return [item.assignment[slot].form for item in items]


def test_the_items_satisfy_the_relations(load):
    for item in draw(*load(), 40):
        noun, verb = item.assignment["noun"].features, item.assignment["verb"].features
        assert noun["sort"] & verb["object"]
        assert item.assignment["right"].form in noun["classifiers"]
        assert item.assignment["wrong"].form not in noun["classifiers"]


def test_no_sentence_is_used_twice_on_any_side(load):
    items = draw(*load(), 60)
    sentences = texts(items, "acceptable") + texts(items, "unacceptable")
    assert len(set(sentences)) == 120


def test_a_seed_gives_the_same_items_and_another_seed_others(load):
    template, lexicon = load()
    first, again, other = (texts(draw(template, lexicon, 20, s), "acceptable") for s in (1, 1, 2))
    assert first == again
    assert first != other


def test_more_items_begin_with_the_same_ones(load):
    template, lexicon = load()
    assert texts(draw(template, lexicon, 30), "acceptable")[:10] == texts(
        draw(template, lexicon, 10), "acceptable"
    )


def test_the_order_of_rows_and_columns_does_not_matter(load, classifier, tables):
    expected = texts(draw(*load(classifier, tables), 30), "acceptable")
    for name, text in tables.items():
        header, *rows = text.splitlines()
        random.Random(1).shuffle(rows)
        cells = [row.split("\t") for row in (header, *rows)]
        tables[name] = "\n".join("\t".join((row[0], *row[:0:-1])) for row in cells) + "\n"
    assert texts(draw(*load(classifier, tables), 30), "acceptable") == expected


def test_the_hash_seed_of_python_does_not_matter(write):
    folder = write()
    code = (
        "import sys; from minpairs.grammar import generate; "
        "print(generate(sys.argv[1], n=30)['classifier'].to_pylist())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code, str(folder)],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(outputs) == 1
    assert outputs.pop() == f"{generate(folder, n=30)['classifier'].to_pylist()}\n"


def test_exchange_uses_each_pair_both_ways(load):
    items = draw(*load(), 60)
    pairs = Counter(zip(form(items, "right"), form(items, "wrong"), strict=True))
    assert all(pairs[(a, b)] == pairs[(b, a)] for a, b in pairs)
    assert Counter(form(items, "right")) == Counter(form(items, "wrong"))


def test_exchange_leaves_one_pair_over_when_n_is_odd(load):
    items = draw(*load(), 31)
    pairs = Counter(zip(form(items, "right"), form(items, "wrong"), strict=True))
    assert sum(abs(pairs[(a, b)] - pairs[(b, a)]) for a, b in pairs) == 2


def test_exchange_spreads_over_the_pairs(load):
    items = draw(*load(), 36)
    pairs = Counter(map(frozenset, zip(form(items, "right"), form(items, "wrong"), strict=True)))
    assert len(pairs) == 6  # of four classifiers
    assert set(pairs.values()) == {6}


EVEN = """
uid: even
phenomenon: x
language: en
design: minimal_pair
about: x
slots:
  noun: {from: nouns}
  tone: {from: tones}
cells: {acceptable: "{noun} {tone}.", unacceptable: "{tone} {noun}."}
balance: {even: [noun.sort]}
"""
EVEN_TABLES = {
    "nouns": "form  sort\nant  small\nbee  small\ncow  big\nelk  big\nfox  big|red\n",
    "tones": "form  kind\n" + "".join(f"t{i}  x\n" for i in range(6)),
}


def test_even_gives_each_value_as_many_items(load):
    items = draw(*load(EVEN, EVEN_TABLES), 18)
    sorts = Counter("|".join(sorted(item.assignment["noun"].features["sort"])) for item in items)
    assert sorts == {"small": 6, "big": 6, "big|red": 6}


def test_even_fills_up_from_the_others_when_a_value_has_no_more(load):
    items = draw(*load(EVEN, EVEN_TABLES), 26)
    sorts = Counter("|".join(sorted(item.assignment["noun"].features["sort"])) for item in items)
    assert sorts == {"small": 10, "big": 10, "big|red": 6}


def test_even_over_two_features_balances_their_combinations(load):
    text = EVEN.replace("[noun.sort]", "[noun.sort, tone.form]")
    items = draw(*load(text, EVEN_TABLES), 18)
    cells = Counter(
        (i.assignment["noun"].features["sort"], i.assignment["tone"].form) for i in items
    )
    assert set(cells.values()) == {1}
    assert len(cells) == 18


def test_even_and_exchange_hold_together(load, classifier):
    text = classifier.replace(
        "exchange: [right, wrong]", "exchange: [right, wrong]\n  even: [subject.gender]"
    )
    items = draw(*load(text), 36)
    assert Counter(form(items, "right")) == Counter(form(items, "wrong"))
    genders = Counter(item.assignment["subject"].features["gender"] for item in items)
    assert set(genders.values()) == {12}


def test_the_whole_grammar_can_be_drawn(load):
    items = draw(*load(EVEN.replace("balance: {even: [noun.sort]}", ""), EVEN_TABLES), 30)
    assert len(set(texts(items, "acceptable"))) == 30


VARIANTS = """
variants:
  one: {}
  two: {cells: {acceptable: "{noun} so {tone}.", unacceptable: "so {noun} {tone}."}}
  three: {slots: {noun: {from: nouns, where: {sort: red}}}}
"""


def test_equal_shares_of_the_variants(load):
    items = draw(*load(EVEN + VARIANTS, EVEN_TABLES), 12)
    assert Counter(item.grammar.name for item in items) == {"one": 4, "two": 4, "three": 4}


@pytest.mark.parametrize(
    ("count", "turns"), [(1, [0]), (2, [0, 1]), (3, [0, 2, 1]), (6, [0, 3, 1, 4, 2, 5])]
)
def test_variants_of_the_two_halves_take_turns(count, turns):
    assert sampler.alternating(count) == turns


BA = """
uid: ba
phenomenon: x
language: zh
design: minimal_pair
about: x
slots:
  agent: {from: agents}
  right: {from: particles}
  wrong: {from: particles}
balance: {exchange: [right, wrong]}
cells: {acceptable: "{agent} {right} 。", unacceptable: "{agent} {wrong} 。"}
variants:
  agent:
    slots:
      right: {from: particles, where: {form: 把}}
      wrong: {from: particles, where: {form: 被}}
  patient:
    slots:
      agent: {from: patients}
      right: {from: particles, where: {form: 被}}
      wrong: {from: particles, where: {form: 把}}
"""
BA_TABLES = {
    "agents": "form  x\n" + "".join(f"甲{i}  y\n" for i in range(8)),
    "patients": "form  x\n" + "".join(f"乙{i}  y\n" for i in range(8)),
    "particles": "form  x\n把  y\n被  y\n",
}


def test_exchange_runs_over_the_union_of_the_variants(load):
    items = draw(*load(BA, BA_TABLES), 16)
    assert Counter(form(items, "right")) == {"把": 8, "被": 8}
    assert Counter(item.grammar.name for item in items) == {"agent": 8, "patient": 8}


CROSSED = """
uid: npi
phenomenon: x
language: en
design: interaction
about: x
slots: {noun: {from: nouns}, first: {from: tones}, second: {from: tones}}
relations: [first.form != second.form]
cells:
  base: {context: "the {first} {noun} ran.", continuation: "the {second} one did not."}
  base_manipulated: {context: "the {first} {noun} ran", continuation: "and {second} too."}
"""


def test_an_interaction_repeats_no_item(load):
    items = draw(*load(CROSSED, EVEN_TABLES), 150)
    assert len({tuple(cell.text for cell in item.cells.values()) for item in items}) == 150


def test_an_english_continuation_keeps_its_blank_and_begins_a_sentence_only_after_one(load):
    cells = draw(*load(CROSSED, EVEN_TABLES), 1)[0].cells
    assert cells["base"].context.text.startswith("The t")
    assert cells["base"].continuation.text.startswith(" The t")
    assert cells["base_manipulated"].continuation.text.startswith(" and t")
    assert cells["base"].text == cells["base"].context.text + cells["base"].continuation.text


def test_templates_of_one_seed_group_draw_the_same_assignments(load):
    first = draw(*load(CROSSED + "seed_group: formal\n", EVEN_TABLES), 50)
    other = CROSSED.replace("uid: npi", "uid: gap").replace("ran", "slept") + "seed_group: formal\n"
    second = draw(*load(other, EVEN_TABLES), 50)
    assert [i.assignment for i in first] == [i.assignment for i in second]
    assert [i.assignment for i in first] != [
        i.assignment for i in draw(*load(other.replace("formal", "x"), EVEN_TABLES), 50)
    ]


def test_a_further_slot_leaves_the_draws_of_the_others_alone(load):
    more = CROSSED.replace("{noun: {from: nouns}", "{noun: {from: nouns}, tone: {from: tones}")
    first = draw(*load(CROSSED, EVEN_TABLES), 10)
    second = draw(*load(more, EVEN_TABLES), 10)
    for slot in ("noun", "first", "second"):
        assert form(first, slot) == form(second, slot)


def test_zero_items_are_none(load):
    assert draw(*load(), 0) == []


def test_a_negative_number_of_items_is_an_error(load):
    with pytest.raises(ValueError, match="cannot draw -1 items"):
        draw(*load(), -1)


def test_identical_members_are_an_error(load, classifier):
    text = classifier.replace("exchange: [right, wrong]", "even: []").replace(
        "{wrong} {object}", "{right} {object}"
    )
    with pytest.raises(
        TemplateError, match=r"the members of a pair are identical .* add a relation"
    ):
        draw(*load(text), 5)


def test_a_printed_feature_without_a_single_value_is_an_error_that_names_the_row(load, classifier):
    text = classifier.replace("{verb} 了 一 {right}", "{verb} 了 一 {noun.classifiers} {right}")
    message = (
        r"nouns\.tsv, line 4, column classifiers: '狗' has several values \(只\|条\)"
        r", but \{noun\.classifiers\} in .*classifier\.yaml needs exactly one"
    )
    with pytest.raises(LexiconError, match=message):
        draw(*load(text), 5)


def test_an_entry_that_cannot_be_drawn_may_lack_the_printed_feature(load, classifier, tables):
    text = classifier.replace("{verb} 了 一 {right}", "{verb} 了 一 {noun.classifiers} {right}")
    text = text.replace("relations:", "relations:\n  - noun.sort == verb.object")
    text = text.replace(
        "{from: nouns}", "{from: nouns, where: {classifiers: [条, 只]}, without: {form: 狗}}"
    )
    tables["nouns"] += "无\tother\t条|只\n"
    assert len(draw(*load(text, tables), 2)) == 2


def test_too_few_assignments_name_the_relation_that_binds(load, classifier):
    text = classifier.replace("balance:\n  exchange: [right, wrong]\n", "")
    template, lexicon = load(text)
    with pytest.raises(GrammarTooSmallError) as caught:
        draw(template, lexicon, 500)
    # nouns x classifiers right x wrong x fitting verbs x people, counted by hand:
    # 书 刀: 1 x 3 x 2 verbs; 狗: 2 x 2 x 3; 鱼 猫: 1 x 3 x 3; times 6 people
    assert "the grammar has 252 assignments; " in str(caught.value)
    assert "the relation 'right.form in noun.classifiers' (line 16) binds: " in str(caught.value)


def test_too_few_assignments_name_the_where_that_binds(load, classifier):
    text = classifier.replace("{from: nouns}", "{from: nouns, where: {form: 书}}")
    with pytest.raises(
        GrammarTooSmallError,
        match=r"has 36 assignments; 'where' of slot 'noun' \(line 11\) binds: 252 without it",
    ):
        draw(*load(text), 100)


def test_too_few_balanced_items_name_the_balance(load, classifier, tables):
    tables["nouns"] = "form\tsort\tclassifiers\n书\tthing\t本\n"
    tables["nouns"] += "".join(f"狗{i}\tanimal\t只\n" for i in range(9))
    with pytest.raises(
        GrammarTooSmallError,
        match=r"yields 24 of the 60 items asked for; of \d+ assignments; the balance binds "
        r"\(exchange of right\.form and wrong\.form\): 60 or more without it",
    ):
        draw(*load(classifier, tables), 60)


def test_too_few_distinct_sentences_are_named(load, classifier):
    text = classifier.replace("balance:\n  exchange: [right, wrong]\n", "")
    text = text.replace("{subject} {verb} 了", "了")
    with pytest.raises(
        GrammarTooSmallError,
        match=r"yields 6 of the 50 items asked for; of 252 assignments; "
        r"distinct sentences bind: 50 or more if sentences might repeat",
    ):
        draw(*load(text), 50)


def test_a_variant_that_is_too_small_is_named(load):
    with pytest.raises(
        GrammarTooSmallError, match=r"variant 'one' has 1 assignments in all; its tables"
    ):
        draw(
            *load(
                EVEN
                + "variants: {one: {slots: {noun: {from: few}, tone: {from: odd}}}, two: {}}\n",
                EVEN_TABLES | {"few": "form  sort\nx  y\n", "odd": "form  x\nz  y\n"},
            ),
            10,
        )


def test_a_grammar_without_any_assignment_says_why(load, classifier):
    text = classifier.replace(
        "{from: nouns}", "{from: nouns, where: {sort: none}, without: {sort: animal}}"
    )
    text = text.replace("balance:\n  exchange: [right, wrong]\n", "")
    text = text.replace("{from: people}", "{from: people, where: {gender: none}}")
    with pytest.raises(
        GrammarTooSmallError,
        match=r"has no assignment: line 9: no entry of people fits slot 'subject'; "
        r"line 11: no entry of nouns fits slot 'noun'",
    ):
        draw(*load(text), 1)


def test_the_number_that_the_error_names_can_be_drawn(load):
    template, lexicon = load()
    with pytest.raises(GrammarTooSmallError, match=r"yields \d+ of the 1000") as caught:
        draw(template, lexicon, 1000)
    yields = int(re.search(r"yields (\d+) of", str(caught.value))[1])
    assert len(draw(template, lexicon, yields)) == yields > 60


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(n=st.integers(1, 40), seed=st.integers(0, 10**6))
def test_balance_and_distinctness_hold_for_every_seed_and_size(load, n, seed):
    items = draw(*load(), n, seed)
    assert len(items) == n
    sentences = texts(items, "acceptable") + texts(items, "unacceptable")
    assert len(set(sentences)) == 2 * n
    right, wrong = Counter(form(items, "right")), Counter(form(items, "wrong"))
    assert sum(abs(right[c] - wrong[c]) for c in right | wrong) == 2 * (n % 2)


def test_values_that_exclude_each_other_are_no_strata(load):
    text = EVEN.replace("[noun.sort]", "[noun.sort, tone.form]")
    text += "relations: [noun.sort in tone.kind]\n"
    tables = EVEN_TABLES | {"tones": "form  kind\nt0  small\nt1  big\nt2  small|big\n"}
    items = draw(*load(text, tables), 8)
    strata = Counter(
        ("|".join(sorted(i.assignment["noun"].features["sort"])), i.assignment["tone"].form)
        for i in items
    )
    assert set(strata.values()) <= {1, 2}
    assert len(strata) == 6


def test_a_stratum_too_large_to_list_is_tried_often_before_it_counts_as_used_up(load, monkeypatch):
    monkeypatch.setattr(sampler, "_ENUMERABLE", 0)
    monkeypatch.setattr(sampler, "_MANY_TRIES", 1000)
    text = EVEN.replace("balance: {even: [noun.sort]}", "")
    assert len(draw(*load(text, EVEN_TABLES), 30)) == 30
    with pytest.raises(GrammarTooSmallError, match="yields 30 of the 31"):
        draw(*load(text, EVEN_TABLES), 31)


def test_too_few_assignments_over_all_variants_name_the_smallest(load):
    tables = BA_TABLES | {"patients": "form  x\n乙  y\n"}
    with pytest.raises(
        GrammarTooSmallError,
        match=r"yields 2 of the 16 items asked for; variant 'patient' has 1 assignments; "
        r"'where' of slot 'right' \(line \d+\) binds: 2 without it",
    ):
        draw(*load(BA, tables), 16)
