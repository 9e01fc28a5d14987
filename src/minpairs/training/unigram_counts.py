"""Counting the tokens of a training text, for SLOR."""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from minpairs.errors import ModelError, nearest
from minpairs.files import write_durably
from minpairs.training.corpus import Corpus

__all__ = ["TokenCounter", "count_corpus", "token_counter", "unigram_table", "write_unigrams"]

Counting = Literal["exact", "as_released"]
WORDS = "words_punctuation"
# A word with the apostrophes inside it, or one mark of punctuation.
_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


@dataclass(frozen=True)
class TokenCounter:
    """Counts tokens.

    Attributes:
        name: what the tokens are: ``words_punctuation``, a segmentation, or a tokenizer's hash.
        count: from sentences to the number of occurrences of each of their tokens.
    """

    name: str
    count: Callable[[Sequence[str]], Counter[str]]


def token_counter(name: str, counting: Counting = "exact") -> TokenCounter:
    """The counter of a tokenizer's tokens, or of words.

    A sentence is tokenized by itself, as it is when it is scored: without special tokens, and
    without the line end that follows it in a file. ``as_released`` counts as the let-alone study's
    code does: each line with its line end, so that ``Ċ`` is among the tokens and in their total.

    Args:
        name: ``words_punctuation`` (words and marks of punctuation, as they are written);
            ``characters``, ``words`` or ``jieba`` for models of these units (see ``segmenter``);
            else a tokenizer: a folder, or a name on the Hub.
        counting: ``exact`` or ``as_released``.

    Raises:
        ModelError: there is no such tokenizer, or it is a slow one.
    """
    if counting not in get_args(Counting):
        raise ModelError(
            f"unknown way to count {counting!r}; {nearest(counting, get_args(Counting))}"
        )
    if name == WORDS:
        return TokenCounter(WORDS, partial(_count_pieces, _WORD.findall))
    if name in ("characters", "words"):
        return TokenCounter(name, partial(_count_pieces, list if name == "characters" else _whole))
    if name == "jieba":
        from minpairs.scoring.segmentation import segmenter

        cut = segmenter("jieba")
        return TokenCounter(name, lambda texts: Counter(token for t in texts for token in cut(t)))
    from minpairs.scoring.checkpoint import load_tokenizer

    return tokenizer_counter(load_tokenizer(name), counting)


def _whole(piece: str) -> list[str]:
    return [piece]


def _count_pieces(cut: Callable[[str], Iterable[str]], texts: Sequence[str]) -> Counter[str]:
    """Counts what ``cut`` makes of texts, where it never looks beyond white space."""
    counts: Counter[str] = Counter()
    # What white space divides repeats itself: each such piece is cut once.
    for piece, times in Counter("\n".join(texts).split()).items():
        for token in cut(piece):
            counts[token] += times
    return counts


def _identity(tokenizer: Any) -> str:
    """A hash of all that decides how a tokenizer cuts: its class, and the file it is saved as.

    The file, since a tokenizer that cuts by a function of Python's can only be saved by its class.
    """
    with TemporaryDirectory() as folder:
        tokenizer.save_pretrained(folder)
        saved = (Path(folder) / "tokenizer.json").read_bytes()
    return hashlib.sha256(type(tokenizer).__name__.encode() + saved).hexdigest()[:8]


def tokenizer_counter(tokenizer: Any, counting: Counting = "exact") -> TokenCounter:
    """The counter of the tokens of a loaded (fast) tokenizer; see :func:`token_counter`."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise ModelError(
            f"{tokenizer.name_or_path or type(tokenizer).__name__} is a slow tokenizer; "
            "save it as a fast one (tokenizer.json)"
        )
    backend.no_padding()
    backend.no_truncation()
    end = "\n" if counting == "as_released" else ""
    unit = _identity(tokenizer)

    def count(texts: Sequence[str]) -> Counter[str]:
        counts = np.zeros(len(tokenizer), dtype=np.int64)
        for first in range(0, len(texts), 10_000):
            batch = [text + end for text in texts[first : first + 10_000]]
            encoded = backend.encode_batch_fast(batch, add_special_tokens=False)
            ids = np.fromiter((i for one in encoded for i in one.ids), dtype=np.int64)
            counts += np.bincount(ids, minlength=len(counts))
        (seen,) = counts.nonzero()
        tokens = tokenizer.convert_ids_to_tokens(seen.tolist())
        return Counter(dict(zip(tokens, counts[seen].tolist(), strict=True)))

    return TokenCounter(f"tokenizer:{unit}", count)


def count_corpus(corpus: Corpus, counter: TokenCounter) -> Counter[str]:
    """Counts the tokens of a whole corpus, one part in memory at a time."""
    total: Counter[str] = Counter()
    for part in corpus.parts:
        total.update(counter.count(corpus.read(part).texts))
    return total


def unigram_table(counts: Mapping[str, int]) -> pa.Table:
    """Columns ``token`` and ``count``, most frequent first, equals in the order of their tokens."""
    rows = sorted(((t, n) for t, n in counts.items() if n), key=lambda row: (-row[1], row[0]))
    return pa.table(
        {
            "token": pa.array([token for token, _ in rows], pa.string()),
            "count": pa.array([count for _, count in rows], pa.int64()),
        }
    )


def write_unigrams(
    path: Path, counts: Mapping[str, int], counting: Counting = "exact", **about: str
) -> None:
    """Writes counts where a scorer finds them (``unigrams.parquet`` beside the model).

    Args:
        path: the file.
        counts: occurrences by token.
        counting: how they were counted; the file says so, and a scorer smooths accordingly.
        about: further facts for the file's metadata: which text, which tokenizer.

    Raises:
        ModelError: there are no counts.
    """
    from minpairs.scoring.unigrams import RELEASED, SMOOTHING_KEY

    if not any(counts.values()):
        raise ModelError(f"{path}: no tokens were counted")
    facts: dict[str, str] = {SMOOTHING_KEY: RELEASED if counting == "as_released" else "add_one"}
    facts |= {f"minpairs.{key}": value for key, value in sorted(about.items())}
    write_durably(path, parquet_bytes(unigram_table(counts).replace_schema_metadata(facts)))


def parquet_bytes(table: pa.Table, dictionary: bool | list[str] = False) -> bytes:
    """A table as a Parquet file; the same table gives the same bytes."""
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd", use_dictionary=dictionary)
    return buffer.getvalue()


def describe(identity: Iterable[tuple[str, str]]) -> str:
    """A corpus's files and hashes on one line, for metadata."""
    return json.dumps(dict(identity), ensure_ascii=False)
