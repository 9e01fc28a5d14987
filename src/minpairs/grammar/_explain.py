"""Why a grammar yields too few items: the constraint that binds, and the count without it."""

from __future__ import annotations

from collections.abc import Iterator

from minpairs.errors import GrammarTooSmallError
from minpairs.grammar.constraints import (
    Problem,
    compile_grammar,
    constraints,
    relation_matrix,
)
from minpairs.grammar.counting import count
from minpairs.grammar.lexicon import Lexicon
from minpairs.grammar.template import Grammar, Template


def too_small(
    template: Template, lexicon: Lexicon, n: int, yields: int, seed: int
) -> GrammarTooSmallError:
    """The error for a template that yields ``yields`` of the ``n`` items asked for."""
    from minpairs.grammar.sampler import Sampler

    start = f"{template.path}: {template.uid} yields {yields} of the {n} items asked for; "
    counts = [count(compile_grammar(grammar, lexicon)) for grammar in template.grammars]
    balance = template.balance
    for grammar, size in zip(template.grammars, counts, strict=True):
        if size * len(counts) < n and (len(counts) == 1 or not balance.exchange):
            return GrammarTooSmallError(start + _narrow(grammar, lexicon, size))
    if sum(counts) < n:
        worst = min(range(len(counts)), key=counts.__getitem__)
        narrow = _narrow(template.grammars[worst], lexicon, counts[worst])
        return GrammarTooSmallError(start + narrow)
    unbalanced = len(Sampler(template, lexicon, seed, balanced=False).items(n))
    repeated = len(Sampler(template, lexicon, seed, distinct=False).items(n))
    if unbalanced >= repeated:
        kept = ["equal shares of the variants"] if len(counts) > 1 else []
        if balance.exchange:
            kept.append(f"exchange of {' and '.join(map(str, balance.exchange))}")
        kept += [f"even {', '.join(map(str, balance.even))}"] if balance.even else []
        more = " or more" if unbalanced == n else ""
        why = f"the balance binds ({'; '.join(kept)}): {unbalanced}{more} without it"
    else:
        more = " or more" if repeated == n else ""
        why = f"distinct sentences bind: {repeated}{more} if sentences might repeat"
    return GrammarTooSmallError(f"{start}of {sum(counts)} assignments; {why}")


def binding(grammar: Grammar, lexicon: Lexicon) -> tuple[str, int] | None:
    """The constraint whose removal raises the count most, and that count; None if none does."""
    most = count(compile_grammar(grammar, lexicon))
    best = None
    for constraint in constraints(grammar):
        size = count(compile_grammar(grammar, lexicon, ignore=constraint))
        if size > most:
            most, best = size, (constraint.describe(grammar), size)
    return best


def contradictions(problem: Problem) -> Iterator[str]:
    """Why a grammar has no assignment: slots without entries, relations that nothing satisfies."""
    grammar = problem.grammar
    entries = dict(zip((slot.name for slot in grammar.slots), problem.candidates, strict=True))
    before = f"variant {grammar.name!r}, " if grammar.name else ""
    found = False
    for slot in grammar.slots:
        if not entries[slot.name]:
            found = True
            yield f"{before}line {slot.line}: no entry of {slot.table} fits slot {slot.name!r}"
    for relation in grammar.relations:
        left, right = entries[relation.left.slot], entries[relation.right.slot]
        if left and right and not relation_matrix(relation, left, right).any():
            found = True
            yield f"{before}line {relation.line}: nothing satisfies the relation '{relation}'"
    if not found:
        yield f"{before}its relations exclude each other: no item satisfies them all"


def _narrow(grammar: Grammar, lexicon: Lexicon, size: int) -> str:
    name = f"variant {grammar.name!r}" if grammar.name else "the grammar"
    found = binding(grammar, lexicon)
    if found is not None:
        return f"{name} has {size} assignments; {found[0]} binds: {found[1]} without it"
    if not size:
        faults = "; ".join(contradictions(compile_grammar(grammar, lexicon)))
        return f"{name} has no assignment: {faults}"
    return f"{name} has {size} assignments in all; its tables need more entries"
