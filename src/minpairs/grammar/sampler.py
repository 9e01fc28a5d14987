"""Draws distinct items from a template, keeping its balance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from minpairs.benchmarks.schema import MINIMAL_PAIR
from minpairs.errors import MinpairsError, TemplateError
from minpairs.grammar.blocks import Frames, Key, Row, quotas
from minpairs.grammar.counting import count
from minpairs.grammar.items import Item, write_item
from minpairs.grammar.lexicon import Entry, Lexicon
from minpairs.grammar.strata import Source, Stratum, Strings, Values
from minpairs.grammar.template import Balance, Blocks, Template

_TRIES = 40  # random draws before a stratum is enumerated
_ENUMERABLE = 300_000  # assignments of a stratum that are listed whole
_MANY_TRIES = 20_000  # random draws from a stratum too large to list


def draw(template: Template, lexicon: Lexicon, n: int | None = None, seed: int = 0) -> list[Item]:
    """Draws ``n`` distinct items (default: the template's ``items``); one seed, one result.

    Raises:
        GrammarTooSmallError: saying how many there are and which constraint binds.
        TemplateError: an item's two members are identical.
        LexiconError: an entry lacks the single value that a cell prints.
    """
    n = template.items if n is None else n
    if n < 0:
        raise MinpairsError(f"cannot draw {n} items")
    items = Sampler(template, lexicon, seed).items(n)
    if len(items) < n:
        from minpairs.grammar._explain import too_small

        raise too_small(template, lexicon, n, len(items), seed)
    return items


@dataclass(slots=True)
class _Drawn:
    item: Item
    stratum: Stratum
    key: tuple[object, ...]
    sentences: tuple[str, ...]


@dataclass(slots=True)
class _Filled:
    """How often each variant and each stratum was drawn, and what must not come again."""

    sources: Counter[int] = field(default_factory=Counter)
    values: Counter[Values] = field(default_factory=Counter)
    seen: set[object] = field(default_factory=set)

    def add(self, drawn: _Drawn, by: int = 1) -> None:
        self.sources[drawn.stratum.source] += by
        self.values[drawn.stratum.values] += by
        change = self.seen.update if by > 0 else self.seen.difference_update
        change((drawn.key, *drawn.sentences))


class Sampler:
    """The state of one drawing."""

    def __init__(
        self,
        template: Template,
        lexicon: Lexicon,
        seed: int = 0,
        *,
        balanced: bool = True,
        distinct: bool = True,
    ) -> None:
        """Compiles the grammars.

        Args:
            template: what to draw.
            lexicon: its entries.
            seed: the same seed gives the same items.
            balanced: keep exchange, even, blocks and the equal shares of the variants.
            distinct: repeat no sentence; False repeats no assignment only.
        """
        self.template = template
        self.balanced, self.distinct = balanced, distinct
        balance = template.balance if balanced else Balance()
        seed_key = f"{seed}:{template.seed_group}"
        self._chance = Random(f"{seed_key}:balance")
        self._ranks: dict[tuple[int, Values], float] = {}
        self._filled = _Filled()
        self._sources = [
            Source.of(grammar, lexicon, balance, template.path, seed_key)
            for grammar in template.grammars
        ]

    def items(self, n: int) -> list[Item]:
        """Up to ``n`` items; fewer when the grammar yields no more."""
        balance = self.template.balance if self.balanced else Balance()
        drawn: Iterable[_Drawn]
        if balance.exchange:
            drawn = self._exchanged(n)
        elif balance.blocks:
            drawn = self._blocked(n, balance.blocks)
        else:
            drawn = self._shared(n)
        return [d.item for d in drawn]

    def _shared(self, n: int) -> Iterator[_Drawn]:
        """Equal shares of the variants, and as equal ones of the strata as they allow."""
        turns = alternating(len(self._sources))
        shares = [self._sources[i].strata(i) for i in turns]
        if not self.balanced:
            shares = [[stratum for share in shares for stratum in share]]
        for k in range(n):
            drawn = self._next(shares[k % len(shares)])
            if drawn is None:
                return
            yield drawn

    def _blocked(self, n: int, blocks: Blocks) -> list[_Drawn]:
        """The same shares as without blocks, but the strata take turns block by block."""
        turns = alternating(len(self._sources))
        frames: dict[Key, Frames] = {}
        shared: dict[Values, list[list[Row]]] = {}
        for i in turns:
            source = self._sources[i]
            slots = [source.problem.slot(name) for name in blocks.by]
            for stratum in source.strata(i):
                opened = shared.setdefault(stratum.values, [])
                frames[(i, stratum.values)] = Frames(source, stratum, slots, self._chance, opened)
        kept: list[_Drawn] = []
        drawn: Counter[Key] = Counter()
        while len(kept) < n:
            live = {i: [k for k in frames if k[0] == i and not frames[k].exhausted] for i in turns}
            left = quotas(live, drawn, n - len(kept), self._chance)
            if not left:
                return _whole_turns(kept, turns)
            while left:
                for key in list(left):
                    block = self._block(frames[key], min(blocks.size, left[key]))
                    kept += block
                    drawn[key] += len(block)
                    left[key] -= len(block)
                    if not left[key] or not block:
                        del left[key]
        return kept

    def _block(self, frames: Frames, size: int) -> list[_Drawn]:
        """Up to ``size`` items of the next frame; none if the stratum is used up."""
        block: list[_Drawn] = []
        while not block and (frame := frames.next()) is not None:
            while len(block) < size and (drawn := self._draw(frame)) is not None:
                self._filled.add(drawn)
                block.append(drawn)
            frame.exhausted = len(block) < size
        return block

    def _exchanged(self, n: int) -> list[_Drawn]:
        """Round robin over the pairs {a, b}: one item with (a, b), one with (b, a)."""
        sources: dict[Strings, list[int]] = {}
        for i, source in enumerate(self._sources):
            for pair in source.exchanged():
                sources.setdefault(pair, []).append(i)
        pairs = sorted(pair for pair in sources if pair[0] < pair[1] and pair[::-1] in sources)
        self._chance.shuffle(pairs)
        kept: list[_Drawn] = []
        strata: dict[Strings, list[Stratum]] = {}
        while pairs and len(kept) < n:
            live = []
            for pair in pairs:
                if len(kept) == n:
                    break
                ways = [pair, pair[::-1]] if self._chance.random() < 0.5 else [pair[::-1], pair]
                for way in ways:
                    if way not in strata:
                        strata[way] = [
                            stratum
                            for i in sources[way]
                            for stratum in self._sources[i].strata(i, way)
                        ]
                both = self._both([strata[way] for way in ways[: n - len(kept)]])
                if both:
                    kept += both
                    live.append(pair)
            else:
                pairs = live
        return kept

    def _both(self, ways: Sequence[list[Stratum]]) -> list[_Drawn]:
        done: list[_Drawn] = []
        for strata in ways:
            drawn = self._next(strata)
            if drawn is None:
                for earlier in done:
                    self._filled.add(earlier, -1)
                return []
            done.append(drawn)
        return done

    def _next(self, strata: list[Stratum]) -> _Drawn | None:
        """An item from the stratum that has fewest so far; ties are broken by chance."""
        while live := [stratum for stratum in strata if not stratum.exhausted]:
            stratum = min(live, key=self._fill)
            drawn = self._draw(stratum)
            if drawn is not None:
                self._filled.add(drawn)
                self._ranks[(stratum.source, stratum.values)] = self._chance.random()
                return drawn
            stratum.exhausted = True
        return None

    def _fill(self, stratum: Stratum) -> tuple[int, int, float]:
        key = (stratum.source, stratum.values)
        if key not in self._ranks:
            self._ranks[key] = self._chance.random()
        share = self._filled.sources[stratum.source] if self.balanced else 0
        return (share, self._filled.values[stratum.values], self._ranks[key])

    def _draw(self, stratum: Stratum) -> _Drawn | None:
        source = self._sources[stratum.source]
        tries = _TRIES
        while stratum.pool is None:
            for _ in range(tries):
                chosen = source.searcher.draw(stratum.masks, source.rngs)
                if chosen is None:
                    return None
                drawn = self._fresh(stratum, chosen)
                if drawn is not None:
                    return drawn
            if tries == _MANY_TRIES:
                return None
            if count(source.problem, stratum.masks) <= _ENUMERABLE:
                stratum.pool = list(source.searcher.every(stratum.masks))
            tries = _MANY_TRIES
        while stratum.pool:
            k = self._chance.randrange(len(stratum.pool))
            stratum.pool[k], stratum.pool[-1] = stratum.pool[-1], stratum.pool[k]
            drawn = self._fresh(stratum, stratum.pool.pop())
            if drawn is not None:
                return drawn
        return None

    def _fresh(self, stratum: Stratum, chosen: tuple[int, ...]) -> _Drawn | None:
        """The item of an assignment, unless it, its cells or a sentence of it came before."""
        key = (stratum.source, *chosen)
        if key in self._filled.seen:
            return None
        problem = self._sources[stratum.source].problem
        assignment: dict[str, Entry] = {
            slot.name: problem.candidates[i][chosen[i]]
            for i, slot in enumerate(problem.grammar.slots)
        }
        item = write_item(problem.grammar, assignment, self.template.language)
        texts = tuple(cell.text for cell in item.cells.values())
        if self.template.design == MINIMAL_PAIR.name:
            if texts[0] == texts[1]:
                if not self.balanced:  # an exchange never draws such pairs
                    return None
                raise TemplateError(
                    f"{self.template.path}: the members of a pair are identical ({texts[0]!r}); "
                    "add a relation that keeps them apart, such as right.form != wrong.form"
                )
            sentences = texts
        else:
            sentences = ("\n".join(texts),)
        if not self.distinct:
            sentences = ()
        if any(sentence in self._filled.seen for sentence in sentences):
            return None
        return _Drawn(item, stratum, key, sentences)


def _whole_turns(drawn: Sequence[_Drawn], turns: Sequence[int]) -> list[_Drawn]:
    """What is left when variants that took turns stop at the first that had no item."""
    counts = Counter(d.stratum.source for d in drawn)
    taken = min(counts[source] * len(turns) + k for k, source in enumerate(turns))
    left = {source: len(range(k, taken, len(turns))) for k, source in enumerate(turns)}
    kept = []
    for d in drawn:
        if left[d.stratum.source]:
            left[d.stratum.source] -= 1
            kept.append(d)
    return kept


def alternating(count: int) -> list[int]:
    """The order in which variants take turns: one of the first half, one of the second.

    Variants that exchange literals (把 in the first half, 被 in the second) so get equal shares of
    any even number of items, not only of multiples of their number.
    """
    half = (count + 1) // 2
    turns = [i for pair in zip(range(half), range(half, 2 * half), strict=True) for i in pair]
    return [i for i in turns if i < count]
