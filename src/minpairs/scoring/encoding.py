"""Tokenizing texts for scoring: beginning tokens, scored spans, texts that cannot be scored."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any

from minpairs.benchmarks.schema import Text
from minpairs.errors import ModelError, TextError, nearest
from minpairs.scoring.score import Encoded

_BLOCK = 2048  # texts that are tokenized at a time


def quote(text: Text, limit: int = 60) -> str:
    """A text as error messages show it."""
    whole = text.context + text.continuation
    return repr(whole if len(whole) <= limit else whole[: limit - 1] + "…")


def beginning_token(tokenizer: Any, config: Any, bos: str) -> int | None:
    """The id to put before every text, or ``None``.

    ``bos`` is ``auto`` (the tokenizer's beginning token, else the one that the configuration names
    if the tokenizer knows it as a special token), ``none``, or a token.

    Raises:
        ModelError: ``bos`` is a token that the vocabulary does not have.
    """
    if bos == "none":
        return None
    if bos == "auto":
        own: int | None = tokenizer.bos_token_id
        if own is not None:
            return own
        configured = getattr(config, "bos_token_id", None)
        # Configuration classes have default ids that mean nothing for another vocabulary.
        special = set(tokenizer.all_special_ids) | set(tokenizer.added_tokens_decoder)
        return configured if configured in special else None
    vocabulary = tokenizer.get_vocab()
    if bos not in vocabulary:
        candidates = tokenizer.all_special_tokens
        raise ModelError(f"--bos {bos!r} is not a token of this model; {nearest(bos, candidates)}")
    return int(vocabulary[bos])


def split_tokens(
    tokenizer: Any, texts: Sequence[Text], *, special: bool
) -> list[tuple[list[int], int, list[int]]]:
    """Token ids, the continuation's first position, and word indices (``-1``: special token).

    The text is tokenized whole, so that it reads as in running text. A token belongs to the
    continuation when it ends inside it: one that spans the boundary is scored.

    Raises:
        TextError: a text is empty, or the tokenizer does not read all of it.
    """
    for index, text in enumerate(texts):
        if not isinstance(text.context, str) or not isinstance(text.continuation, str):
            raise TextError(f"text {index} is not a string: {text.continuation!r}")
        if not text.continuation.strip():
            raise TextError(f"text {index} is empty ({quote(text)}): there is nothing to score")
    # A tokenizer's own records of a text are many times as large as what is kept of them.
    blocks = (texts[first : first + _BLOCK] for first in range(0, len(texts), _BLOCK))
    return [found for block in blocks for found in _split(tokenizer, block, special)]


def _split(
    tokenizer: Any, texts: Sequence[Text], special: bool
) -> list[tuple[list[int], int, list[int]]]:
    whole = [text.context + text.continuation for text in texts]
    fast = bool(getattr(tokenizer, "is_fast", False))
    options = {"return_offsets_mapping": True} if fast else {}
    coded = _tokenized(tokenizer, whole, add_special_tokens=special, **options)
    results = []
    for index, text in enumerate(texts):
        ids = list(coded["input_ids"][index])
        if fast:
            _check_all_read(text, coded["offset_mapping"][index])
            words = [-1 if word is None else word for word in coded.word_ids(index)]
            first = _first_by_offset(coded["offset_mapping"][index], words, len(text.context))
        else:
            words = _slow_words(tokenizer, ids)
            first = _first_by_prefix(tokenizer, text, ids, special)
        results.append((ids, first, words))
    return results


def encode(
    text: Text,
    ids: Sequence[int],
    first: int,
    last: int,
    *,
    begin: int | None = None,
    ends: int = 0,
    words: Sequence[int] = (),
    unknown_id: int | None,
    forbidden: frozenset[int],
    rows: int | None,
    limit: int | None,
    reads: int,
) -> Encoded:
    """Checks one tokenized text and marks its scored span ``first .. last - 1``.

    Args:
        text: what was tokenized, for messages.
        ids: its tokens, special tokens included.
        first: first scored position.
        last: one past the last scored position.
        begin: the continuation's first position, where nothing before it can be read: ``first``.
        ends: how many special tokens behind ``last`` are scored too.
        words: word index of each position.
        unknown_id: the unknown token's id.
        forbidden: special tokens that must not be spelt out in a text.
        rows: size of the model's embedding.
        limit: longest input in tokens that the model can read.
        reads: how many tokens of this text the model has to read.

    Raises:
        TextError: nothing can be scored, or the text is too long, or holds special tokens.
        ModelError: a token has no embedding.
    """
    if limit is not None and reads > limit:
        raise TextError(
            f"{quote(text)} has {reads} tokens to read, but the model reads at most {limit}; "
            "shorten the text (it is never cut in silence)"
        )
    inside = ids[first:last]
    if not inside:
        raise TextError(
            f"{quote(text)} has no token that can be scored: the first token needs a beginning "
            "token before it; give one with bos (--bos TOKEN)"
        )
    if rows is not None and max(ids) >= rows:
        raise ModelError(
            f"token {max(ids)} of {quote(text)} is outside the model's {rows} embeddings: "
            "the tokenizer does not belong to this model"
        )
    if not forbidden.isdisjoint(inside):
        raise TextError(f"{quote(text)} spells out a special token; texts must be plain")
    unknown = 0 if unknown_id is None else sum(token == unknown_id for token in inside)
    if unknown == len(inside):
        raise TextError(
            f"{quote(text)} has only characters that the model's vocabulary does not know"
        )
    unscored = 0 if begin is None else first - begin
    return Encoded(tuple(ids), range(first, last + ends), unknown, tuple(words), unscored=unscored)


def _tokenized(tokenizer: Any, whole: list[str], **options: Any) -> Any:
    options |= {"return_attention_mask": False, "return_token_type_ids": False}
    try:
        return tokenizer(whole, **options)
    except Exception as error:  # tokenizers raises bare exceptions (no unknown token, surrogates)
        for text in whole if len(whole) > 1 else []:
            _tokenized(tokenizer, [text], **options)  # finds out which text it is
        raise TextError(f"the tokenizer cannot read {quote(Text(whole[0]))}: {error}") from error


def _check_all_read(text: Text, offsets: Sequence[tuple[int, int]]) -> None:
    """A tokenizer without an unknown token may pass over characters that it does not know."""
    whole = text.context + text.continuation
    read = 0
    for start, end in [*offsets, (len(whole), len(whole))]:
        if start > read:
            _check_gap(text, whole[read:start])
        read = max(read, end)


def _check_gap(text: Text, gap: str) -> None:
    # White space, marks and format characters may be taken off by a tokenizer that reads texts in a
    # normal form; letters, digits, punctuation and symbols are part of what is judged.
    for character in "" if gap.isspace() else gap:
        if unicodedata.category(character)[0] in "LNPS":
            raise TextError(
                f"the tokenizer passes over {character!r} in {quote(text)}: it has neither a "
                "token for it nor an unknown token"
            )


def _first_by_offset(
    offsets: Sequence[tuple[int, int]], words: Sequence[int], boundary: int
) -> int:
    for position, (start, end) in enumerate(offsets):
        # A special token has an empty span and no word.
        if words[position] >= 0 and end > boundary and end > start:
            return position
    # Byte-level pieces of one character share its span, so this is reached only if all is special.
    return len(offsets)


def _first_by_prefix(tokenizer: Any, text: Text, ids: Sequence[int], special: bool) -> int:
    """Without offsets: the first token at which tokenizing the context alone differs."""
    lead = 0
    if special:
        while lead < len(ids) and ids[lead] in set(tokenizer.all_special_ids):
            lead += 1
    if not text.context:
        return lead
    before = tokenizer(text.context, add_special_tokens=False)["input_ids"]
    position = 0
    while position < len(before) and ids[lead + position] == before[position]:
        position += 1
    return lead + position


def _slow_words(tokenizer: Any, ids: Sequence[int]) -> list[int]:
    special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
    return [-1 if token in special else position for position, token in enumerate(ids)]
