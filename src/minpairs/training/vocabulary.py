"""A corpus as numbers: the units of an n-gram model or an LSTM, and which of them it knows."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from minpairs.scoring.segmentation import Segmentation, segmenter
from minpairs.training.errors import CorpusError

# The first three of every vocabulary, in KenLM's order.
SYMBOLS = ("<unk>", "<s>", "</s>")
UNKNOWN, BEGINNING, END = range(3)
_FORBIDDEN = frozenset({*SYMBOLS, "<UNK>"})  # KenLM reads <UNK> as <unk>


@dataclass(frozen=True, slots=True)
class CodedCorpus:
    """Sentences as unit numbers.

    Attributes:
        vocabulary: the unit of each number; ``SYMBOLS``, then units as they are first met.
        ids: the sentences end to end, each from ``<s>`` to ``</s>``; int32.
    """

    vocabulary: tuple[str, ...]
    ids: NDArray[np.int32]

    @property
    def sentences(self) -> int:
        """Number of sentences."""
        return int(np.count_nonzero(self.ids == BEGINNING))

    @property
    def tokens(self) -> int:
        """Number of units, ``<s>`` and ``</s>`` left out."""
        return len(self.ids) - 2 * self.sentences


def cut_corpus(sentences: Iterable[str], segmentation: Segmentation) -> Iterator[list[str]]:
    """The units of each sentence that has any.

    Raises:
        CorpusError: a sentence spells out a symbol such as ``<s>``, or holds a null character,
            which no ARPA file can hold.
    """
    cut = segmenter(segmentation)
    for index, sentence in enumerate(sentences, start=1):
        units = cut(sentence)
        if "\0" in sentence:
            raise CorpusError(f"sentence {index} holds a null character ({sentence[:60]!r})")
        if "<" in sentence and not _FORBIDDEN.isdisjoint(units):
            raise CorpusError(
                f"sentence {index} spells out a sentence symbol ({sentence[:60]!r}): "
                f"take {', '.join(sorted(_FORBIDDEN))} out of the corpus"
            )
        if units:
            yield units


def code_corpus(sentences: Iterable[str], segmentation: Segmentation) -> CodedCorpus:
    """Cuts sentences into units and numbers them; takes 4 bytes a unit, and the vocabulary.

    Raises:
        CorpusError: there is no text, or text that ``cut_corpus`` refuses.
    """
    numbers: defaultdict[str, int] = defaultdict(count(len(SYMBOLS)).__next__)
    number = numbers.__getitem__
    ids = array("i")
    for units in cut_corpus(sentences, segmentation):
        ids.append(BEGINNING)
        ids.extend(map(number, units))
        ids.append(END)
    if not ids:
        raise CorpusError("the corpus holds no text")
    vocabulary = (*SYMBOLS, *numbers)
    return CodedCorpus(vocabulary, np.frombuffer(ids, dtype=np.int32))


def limit_vocabulary(
    corpus: CodedCorpus,
    min_count: int = 1,
    max_units: int | None = None,
    counts: NDArray[np.int64] | None = None,
) -> CodedCorpus:
    """Makes rare units ``<unk>``, so that a model learns what an unknown unit is like.

    Args:
        corpus: what to limit.
        min_count: units that are rarer than this become ``<unk>``.
        max_units: of the rest, keep so many, the most frequent (of equals, the first met).
        counts: how often each unit occurs; by default in this corpus.

    Raises:
        CorpusError: no unit is left.
    """
    if counts is None:
        counts = np.bincount(corpus.ids, minlength=len(corpus.vocabulary))
    known = counts >= min_count
    known[: len(SYMBOLS)] = True
    units = np.flatnonzero(known)[len(SYMBOLS) :]
    if max_units is not None and len(units) > max_units:
        most_frequent = np.argsort(-counts[units], kind="stable")[:max_units]
        known[len(SYMBOLS) :] = False
        known[units[most_frequent]] = True
    if not known[len(SYMBOLS) :].any():
        raise CorpusError(
            f"no unit occurs {min_count} times: every text would be unknown; lower the cut-off"
        )
    if known.all():
        return corpus
    numbers = np.where(known, np.cumsum(known) - 1, UNKNOWN).astype(np.int32)
    vocabulary = tuple(
        unit for unit, kept in zip(corpus.vocabulary, known.tolist(), strict=True) if kept
    )
    return CodedCorpus(vocabulary, numbers[corpus.ids])
