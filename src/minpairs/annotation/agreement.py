"""Do people agree with the labels, and with each other? The paper's two validations, and alpha.

Source:
    Xiang et al. 2021, CLiMP, section 4: accuracy of annotators in forced choice over each paradigm,
    and majority vote on 15 pairs of each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

import numpy as np

from minpairs.annotation.alpha import choice_counts, nominal_alpha
from minpairs.annotation.crossed import Codes, Floats, crossed_interval
from minpairs.annotation.journal import SUFFIX, Choice, Judgement, read_judgements
from minpairs.annotation.study import Pair, Study, read_study
from minpairs.errors import ResultsError
from minpairs.statistics import Interval, interval_of_mean, shared_cluster_correlation


@dataclass(frozen=True, slots=True)
class Tally:
    """The judgements of one pair.

    Attributes:
        pair: the pair.
        right: annotators who chose the acceptable member.
        wrong: annotators who chose the other.
        skipped: annotators who found the pair broken.
    """

    pair: Pair
    right: int
    wrong: int
    skipped: int

    @property
    def suspect(self) -> bool:
        """Most who judged it chose the other member, or most who saw it skipped it."""
        return self.wrong > self.right or self.skipped > self.right + self.wrong


@dataclass(frozen=True, slots=True)
class ParadigmAgreement:
    """Agreement on one paradigm; skipped pairs count for nothing but ``skipped``.

    Attributes:
        paradigm: its name.
        annotators: people with at least one judgement.
        pairs: pairs with at least one judgement.
        judgements: number of judgements.
        skipped: times a pair was skipped.
        accuracy: share of judgements that chose the acceptable member.
        interval: 95 %, over annotators and pairs; see ``crossed_interval``.
        majority: share of pairs whose acceptable member got more than half of the votes.
        ties: pairs with as many votes for either member; they are not right.
        alpha: Krippendorff's, or None where it is not defined.
    """

    paradigm: str
    annotators: int
    pairs: int
    judgements: int
    skipped: int
    accuracy: float
    interval: Interval
    majority: float
    ties: int
    alpha: float | None


@dataclass(frozen=True, slots=True)
class Annotator:
    """One annotator's work.

    Attributes:
        name: the annotator.
        judged: pairs judged.
        skipped: pairs skipped.
        total: pairs there were to judge.
        accuracy: share of judged pairs with the acceptable member chosen; None if none was judged.
        left: share of judged pairs with the left sentence chosen: near one half, sides being
            random, unless the annotator has stopped reading.
        seconds: median time of an answer.
    """

    name: str
    judged: int
    skipped: int
    total: int
    accuracy: float | None
    left: float | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """All that is reported of the judgements of a study.

    Attributes:
        paradigms: those with at least one judgement.
        unjudged: paradigms without any.
        accuracy: unweighted mean over paradigms.
        interval: its 95 % interval.
        majority: unweighted mean over paradigms of the majority vote's accuracy.
        alpha: over the pairs of all paradigms.
        annotators: each annotator.
        tallies: each pair with a judgement or a skip.
    """

    paradigms: tuple[ParadigmAgreement, ...]
    unjudged: tuple[str, ...]
    accuracy: float
    interval: Interval
    majority: float
    alpha: float | None
    annotators: tuple[Annotator, ...]
    tallies: tuple[Tally, ...]


def read_annotators(folder: Path) -> dict[str, list[Judgement]]:
    """The judgements of all annotators in a study's folder, by name.

    Raises:
        ResultsError: nobody has judged anything, or a file is damaged.
    """
    found = {
        path.name.removesuffix(SUFFIX): read_judgements(path)
        for path in sorted(folder.glob(f"*{SUFFIX}"))
        if not path.name.startswith(".")
    }
    if not any(found.values()):
        raise ResultsError(f"{folder} holds no judgements yet; make some with `minpairs annotate`")
    return found


def read_studies(folders: Sequence[Path]) -> tuple[Study, dict[str, list[Judgement]]]:
    """Several studies as one: the first validation gives each paradigm to other annotators.

    Raises:
        ResultsError: a folder is no study, has no judgements, or repeats another's paradigm.
    """
    studies = [read_study(folder) for folder in folders]
    owner: dict[str, Path] = {}
    judgements: dict[str, list[Judgement]] = {}
    for folder, study in zip(folders, studies, strict=True):
        for paradigm in study.paradigms:
            if paradigm in owner:
                raise ResultsError(f"{paradigm} is in {owner[paradigm]} and in {folder}")
            owner[paradigm] = folder
        for name, given in read_annotators(folder).items():
            judgements.setdefault(name, []).extend(given)
    pairs = tuple(pair for study in studies for pair in study.pairs)
    return Study(studies[0].seed, studies[0].items, pairs), judgements


def agree(study: Study, judgements: Mapping[str, Sequence[Judgement]]) -> Agreement:
    """Agreement of annotators with the labels and with each other.

    Args:
        study: the pairs.
        judgements: of each annotator, by name; all pairs or some.

    Raises:
        ResultsError: a judgement is of no pair of the study, or of other sentences; or there is no
            judgement that is no skip.
    """
    pairs = {pair.id: pair for pair in study.pairs}
    votes = [
        (name, *_vote(pairs, name, judgement))
        for name, given in judgements.items()
        for judgement in given
    ]
    tallies = _tallies(votes)
    cast = [(name, pair, credit) for name, pair, credit in votes if credit is not None]
    if not cast:
        raise ResultsError("every pair was skipped: there is no judgement to count")
    paradigms = [
        name for name in study.paradigms if any(pair.paradigm == name for _, pair, _ in cast)
    ]
    credit = np.array([credit for *_, credit in cast], dtype=np.float64)
    people = _codes([name for name, *_ in cast])
    items = _codes([pair.id for _, pair, _ in cast])
    groups = np.array([paradigms.index(pair.paradigm) for _, pair, _ in cast], dtype=np.intp)
    results = [
        _paradigm(
            name,
            [tally for tally in tallies if tally.pair.paradigm == name],
            *(column[groups == code] for column in (credit, items, people)),
        )
        for code, name in enumerate(paradigms)
    ]
    accuracies = [result.accuracy for result in results]
    return Agreement(
        paradigms=tuple(results),
        unjudged=tuple(name for name in study.paradigms if name not in paradigms),
        accuracy=mean(accuracies),
        interval=interval_of_mean(
            accuracies,
            [result.interval for result in results],
            shared_cluster_correlation(credit, groups, people),
        ),
        majority=mean(result.majority for result in results),
        alpha=_alpha(tallies),
        annotators=tuple(
            _annotator(name, given, pairs, len(study.pairs)) for name, given in judgements.items()
        ),
        tallies=tuple(tallies),
    )


def _vote(pairs: Mapping[str, Pair], name: str, judgement: Judgement) -> tuple[Pair, float | None]:
    """The pair, and 1 for right, 0 for wrong, None for skipped."""
    pair = pairs.get(judgement.pair)
    if pair is None or {judgement.left, judgement.right} != {pair.acceptable, pair.unacceptable}:
        raise ResultsError(
            f"{name}{SUFFIX}: {name} judged {judgement.pair!r} ({judgement.left!r}, "
            f"{judgement.right!r}), which is not a pair of this study (study.json); the file "
            "belongs to another one"
        )
    return pair, None if judgement.chosen is None else float(judgement.chosen == pair.acceptable)


def _tallies(votes: Sequence[tuple[str, Pair, float | None]]) -> list[Tally]:
    found: dict[str, tuple[Pair, list[float | None]]] = {}
    for _, pair, credit in votes:
        found.setdefault(pair.id, (pair, []))[1].append(credit)
    return [
        Tally(pair, credits_.count(1.0), credits_.count(0.0), credits_.count(None))
        for pair, credits_ in found.values()
    ]


def _paradigm(
    name: str, tallies: Sequence[Tally], credit: Floats, items: Codes, people: Codes
) -> ParadigmAgreement:
    judged = [tally for tally in tallies if tally.right + tally.wrong]
    return ParadigmAgreement(
        paradigm=name,
        annotators=len(np.unique(people)),
        pairs=len(judged),
        judgements=len(credit),
        skipped=sum(tally.skipped for tally in tallies),
        accuracy=float(credit.mean()),
        interval=crossed_interval(credit, items, people),
        majority=sum(tally.right > tally.wrong for tally in judged) / len(judged),
        ties=sum(tally.right == tally.wrong for tally in judged),
        alpha=_alpha(judged),
    )


def _annotator(
    name: str, given: Sequence[Judgement], pairs: Mapping[str, Pair], total: int
) -> Annotator:
    judged = [judgement for judgement in given if judgement.choice is not Choice.skip]
    right = [judgement.chosen == pairs[judgement.pair].acceptable for judgement in judged]
    return Annotator(
        name=name,
        judged=len(judged),
        skipped=len(given) - len(judged),
        total=total,
        accuracy=mean(map(float, right)) if right else None,
        left=mean(float(one.choice is Choice.left) for one in judged) if judged else None,
        seconds=median(one.seconds for one in judged) if judged else None,
    )


def _alpha(tallies: Sequence[Tally]) -> float | None:
    counts = {tally.pair.id: (tally.right, tally.wrong) for tally in tallies}
    return nominal_alpha(choice_counts([tally.pair for tally in tallies], counts))


def _codes(labels: Sequence[str]) -> Codes:
    return np.unique(labels, return_inverse=True)[1].astype(np.intp)
