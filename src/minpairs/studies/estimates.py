"""How long a study takes, before it is begun: from the sizes of its texts and models.

Training costs about six floating-point operations a weight and token. How many a machine does in a
second is taken from the study's own finished cells, where there are some of that kind, and else
from the rates below.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from minpairs.report.model import Cell as TableCell
from minpairs.report.model import Column, Table
from minpairs.studies.cell import Done, recorded
from minpairs.studies.plan import Cell, Plan
from minpairs.training.corpus import Corpus
from minpairs.training.presets import CausalSettings, LstmSettings, NgramSettings

# Operations a second: of one CPU core our assumption; of a GPU with an OPT model what the let-alone
# paper's twelve models in 100 hours of one A100 come to, 1.8e18 each; of a GPU with an LSTM, whose
# steps wait for one another, our assumption.
_RATES = {
    ("lstm", "core"): 2e10,
    ("causal", "core"): 2e10,
    ("lstm", "gpu"): 2e12,
    ("causal", "gpu"): 6e13,
}
_NGRAM_TOKENS = 200_000  # a second on one core
_WORD = 1.65  # Chinese characters a word of jieba's, in news
_BPE = 1.35  # tokens of a byte-level BPE an English word, marks of punctuation included
_VOCABULARY = {"characters": 5_000, "jieba": 40_000, "words": 40_000}  # units, as far as unknown


@dataclass(frozen=True, slots=True)
class Extent:
    """About how large a text is."""

    sentences: float
    words: float
    characters: float

    def of(self, sentences: float) -> Extent:
        """A sample of it."""
        share = sentences / self.sentences
        return Extent(sentences, self.words * share, self.characters * share)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a cell is expected to take.

    Attributes:
        tokens: read in training, all epochs together.
        weights: of the model that take part for each token; None for n-grams.
        hours: expected; 0 for a cell that is done.
        basis: where the rate comes from: ``done``, ``measured`` or ``stated``.
    """

    tokens: float
    weights: int | None
    hours: float
    basis: str


def extent_of(corpus: Corpus) -> Extent:
    """Read off the first, middle and last part of a corpus."""
    parts = corpus.parts
    chosen = {parts[0], parts[len(parts) // 2], parts[-1]}
    texts = [text for part in chosen for text in corpus.read(part).texts]
    scale = sum(p.end - p.start for p in parts) / sum(p.end - p.start for p in chosen)
    return Extent(
        scale * len(texts),
        scale * sum(len(text.split()) for text in texts),
        scale * sum(len(text.replace(" ", "")) for text in texts),
    )


def estimates(
    plan: Plan, extent: Extent, out: Path, *, gpu: bool, cores: int
) -> dict[str, Estimate]:
    """What each cell is expected to take.

    Args:
        plan: the study.
        extent: of its whole corpus.
        out: the study's folder, where finished cells say how long they took.
        gpu: whether models are trained on GPUs.
        cores: that each process has.
    """
    done = {cell.name: recorded(out, cell) for cell in plan.cells}
    blank = {cell: _stated(plan, cell, extent, gpu=gpu, cores=cores) for cell in plan.cells}
    found: dict[str, Estimate] = {}
    for cell, stated in blank.items():
        if done[cell.name] is not None:
            found[cell.name] = Estimate(stated.tokens, stated.weights, 0.0, "done")
            continue
        factor = _measured(cell.kind, blank, done)
        hours = stated.hours * (factor or 1.0)
        basis = "stated" if factor is None else "measured"
        found[cell.name] = Estimate(stated.tokens, stated.weights, hours, basis)
    return found


def plan_table(plan: Plan, found: Mapping[str, Estimate], processes: int) -> Table:
    """The plan for people."""
    rows: list[tuple[TableCell, ...]] = []
    for cell in plan.cells:
        one = found[cell.name]
        weights = None if one.weights is None else one.weights / 1e6
        rows.append(
            (cell.name, cell.corpus, one.tokens / 1e6, weights, round(one.hours, 3), one.basis)
        )
    total = sum(one.hours for one in found.values())
    return Table(
        columns=(
            Column("model", "model", "text"),
            Column("corpus", "corpus", "text"),
            Column("tokens", "M tokens to read", "number"),
            Column("weights", "M weights", "number"),
            Column("hours", "hours, about", "number"),
            Column("basis", "rate", "text"),
        ),
        rows=tuple(rows),
        summary=(
            ("all, one after another", None, None, None, round(total, 3), None),
            (f"all, {processes} at a time", None, None, None, round(total / processes, 3), None),
        )[: min(processes, 2)],
        caption=f"{len(rows)} models, {processes} at a time",
        footnotes=(
            "Training alone. Rates: measured on this study's finished models of the same kind; "
            "else stated ones (20 GFLOP/s a core; GPU: 60 TFLOP/s, from the let-alone paper's 100 "
            "hours of an A100 for twelve models, and 2 TFLOP/s for LSTMs), six operations a weight "
            "and token. They may be off by several times.",
        ),
    )


def _stated(plan: Plan, cell: Cell, whole: Extent, *, gpu: bool, cores: int) -> Estimate:
    extent = whole.of(plan.sizes[cell.corpus]) if plan.sizes else whole
    settings = cell.settings
    if isinstance(settings, NgramSettings):
        tokens = _units(settings.segmentation, extent)
        return Estimate(tokens, None, tokens / _NGRAM_TOKENS / 3600, "stated")
    if isinstance(settings, LstmSettings):
        epoch = _units(settings.segmentation, extent)
        weights = _lstm_weights(settings)
        row = epoch / extent.sentences
    else:
        epoch = max(_BPE * extent.words, extent.characters / 5)
        weights = _causal_weights(settings)
        row = settings.positions if settings.packed else epoch / extent.sentences
    tokens = settings.epochs * epoch
    if settings.max_steps > 0:
        tokens = min(tokens, settings.max_steps * settings.batch_size * settings.accumulation * row)
    rate = _RATES[cell.kind, "gpu" if gpu else "core"] * (1 if gpu else cores)
    return Estimate(tokens, weights, 6 * weights * tokens / rate / 3600, "stated")


def _measured(
    kind: str, stated: Mapping[Cell, Estimate], done: Mapping[str, Done | None]
) -> float | None:
    """How many times longer than stated the finished cells of a kind took."""
    expected, took = 0.0, 0.0
    for cell, estimate in stated.items():
        one = done[cell.name]
        if cell.kind == kind and one is not None:
            expected += 3600 * estimate.hours
            took += one.seconds["training"]
    return took / expected if expected else None


def _units(segmentation: str, extent: Extent) -> float:
    if segmentation == "characters":
        return extent.characters
    return extent.characters / _WORD if segmentation == "jieba" else extent.words


def _lstm_weights(settings: LstmSettings) -> int:
    """All but the input embedding, of which a token takes one row."""
    units = min(_VOCABULARY[settings.segmentation], settings.max_units or 10**9)
    first = 4 * settings.units * (settings.embedding + settings.units + 2)
    further = 4 * settings.units * (2 * settings.units + 2) * (settings.layers - 1)
    return first + further + units * (settings.units + 1)


def _causal_weights(settings: CausalSettings) -> int:
    from minpairs.training.causal import causal_parameters

    return causal_parameters(settings)
