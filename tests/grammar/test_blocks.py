"""Blocks: items in a row that share a frame."""

from collections import Counter
from itertools import groupby
from random import Random

import pytest

from minpairs.errors import GrammarTooSmallError, TemplateError
from minpairs.grammar import draw
from minpairs.grammar.blocks import quotas

TEMPLATE = """
uid: blocks
phenomenon: x
language: en
design: interaction
about: x
slots: {noun: {from: nouns}, first: {from: tones}, second: {from: tones}}
relations: [first.form < second.form]
cells: {base: "{noun} {first} {second}.", base_manipulated: "{noun} {second} {first}."}
balance: {even: [noun.sort], blocks: {by: [noun], size: 4}}
"""
TABLES = {
    "nouns": "form  sort\n"
    + "".join(f"small{i}  small\n" for i in range(6))
    + "".join(f"big{i}  big\n" for i in range(6))
    + "red  red\n",
    "tones": "form  x\n" + "".join(f"t{i}  x\n" for i in range(4)),  # six pairs
}


def nouns(items):
    return [item.assignment["noun"].form for item in items]


def sorts(items):
    return Counter(next(iter(item.assignment["noun"].features["sort"])) for item in items)


def runs(items):
    """Neighbouring items of one frame: the frame and how many they are."""
    return [(noun, len(list(group))) for noun, group in groupby(nouns(items))]


def test_a_frame_has_as_many_items_in_a_row_as_the_size_says(load):
    items = draw(*load(TEMPLATE.replace("even: [noun.sort], ", ""), TABLES), 24)
    assert [size for _, size in runs(items)] == [4] * 6
    assert len(set(nouns(items))) == 6


def test_items_of_a_block_differ(load):
    items = draw(*load(TEMPLATE, TABLES), 18)
    assert len({item.cells["base"].text for item in items}) == 18


def test_strata_take_turns_by_blocks_and_the_last_ones_are_cut_to_fit(load):
    items = draw(*load(TEMPLATE, TABLES), 17)
    counts = sorts(items)
    assert sorted(counts.values()) == [5, 6, 6]
    assert max(size for _, size in runs(items)) == 4
    first = [noun.rstrip("0123456789") for noun, _ in runs(items)[:3]]
    assert set(first) == {"small", "big", "red"}


@pytest.mark.parametrize("n", [1, 2, 3, 10, 18])
def test_counts_stay_within_one_whatever_the_number(load, n):
    counts = sorts(draw(*load(TEMPLATE, TABLES), n))
    values = [counts[sort] for sort in ("small", "big", "red")]
    assert max(values) - min(values) <= 1


def test_a_stratum_that_is_used_up_is_made_up_for_by_the_others_evenly(load):
    counts = sorts(draw(*load(TEMPLATE, TABLES), 46))
    assert counts == {"red": 6, "small": 20, "big": 20}


def test_a_frame_comes_again_only_when_there_is_no_new_one(load):
    items = draw(*load(TEMPLATE.replace("even: [noun.sort], ", ""), TABLES), 13 * 4 + 13 * 2)
    order = runs(items)
    assert {noun for noun, _ in order[:13]} == set(nouns(items))
    assert [size for _, size in order] == [4] * 13 + [2] * 13


def test_the_whole_grammar_can_be_drawn_by_blocks(load):
    text = TEMPLATE.replace("even: [noun.sort], ", "")
    assert len({i.cells["base"].text for i in draw(*load(text, TABLES), 78)}) == 78
    with pytest.raises(GrammarTooSmallError, match="yields 78 of the 79"):
        draw(*load(text, TABLES), 79)


def test_a_seed_gives_the_same_items_and_another_seed_others(load):
    first, again, other = (nouns(draw(*load(TEMPLATE, TABLES), 18, seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


VARIANTS = """
variants:
  one: {}
  two: {cells: {base: "{noun} so {first} {second}.", base_manipulated: "{second} {noun}."}}
"""


def test_variants_have_equal_shares_and_share_their_frames(load):
    items = draw(*load(TEMPLATE + VARIANTS, TABLES), 24)
    assert Counter(item.grammar.name for item in items) == {"one": 12, "two": 12}
    assert sorts(items) == {"small": 8, "big": 8, "red": 8}
    frames = {
        name: {i.assignment["noun"].form for i in items if i.grammar.name == name}
        for name in ("one", "two")
    }
    assert frames["one"] == frames["two"]


def test_the_error_names_a_number_that_keeps_the_shares_of_the_variants(load):
    two = "two: {slots: {noun: {from: nouns, where: {form: [small1, small2]}}}, cells: {"
    text = TEMPLATE + VARIANTS.replace("two: {cells: {", two)
    with pytest.raises(GrammarTooSmallError, match="yields 25 of the 60"):
        draw(*load(text, TABLES), 60)
    assert Counter(i.grammar.name for i in draw(*load(text, TABLES), 25)) == {"one": 13, "two": 12}


def test_templates_of_one_seed_group_have_the_same_blocks(load):
    first = draw(*load(TEMPLATE + "seed_group: formal\n", TABLES), 40)
    other = TEMPLATE.replace("uid: blocks", "uid: gap").replace(
        "{noun} {first}", "{noun} a {first}"
    )
    second = draw(*load(other + "seed_group: formal\n", TABLES), 40)
    assert [item.assignment for item in first] == [item.assignment for item in second]


def test_shares_are_dealt_to_the_variant_and_the_stratum_that_have_fewest():
    a, b, c = ("a",), ("b",), ("c",)
    shares = {0: [(0, a), (0, b)], 1: [(1, a), (1, b)]}
    assert quotas(shares, {}, 8, Random(0)) == {(0, a): 2, (0, b): 2, (1, a): 2, (1, b): 2}
    # c is used up after three items; variant 0 therefore has had more
    dealt = quotas({0: [(0, a)], 1: [(1, a)]}, {(0, c): 3}, 5, Random(0))
    assert dealt == {(0, a): 1, (1, a): 4}


def test_dealing_stops_at_a_variant_without_items():
    assert quotas({0: [(0, ("a",))], 1: []}, {}, 9, Random(0)) == {(0, ("a",)): 1}


def test_a_frame_of_no_slot_is_an_error_with_the_nearest(load):
    with pytest.raises(
        TemplateError, match=r"balance.blocks.by.0: unknown slot 'nuon'; did you mean 'noun'\?"
    ):
        load(TEMPLATE.replace("by: [noun]", "by: [nuon]"), TABLES)


def test_an_unknown_key_of_blocks_is_an_error_with_the_nearest(load):
    with pytest.raises(TemplateError, match=r"unknown key 'sizes'; did you mean 'size'\?"):
        load(TEMPLATE.replace("size: 4", "sizes: 4"), TABLES)


def test_blocks_and_an_exchange_exclude_each_other(load):
    text = TEMPLATE.replace("even: [noun.sort]", "exchange: [first, second]")
    with pytest.raises(TemplateError, match="an exchange draws its pairs in turns"):
        load(text, TABLES)
