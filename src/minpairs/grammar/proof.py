"""What can be said of pairs without a model: lengths, duplicates, what the edit gives away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import pyarrow as pa


@dataclass(frozen=True, slots=True)
class PairProof:
    """Counts over the pairs of one paradigm.

    Attributes:
        n: pairs.
        identical: pairs whose members are the same string.
        repeated: sentences that stand more than once, on either side.
        equal_characters: pairs whose members have equally many characters.
        equal_words: pairs whose members have equally many words.
        edits: distinct exchanged strings.
        edit_only: accuracy of :func:`edit_only`; nan without pairs.
        edit_only_stable: the same, where a prediction that counting the pair itself would change
            is a tie: 1/2 where every string is as often acceptable as not.
    """

    n: int
    identical: int
    repeated: int
    equal_characters: int
    equal_words: int
    edits: int
    edit_only: float
    edit_only_stable: float


def prove(table: pa.Table) -> PairProof:
    """Counts over a table of minimal pairs as :func:`minpairs.grammar.rows` writes it."""
    good, bad, words_good, words_bad, edit_good, edit_bad = (
        table[name].to_pylist()
        for name in (
            "sentence_good",
            "sentence_bad",
            "words_good",
            "words_bad",
            "edit_good",
            "edit_bad",
        )
    )
    sentences = Counter([*good, *bad])
    return PairProof(
        n=len(good),
        identical=sum(g == b for g, b in zip(good, bad, strict=True)),
        repeated=sum(times - 1 for times in sentences.values()),
        equal_characters=sum(len(g) == len(b) for g, b in zip(good, bad, strict=True)),
        equal_words=sum(len(g) == len(b) for g, b in zip(words_good, words_bad, strict=True)),
        edits=len({*edit_good, *edit_bad}),
        edit_only=edit_only(edit_good, edit_bad),
        edit_only_stable=edit_only(edit_good, edit_bad, stable=True),
    )


def edit_only(good: Sequence[str], bad: Sequence[str], *, stable: bool = False) -> float:
    """Accuracy of knowing only the two exchanged strings (leave-one-out majority).

    Of a pair's two strings, the one that is acceptable in the larger share of the other pairs is
    predicted to be acceptable; a string not seen elsewhere has share one half, a tie counts one
    half. Where every string is as often acceptable as not, leaving the pair out tips the others
    against it, so a balanced paradigm scores 50 % or less; what the string gives away lies above.

    Args:
        good: the acceptable string of each pair.
        bad: the unacceptable string of each pair.
        stable: a prediction that changes when the pair itself is counted is a tie.

    Returns:
        A share of the pairs, from 0 to 1; nan without pairs.
    """
    if not good:
        return float("nan")
    right, wrong = Counter(good), Counter(bad)
    total = 0.0
    for g, b in zip(good, bad, strict=True):
        same = g == b
        others = _compare(right[g] - 1, wrong[g] - same, right[b] - same, wrong[b] - 1)
        if stable and others != _compare(right[g], wrong[g], right[b], wrong[b]):
            others = 0
        total += (1 + others) / 2
    return total / len(good)


def _compare(right: int, wrong: int, other_right: int, other_wrong: int) -> int:
    """1 if the first string is acceptable in the larger share of its pairs, -1 if the second."""
    ours, theirs = _share(right, wrong), _share(other_right, other_wrong)
    return (ours > theirs) - (ours < theirs)


def _share(right: int, wrong: int) -> Fraction:
    return Fraction(right, right + wrong) if right + wrong else Fraction(1, 2)
