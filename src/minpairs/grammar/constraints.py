"""A grammar compiled: candidate entries per slot, and a boolean matrix per pair of slots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from minpairs.errors import LexiconError
from minpairs.grammar.lexicon import Entry, Lexicon, join_values
from minpairs.grammar.template import Grammar, Relation, Slot
from minpairs.grammar.texts import Reference

Mask = NDArray[np.bool_]
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Problem:
    """A grammar over concrete candidates.

    Attributes:
        grammar: what was compiled.
        candidates: per slot, its entries in canonical order.
        matrices: for slots ``i < j``, which entries may stand together; shape (n_i, n_j).
    """

    grammar: Grammar
    candidates: tuple[tuple[Entry, ...], ...]
    matrices: Mapping[Pair, Mask]

    def slot(self, name: str) -> int:
        """The position of a slot."""
        return next(i for i, slot in enumerate(self.grammar.slots) if slot.name == name)

    def full(self) -> list[Mask]:
        """Masks that leave every candidate in."""
        return [np.ones(len(entries), dtype=bool) for entries in self.candidates]

    def values(self, reference: Reference) -> tuple[list[str], NDArray[np.int64]]:
        """A feature's distinct values (a set as one string), and each candidate's place in them."""
        entries = self.candidates[self.slot(reference.slot)]
        values = [join_values(entry.features[reference.feature]) for entry in entries]
        distinct = sorted(set(values))
        place = {value: i for i, value in enumerate(distinct)}
        return distinct, np.array([place[value] for value in values], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Constraint:
    """Something a grammar demands, named for messages: a relation, or a slot's where or without."""

    slot: int = -1
    key: str = ""
    relation: int = -1

    def describe(self, grammar: Grammar) -> str:
        """The constraint as its template writes it."""
        if self.relation >= 0:
            relation = grammar.relations[self.relation]
            return f"the relation '{relation}' (line {relation.line})"
        slot = grammar.slots[self.slot]
        return f"'{self.key}' of slot {slot.name!r} (line {slot.line})"


def constraints(grammar: Grammar) -> list[Constraint]:
    """All constraints of a grammar, in the order of its file."""
    slots = [
        Constraint(slot=i, key=key)
        for i, slot in enumerate(grammar.slots)
        for key in ("where", "without")
        if getattr(slot, key)
    ]
    return slots + [Constraint(relation=i) for i in range(len(grammar.relations))]


def compile_grammar(
    grammar: Grammar, lexicon: Lexicon, ignore: Constraint | None = None
) -> Problem:
    """Candidates and matrices of a grammar, perhaps without one of its constraints.

    Raises:
        LexiconError: an entry that a cell prints, or that ``<`` compares, has not a single value.
    """
    ignore = ignore or Constraint()
    names = {slot.name: i for i, slot in enumerate(grammar.slots)}
    candidates = [
        _candidates(slot, lexicon, ignore.key if i == ignore.slot else "")
        for i, slot in enumerate(grammar.slots)
    ]
    kept = [relation for i, relation in enumerate(grammar.relations) if i != ignore.relation]
    for relation in kept:  # relations within one slot are filters
        if relation.left.slot == relation.right.slot:
            i = names[relation.left.slot]
            _check_compared(relation, candidates[i], candidates[i], lexicon)
            candidates[i] = tuple(
                entry
                for entry in candidates[i]
                if relation_matrix(relation, [entry], [entry])[0, 0]
            )
    matrices: dict[Pair, Mask] = {}
    for relation in kept:
        i, j = names[relation.left.slot], names[relation.right.slot]
        if i == j:
            continue
        _check_compared(relation, candidates[i], candidates[j], lexicon)
        allowed = relation_matrix(relation, candidates[i], candidates[j])
        pair, table = ((i, j), allowed) if i < j else ((j, i), allowed.T)
        matrices[pair] = matrices[pair] & table if pair in matrices else table
    return Problem(grammar, tuple(candidates), matrices)


def check_printed(problem: Problem, lexicon: Lexicon, template: Path) -> None:
    """Every candidate has exactly one value of each feature that a cell prints.

    Raises:
        LexiconError: naming the entry's table, line and feature, and the template that prints it.
    """
    for reference in sorted(problem.grammar.printed()):
        for entry in problem.candidates[problem.slot(reference.slot)]:
            _single(entry, reference.feature, lexicon, f"{{{reference}}} in {template}")


def arc_consistent(problem: Problem, masks: Sequence[Mask] | None = None) -> list[Mask]:
    """Drops candidates without a partner in some related slot, until nothing changes."""
    masks = [mask.copy() for mask in (masks if masks is not None else problem.full())]
    arcs = [(i, j, m) for (i, j), m in problem.matrices.items()]
    arcs += [(j, i, m.T) for i, j, m in arcs]
    changed = set(range(len(masks)))
    while changed:
        looked, changed = changed, set()
        for i, j, matrix in arcs:
            if j in looked or j in changed:
                supported = masks[i] & matrix[:, masks[j]].any(axis=1)
                if supported.sum() < masks[i].sum():
                    masks[i] = supported
                    changed.add(i)
    if not all(mask.any() for mask in masks):
        masks = [np.zeros_like(mask) for mask in masks]
    return masks


def neighbours_consistent(problem: Problem, masks: Sequence[Mask], slots: set[int]) -> list[Mask]:
    """Drops from the neighbours of ``slots`` what no longer has a partner there: one cheap step."""
    masks = list(masks)
    for (i, j), matrix in problem.matrices.items():
        if i in slots:
            masks[j] = masks[j] & matrix[masks[i]].any(axis=0)
        if j in slots:
            masks[i] = masks[i] & matrix[:, masks[j]].any(axis=1)
    return masks


def reduced(problem: Problem, masks: Sequence[Mask]) -> Problem:
    """The problem over the candidates that the masks leave."""
    keep = [np.flatnonzero(mask) for mask in masks]
    return Problem(
        problem.grammar,
        tuple(
            tuple(entries[k] for k in kept)
            for entries, kept in zip(problem.candidates, keep, strict=True)
        ),
        {
            (i, j): np.ascontiguousarray(matrix[np.ix_(keep[i], keep[j])])
            for (i, j), matrix in problem.matrices.items()
        },
    )


def relation_matrix(relation: Relation, left: Sequence[Entry], right: Sequence[Entry]) -> Mask:
    """Which pairs of entries a relation allows; shape (left, right)."""
    (a, rows), (b, columns) = (
        _distinct([entry.features[reference.feature] for entry in entries])
        for reference, entries in ((relation.left, left), (relation.right, right))
    )
    return _compare(relation.operator, a, b)[np.ix_(rows, columns)]


def _distinct(sets: Sequence[frozenset[str]]) -> tuple[list[frozenset[str]], NDArray[np.int64]]:
    """The distinct sets, and each one's place among them: tables have far fewer sets than rows."""
    places: dict[frozenset[str], int] = {}
    index = [places.setdefault(values, len(places)) for values in sets]
    return list(places), np.array(index, dtype=np.int64)


def _compare(operator: str, left: list[frozenset[str]], right: list[frozenset[str]]) -> Mask:
    if operator == "<":
        return _less(*([next(iter(values)) for values in side] for side in (left, right)))
    if operator in ("==", "!="):
        places = {values: i for i, values in enumerate(left)}
        equal = np.zeros((len(left), len(right)), dtype=bool)
        for j, values in enumerate(right):
            if values in places:
                equal[places[values], j] = True
        return equal if operator == "==" else ~equal
    vocabulary = {value: i for i, value in enumerate(sorted(frozenset[str]().union(*left, *right)))}
    a, b = (_indicators(side, vocabulary) for side in (left, right))
    share: Mask = (a @ b.T) > 0
    return share if operator == "in" else ~share


def _indicators(
    sets: Sequence[frozenset[str]], vocabulary: Mapping[str, int]
) -> NDArray[np.float32]:
    matrix = np.zeros((len(sets), len(vocabulary)), dtype=np.float32)
    for row, values in enumerate(sets):
        matrix[row, [vocabulary[value] for value in values]] = 1
    return matrix


def _less(left: Sequence[str], right: Sequence[str]) -> Mask:
    """Compares as numbers where all are numbers, else by code points."""
    smaller: Mask
    try:
        smaller = np.array([float(x) for x in left])[:, None] < np.array([float(x) for x in right])
    except ValueError:
        smaller = np.array([[x < y for y in right] for x in left], dtype=bool)
    return smaller.reshape(len(left), len(right))


def _candidates(slot: Slot, lexicon: Lexicon, ignore: str) -> tuple[Entry, ...]:
    tests: list[Callable[[Entry], bool]] = []
    if ignore != "where":
        tests += [lambda e, f=f, v=v: bool(e.features[f] & v) for f, v in slot.where]  # type: ignore[misc]
    if ignore != "without":
        tests += [lambda e, f=f, v=v: not e.features[f] & v for f, v in slot.without]  # type: ignore[misc]
    return tuple(
        entry
        for entry in lexicon.tables[slot.table].entries
        if reduce(lambda ok, test: ok and test(entry), tests, True)
    )


def _check_compared(
    relation: Relation, left: Sequence[Entry], right: Sequence[Entry], lexicon: Lexicon
) -> None:
    if relation.operator == "<":
        use = f"the relation '{relation}' (line {relation.line})"
        for reference, entries in ((relation.left, left), (relation.right, right)):
            for entry in entries:
                _single(entry, reference.feature, lexicon, use)


def _single(entry: Entry, feature: str, lexicon: Lexicon, use: str) -> None:
    values = entry.features[feature]
    if len(values) != 1:
        has = "no value" if not values else f"several values ({join_values(values)})"
        path = lexicon.tables[entry.table].path
        raise LexiconError(
            f"{path}, line {entry.line}, column {feature}: {entry.form!r} has {has}, "
            f"but {use} needs exactly one; give it one, or leave the entry out with where/without"
        )
