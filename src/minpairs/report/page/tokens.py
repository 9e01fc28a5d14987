"""A text's tokens as people read them, each with its surprisal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from minpairs.scoring.score import Score

_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text and what it cost.

    Attributes:
        text: as it stands in the sentence.
        surprisal: minus the log-probability, in nats; None where it was not scored.
        tokens: how many tokens it is made of: several where a character is cut into bytes.
        differs: whether the text that it is compared with has something else there.
    """

    text: str
    surprisal: float | None
    tokens: int = 1
    differs: bool = False


def pieces(score: Score) -> tuple[Piece, ...]:
    """The scored text in pieces; empty where no tokens were kept.

    Tokenizers write spaces, bytes and parts of words in ways of their own (``Ġthe``, ``▁the``,
    ``##ing``, ``<0xE6>``). They are read back by whichever way spells the text; if none does, they
    are shown as they are.
    """
    if not score.token_texts:
        return ()
    surprisals = [-logprob for logprob in score.token_logprobs]
    for spelt in (_byte_level, _pieces_of_words, _word_pieces, _units):
        tokens = spelt(score.token_texts)
        if tokens is None:
            continue
        found = _aligned(tokens, surprisals, score.continuation)
        if found is not None:
            return found
    return tuple(map(Piece, score.token_texts, surprisals))


def compared(
    left: Sequence[Piece], right: Sequence[Piece]
) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Both, with the pieces marked that lie between what they begin and end with in common."""
    shorter = min(len(left), len(right))
    start = next((i for i in range(shorter) if left[i].text != right[i].text), shorter)
    end = next(
        (i for i in range(shorter - start) if left[-1 - i].text != right[-1 - i].text),
        shorter - start,
    )
    return _marked(left, start, end), _marked(right, start, end)


def _marked(found: Sequence[Piece], start: int, end: int) -> tuple[Piece, ...]:
    return tuple(
        Piece(one.text, one.surprisal, one.tokens, start <= i < len(found) - end)
        for i, one in enumerate(found)
    )


def _aligned(
    tokens: Sequence[bytes], surprisals: Sequence[float], text: str
) -> tuple[Piece, ...] | None:
    """Pieces of whole characters, if the tokens spell the text, or all of it but its beginning."""
    whole, spelt = text.encode(), b"".join(tokens)
    if not whole.endswith(spelt):
        # A beginning that was added before the first word.
        tokens = [tokens[0].removeprefix(b" "), *tokens[1:]]
        spelt = b"".join(tokens)
        if not spelt or not whole.endswith(spelt):
            return None
    found: list[Piece] = []
    before = whole[: len(whole) - len(spelt)]
    if before:
        try:
            found.append(Piece(before.decode(), None, 0))
        except UnicodeDecodeError:
            return None
    waiting, cost, count = b"", 0.0, 0
    for token, surprisal in zip(tokens, surprisals, strict=True):
        waiting, cost, count = waiting + token, cost + surprisal, count + 1
        try:
            found.append(Piece(waiting.decode(), cost, count))
        except UnicodeDecodeError:
            continue  # the rest of the character is in the next token
        waiting, cost, count = b"", 0.0, 0
    return None if waiting else tuple(found)


def _byte_level(tokens: Sequence[str]) -> list[bytes] | None:
    table = _byte_alphabet()
    try:
        return [bytes(table[character] for character in token) for token in tokens]
    except KeyError:
        return None


def _pieces_of_words(tokens: Sequence[str]) -> list[bytes]:
    return [
        bytes([int(match[1], 16)]) if (match := _BYTE.fullmatch(token)) else _spaced(token)
        for token in tokens
    ]


def _spaced(token: str) -> bytes:
    return token.replace("▁", " ").encode()


def _word_pieces(tokens: Sequence[str]) -> list[bytes]:
    return [
        token.removeprefix("##").encode() if i == 0 or token[:2] == "##" else f" {token}".encode()
        for i, token in enumerate(tokens)
    ]


def _units(tokens: Sequence[str]) -> list[bytes]:
    """Characters or words without marks of their own, as in Chinese."""
    return [token.removeprefix("##").encode() for token in tokens]


@cache
def _byte_alphabet() -> dict[str, int]:
    """GPT-2's letters for bytes: printable ones stand for themselves, others from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others: Iterator[int] = (byte for byte in range(256) if byte not in printable)
    return {
        **{chr(byte): byte for byte in printable},
        **{chr(0x100 + i): byte for i, byte in enumerate(others)},
    }
