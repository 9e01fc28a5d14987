from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minpairs.grammar import counting
from minpairs.grammar.constraints import Problem, arc_consistent, compile_grammar, reduced
from minpairs.grammar.counting import count, joint
from minpairs.grammar.lexicon import Column, Entry, Lexicon, Table, computed
from minpairs.grammar.search import Searcher
from minpairs.grammar.template import Grammar, Relation, Slot
from minpairs.grammar.texts import Reference


@st.composite
def problems(draw, slots=5, entries=4):
    """Random grammars: up to five slots, each pair related by a random table or not at all."""
    sizes = draw(st.lists(st.integers(1, entries), min_size=1, max_size=slots))
    matrices = {}
    for i in range(len(sizes)):
        for j in range(i + 1, len(sizes)):
            if draw(st.booleans()):
                cells = st.lists(
                    st.booleans(), min_size=sizes[i] * sizes[j], max_size=sizes[i] * sizes[j]
                )
                matrices[(i, j)] = np.array(draw(cells), dtype=bool).reshape(sizes[i], sizes[j])
    return problem(sizes, matrices)


def problem(sizes, matrices):
    slots = tuple(Slot(f"s{i}", "t") for i in range(len(sizes)))
    candidates = tuple(
        tuple(Entry("t", k, str(k), computed(str(k))) for k in range(size)) for size in sizes
    )
    return Problem(Grammar("", slots, (), ()), candidates, matrices)


def brute(p):
    """Every assignment, by trying all of them."""
    sizes = [range(len(entries)) for entries in p.candidates]
    return {
        chosen
        for chosen in product(*sizes)
        if all(matrix[chosen[i], chosen[j]] for (i, j), matrix in p.matrices.items())
    }


@given(problems())
def test_the_count_is_exact(p):
    assert count(p) == len(brute(p))


@given(problems())
def test_the_count_is_exact_where_numbers_outgrow_floats(p):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_EXACT", 0)
        assert count(p) == len(brute(p))


@given(problems())
def test_the_count_is_exact_where_tables_outgrow_memory(p):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_LARGEST", 3)
        patch.setattr(counting, "_BLOCK", 2)
        assert count(p) == len(brute(p))


def test_a_count_beyond_2_to_the_53_is_exact():
    size = 700
    chain = {(i, i + 1): ~np.eye(size, dtype=bool) for i in range(5)}
    assert count(problem([size] * 6, chain)) == size * (size - 1) ** 5 > 2**53


def test_unrelated_slots_multiply():
    assert count(problem([3, 4, 5], {})) == 60


def test_a_slot_without_candidates_leaves_nothing():
    assert count(problem([0, 3], {})) == 0
    assert count(problem([0, 3], {(0, 1): np.ones((0, 3), dtype=bool)})) == 0


@given(problems(), st.data())
def test_the_count_under_masks_is_that_of_the_reduced_problem(p, data):
    masks = [
        np.array(data.draw(st.lists(st.booleans(), min_size=len(e), max_size=len(e))), dtype=bool)
        for e in p.candidates
    ]
    assert count(p, masks) == len(brute(reduced(p, masks)))


@given(problems())
def test_joint_marks_exactly_the_pairs_of_some_assignment(p):
    for i in range(len(p.candidates)):
        for j in range(len(p.candidates)):
            if i != j:
                expected = {(chosen[i], chosen[j]) for chosen in brute(p)}
                assert {(int(a), int(b)) for a, b in np.argwhere(joint(p, i, j))} == expected


@given(problems())
def test_arc_consistency_never_drops_an_assignment(p):
    masks = arc_consistent(p)
    assert len(brute(p)) == len(brute(reduced(p, masks)))


@given(problems())
def test_the_search_enumerates_every_assignment_once(p):
    found = list(Searcher(p).every(p.full()))
    assert len(found) == len(set(found))
    assert set(found) == brute(p)


@settings(max_examples=50)
@given(problems(), st.integers(0, 2**32))
def test_a_random_draw_is_an_assignment_and_is_found_whenever_there_is_one(p, seed):
    rngs = [Random(f"{seed}:{i}") for i in range(len(p.candidates))]
    drawn = Searcher(p).draw(p.full(), rngs)
    assert drawn in brute(p) if brute(p) else drawn is None


def test_a_random_draw_gets_out_of_dead_ends():
    # slots 1-4 need four different values of 0..3; slot 0 = 0 allows them only three
    size, differ = 4, ~np.eye(4, dtype=bool)
    matrices = {(i, j): differ for i in range(1, 5) for j in range(i + 1, 5)}
    narrow = np.ones((2, size), dtype=bool)
    narrow[0, 3] = False
    p = problem([2, 4, 4, 4, 4], matrices | {(0, j): narrow for j in range(1, 5)})
    for seed in range(20):
        drawn = Searcher(p).draw(p.full(), [Random(f"{seed}:{i}") for i in range(5)])
        assert drawn is not None
        assert drawn[0] == 1


def test_a_search_that_runs_into_too_many_dead_ends_changes_its_order():
    # the last two slots exclude each other for all but one value of the first of 30
    many = 400
    free = np.ones((many, many), dtype=bool)
    only = np.zeros((many, 2), dtype=bool)
    only[many - 1] = True
    matrices = {
        (0, 1): free,
        (0, 2): only | np.array([True, False]),
        (0, 3): only | np.array([False, True]),
    }
    matrices[(2, 3)] = ~np.array([[False, True], [False, False]])
    p = problem([many, many, 2, 2], matrices)
    drawn = Searcher(p).draw(p.full(), [Random(str(i)) for i in range(4)])
    assert drawn[0] == many - 1


HOLDS = {
    "in": lambda a, b: bool(a & b),
    "not in": lambda a, b: not a & b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
VALUES = st.frozensets(st.sampled_from("xyz"), max_size=2)


@given(st.data())
def test_the_count_of_a_grammar_is_that_of_its_relations_tried_one_by_one(data):
    rows = data.draw(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=4))
    entries = tuple(
        Entry("t", i, str(i), computed(str(i)) | {"a": a, "b": b}) for i, (a, b) in enumerate(rows)
    )
    columns = {name: Column(name, name) for name in ("form", "a", "b")}
    lexicon = Lexicon(Path(), {"t": Table("t", Path("t.tsv"), "t", columns, entries)})
    names = [f"s{i}" for i in range(data.draw(st.integers(1, 4)))]
    references = st.builds(Reference, st.sampled_from(names), st.sampled_from(["a", "b", "form"]))
    relations = data.draw(
        st.lists(
            st.builds(Relation, references, st.sampled_from(sorted(HOLDS)), references), max_size=5
        )
    )
    slots = tuple(
        Slot(name, "t", where=(("a", data.draw(VALUES)),) if data.draw(st.booleans()) else ())
        for name in names
    )
    expected = 0
    for chosen in product(entries, repeat=len(names)):
        by_slot = dict(zip(names, chosen, strict=True))
        fits = all(
            entry.features[feature] & values
            for slot, entry in zip(slots, chosen, strict=True)
            for feature, values in slot.where
        )
        expected += fits and all(
            HOLDS[r.operator](
                by_slot[r.left.slot].features[r.left.feature],
                by_slot[r.right.slot].features[r.right.feature],
            )
            for r in relations
        )
    grammar = Grammar("", slots, tuple(relations), ())
    assert count(compile_grammar(grammar, lexicon)) == expected
