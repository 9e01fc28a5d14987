"""Cells as sequences of literals and slots, and the texts they become."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from minpairs.grammar.lexicon import Entry, join_values

_BRACES = re.compile(r"\{([^{}]*)\}")
_REFERENCE = re.compile(r"([A-Za-z_]\w*)(?:\.([A-Za-z_]\w*))?", re.ASCII)


@dataclass(frozen=True, slots=True, order=True)
class Reference:
    """``slot.feature``; a bare slot means its form."""

    slot: str
    feature: str = "form"

    def __str__(self) -> str:
        return f"{self.slot}.{self.feature}"

    @classmethod
    def parse(cls, text: str) -> Reference | None:
        """Reads ``slot`` or ``slot.feature``; None if it is neither."""
        match = _REFERENCE.fullmatch(text.strip())
        return cls(match[1], match[2] or "form") if match else None


Pieces: TypeAlias = tuple[str | Reference, ...]
Assignment: TypeAlias = Mapping[str, Entry]


@dataclass(frozen=True, slots=True)
class Written:
    """A text as written: its words, joined without spaces in Chinese and with them in English."""

    words: tuple[str, ...]
    text: str


def split_braces(text: str) -> list[tuple[bool, str]]:
    """Cuts a text into literals (False) and names in braces (True).

    Raises:
        ValueError: a brace without its partner.
    """
    pieces: list[tuple[bool, str]] = []
    end = 0
    for match in _BRACES.finditer(text):
        pieces += [(False, text[end : match.start()]), (True, match[1].strip())]
        end = match.end()
    pieces.append((False, text[end:]))
    for named, piece in pieces:
        if not named and re.search(r"[{}]", piece):
            raise ValueError(f"a brace without its partner in {text!r}")
    return [(named, piece) for named, piece in pieces if piece or named]


def value(reference: Reference, assignment: Assignment) -> str:
    """The string a reference prints; of a set, its values joined by ``|`` in a fixed order."""
    entry = assignment[reference.slot]
    if reference.feature == "form":
        return entry.form
    return join_values(entry.features[reference.feature])


def write(
    pieces: Pieces, assignment: Assignment, language: str, *, mid_sentence: bool = False
) -> Written:
    """Substitutes the slots; blanks are word boundaries. English texts begin with a capital."""
    text = "".join(p if isinstance(p, str) else value(p, assignment) for p in pieces)
    if language == "en" and not mid_sentence:
        text = capitalise(text)
    words = tuple(text.split())
    return Written(words, join_words(words, language))


def join_words(words: Iterable[str], language: str) -> str:
    """Words as a text: Chinese without spaces, English with them."""
    return ("" if language == "zh" else " ").join(words)


def capitalise(text: str) -> str:
    """The text with its first letter as a capital, quotation marks before it left alone."""
    for i, character in enumerate(text):
        if character.isalnum():
            return text[:i] + character.upper() + text[i + 1 :]
    return text
