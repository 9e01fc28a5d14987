"""Filtering one part of a corpus: the work of one process."""

from __future__ import annotations

import hashlib
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from minpairs.files import write_durably
from minpairs.training.corpus import Corpus, Part, Sentences
from minpairs.training.errors import FilterError
from minpairs.training.filters import Rule, Texts, Variant
from minpairs.training.unigram_counts import TokenCounter, parquet_bytes, unigram_table

Mask = npt.NDArray[np.bool_]
SCHEMA = pa.schema([("text", pa.string()), ("source", pa.string())])
WHOLE = ""  # under this name the counts of the whole corpus stand


@dataclass(slots=True)
class Tally:
    """A number of sentences, and of their words (what white space divides)."""

    sentences: int = 0
    words: int = 0

    def add(self, other: Tally) -> None:
        """Adds another tally to this one."""
        self.sentences += other.sentences
        self.words += other.words


BySource = dict[str, Tally]


@dataclass(slots=True)
class ScenarioCount:
    """What a scenario did to a part, or to a corpus.

    Attributes:
        removed: what was taken out, by source.
        rows: sentences that stayed.
        size: bytes of these in memory.
        sha256: hash of the Parquet file (of a corpus: of its files' hashes).
        remaining: for each rule of the scenario the sentences in which it still finds something,
            counted in the file as it was written.
        described: the same for the rules of this scenario as the study describes it.
    """

    removed: BySource = field(default_factory=dict)
    rows: int = 0
    size: int = 0
    sha256: str = ""
    remaining: dict[str, int] = field(default_factory=dict)
    described: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class PartCount:
    """What is in a part, what each rule found in it, and what each scenario did to it."""

    whole: BySource = field(default_factory=dict)
    rules: dict[str, BySource] = field(default_factory=dict)
    scenarios: dict[str, ScenarioCount] = field(default_factory=dict)


@dataclass(frozen=True)
class Job:
    """What there is to do, the same for every part.

    Attributes:
        corpus: what is filtered.
        variant: its rules and scenarios.
        described: the scenarios as the study describes them, to look for what was left in.
        scenarios: the scenarios to write.
        seed: of random controls.
        out: the folder.
        tokens: whose tokens are counted, a name for ``token_counter``; None for no counts.
    """

    corpus: Corpus
    variant: Variant
    described: Variant
    scenarios: tuple[str, ...]
    seed: int
    out: Path
    tokens: str | None

    def shard(self, scenario: str, part: Part) -> Path:
        """Where the sentences of a part that a scenario keeps are written."""
        name = f"train-{part.number:05d}-of-{len(self.corpus.parts):05d}.parquet"
        return self.out / "data" / f"corpus.{scenario}" / name


@dataclass(frozen=True)
class Found:
    """The sentences of a part and what the rules found in them.

    Attributes:
        sentences: the sentences.
        hits: for each rule, the places of the sentences that it matches.
    """

    sentences: Sentences
    hits: Mapping[str, Sequence[int]]

    def removed(self, variant: Variant, scenario: str) -> Mask:
        """Which sentences the rules of a scenario take out."""
        mask = np.zeros(len(self.sentences.texts), dtype=np.bool_)
        for name in variant.scenario(scenario).rules:
            mask[list(self.hits[name])] = True
        return mask


def find(sentences: Sentences, rules: Mapping[str, Rule]) -> Found:
    """Applies rules to sentences."""
    kinds = {rule.exact_case for rule in rules.values()}
    texts = {exact: Texts.of(sentences.texts, folded=not exact) for exact in kinds}
    return Found(
        sentences, {name: rule.find(texts[rule.exact_case]) for name, rule in rules.items()}
    )


def candidates(
    variant: Variant, scenario: str, seed: int, number: int, n: int
) -> npt.NDArray[np.int64]:
    """The sentences of a part that a control with a ``chance`` may take out.

    Args:
        variant: where the scenario is defined.
        scenario: the control.
        seed: of random controls.
        number: the part's.
        n: how many sentences the part has.
    """
    chance = variant.scenario(scenario).chance
    assert chance is not None
    return np.flatnonzero(_generator(seed, number, scenario).random(n) < chance)


def removals(
    variant: Variant,
    scenarios: Sequence[str],
    seed: int,
    number: int,
    found: Found,
    quota: Mapping[str, int],
) -> dict[str, Mask]:
    """For each scenario, which sentences of a part it takes out.

    Args:
        variant: where the scenarios are defined.
        scenarios: their names.
        seed: of random controls.
        number: the part's.
        found: the sentences and what the rules found.
        quota: for controls with a ``chance``, how many sentences they may still take out here.
    """
    n = len(found.sentences.texts)
    masks = {}
    for name in scenarios:
        scenario = variant.scenario(name)
        if scenario.control_of is None:
            masks[name] = found.removed(variant, name)
            continue
        masks[name] = np.zeros(n, dtype=np.bool_)
        if scenario.chance is not None:
            chosen = candidates(variant, name, seed, number, n)[: quota[name]]
        else:
            wanted = int(found.removed(variant, scenario.control_of).sum())
            chosen = _generator(seed, number, name).choice(n, wanted, replace=False)
        masks[name][chosen] = True
    return masks


def filter_part(
    job: Job, part: Part, quota: Mapping[str, int], counter: TokenCounter | None
) -> tuple[PartCount, pa.Table | None]:
    """Writes what every scenario keeps of a part.

    Returns:
        The counts; and those of tokens, with the columns ``scenario`` (``WHOLE`` for all
        sentences, else those that the scenario took out), ``token``, ``count``.

    Raises:
        FilterError: a rule of a scenario still finds something in what was written.
    """
    sentences = job.corpus.read(part)
    found = find(sentences, job.variant.needed(job.scenarios))
    words = np.fromiter((len(text.split()) for text in sentences.texts), dtype=np.int64)
    names = list(dict.fromkeys(sentences.sources))
    numbers = {name: number for number, name in enumerate(names)}
    codes = np.fromiter((numbers[name] for name in sentences.sources), dtype=np.int64)

    def tally(where: Mask | Sequence[int]) -> BySource:
        chosen, weights = codes[where], words[where]
        n = np.bincount(chosen, minlength=len(names)).tolist()
        w = np.bincount(chosen, weights, minlength=len(names)).astype(np.int64).tolist()
        return {name: Tally(n[i], w[i]) for i, name in enumerate(names) if n[i]}

    count = PartCount(whole=tally(np.ones(len(words), dtype=np.bool_)))
    count.rules = {name: tally(list(places)) for name, places in found.hits.items()}
    table = pa.table([sentences.texts, sentences.sources], schema=SCHEMA)
    counts = None if counter is None else {WHOLE: counter.count(sentences.texts)}
    masks = removals(job.variant, job.scenarios, job.seed, part.number, found, quota)
    for name, mask in masks.items():
        kept = table.filter(pa.array(~mask))
        count.scenarios[name] = ScenarioCount(
            removed=tally(mask), rows=kept.num_rows, size=kept.nbytes
        )
        if kept.num_rows:  # datasets cannot read a file without rows
            path = job.shard(name, part)
            data = parquet_bytes(kept, dictionary=["source"])
            write_durably(path, data)
            count.scenarios[name].sha256 = hashlib.sha256(data).hexdigest()
            _prove(job, name, path, count.scenarios[name])
        if counter is not None and counts is not None:
            counts[name] = counter.count([sentences.texts[i] for i in np.flatnonzero(mask)])
    return count, None if counts is None else _token_table(counts)


def _prove(job: Job, name: str, path: Path, count: ScenarioCount) -> None:
    """Counts again, in the file: what a scenario's rules find must be nothing."""
    rules = {rule.name: rule for rule in job.variant.rules_of(name)}
    audit: dict[str, Rule] = {}
    if job.described.name != job.variant.name and name in job.described.scenarios:
        audit = {rule.name: rule for rule in job.described.rules_of(name)}
    if not rules and not audit:
        return
    texts = pq.read_table(path, columns=["text"])["text"].to_pylist()
    written = Sentences(texts, [])
    count.remaining = {rule: len(hits) for rule, hits in find(written, rules).hits.items()}
    count.described = {rule: len(hits) for rule, hits in find(written, audit).hits.items()}
    for rule, n in count.remaining.items():
        if n:
            raise FilterError(f"{path}: rule {rule!r} still finds {n} of {len(texts)} sentences")


def _token_table(counts: Mapping[str, Counter[str]]) -> pa.Table:
    tables = []
    for scenario, tokens in counts.items():
        table = unigram_table(tokens)
        names = pa.array([scenario] * table.num_rows, pa.string())
        tables.append(table.add_column(0, "scenario", names))
    return pa.concat_tables(tables)


def _generator(seed: int, number: int, scenario: str) -> np.random.Generator:
    return np.random.default_rng([seed, number, zlib.crc32(scenario.encode())])
