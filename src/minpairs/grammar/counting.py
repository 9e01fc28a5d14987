"""Exact counts: how many assignments a problem has, by eliminating one slot after the other.

Tables are float64, so that the sums of products run as matrix products. Where a count may exceed
2**53 it is computed modulo several primes and put together by the Chinese remainder theorem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minpairs.grammar.constraints import Mask, Pair, Problem

_EXACT = 2**53  # integers below are exact in a float64
_BLOCK = 4096  # terms of one sum, each a product of two residues below 2**20
_LARGEST = 20_000_000  # elements of a table; above it one slot is fixed, value by value

Scope: TypeAlias = tuple[int, ...]
Array: TypeAlias = NDArray[np.float64]
Factors: TypeAlias = dict[Scope, Array]
Norm: TypeAlias = Callable[[Array], Array]


def count(problem: Problem, masks: Sequence[Mask] | None = None) -> int:
    """The number of assignments that satisfy every relation, exactly."""
    masks = list(masks if masks is not None else problem.full())
    if not all(mask.any() for mask in masks):
        return 0
    factors, sizes = _factors(problem, masks, ())
    slots = list(range(len(masks)))
    largest = [0.0]

    def watched(table: Array) -> Array:
        largest[0] = max(largest[0], float(table.max(initial=0)))
        return table

    plain = _solve(factors, sizes, slots, (), watched)
    if largest[0] < _EXACT:
        return int(plain)
    bound = prod(int(mask.sum()) for mask in masks)
    total, modulus = 0, 1
    for prime in _primes():
        rest = int(_solve(factors, sizes, slots, (), lambda table, p=prime: table % p))  # type: ignore[misc]
        total += modulus * ((rest - total) * pow(modulus, -1, prime) % prime)
        modulus *= prime
        if modulus > bound:
            break
    return total


def joint(problem: Problem, i: int, j: int) -> Mask:
    """Which candidates of two slots stand together in some assignment; shape (n_i, n_j)."""
    masks = problem.full()
    if not all(mask.any() for mask in masks):
        return np.zeros((len(masks[i]), len(masks[j])), dtype=bool)
    factors, sizes = _factors(problem, masks, (i, j))
    others = [slot for slot in range(len(masks)) if slot not in (i, j)]
    return _solve(factors, sizes, others, (i, j), lambda table: (table > 0).astype(np.float64)) > 0


def _factors(problem: Problem, masks: list[Mask], keep: Scope) -> tuple[Factors, list[int]]:
    """A weight per candidate, a table per relation; candidates alike count as one, with weight."""
    matrices: dict[Pair, Mask] = {
        (i, j): matrix[np.ix_(masks[i], masks[j])] for (i, j), matrix in problem.matrices.items()
    }
    factors: Factors = {}
    for slot, mask in enumerate(masks):
        rows = [m if i == slot else m.T for (i, j), m in matrices.items() if slot in (i, j)]
        if slot in keep:
            factors[(slot,)] = np.ones(int(mask.sum()))
            continue
        if not rows:
            factors[(slot,)] = np.array([float(mask.sum())])
            continue
        _, first, weight = np.unique(
            np.packbits(np.hstack(rows), axis=1), axis=0, return_index=True, return_counts=True
        )
        factors[(slot,)] = weight.astype(np.float64)
        for (i, j), matrix in matrices.items():
            if slot in (i, j):
                matrices[(i, j)] = matrix[first] if slot == i else matrix[:, first]
    sizes = [len(factors[(slot,)]) for slot in range(len(masks))]
    return factors | {pair: matrix.astype(np.float64) for pair, matrix in matrices.items()}, sizes


def _solve(factors: Factors, sizes: list[int], left: list[int], keep: Scope, norm: Norm) -> Array:
    """Sums the product of all factors over the slots ``left``; the result's axes are ``keep``."""
    factors, left = dict(factors), list(left)
    while left:
        scopes = {slot: _around(factors, slot) for slot in left}
        slot = min(left, key=lambda s: (prod(sizes[other] for other in scopes[s]), s))
        if prod(sizes[other] for other in scopes[slot]) > _LARGEST:
            return _condition(factors, sizes, left, keep, norm)
        left.remove(slot)
        parts = [(scope, factors.pop(scope)) for scope in list(factors) if slot in scope]
        scope, table = _sum_out(parts, slot, norm)
        factors[scope] = norm(factors[scope] * table) if scope in factors else table
    return _spread(_product(list(factors.items()), norm), keep, [sizes[slot] for slot in keep])


def _condition(
    factors: Factors, sizes: list[int], left: list[int], keep: Scope, norm: Norm
) -> Array:
    """Fixes the most related slot to each of its values in turn, and adds up."""
    slot = max(left, key=lambda s: (len(_around(factors, s)), -sizes[s], -s))
    total = np.zeros([sizes[k] for k in keep])
    for value in range(sizes[slot]):
        fixed: Factors = {}
        for scope, table in factors.items():
            rest = tuple(s for s in scope if s != slot)
            part = table.take(value, axis=scope.index(slot)) if slot in scope else table
            fixed[rest] = norm(fixed[rest] * part) if rest in fixed else np.asarray(part)
        total = norm(total + _solve(fixed, sizes, [s for s in left if s != slot], keep, norm))
    return total


def _around(factors: Factors, slot: int) -> Scope:
    return tuple(sorted({s for scope in factors if slot in scope for s in scope} - {slot}))


def _sum_out(parts: list[tuple[Scope, Array]], slot: int, norm: Norm) -> tuple[Scope, Array]:
    """Sums the product of the parts over one slot."""
    parts = sorted(parts, key=lambda part: (len(part[0]), part[0]))
    weights = [part for part in parts if part[0] == (slot,)]
    tables = [part for part in parts if part[0] != (slot,)]
    if not tables:
        table = norm(_product(weights, norm)[1])
        return (), norm(np.asarray(_sum(table, norm)))
    scope, table = _product([*weights, tables[0]], norm)
    if len(tables) > 2:
        scope, table = _product([(scope, table), *tables[1:-1]], norm)
    size = table.shape[scope.index(slot)]
    last, other = tables[-1] if len(tables) > 1 else ((slot,), np.ones(size))
    out = tuple(sorted({*scope, *last} - {slot}))
    total = None
    for start in range(0, size, _BLOCK):
        cut = range(start, min(start + _BLOCK, size))
        a, b = table.take(cut, scope.index(slot)), other.take(cut, last.index(slot))
        operands: list[Any] = [a, list(scope), b, list(last), list(out)]
        part = norm(np.asarray(np.einsum(*operands, optimize="greedy")))
        total = part if total is None else norm(total + part)
    assert total is not None
    return out, total


def _sum(table: Array, norm: Norm) -> Array:
    total = np.zeros(())
    for start in range(0, len(table), _BLOCK):
        total = norm(total + table[start : start + _BLOCK].sum())
    return total


def _product(parts: list[tuple[Scope, Array]], norm: Norm) -> tuple[Scope, Array]:
    """The product of tables, over all their slots."""
    scope, table = parts[0] if parts else ((), np.ones(()))
    for other, factor in parts[1:]:
        union = tuple(sorted({*scope, *other}))
        table = norm(_aligned(table, scope, union) * _aligned(factor, other, union))
        scope = union
    return scope, table


def _aligned(table: Array, scope: Scope, union: Scope) -> Array:
    ordered = table.transpose([scope.index(s) for s in sorted(scope)])
    return ordered.reshape([table.shape[scope.index(s)] if s in scope else 1 for s in union])


def _spread(part: tuple[Scope, Array], keep: Scope, sizes: list[int]) -> Array:
    scope, table = part
    ordered = _aligned(table, scope, tuple(sorted(keep)))
    full = ordered.transpose([sorted(keep).index(s) for s in keep])
    return np.broadcast_to(full, sizes).copy()


def _primes() -> Iterator[int]:
    number = 2**20
    while True:
        number -= 1
        if all(number % divisor for divisor in range(2, 1025)):
            yield number
