"""Blocks: items in a row that share a frame, and how many items each stratum gets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from random import Random
from typing import TypeAlias

import numpy as np

from minpairs.grammar.lexicon import Entry
from minpairs.grammar.strata import Source, Stratum, Values

_TRIES = 40  # random draws before the frames of a stratum are listed
_SMALL = 200  # items of a frame that are listed rather than searched for
_LISTED = 300_000  # frames listed at a time

Key: TypeAlias = tuple[int, Values]
Row: TypeAlias = tuple[str, int]  # a table and its line


class Frames:
    """The frames of a stratum: what may fill the slots that the items of a block share.

    Each is handed out once before any comes again, and comes again only while it has items left.
    Frames that another variant has opened for the same values come first, so that variants share
    them.

    Attributes:
        exhausted: all items are used up.
    """

    def __init__(
        self,
        source: Source,
        stratum: Stratum,
        slots: Sequence[int],
        chance: Random,
        shared: list[list[Row]],
    ) -> None:
        """Prepares the frames.

        Args:
            source: the variant.
            stratum: which of its assignments.
            slots: the slots whose fillers make a frame.
            chance: what shuffles listed frames.
            shared: frames that some variant has opened, as rows; added to.
        """
        self._source, self._stratum = source, stratum
        self._shared, self._looked = shared, 0
        candidates = [source.problem.candidates[slot] for slot in slots]
        self._places = [{_row(e): k for k, e in enumerate(entries)} for entries in candidates]
        self._slots, self._chance = slots, chance
        self._opened: dict[tuple[int, ...], Stratum] = {}
        self._waiting: list[tuple[int, ...]] = []
        self._listed = self._complete = False
        self._again: list[Stratum] = []
        self.exhausted = False

    def next(self) -> Stratum | None:
        """A frame, as the stratum of its items; None when all items are used up."""
        frame = self._offered()
        if frame is None and (frame := self._unopened()) is not None:
            self._shared.append([_row(entry) for entry in self._entries(frame)])
        if frame is not None:
            masks = list(self._stratum.masks)
            for slot, value in zip(self._slots, frame, strict=True):
                masks[slot] = np.arange(len(masks[slot])) == value
            items = list(islice(self._source.searcher.every(masks), _SMALL + 1))
            pool = items if len(items) <= _SMALL else None
            self._opened[frame] = Stratum(self._stratum.source, self._stratum.values, masks, pool)
            return self._opened[frame]
        if not self._again:
            self._again = [frame for frame in self._opened.values() if not frame.exhausted]
            self._again.reverse()
        self.exhausted = not self._again
        return self._again.pop() if self._again else None

    def _entries(self, frame: tuple[int, ...]) -> list[Entry]:
        candidates = self._source.problem.candidates
        return [candidates[slot][k] for slot, k in zip(self._slots, frame, strict=True)]

    def _offered(self) -> tuple[int, ...] | None:
        """The next frame that another variant has opened and this one has too."""
        while self._looked < len(self._shared):
            rows = self._shared[self._looked]
            self._looked += 1
            known = zip(self._places, rows, strict=True)
            frame = tuple(places[row] for places, row in known if row in places)
            if len(frame) == len(rows) and frame not in self._opened:
                return frame
        return None

    def _unopened(self) -> tuple[int, ...] | None:
        if not self._listed:
            for _ in range(_TRIES):
                chosen = self._source.searcher.draw(self._stratum.masks, self._source.rngs)
                if chosen is None:
                    return None
                frame = tuple(chosen[slot] for slot in self._slots)
                if frame not in self._opened:
                    return frame
            self._listed = True
        if not self._waiting and not self._complete:
            every = self._source.searcher.partial(self._stratum.masks, self._slots)
            new = (frame for frame in every if frame not in self._opened)
            self._waiting = list(islice(new, _LISTED))
            self._complete = len(self._waiting) < _LISTED
            self._chance.shuffle(self._waiting)
        while self._waiting:
            frame = self._waiting.pop()
            if frame not in self._opened:  # another variant may have offered it since
                return frame
        return None


def _row(entry: Entry) -> Row:
    return (entry.table, entry.line)


def quotas(
    shares: Mapping[int, Sequence[Key]], drawn: Mapping[Key, int], n: int, chance: Random
) -> dict[Key, int]:
    """How many of ``n`` further items each stratum gets.

    They are dealt one by one: to the variant that has fewest, and in it to the stratum whose
    values have fewest; ties are broken by chance.

    Args:
        shares: each variant's strata that still have items, the variants in the order of turns.
        drawn: items of each stratum so far, used-up strata too.
        n: items to deal; fewer are dealt if it is the turn of a variant that has none left.
        chance: what breaks ties.
    """
    of_source = Counter(dict.fromkeys(shares, 0))
    of_values: Counter[Values] = Counter()
    for (source, values), count in drawn.items():
        of_source[source] += count
        of_values[values] += count
    own = Counter(drawn)
    ranks = {key: chance.random() for share in shares.values() for key in share}
    for _ in range(n):
        source = min(shares, key=of_source.__getitem__)
        if not shares[source]:
            break
        key = min(shares[source], key=lambda k: (of_values[k[1]], own[k], ranks[k]))
        of_source[source] += 1
        of_values[key[1]] += 1
        own[key] += 1
    own.subtract(drawn)
    return {key: count for key, count in own.items() if count}
