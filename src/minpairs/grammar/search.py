"""Randomised depth-first search for assignments, with forward checking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import numpy as np

from minpairs.grammar.constraints import Mask, Problem, arc_consistent
from minpairs.grammar.counting import count

_DEAD_ENDS = 100


class Searcher:
    """Finds assignments of a problem: one candidate index per slot."""

    def __init__(self, problem: Problem, first: Sequence[int] = ()) -> None:
        """Prepares a search in which the slots ``first`` are filled before the others."""
        self.problem = problem
        count = len(problem.candidates)
        self.order = [*first, *(i for i in range(count) if i not in first)]
        self._neighbours: list[list[tuple[int, Mask]]] = [[] for _ in range(count)]
        for (i, j), matrix in problem.matrices.items():
            self._neighbours[i].append((j, matrix))
            self._neighbours[j].append((i, np.ascontiguousarray(matrix.T)))

    def draw(self, masks: Sequence[Mask], rngs: Sequence[Random]) -> tuple[int, ...] | None:
        """A random assignment, or None if there is none; a slot's values are equally likely.

        Args:
            masks: the candidates allowed, per slot.
            rngs: a source of chance per slot, so that one slot's draws never shift another's.
        """
        start = [-1] * len(masks)
        try:
            found = self._descend(list(masks), start, self.order, rngs, [_DEAD_ENDS])
            return next(found, None)
        except _TooManyDeadEndsError:
            masks = arc_consistent(self.problem, masks)
        if not count(self.problem, masks):
            return None
        return next(self._descend(masks, [-1] * len(masks), None, rngs, None), None)

    def every(self, masks: Sequence[Mask]) -> Iterator[tuple[int, ...]]:
        """All assignments, in a fixed order."""
        masks = arc_consistent(self.problem, masks)
        if all(mask.any() for mask in masks):
            yield from self._descend(masks, [-1] * len(masks), None, None, None)

    def partial(self, masks: Sequence[Mask], slots: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """The candidates of ``slots`` that stand together in some assignment, in a fixed order."""
        masks = arc_consistent(self.problem, masks)
        if all(mask.any() for mask in masks):
            yield from self._partial(masks, [-1] * len(masks), slots, 0)

    def _partial(
        self, masks: list[Mask], chosen: list[int], slots: Sequence[int], at: int
    ) -> Iterator[tuple[int, ...]]:
        if at == len(slots):
            if next(self._descend(masks, chosen.copy(), None, None, None), None) is not None:
                yield tuple(chosen[slot] for slot in slots)
            return
        for value in np.flatnonzero(masks[slots[at]]).tolist():
            after = self._after(masks, chosen, slots[at], value)
            if after is not None:
                chosen[slots[at]] = value
                yield from self._partial(after, chosen, slots, at + 1)
                chosen[slots[at]] = -1

    def _descend(
        self,
        masks: list[Mask],
        chosen: list[int],
        order: Sequence[int] | None,
        rngs: Sequence[Random] | None,
        budget: list[int] | None,
    ) -> Iterator[tuple[int, ...]]:
        if order is None:
            open_slots = [i for i, value in enumerate(chosen) if value < 0]
            slot = min(open_slots, key=lambda i: (int(masks[i].sum()), i), default=-1)
        else:
            slot = order[sum(value >= 0 for value in chosen)] if -1 in chosen else -1
        if slot < 0:
            yield tuple(chosen)
            return
        values = np.flatnonzero(masks[slot]).tolist()
        left = len(values)
        at = 0
        while at < left:
            if rngs is not None:  # the next value at random from those not yet tried
                k = rngs[slot].randrange(at, left)
                values[at], values[k] = values[k], values[at]
            value = values[at]
            at += 1
            after = self._after(masks, chosen, slot, value)
            if after is None:
                if budget is not None:
                    budget[0] -= 1
                    if budget[0] < 0:
                        raise _TooManyDeadEndsError
                continue
            chosen[slot] = value
            yield from self._descend(after, chosen, order, rngs, budget)
            chosen[slot] = -1

    def _after(
        self, masks: list[Mask], chosen: list[int], slot: int, value: int
    ) -> list[Mask] | None:
        after = masks.copy()
        for other, matrix in self._neighbours[slot]:
            if chosen[other] < 0:
                mask = after[other] & matrix[value]
                if not mask.any():
                    return None
                after[other] = mask
        return after


class _TooManyDeadEndsError(Exception):
    """The fixed order of slots does badly here; try the most constrained slot first."""
