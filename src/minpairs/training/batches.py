"""From a coded corpus to batches: rows, their order, padding, packing and masking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.data import Dataset, Sampler

IGNORED = -100  # transformers' label of what has no loss
_POOL = 64  # batches whose rows are sorted together by length

Integers = NDArray[np.integer[Any]]
Row = Mapping[str, Integers]
Batch = dict[str, torch.Tensor]


class CodedSentences(Dataset[Row]):
    """Rows of one array of tokens, in which the sentences stand end to end.

    Attributes:
        ids: the tokens.
        bounds: where each row begins, and where it has ended; ``(rows, 2)``.
        epoch: how often all rows have been read.
    """

    def __init__(self, ids: Integers, bounds: NDArray[np.int64]) -> None:
        self.ids = ids
        self.bounds = bounds.reshape(-1, 2)
        self.epoch = 0

    def __len__(self) -> int:
        return len(self.bounds)

    def __getitem__(self, index: int) -> Row:
        start, end = self.bounds[index]
        return {"input_ids": self.ids[start:end]}

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each row."""
        return self.bounds[:, 1] - self.bounds[:, 0]

    def by_length(self) -> CodedSentences:
        """The same rows, the longest first: batches of them need little padding."""
        return type(self)(self.ids, self.bounds[np.argsort(-self.lengths, kind="stable")])


@dataclass(frozen=True, slots=True)
class Masking:
    """How tokens are masked.

    Attributes:
        mask: id of the mask token.
        ordinary: ids from here on are no special tokens.
        vocabulary: number of tokens.
        share: of a row's tokens that are to be found; at least one is.
        seed: with the epoch and the row it decides which.
    """

    mask: int
    ordinary: int
    vocabulary: int
    share: float
    seed: int


class MaskedSentences(CodedSentences):
    """Rows with masked tokens: others in every epoch, and the same again in a resumed run.

    The first and the last token of a row are special ones and stay as they are.
    """

    def __init__(self, ids: Integers, bounds: NDArray[np.int64], masking: Masking) -> None:
        super().__init__(ids, bounds)
        self.masking = masking

    def __getitem__(self, index: int) -> Row:
        start, end = self.bounds[index]
        return mask_tokens(
            self.ids[start:end].astype(np.int64), self.masking, (self.epoch, int(start))
        )

    def by_length(self) -> MaskedSentences:
        """See ``CodedSentences``."""
        bounds = self.bounds[np.argsort(-self.lengths, kind="stable")]
        return MaskedSentences(self.ids, bounds, self.masking)


def mask_tokens(ids: NDArray[np.int64], masking: Masking, place: tuple[int, ...]) -> Row:
    """Masks a sentence: of the chosen tokens 80 % get ``[MASK]``, 10 % a random token.

    Args:
        ids: the sentence with a special token at either end.
        masking: how.
        place: with the seed it decides which tokens.

    Returns:
        ``input_ids`` and ``labels``: the tokens that were chosen, else ``IGNORED``.
    """
    generator = np.random.default_rng([masking.seed, *place])
    inside = len(ids) - 2
    number = max(round(masking.share * inside), 1)
    chosen = 1 + generator.permutation(inside)[:number]
    labels = np.full_like(ids, IGNORED)
    labels[chosen] = ids[chosen]
    fate = generator.random(number)
    masked = ids.copy()
    masked[chosen[fate < 0.8]] = masking.mask
    others = chosen[fate >= 0.9]
    masked[others] = generator.integers(masking.ordinary, masking.vocabulary, len(others))
    return {"input_ids": masked, "labels": labels}


def sentence_bounds(ids: Integers, beginning: int) -> NDArray[np.int64]:
    """One row a sentence: the bounds of the sentences, each of which opens with ``beginning``."""
    starts = np.flatnonzero(ids == beginning)
    return np.stack([starts, np.append(starts, len(ids))[1:]], axis=1)


def packed_bounds(ids: Integers, beginning: int, longest: int) -> NDArray[np.int64]:
    """Rows of at most ``longest`` tokens, each filled with as many whole sentences as follow.

    A sentence that is longer is a row of its own.
    """
    sentences = sentence_bounds(ids, beginning)
    starts, ends = sentences[:, 0], sentences[:, 1]
    rows = []
    first = 0
    while first < len(sentences):
        fitting = int(np.searchsorted(ends, starts[first] + longest, side="right"))
        after = max(fitting, first + 1)
        rows.append((starts[first], ends[after - 1]))
        first = after
    return np.array(rows, dtype=np.int64).reshape(-1, 2)


class ByLength(Sampler[int]):
    """Rows in an order that seed and epoch decide, so that a batch holds rows of about one length.

    Lengths are sorted within pools of ``_POOL`` batches that are drawn at random; then the batches
    are shuffled. Rows that fill no batch come last.

    Attributes:
        lengths: tokens of each row.
        batch: rows of a whole step: of all devices and accumulated batches.
        seed: of the order.
        epoch: how often all rows have been read.
    """

    def __init__(self, lengths: NDArray[np.int64], batch: int, seed: int) -> None:
        self.lengths = lengths
        self.batch = batch
        self.seed = seed
        self.epoch = 0

    def __len__(self) -> int:
        return len(self.lengths)

    def __iter__(self) -> Iterator[int]:
        generator = np.random.default_rng([self.seed, self.epoch])
        n = len(self.lengths)
        order = generator.permutation(n)
        pools = np.arange(n) // (self.batch * _POOL)
        order = order[np.lexsort((self.lengths[order], pools))]
        whole = n // self.batch * self.batch
        for batch in generator.permutation(order[:whole].reshape(-1, self.batch)):
            yield from batch.tolist()
        yield from order[whole:].tolist()


def pad(rows: Sequence[Row], padding: int) -> Batch:
    """A batch for a causal model: padded on the right; what opens a sentence has no loss.

    There is no attention mask: nothing that has a loss reads what is to its right.
    """
    ids, inside = _padded(rows, "input_ids", padding)
    labels = ids.masked_fill(~inside, IGNORED)
    labels[:, 0] = IGNORED
    return {"input_ids": ids, "labels": labels}


def pack(rows: Sequence[Row], padding: int, beginning: int) -> Batch:
    """A batch of rows of several sentences, none of which reads another.

    Returns:
        ``input_ids`` and ``labels``; ``position_ids``, 0 where a sentence begins; and
        ``attention_mask`` ``(rows, 1, length, length)``, true where a token may read. All are
        needed: without the mask, OPT reads across sentences in silence.
    """
    ids, inside = _padded(rows, "input_ids", padding)
    opens = ids == beginning
    labels = ids.masked_fill(~inside | opens, IGNORED)
    sentence = opens.cumsum(dim=1)
    place = torch.arange(ids.shape[1]).expand_as(ids)
    start = torch.where(opens, place, 0).cummax(dim=1).values
    reads = (sentence[:, :, None] == sentence[:, None, :]) & (place[0][:, None] >= place[0])
    return {
        "input_ids": ids,
        "position_ids": place - start,
        "attention_mask": reads[:, None],
        "labels": labels,
    }


def pad_masked(rows: Sequence[Row], padding: int) -> Batch:
    """A batch for a masked model: padded on the right."""
    ids, inside = _padded(rows, "input_ids", padding)
    labels, _ = _padded(rows, "labels", IGNORED)
    return {"input_ids": ids, "attention_mask": inside.long(), "labels": labels}


def _padded(rows: Sequence[Row], key: str, padding: int) -> tuple[torch.Tensor, torch.Tensor]:
    """A column of rows as ``(rows, length)``, and where it is not padding."""
    lengths = torch.tensor([len(row[key]) for row in rows])
    ids = torch.full((len(rows), int(lengths.max())), padding, dtype=torch.long)
    for index, row in enumerate(rows):
        ids[index, : len(row[key])] = torch.from_numpy(row[key].astype(np.int64))
    return ids, torch.arange(ids.shape[1])[None] < lengths[:, None]
