"""Which figures a report has, and writing them to files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from minpairs.files import write_durably
from minpairs.interactions import Differences, differences_in, form_of
from minpairs.judgements import Judgement, clusters_of
from minpairs.labels import label_codes
from minpairs.report.assemble import Judged, by_benchmark
from minpairs.report.figures._style import to_bytes
from minpairs.report.figures.accuracy import accuracy_figure
from minpairs.report.figures.felicity import felicity_figure
from minpairs.report.figures.interactions import Suites, interaction_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_HASH = re.compile(r"-[0-9a-f]{8}$")


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure with what is needed to show it.

    Attributes:
        name: of its files, without extension.
        benchmark: which benchmark's numbers it shows.
        title: what it shows.
        caption: how to read it, in sentences.
        figure: matplotlib's.
    """

    name: str
    benchmark: str
    title: str
    caption: str
    figure: Figure

    def _repr_svg_(self) -> str:
        """What notebooks show."""
        return to_bytes(self.figure, "svg").decode()


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Names of result folders without the hash of their settings, where they stay distinct."""
    short = [_HASH.sub("", name) for name in names]
    return {
        name: brief if short.count(brief) == 1 else name
        for name, brief in zip(names, short, strict=True)
    }


def drawings(judged: Sequence[Judged]) -> list[Drawing]:
    """Every figure that a set of results has, benchmark by benchmark."""
    names = short_names([one.name for one in judged])
    found: list[Drawing] = []
    for benchmark, models in by_benchmark(judged).items():
        shown = {names[name]: evaluation for name, evaluation in models.items()}
        for design in dict.fromkeys(evaluation.design for evaluation in shown.values()):
            alike = {name: e for name, e in shown.items() if e.design == design}
            one = next(iter(alike.values()))
            what = "phenomenon" if one.phenomena else "suite"
            found.append(
                Drawing(
                    _file_name(benchmark, "accuracy" if design == one.design else design),
                    benchmark,
                    f"Accuracy by {what}",
                    "Share of items judged right, with 95 % intervals (clustered, where items "
                    f"share material). Dashed line: chance, {100 * one.micro.chance:g} %.",
                    accuracy_figure(alike),
                )
            )
        judgements = {
            names[each.name]: each.judgements[benchmark]
            for each in judged
            if benchmark in each.judgements
            and form_of(each.judgements[benchmark].design) is not None
        }
        if judgements:
            found += _interactions(benchmark, judgements, judged[0].measure)
    return found


def write_figures(drawn: Sequence[Drawing], folder: Path) -> list[Path]:
    """Writes each figure as SVG and PNG; the same results give the same bytes."""
    paths = []
    for drawing in drawn:
        for kind in ("svg", "png"):
            path = folder / f"{drawing.name}.{kind}"
            write_durably(path, to_bytes(drawing.figure, kind))
            paths.append(path)
    return paths


def _interactions(
    benchmark: str, judgements: Mapping[str, Judgement], measure: str
) -> list[Drawing]:
    form: dict[str, Suites] = {}
    meaning: dict[str, dict[str, Differences]] = {}
    for model, judgement in judgements.items():
        for config, contexts, entry in _suites(judgement):
            if contexts:
                meaning.setdefault(config, {})[model] = entry[0]
            else:
                form[model] = {**form.get(model, {}), config: entry}
    drawn = []
    if form:
        drawn.append(
            Drawing(
                _file_name(benchmark, "interaction"),
                benchmark,
                "What the manipulation costs",
                "(a) The measure of the plain text less that of the manipulated one, with the "
                "construction and with its control; (b) their difference. Right of zero in (b): "
                "the manipulation costs more with the construction. Line: middle 90 % of items "
                "and orders; bar: middle half; marker: mean with its 95 % interval.",
                interaction_figure(form, measure),
            )
        )
    drawn += [
        Drawing(
            _file_name(benchmark, config, "felicity"),
            benchmark,
            f"Follow-ups that fit and that contradict ({config.replace('_', ' ')})",
            "How far the fitting follow-up scores above the contradicting one, over items and "
            "orders. Right of zero: the fitting one is preferred. After the control neither "
            "contradicts.",
            felicity_figure(models, measure),
        )
        for config, models in meaning.items()
    ]
    return drawn


def _suites(
    judgement: Judgement,
) -> list[tuple[str, bool, tuple[Differences, np.ndarray | None]]]:
    """Each suite's name, whether its cells have contexts, its differences and cluster codes."""
    every = differences_in(judgement.values, judgement.design)
    found = []
    start = 0
    for suite in judgement.suites:
        rows = np.arange(start, start + len(suite))
        start += len(suite)
        labels = clusters_of([suite])
        codes = None if labels is None else label_codes("clusters", labels, len(suite))[1]
        contexts = any(context is not None for context, _ in suite.columns.values())
        found.append((suite.config, contexts, (every[rows], codes)))
    return found


def _file_name(*parts: str) -> str:
    return re.sub(r"[^\w.-]+", "-", ".".join(parts)).strip(".-")
