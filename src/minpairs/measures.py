"""From log-probabilities to verdicts: measures of a text, predictions over cells, ties.

Everything here is pure numpy. A text is scored once; every measure is computed afterwards from the
sums kept here, and a design's inequalities then weigh the measured cells of each item.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minpairs.benchmarks.schema import Design, Inequality
from minpairs.errors import MeasureError, nearest

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ties = Literal["strict", "half", "paper"]
TIES: tuple[Ties, ...] = get_args(Ties)

PENLP_ALPHA = 0.8
SLLN_ALPHA = 0.5


@dataclass(frozen=True, slots=True)
class Scores:
    """What was recorded of n texts; each field is an array of shape (n,), or None if not recorded.

    Attributes:
        logprob: sum of log-probabilities over the scored tokens, nats.
        tokens: number of scored tokens, the N of every measure.
        words: number of words.
        characters: number of characters.
        unigram_logprob: sum of unigram log-probabilities over the same scored tokens, nats.
        all_tokens: number of tokens of the text, scored or not (for ``slor_as_released``).
        all_unigram_logprob: sum of unigram log-probabilities over all of those, nats.
    """

    logprob: Floats
    tokens: Floats
    words: Floats | None = None
    characters: Floats | None = None
    unigram_logprob: Floats | None = None
    all_tokens: Floats | None = None
    all_unigram_logprob: Floats | None = None


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of acceptability: a function of what was recorded, and the fields it reads."""

    compute: Callable[..., Floats]
    fields: tuple[str, ...]
    description: str


def _over(total: Floats, length: Floats) -> Floats:
    return total / length


def _penlp(logprob: Floats, tokens: Floats) -> Floats:
    return logprob / ((5 + tokens) / 6) ** PENLP_ALPHA


def _slln(logprob: Floats, tokens: Floats) -> Floats:
    return logprob / tokens**SLLN_ALPHA


def _slor(logprob: Floats, unigram_logprob: Floats, length: Floats) -> Floats:
    return (logprob - unigram_logprob) / length


def _slor_as_released(
    logprob: Floats, tokens: Floats, all_unigram_logprob: Floats, all_tokens: Floats
) -> Floats:
    return logprob / tokens - all_unigram_logprob / all_tokens


MEASURES: Mapping[str, Measure] = {
    "sum": Measure(lambda logprob: logprob, ("logprob",), "log-probability of the text"),
    "mean": Measure(_over, ("logprob", "tokens"), "log-probability per scored token"),
    "per_word": Measure(_over, ("logprob", "words"), "log-probability per word"),
    "per_character": Measure(_over, ("logprob", "characters"), "log-probability per character"),
    "penlp": Measure(
        _penlp,
        ("logprob", "tokens"),
        "log-probability over ((5 + N) / 6) ** 0.8 (Wu et al. 2016; Lau et al. 2020)",
    ),
    "slln": Measure(
        _slln, ("logprob", "tokens"), "log-probability over the square root of N (ZhoBLiMP)"
    ),
    "slor": Measure(
        _slor,
        ("logprob", "unigram_logprob", "tokens"),
        "log-probability less unigram log-probability, per scored token (Lau et al. 2017)",
    ),
    "slor_word": Measure(
        _slor,
        ("logprob", "unigram_logprob", "words"),
        "log-probability less unigram log-probability, per word",
    ),
    # The let-alone study's code: the model's mean leaves out the first token, the unigrams' does
    # not. Needs texts scored without a beginning token, so that ``tokens`` is ``all_tokens`` - 1.
    "slor_as_released": Measure(
        _slor_as_released,
        ("logprob", "tokens", "all_unigram_logprob", "all_tokens"),
        "mean log-probability over N - 1 tokens less mean unigram log-probability over all N",
    ),
}
# The forms of SLOR by what ``--slor`` calls them; the first is the default.
SLOR: Mapping[str, str] = {
    "paper": "slor",
    "as_released": "slor_as_released",
    "word": "slor_word",
}
_NEEDS = {
    "unigram_logprob": "token counts of the training text (--unigrams FILE when scoring)",
    "all_unigram_logprob": "token counts of the training text (--unigrams FILE when scoring), and "
    "scores that this version or a later one wrote",
    "all_tokens": "scores that this version or a later one wrote",
}
_LENGTHS = frozenset({"tokens", "words", "characters", "all_tokens"})


def slor_measure(name: str, form: str | None) -> str:
    """The measure meant by ``--measure NAME --slor FORM``.

    Raises:
        MeasureError: there is no such form, or the measure is not SLOR.
    """
    if form is None:
        return name
    if form not in SLOR:
        raise MeasureError(f"unknown form of SLOR {form!r}: {nearest(form, SLOR)}")
    if name not in ("slor", SLOR[form]):
        raise MeasureError(f"a form of SLOR ({form}) was asked for, but the measure is {name!r}")
    return SLOR[form]


def measure(name: str, scores: Scores, ids: Sequence[object] | None = None) -> Floats:
    """The measure called ``name`` for each of n texts, shape (n,).

    Args:
        name: a key of ``MEASURES``.
        scores: what was recorded of the texts.
        ids: what to call the texts in errors; their rows (from 0) when not given.

    Raises:
        MeasureError: unknown measure, a field it needs was not recorded, or a row holds a value
            that is missing, not finite, a length below one or a log-probability above zero.
    """
    if name not in MEASURES:
        raise MeasureError(f"unknown measure {name!r}: {nearest(name, MEASURES)}")
    chosen = MEASURES[name]
    columns: dict[str, Floats] = {}
    for field in chosen.fields:
        recorded = getattr(scores, field)
        if recorded is None:
            hint = f": it takes {_NEEDS[field]}" if field in _NEEDS else ""
            raise MeasureError(f"measure {name!r} needs {field!r}, which was not recorded{hint}")
        columns[field] = column(recorded, field, ids)
    same_length(columns)
    for field, values in columns.items():
        if field in _LENGTHS:
            _refuse(values < 1, values, field, ids, "a text needs a length of at least 1")
        else:
            # Sums of log-softmax may exceed zero by rounding, never by more.
            wrong = values > 1e-6
            _refuse(wrong, values, field, ids, "is it a surprisal? log-probabilities are <= 0")
    return chosen.compute(*columns.values())


def differences(
    values: Mapping[str, ArrayLike], design: Design, ids: Sequence[object] | None = None
) -> Floats:
    """How far each of the design's inequalities holds, for each item: shape (n, k).

    A difference over more than two cells that is below its own rounding error is set to zero, so
    that four equal cells tie whatever their order. Over two cells the subtraction is exact there.

    Args:
        values: measured cells by name, each of shape (n,).
        design: the items' cells and k inequalities.
        ids: what to call the items in errors; their rows (from 0) when not given.

    Raises:
        MeasureError: a cell is missing or of another length, or a value is missing or not finite.
    """
    cells: dict[str, Floats] = {}
    for cell in design.cells:
        if cell not in values:
            raise MeasureError(
                f"items of design {design.name!r} need cell {cell!r}, "
                f"but the values given are {', '.join(map(repr, values)) or 'none'}"
            )
        cells[cell] = column(values[cell], cell, ids)
    if same_length(cells) == 0:
        raise MeasureError("there are no items: an accuracy needs at least one")
    return np.stack([_difference(cells, inequality) for inequality in design.inequalities], axis=1)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The verdict on each of n items; arrays of shape (n,).

    Attributes:
        right: every inequality holds strictly.
        tied: none is violated, and at least one is an equality.
        credit: what the item adds to the accuracy, in [0, 1]; depends on the rule for ties.
    """

    right: Bools
    tied: Bools
    credit: Floats


_TIE_CREDIT: Mapping[str, float] = {"strict": 0.0, "half": 0.5, "paper": 1.0}


def verdicts(differences: Floats, ties: str = "strict") -> Verdicts:
    """Judges items by their differences, shape (n, k).

    Args:
        differences: as given by ``differences``.
        ties: credit of a tied item: ``strict`` none, ``half`` one half for each of its inequalities
            that is an equality (as if each were decided by a coin, so that scores without
            information are not above chance), ``paper`` all of it (the ``>=`` of the let-alone
            paper).

    Raises:
        MeasureError: unknown rule for ties.
    """
    if ties not in _TIE_CREDIT:
        raise MeasureError(f"unknown rule for ties {ties!r}: {nearest(ties, _TIE_CREDIT)}")
    right: Bools = np.all(differences > 0, axis=1)
    violated: Bools = np.any(differences < 0, axis=1)
    tied = np.logical_not(violated | right)
    equalities = np.sum(differences == 0, axis=1)
    credit = np.where(tied, _TIE_CREDIT[ties] ** equalities, right.astype(np.float64))
    return Verdicts(right, tied, credit)


def column(values: ArrayLike, name: str, ids: Sequence[object] | None = None) -> Floats:
    """A column of numbers as an array of shape (n,), or an error that names the first bad row.

    Raises:
        MeasureError: the column is not flat, or a row is missing, not a number, or not finite.
    """
    array = as_array(values)
    if array.ndim != 1:
        raise MeasureError(f"{name}: expected one number a row, got shape {array.shape}")
    if array.dtype.kind not in "iuf":
        for row, value in enumerate(array.tolist()):
            if isinstance(value, bool) or not isinstance(value, Real):
                raise MeasureError(f"{_row(row, ids)}: {name} is {value!r}, not a number")
    numbers = array.astype(np.float64)
    _refuse(~np.isfinite(numbers), numbers, name, ids, "every value must be finite")
    return numbers


def as_array(values: ArrayLike) -> NDArray[Any]:
    """The rows as an array; one of objects, each row as given, where they are not all numbers."""
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "US":
            return array
    except ValueError:
        pass  # rows of different lengths
    # A mixed list: keep each row as it was given, for the error that names it.
    rows = list(cast(Sequence[Any], values))
    kept = np.empty(len(rows), dtype=object)
    for row, value in enumerate(rows):
        kept[row] = value
    return kept


def same_length(columns: Mapping[str, Floats]) -> int:
    """The length that all columns share.

    Raises:
        MeasureError: they differ; names the first row that one of them lacks.
    """
    sizes = {name: len(values) for name, values in columns.items()}
    if len(set(sizes.values())) > 1:
        short = min(sizes, key=lambda name: sizes[name])
        listed = ", ".join(f"{name} {size}" for name, size in sizes.items())
        raise MeasureError(f"row {sizes[short]}: {short} has no value; lengths are {listed}")
    return next(iter(sizes.values()), 0)


def _difference(cells: Mapping[str, Floats], inequality: Inequality) -> Floats:
    weighed = [weight * cells[cell] for cell, weight in inequality.terms]
    total = np.sum(weighed, axis=0)
    if len(weighed) > 2:
        size = np.sum(np.abs(weighed), axis=0)
        error = (len(weighed) - 2) * np.finfo(np.float64).eps * size
        total = np.where(np.abs(total) <= error, 0.0, total)
    return np.asarray(total, dtype=np.float64)


def _refuse(
    wrong: Bools, values: Floats, name: str, ids: Sequence[object] | None, why: str
) -> None:
    if wrong.any():
        row = int(np.argmax(wrong))
        count = int(wrong.sum())
        more = f" ({count} such rows)" if count > 1 else ""
        raise MeasureError(f"{_row(row, ids)}: {name} is {values[row]:g}; {why}{more}")


def _row(row: int, ids: Sequence[object] | None) -> str:
    return f"row {row}" if ids is None else f"row {row} (item {ids[row]!r})"
