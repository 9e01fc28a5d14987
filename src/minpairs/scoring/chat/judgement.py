"""From the answers of a run to accuracies, position bias and counts.

An item is right when the fitting choice is named in every order of the focus phrases, and under
both letters: what decides must be neither the order of mention nor the place in the list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minpairs.benchmarks.schema import Design, Inequality
from minpairs.benchmarks.suites import Suite
from minpairs.errors import ResultsError
from minpairs.evaluation import Evaluation, evaluate_items
from minpairs.judgements import clusters_of, phenomena_of, signature_of
from minpairs.results import Run
from minpairs.scoring.chat.answers import Answer, AnswerStore
from minpairs.scoring.chat.cost import Usage
from minpairs.scoring.chat.questions import LETTERS, Letter, contrasts, questions
from minpairs.signature import Signature

Floats = NDArray[np.float64]
Place = tuple[str, bool, Letter]  # contrast, whether it is the control, letter of what fits


@dataclass(frozen=True, slots=True)
class Choices:
    """All that is reported of a chat model on suites of one form; groups are the suites.

    Attributes:
        items: right in every question about an item (the control's left out).
        orders: by contrast (order of the focus phrases), right under both letters.
        letters: by letter of the fitting choice, right in every contrast: one choice order alone.
        single: right replies among all replies.
        chose_a: replies A among those that are a letter, the control's included; None without any.
        control: replies about an interaction's control that name the follow-up which fits the
            construction, among those that are a letter; None where it was not asked.
        logprobs: right by the log-probabilities of the letters, in each contrast their difference
            averaged over both choice orders, where none is missing; None where there are none.
        no_logprobs: replies that came without them, of those that count for ``logprobs``.
        unreadable: replies by suite that are no letter.
        replies: all replies by suite, those about incomplete items left out.
        incomplete: items that lack an answer and are left out.
        usage: tokens and time.
    """

    items: Evaluation
    orders: Mapping[str, Evaluation]
    letters: Mapping[Letter, Evaluation]
    single: Evaluation | None
    chose_a: Evaluation | None
    control: Evaluation | None
    logprobs: Evaluation | None
    no_logprobs: int
    unreadable: Mapping[str, int]
    replies: Mapping[str, int]
    incomplete: int
    usage: Usage


def judge_choices(run: Run, *, interval: str = "wilson") -> dict[str, Choices]:
    """Evaluates the answers of a run, by benchmark.

    Suites of one benchmark that ask the same contrasts are reported together. Items that still lack
    an answer are left out, and the signature says how many have theirs.

    Args:
        run: of kind ``chat``.
        interval: ``wilson`` or ``as_released``.

    Raises:
        ResultsError: no item of a benchmark has all its answers.
    """
    store = AnswerStore(run.folder / "answers.jsonl")
    together: dict[tuple[str, tuple[tuple[str, bool], ...]], list[Suite]] = {}
    for suite in run.suites:
        form = tuple((contrast.name, contrast.control) for contrast in contrasts(suite.design))
        together.setdefault((suite.benchmark, form), []).append(suite)
    benchmarks = [benchmark for benchmark, _ in together]
    found = {}
    for (benchmark, _), suites in together.items():
        several = benchmarks.count(benchmark) > 1
        name = f"{benchmark} {suites[0].config}" if several else benchmark
        found[f"{name} (forced choice)"] = _judge(run, store, suites, interval)
    return found


@dataclass(frozen=True, slots=True)
class _Table:
    """Items by questions; arrays of shape (n,), NaN where there is no answer.

    Attributes:
        letters: 1 the choice that fits, -1 the other, 0 no letter.
        margins: log-probability of the letter that fits less that of the other.
    """

    letters: Mapping[Place, Floats]
    margins: Mapping[Place, Floats]
    groups: tuple[str, ...]
    clusters: tuple[str, ...] | None
    ids: tuple[str, ...]

    def rows(self, kept: NDArray[np.bool_]) -> _Table:
        indices = np.flatnonzero(kept)
        return _Table(
            {place: values[kept] for place, values in self.letters.items()},
            {place: values[kept] for place, values in self.margins.items()},
            tuple(self.groups[i] for i in indices),
            None if self.clusters is None else tuple(self.clusters[i] for i in indices),
            tuple(self.ids[i] for i in indices),
        )


def _judge(run: Run, store: AnswerStore, suites: Sequence[Suite], interval: str) -> Choices:
    table, answers = _read(store, suites)
    asked = [place for place in table.letters if not place[1]]
    complete = ~np.any([np.isnan(table.letters[place]) for place in asked], axis=0)
    if not complete.any():
        raise ResultsError(
            f"{run.folder}: no item of {suites[0].benchmark} has all its answers; "
            "run the same `minpairs chat` command again to go on"
        )
    kept = table.rows(complete)
    signature = signature_of(run, suites, "letters", "strict").with_fields(
        design="forced_choice",
        served=",".join(sorted({answer.model for answer in answers if answer.model})) or None,
        answered=None if complete.all() else f"{complete.sum()}/{len(complete)}",
    )
    judged = _Judge(kept, phenomena_of(suites), interval, signature)
    names = list(dict.fromkeys(name for name, _, _ in asked))
    control = [place for place in kept.letters if place[1]]
    unreadable: dict[str, int] = dict.fromkeys(kept.groups, 0)
    replies = dict(unreadable)
    for values in kept.letters.values():
        for group, value in zip(kept.groups, values, strict=True):
            replies[group] += int(not np.isnan(value))
            unreadable[group] += int(value == 0)
    return Choices(
        items=judged.all_right({place: kept.letters[place] for place in asked}),
        orders={
            name: judged.all_right({p: kept.letters[p] for p in asked if p[0] == name})
            for name in names
        },
        letters={
            letter: judged.all_right({p: kept.letters[p] for p in asked if p[2] == letter})
            for letter in LETTERS
        },
        single=judged.share([kept.letters[place] for place in asked], unreadable=True),
        chose_a=judged.share(
            [values if place[2] == "A" else -values for place, values in kept.letters.items()]
        ),
        control=judged.share([kept.letters[place] for place in control]),
        logprobs=judged.by_margin(
            {name: _mean([kept.margins[p] for p in asked if p[0] == name]) for name in names}
        ),
        no_logprobs=sum(int(np.isnan(kept.margins[place]).sum()) for place in asked),
        unreadable=unreadable,
        replies=replies,
        incomplete=int((~complete).sum()),
        usage=Usage.of(answers),
    )


def _read(store: AnswerStore, suites: Sequence[Suite]) -> tuple[_Table, list[Answer]]:
    letters: dict[Place, list[float]] = {}
    margins: dict[Place, list[float]] = {}
    used: dict[str, Answer] = {}
    for suite in suites:
        for question in questions(suite):
            place = (question.contrast.name, question.contrast.control, question.fits)
            answer = store.get(question.key)
            value = margin = np.nan
            if answer is not None:
                used[answer.key] = answer
                value = 0.0 if answer.letter is None else -1.0
                value = 1.0 if answer.letter == question.fits else value
                if answer.logprob_a is not None and answer.logprob_b is not None:
                    margin = answer.logprob_a - answer.logprob_b
                    margin = margin if question.fits == "A" else -margin
            letters.setdefault(place, []).append(value)
            margins.setdefault(place, []).append(margin)
    clusters = clusters_of(suites)
    table = _Table(
        {place: np.array(values) for place, values in letters.items()},
        {place: np.array(values) for place, values in margins.items()},
        tuple(suite.config for suite in suites for _ in range(len(suite))),
        None if clusters is None else tuple(clusters),
        tuple(f"{suite.name}:{row}" for suite in suites for row in range(len(suite))),
    )
    return table, list(used.values())


@dataclass(frozen=True, slots=True)
class _Judge:
    """Evaluates columns of the same items."""

    table: _Table
    phenomena: Mapping[str, str] | None
    interval: str
    signature: Signature

    def all_right(self, columns: Mapping[Place, Floats]) -> Evaluation:
        """Items for which every column says the fitting choice; what is no letter is not right."""
        return self._evaluate(
            {f"{name}_{fits}": _sign(values) for (name, _, fits), values in columns.items()}
        )

    def by_margin(self, columns: Mapping[str, Floats]) -> Evaluation | None:
        """Items for which every column is positive; a missing value is not. None without any."""
        if all(np.isnan(values).all() for values in columns.values()):
            return None
        return self._evaluate({name: np.nan_to_num(v, nan=-1.0) for name, v in columns.items()})

    def share(self, columns: Sequence[Floats], *, unreadable: bool = False) -> Evaluation | None:
        """The share of 1 among single replies, those of an item a cluster; None without any.

        Args:
            columns: replies.
            unreadable: count those that are no letter too.
        """
        values = np.concatenate(columns) if columns else np.zeros(0)
        kept = np.flatnonzero(~np.isnan(values) & (unreadable | (values != 0)))
        if not len(kept):
            return None
        rows = kept % len(self.table.groups)
        clusters = self.table.clusters or self.table.ids
        return self._evaluate(
            {"reply": _sign(values[kept])},
            [self.table.groups[row] for row in rows],
            [clusters[row] for row in rows],
        )

    def _evaluate(
        self,
        columns: Mapping[str, Floats],
        groups: Sequence[str] | None = None,
        clusters: Sequence[str] | None = None,
    ) -> Evaluation:
        groups = groups or self.table.groups
        clusters = clusters or self.table.clusters
        design = Design(
            "forced_choice",
            tuple(columns),
            tuple(Inequality(name, ((name, 1.0),)) for name in columns),
            0.5 ** len(columns),
        )
        phenomena = self.phenomena
        return evaluate_items(
            columns,
            design,
            groups=groups,
            clusters=clusters if clusters and len(set(clusters)) > 1 else None,
            phenomena=phenomena and {group: phenomena[group] for group in set(groups)},
            interval=self.interval,
            signature=self.signature,
        )


def _sign(values: Floats) -> Floats:
    return np.where(values == 1, 1.0, -1.0)


def _mean(columns: Sequence[Floats]) -> Floats:
    return np.asarray(np.mean(columns, axis=0), dtype=np.float64)
