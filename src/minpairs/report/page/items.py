"""The items that a model gets most wrong, and those it can hardly decide, as a reader sees them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from minpairs.benchmarks.schema import Inequality
from minpairs.benchmarks.suites import Suite
from minpairs.cells import item_scores
from minpairs.interactions import MANIPULATED, Form, form_of
from minpairs.judgements import Judgement
from minpairs.report.page.tokens import Piece, compared, pieces
from minpairs.results import Run

EACH = 3  # items of a kind and suite
_MOST = 240  # items of a benchmark: a page of hundreds of paradigms would be slow to open
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Cell:
    """One text of an item.

    Attributes:
        name: what it is.
        context: what was read before it.
        text: what was scored.
        lang: ``zh`` or empty.
        logprob: in nats.
        tokens: how many were scored.
        pieces: empty where no tokens were kept.
        value: of the measure that is compared.
    """

    name: str
    context: str
    text: str
    lang: str
    logprob: float
    tokens: int
    pieces: tuple[Piece, ...]
    value: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two texts side by side; the left one less the right one is what the item weighs."""

    title: str
    left: Cell
    right: Cell

    @property
    def difference(self) -> float:
        """Of their values; positive: the left text is preferred."""
        return self.left.value - self.right.value

    @property
    def most(self) -> float:
        """The greatest surprisal of any piece, for a common scale; at least 1."""
        costs = [p.surprisal or 0.0 for cell in (self.left, self.right) for p in cell.pieces]
        return max([1.0, *costs])


@dataclass(frozen=True, slots=True)
class Item:
    """An item with the prediction that holds least.

    Attributes:
        number: its row in the suite, from 0.
        prediction: name of the inequality; empty where the design has one.
        margin: by how much it holds; negative: it fails.
        comparisons: the texts it weighs.
        others: margins of other models on the same item.
    """

    number: int
    prediction: str
    margin: float
    comparisons: tuple[Comparison, ...]
    others: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A model's items in one suite."""

    model: str
    wrong: int
    n: int
    worst: tuple[Item, ...]
    closest: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class SuiteItems:
    """One suite's items, by model."""

    config: str
    models: tuple[Chosen, ...]


def suite_items(found: Mapping[str, tuple[Run, Judgement]]) -> list[SuiteItems]:
    """For each suite and model the worst and the closest items.

    Args:
        found: run and judgement by model, of one benchmark.
    """
    configs = list(dict.fromkeys(s.config for _, each in found.values() for s in each.suites))
    each = max(1, min(EACH, _MOST // max(1, 2 * len(configs) * len(found))))
    margins = {
        model: {
            suite.config: (suite.data_hash, judgement.margins[start : start + len(suite)].min(1))
            for start, suite in _placed(judgement)
        }
        for model, (_, judgement) in found.items()
    }
    result = []
    for config in configs:
        chosen = []
        for model, (run, judgement) in found.items():
            for start, suite in _placed(judgement):
                if suite.config == config:
                    others = {
                        other: theirs[config][1]
                        for other, theirs in margins.items()
                        if other != model
                        and config in theirs
                        and theirs[config][0] == suite.data_hash
                    }
                    chosen.append(_choose(model, run, judgement, suite, start, others, each))
        result.append(SuiteItems(config, tuple(chosen)))
    return result


def _choose(
    model: str,
    run: Run,
    judgement: Judgement,
    suite: Suite,
    start: int,
    others: Mapping[str, np.ndarray],
    each: int,
) -> Chosen:
    least = judgement.margins[start : start + len(suite)].min(axis=1)
    worst = [int(row) for row in np.argsort(least, kind="stable")[:each] if least[row] < 0]
    near = [int(row) for row in np.argsort(np.abs(least), kind="stable") if row not in worst]

    def view(row: int) -> Item:
        return _item(run, judgement, suite, start, row, others)

    return Chosen(
        model=model,
        wrong=int((least <= 0).sum()),
        n=len(suite),
        worst=tuple(map(view, worst)),
        closest=tuple(map(view, near[:each])),
    )


def _item(
    run: Run,
    judgement: Judgement,
    suite: Suite,
    start: int,
    row: int,
    others: Mapping[str, np.ndarray],
) -> Item:
    margins = judgement.margins[start + row]
    position = int(margins.argmin())
    inequality = judgement.design.inequalities[position]
    item = suite.item(row)
    scores = item_scores(item, suite.design.compared(), run.scores, run.exact)

    def cell(name: str, title: str) -> Cell:
        text, score = item[name], scores[name]
        assert score is not None  # it has been judged
        return Cell(
            name=title,
            context=text.context,
            text=text.continuation,
            lang="zh" if _HAN.search(text.continuation) else "",
            logprob=score.logprob,
            tokens=score.tokens,
            pieces=pieces(score),
            value=float(judgement.values[name][start + row]),
        )

    pairs = _pairs(inequality, form_of(judgement.design))
    comparisons = []
    for title, left, right in pairs:
        first, second = cell(*left), cell(*right)
        marked = compared(first.pieces, second.pieces)
        comparisons.append(
            Comparison(title, replace(first, pieces=marked[0]), replace(second, pieces=marked[1]))
        )
    return Item(
        number=row,
        prediction=inequality.name if len(margins) > 1 else "",
        margin=float(margins[position]),
        comparisons=tuple(comparisons),
        others=tuple((model, float(theirs[row])) for model, theirs in others.items()),
    )


_Named = tuple[str, str]  # a cell, and what to call it


def _pairs(inequality: Inequality, form: Form | None) -> list[tuple[str, _Named, _Named]]:
    """The cells of a prediction in pairs: plain and manipulated, or higher and lower."""
    if form is not None:
        return [
            (
                part.replace("_", " "),
                (f"{inequality.name}_{part}", "plain"),
                (f"{inequality.name}_{part}{MANIPULATED}", "manipulated"),
            )
            for part in (form.construction, form.control)
        ]
    higher = [name for name, weight in inequality.terms if weight > 0]
    lower = [name for name, weight in inequality.terms if weight < 0]
    # Sums of several cells against fewer: the last of the fewer stands beside each that is left.
    count = max(len(higher), len(lower))
    return [
        ("", (left, left.replace("_", " ")), (right, right.replace("_", " ")))
        for left, right in (
            (higher[min(i, len(higher) - 1)], lower[min(i, len(lower) - 1)]) for i in range(count)
        )
    ]


def _placed(judgement: Judgement) -> Sequence[tuple[int, Suite]]:
    """Each suite with the row at which it begins."""
    starts = np.cumsum([0, *map(len, judgement.suites)])
    return [(int(start), suite) for start, suite in zip(starts, judgement.suites, strict=False)]
