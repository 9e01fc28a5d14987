"""SyntaxGym's prediction formulas, as linear inequalities over surprisals.

``(2;%mismatch%) > (2;%match%)`` compares region sums of two conditions; ``*`` is the whole
sentence; ``+``, ``-``, ``<``, ``>``, ``&`` and brackets combine them. ``|`` and ``=`` are not
linear inequalities and are refused, as is a comparison with a number other than 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from minpairs.errors import SuiteError

_TOKEN = re.compile(r"\s*(?:\(\s*(\d+|\*)\s*;\s*%([^%]+)%\s*\)|(\d+(?:\.\d+)?)|([-+<>=&|()\[\]]))")
_CLOSING = {"(": ")", "[": "]"}


@dataclass(frozen=True, slots=True)
class Region:
    """A region of a condition; ``number`` is None for the whole sentence."""

    condition: str
    number: int | None

    def __str__(self) -> str:
        return f"({'*' if self.number is None else self.number};%{self.condition}%)"


Sum = Mapping[Region, float]


def parse(formula: str) -> list[Sum]:
    """The inequalities ``sum(weight * surprisal(region)) > 0`` that must all hold.

    Arithmetic is read from left to right, as usual. (SyntaxGym's own parser binds ``+`` before
    ``-`` and drops the third term of a chain without brackets.)

    Raises:
        SuiteError: the formula is malformed, or not a conjunction of linear inequalities.
    """
    return _Parser(formula).parse()


@dataclass(frozen=True, slots=True)
class _Linear:
    weights: Sum
    constant: float = 0.0

    def plus(self, other: _Linear, sign: float) -> _Linear:
        weights = dict(self.weights)
        for region, weight in other.weights.items():
            weights[region] = weights.get(region, 0.0) + sign * weight
        kept = {region: weight for region, weight in weights.items() if weight}
        return _Linear(kept, self.constant + sign * other.constant)


_Value = _Linear | list[Sum]


class _Parser:
    def __init__(self, formula: str) -> None:
        self.formula = formula
        self.tokens = self._tokens(formula)
        self.position = 0

    def parse(self) -> list[Sum]:
        value = self._conjunction()
        if self.position < len(self.tokens):
            raise self._fault(f"unexpected {self._peek()!r}")
        if isinstance(value, _Linear):
            raise self._fault("it compares nothing")
        return value

    def _tokens(self, formula: str) -> list[str | Region | float]:
        tokens: list[str | Region | float] = []
        position, text = 0, formula.rstrip()
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                raise self._fault(f"cannot read {text[position:].strip()!r}")
            region, condition, number, sign = match.groups()
            if condition is not None:
                tokens.append(Region(condition.strip(), None if region == "*" else int(region)))
            else:
                tokens.append(float(number) if number is not None else sign)
            position = match.end()
        return tokens

    def _peek(self) -> str | Region | float | None:
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def _next(self) -> str | Region | float | None:
        token = self._peek()
        self.position += 1
        return token

    def _conjunction(self) -> _Value:
        value = self._comparison()
        while self._peek() in ("&", "|"):
            if self._next() == "|":
                raise self._fault("'|' (or) is no linear inequality")
            other = self._comparison()
            if isinstance(value, _Linear) or isinstance(other, _Linear):
                raise self._fault("'&' joins comparisons")
            value = value + other
        return value

    def _comparison(self) -> _Value:
        left = self._sum()
        sign = self._peek()
        if sign not in ("<", ">", "="):
            return left
        self._next()
        if sign == "=":
            raise self._fault("'=' is no linear inequality")
        right = self._sum()
        if isinstance(left, list) or isinstance(right, list):
            raise self._fault(f"{sign!r} compares sums of regions")
        above, below = (left, right) if sign == ">" else (right, left)
        margin = above.plus(below, -1.0)
        if margin.constant:
            raise self._fault("only 0 can stand alone on a side")
        if not margin.weights:
            raise self._fault("both sides are the same")
        return [margin.weights]

    def _sum(self) -> _Value:
        value = self._atom()
        while (sign := self._peek()) in ("+", "-"):
            self._next()
            other = self._atom()
            if isinstance(value, list) or isinstance(other, list):
                raise self._fault(f"{sign!r} joins regions, not comparisons")
            value = value.plus(other, 1.0 if sign == "+" else -1.0)
        return value

    def _atom(self) -> _Value:
        token = self._next()
        if isinstance(token, Region):
            return _Linear({token: 1.0})
        if isinstance(token, float):
            return _Linear({}, token)
        if token is None or token not in _CLOSING:
            raise self._fault(f"a region is missing before {token or 'its end'!r}")
        value = self._conjunction()
        if self._next() != _CLOSING[token]:
            raise self._fault(f"{token!r} is not closed")
        return value

    def _fault(self, message: str) -> SuiteError:
        return SuiteError(f"cannot use the formula {self.formula!r}: {message}")
