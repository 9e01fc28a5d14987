"""The frequencies of a lexicon's words beside those of the language, by rank."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

_PER_MILLION = 1e6
_POINTS = 200  # per curve: ranks are thinned evenly on the logarithmic axis


def frequency_figure(
    lexicon: Sequence[float], language: Iterable[float], *, common: int, kind: str = "svg"
) -> bytes:
    """Draws frequency against rank, both logarithmic.

    Args:
        lexicon: frequencies of the lexicon's words, shares of all words.
        language: frequencies of all words of the language.
        common: a rank to mark.
        kind: ``svg`` or ``png``.

    Returns:
        The file's content, the same to the byte for the same numbers and library.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "minpairs", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(5.2, 3.2), layout="constrained")
        axes = figure.add_subplot()
        for frequencies, label, colour in (
            (language, "all words of wordfreq's list", "#999999"),
            (lexicon, "words of the lexicon", "#00639a"),
        ):
            ranks, values = _curve(frequencies)
            axes.plot(ranks, values, label=f"{label} ({ranks.max(initial=0):,})", color=colour)
        axes.axvline(common, color="#bbbbbb", linewidth=0.8, linestyle=":")
        axes.set(xscale="log", yscale="log", xlabel="rank", ylabel="occurrences per million words")
        axes.legend(frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
        file = io.BytesIO()
        # neither date nor version, so that the same numbers give the same bytes
        metadata = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
        figure.savefig(file, format=kind, metadata=metadata, dpi=150)
    return file.getvalue()


def _curve(frequencies: Iterable[float]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    values = np.sort(np.fromiter(frequencies, dtype=np.float64))[::-1] * _PER_MILLION
    if not len(values):
        return np.zeros(0, dtype=np.int64), values
    ranks = np.unique(np.geomspace(1, len(values), _POINTS).round().astype(np.int64))
    return ranks, values[ranks - 1]
