"""A study: the pairs that people judge, and the order and sides in which each sees them.

All annotators of a study judge the same pairs; ``study.json`` in its folder says which they are and
which member is acceptable, so that the annotators' own files do not.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from minpairs.benchmarks.schema import MINIMAL_PAIR
from minpairs.benchmarks.suites import Suite
from minpairs.errors import ResultsError, SuiteError
from minpairs.files import write_durably
from minpairs.parsing import first_fault, parse_json

STUDY_FILE = "study.json"


@dataclass(frozen=True, slots=True)
class Pair:
    """A minimal pair to be judged.

    Attributes:
        id: names it within its study: ``SUITE:PAIR_ID``.
        paradigm: its suite.
        acceptable: the member that a speaker should choose.
        unacceptable: the other member.
    """

    id: str
    paradigm: str
    acceptable: str
    unacceptable: str


@dataclass(frozen=True, slots=True)
class Study:
    """What is judged.

    Attributes:
        seed: of the sample, and with an annotator's name of order and sides.
        items: pairs asked for in each paradigm, or None for all.
        pairs: in the order of the suites.
    """

    seed: int
    items: int | None
    pairs: tuple[Pair, ...]

    def __post_init__(self) -> None:
        for pair, count in Counter(pair.id for pair in self.pairs).items():
            if count > 1:
                raise SuiteError(f"pair {pair!r} comes {count} times; name each suite once")

    @property
    def paradigms(self) -> list[str]:
        """The paradigms, in the order of the suites."""
        return list(dict.fromkeys(pair.paradigm for pair in self.pairs))


@dataclass(frozen=True, slots=True)
class Trial:
    """A pair as one annotator sees it: two sentences side by side, and no word of which is which.

    Attributes:
        pair: the pair's id.
        left: sentence on the left, or above on a narrow screen.
        right: the other sentence.
    """

    pair: str
    left: str
    right: str


def build_study(suites: Sequence[Suite], items: int | None = None, seed: int = 0) -> Study:
    """Draws a study from suites: the pairs that ``score --limit ITEMS --seed SEED`` would score.

    Args:
        suites: suites of minimal pairs, whole.
        items: at most so many pairs of each; by default all.
        seed: of the sample, and of order and sides.

    Raises:
        SuiteError: a suite's items are no pairs, or the two members of a pair are the same.
    """
    pairs = [pair for suite in suites for pair in _pairs(suite.sample(items, seed))]
    return Study(seed, items, tuple(pairs))


def trials(study: Study, annotator: str) -> list[Trial]:
    """All pairs in the annotator's order: shuffled over paradigms, sides balanced within each.

    The same study and name give the same order and sides on every machine.
    """
    draw = random.Random(f"{study.seed}:{annotator}")
    order = list(study.pairs)
    draw.shuffle(order)
    sides: dict[str, list[bool]] = {}
    for paradigm in study.paradigms:
        count = sum(pair.paradigm == paradigm for pair in order)
        # An odd one out falls on a random side.
        first = draw.randrange(2)
        sides[paradigm] = [bool((first + i) % 2) for i in range(count)]
        draw.shuffle(sides[paradigm])
    return [
        Trial(pair.id, pair.acceptable, pair.unacceptable)
        if sides[pair.paradigm].pop()
        else Trial(pair.id, pair.unacceptable, pair.acceptable)
        for pair in order
    ]


def keep_study(folder: Path, study: Study) -> None:
    """Writes the study into its folder, or checks that the one which is there is the same.

    Raises:
        ResultsError: the folder holds another study; says what differs.
    """
    path = folder / STUDY_FILE
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        record = {
            "seed": study.seed,
            "items": study.items,
            "pairs": [asdict(pair) for pair in study.pairs],
        }
        write_durably(path, json.dumps(record, ensure_ascii=False, indent=1).encode())
        return
    difference = _difference(read_study(folder), study)
    if difference:
        raise ResultsError(
            f"{folder} holds another study ({difference}); repeat the command it was made with, "
            "or give a new folder with --out"
        )


def read_study(folder: Path) -> Study:
    """Reads a study from its folder.

    Raises:
        ResultsError: there is none, or it is damaged.
    """
    path = folder / STUDY_FILE
    if not path.is_file():
        raise ResultsError(f"{folder} holds no {STUDY_FILE}; make one with `minpairs annotate`")
    try:
        record = parse_json(path.read_bytes(), f"{path} is damaged: it", ResultsError)
        return TypeAdapter(Study).validate_python(record)
    except OSError as error:
        raise ResultsError(f"cannot read {path}: {error}") from error
    except ValidationError as error:
        raise ResultsError(f"{path} is damaged: {first_fault(error)}") from error


def _pairs(suite: Suite) -> list[Pair]:
    if suite.design != MINIMAL_PAIR:
        raise SuiteError(
            f"{suite.name} has items of design {suite.design.name}; people judge minimal pairs"
        )
    good, bad = (
        [text.context + text.continuation for text in suite.texts(cell)]
        for cell in MINIMAL_PAIR.cells
    )
    ids = suite.labels("pair_id")
    if ids is None or len(set(ids)) < len(ids):
        ids = [str(row) for row in range(len(suite))]
    pairs = [
        Pair(f"{suite.name}:{key}", suite.name, acceptable, unacceptable)
        for key, acceptable, unacceptable in zip(ids, good, bad, strict=True)
    ]
    for pair in pairs:
        if pair.acceptable == pair.unacceptable:
            raise SuiteError(f"{pair.id}: both members are {pair.acceptable!r}; correct the suite")
    return pairs


def _difference(kept: Study, asked: Study) -> str:
    if kept.seed != asked.seed:
        return f"its seed is {kept.seed}, not {asked.seed}"
    if kept.items != asked.items:
        return f"it has {kept.items or 'all'} items a paradigm, not {asked.items or 'all'}"
    if kept.paradigms != asked.paradigms:
        return f"its paradigms are {', '.join(kept.paradigms)}"
    for one, other in zip(kept.pairs, asked.pairs, strict=False):
        if one != other:
            return f"pair {one.id} was {one.acceptable!r} and is now {other.acceptable!r}"
    return "" if len(kept.pairs) == len(asked.pairs) else f"it has {len(kept.pairs)} pairs"
