"""A corpus as tokens on disk: coded once, by one process, and read by all from there.

A run that is stopped and taken up again does not code its corpus anew.
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from minpairs.errors import ModelError
from minpairs.files import write_durably
from minpairs.training.batches import Integers
from minpairs.training.corpus import Corpus
from minpairs.training.errors import CorpusError
from minpairs.training.held_out import choose_held_out
from minpairs.training.unigram_counts import describe, tokenizer_counter, write_unigrams

_DONE = "prepared.json"
_SMALL = 1 << 16  # ids below it are kept in two bytes
_BLOCK = 1 << 24
_POLL = 0.5  # seconds

MakeTokenizer = Callable[[Iterable[str]], PreTrainedTokenizerFast]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A coded corpus.

    Attributes:
        tokenizer: trained on what is learned from.
        beginning: the token that opens every sentence.
        learned: sentences end to end, each with its special tokens; mapped from disk.
        held_out: likewise, those that are not learned from.
        counts: ``sentences``, ``held_out``, ``tokens`` (of sentences that are learned from,
            special ones left out), ``cut`` (sentences that were too long) and ``vocabulary``.
    """

    tokenizer: Any
    beginning: int
    learned: Integers
    held_out: Integers
    counts: Mapping[str, int]


def prepare(
    corpus: Corpus,
    folder: Path,
    make_tokenizer: MakeTokenizer,
    *,
    longest: int,
    share: float,
    seed: int,
    key: Mapping[str, Any],
    main: bool = True,
) -> Prepared:
    """Trains a tokenizer on a corpus and codes it, unless the folder holds that already.

    Args:
        corpus: the text; one part of it is in memory at a time, and its tokens, 2 bytes each.
        folder: where to keep the result.
        make_tokenizer: trains a tokenizer on sentences, which it may read more than once.
        longest: tokens of a coded sentence, special ones included; longer ones are cut.
        share: of the sentences, to hold out.
        seed: which are held out.
        key: what the result depends on: with another key it is made anew.
        main: whether this process does it; others wait until it is done.

    Raises:
        CorpusError: no text, or too little to hold any out.
    """
    key = json.loads(json.dumps(key))
    if main and not _is_done(folder, key):
        _write(corpus, folder, make_tokenizer, longest, share, seed, key)
    while not _is_done(folder, key):
        time.sleep(_POLL)  # a launcher ends all processes if the main one fails
    tokenizer = AutoTokenizer.from_pretrained(folder)
    return Prepared(
        tokenizer,
        _ends(tokenizer)[0],
        np.load(folder / "learned.npy", mmap_mode="r"),
        np.load(folder / "held_out.npy", mmap_mode="r"),
        json.loads((folder / _DONE).read_text(encoding="utf-8"))["counts"],
    )


def write_token_counts(prepared: Prepared, path: Path, corpus: Corpus) -> None:
    """Writes the unigram counts of what is learned from, for SLOR; special tokens left out."""
    counts = np.zeros(len(prepared.tokenizer), dtype=np.int64)
    for start in range(0, len(prepared.learned), _BLOCK):  # bincount takes 8 bytes a token
        counts += np.bincount(prepared.learned[start : start + _BLOCK], minlength=len(counts))
    counts[[*_ends(prepared.tokenizer)]] = 0
    (seen,) = counts.nonzero()
    tokens = prepared.tokenizer.convert_ids_to_tokens(seen.tolist())
    write_unigrams(
        path,
        dict(zip(tokens, counts[seen].tolist(), strict=True)),
        tokens=tokenizer_counter(prepared.tokenizer).name,
        corpus=describe(corpus.identity),
    )


def _write(
    corpus: Corpus,
    folder: Path,
    make_tokenizer: MakeTokenizer,
    longest: int,
    share: float,
    seed: int,
    key: Any,
) -> None:
    (folder / _DONE).unlink(missing_ok=True)
    sentences = sum(1 for _ in corpus.sentences())
    if not sentences:
        raise CorpusError(f"{corpus.name} holds no text")
    held_out = np.zeros(sentences, dtype=np.bool_)
    held_out[choose_held_out(sentences, share, seed)] = True
    tokenizer = make_tokenizer(_Learned(corpus, held_out))
    coded = list(_code(corpus, tokenizer, longest, held_out))
    dtype = np.uint16 if len(tokenizer) <= _SMALL else np.int32
    arrays: dict[str, Integers] = {}
    for name, watched in (("learned", False), ("held_out", True)):
        parts = [part[watched].ids for part in coded]
        arrays[name] = np.concatenate(parts).astype(dtype)
        write_durably(folder / f"{name}.npy", _npy(arrays[name]))
    tokenizer.save_pretrained(folder)
    learned = sum(part[False].sentences for part in coded)
    if not learned:
        raise CorpusError(f"{corpus.name}: no sentence has a token to learn")
    special = np.isin(arrays["learned"], _ends(tokenizer))
    counts = {
        "sentences": learned,
        "held_out": sum(part[True].sentences for part in coded),
        "tokens": int(len(special) - special.sum()),
        "cut": sum(side.cut for part in coded for side in part.values()),
        "vocabulary": len(tokenizer),
    }
    write_durably(folder / _DONE, json.dumps({"key": key, "counts": counts}).encode())


@dataclass(frozen=True, slots=True)
class _Learned:
    """The sentences that are not held out; they can be read more than once."""

    corpus: Corpus
    held_out: NDArray[np.bool_]

    def __iter__(self) -> Iterator[str]:
        for text, watched in zip(self.corpus.sentences(), self.held_out, strict=True):
            if not watched:
                yield text


@dataclass(frozen=True, slots=True)
class _Coded:
    ids: NDArray[np.int32]
    sentences: int
    cut: int


def _code(
    corpus: Corpus, tokenizer: Any, longest: int, held_out: NDArray[np.bool_]
) -> Iterator[dict[bool, _Coded]]:
    """For each part of a corpus, what is learned from (False) and what is held out (True)."""
    opening, closing = _ends(tokenizer)
    backend = tokenizer.backend_tokenizer
    backend.encode_special_tokens = True  # a text that spells out <s> does not begin anew
    place = 0
    for part in corpus.parts:
        texts = corpus.read(part).texts
        rows: dict[bool, list[int]] = {False: [], True: []}
        sentences, cut = {False: 0, True: 0}, {False: 0, True: 0}
        for encoded in backend.encode_batch_fast(texts, add_special_tokens=False):
            ids = encoded.ids
            side = bool(held_out[place])
            place += 1
            if not ids:
                continue
            row = [opening, *ids, closing]
            cut[side] += len(row) > longest
            sentences[side] += 1
            rows[side].extend(row[:longest])
        yield {
            side: _Coded(np.array(rows[side], dtype=np.int32), sentences[side], cut[side])
            for side in (False, True)
        }
    backend.encode_special_tokens = False


def _ends(tokenizer: Any) -> tuple[int, int]:
    """The tokens that open and close a sentence."""
    if tokenizer.cls_token_id is not None:
        return tokenizer.cls_token_id, tokenizer.sep_token_id
    if tokenizer.bos_token_id is None or tokenizer.eos_token_id is None:
        raise ModelError("the tokenizer has no tokens for the beginning and end of a sentence")
    return tokenizer.bos_token_id, tokenizer.eos_token_id


def _is_done(folder: Path, key: Any) -> bool:
    try:
        done = json.loads((folder / _DONE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(done["key"] == key)


def _npy(array: Integers) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()
