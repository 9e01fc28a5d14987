"""A grammar ready to draw from, cut into strata: what a balance counts and draws in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from minpairs.grammar.constraints import (
    Mask,
    Problem,
    arc_consistent,
    check_printed,
    compile_grammar,
    neighbours_consistent,
    reduced,
)
from minpairs.grammar.counting import joint
from minpairs.grammar.lexicon import Lexicon
from minpairs.grammar.search import Searcher
from minpairs.grammar.template import Balance, Grammar
from minpairs.grammar.texts import Reference

Values: TypeAlias = tuple[str, ...]
Strings: TypeAlias = tuple[str, str]


@dataclass(slots=True)
class Stratum:
    """A part of one source's assignments: those that the masks leave.

    Attributes:
        source: the position of the source among the template's.
        values: the values of the balance's ``even`` features.
        masks: candidates per slot.
        pool: assignments not yet drawn, once they have been listed.
        exhausted: nothing new is left.
    """

    source: int
    values: Values
    masks: list[Mask]
    pool: list[tuple[int, ...]] | None = None
    exhausted: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """A compiled grammar, its search, its chance per slot, and what the balance looks at."""

    problem: Problem
    searcher: Searcher
    rngs: list[Random]
    balance: Balance
    values: dict[Reference, tuple[list[str], NDArray[np.int64]]]

    @classmethod
    def of(
        cls, grammar: Grammar, lexicon: Lexicon, balance: Balance, path: Path, seed: str
    ) -> Source:
        """Compiles a grammar and drops what can never be drawn."""
        problem = compile_grammar(grammar, lexicon)
        problem = reduced(problem, arc_consistent(problem))
        check_printed(problem, lexicon, path)
        balanced = (*(balance.exchange or ()), *balance.even)
        first = dict.fromkeys(problem.slot(reference.slot) for reference in balanced)
        return cls(
            problem,
            Searcher(problem, tuple(first)),
            [Random(f"{seed}:{grammar.name}:{slot.name}") for slot in grammar.slots],
            balance,
            {reference: problem.values(reference) for reference in balanced},
        )

    def exchanged(self) -> list[Strings]:
        """The ordered pairs of strings that some assignment exchanges."""
        assert self.balance.exchange is not None
        first, second = self.balance.exchange
        i, j = self.problem.slot(first.slot), self.problem.slot(second.slot)
        (left, rows), (right, columns) = self.values[first], self.values[second]
        together = np.eye(len(rows), dtype=bool) if i == j else joint(self.problem, i, j)
        x, y = np.nonzero(together)
        found = set(zip(rows[x].tolist(), columns[y].tolist(), strict=True))
        return [(left[a], right[b]) for a, b in sorted(found)]

    def strata(self, position: int, pair: Strings | None = None) -> list[Stratum]:
        """The strata of the ``even`` features, perhaps of one exchanged pair only."""
        masks = self.problem.full()
        if pair is not None and self.balance.exchange is not None:
            for reference, value in zip(self.balance.exchange, pair, strict=True):
                masks = self._narrow(masks, reference, value)
            if self.balance.even:
                fixed = {self.problem.slot(reference.slot) for reference in self.balance.exchange}
                masks = neighbours_consistent(self.problem, masks, fixed)
        strata = []
        for values in product(*(self._present(masks, ref) for ref in self.balance.even)):
            narrowed = masks
            for reference, value in zip(self.balance.even, values, strict=True):
                narrowed = self._narrow(narrowed, reference, value)
            if all(mask.any() for mask in narrowed):
                strata.append(Stratum(position, values, narrowed))
        return strata

    def _present(self, masks: Sequence[Mask], reference: Reference) -> list[str]:
        names, places = self.values[reference]
        present = np.unique(places[masks[self.problem.slot(reference.slot)]])
        return [names[k] for k in present.tolist()]

    def _narrow(self, masks: list[Mask], reference: Reference, value: str) -> list[Mask]:
        """The masks, with only those candidates of the reference's slot that have the value."""
        names, places = self.values[reference]
        slot = self.problem.slot(reference.slot)
        return [
            mask & (places == names.index(value)) if i == slot else mask
            for i, mask in enumerate(masks)
        ]
