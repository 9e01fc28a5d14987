"""How every figure looks: colours, markers, fonts; and a figure as bytes that never change."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#222222"
FAINT = "#8a8a8a"
GRID = "#dcdcdc"
PAPER = "#ffffff"
LABEL = 8.0  # points
# Okabe and Ito's palette (2008) without yellow and black, which vanish on white and on dark pages.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
MARKERS = ("o", "s", "^", "D", "v", "P")
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++++")
_CJK = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_CJK_FAMILIES = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "Noto Sans CJK JP",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "PingFang SC",
    "Hiragino Sans GB",
    "Microsoft YaHei",
    "SimHei",
    "Arial Unicode MS",
)


@dataclass(frozen=True, slots=True)
class Look:
    """What tells one series from another, in colour and in grey."""

    colour: str
    marker: str
    hatch: str
    filled: bool


def look(position: int) -> Look:
    """The look of a figure's n-th series; from the seventh on, markers are hollow."""
    i = position % len(COLOURS)
    return Look(COLOURS[i], MARKERS[i], HATCHES[i], (position // len(COLOURS)) % 2 == 0)


def new(width: float, height: float) -> Figure:
    """An empty figure of so many inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


@contextmanager
def style(texts: Sequence[str] = ()) -> Iterator[None]:
    """Settings for everything drawn inside, with a font for the texts' Chinese if they have any."""
    import matplotlib as mpl

    settings: Any = {
        "axes.edgecolor": FAINT,
        "axes.labelcolor": INK,
        "axes.labelsize": LABEL,
        "axes.linewidth": 0.6,
        "axes.spines.left": False,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlecolor": INK,
        "axes.titlesize": 9,
        "axes.titleweight": "bold",
        "axes.unicode_minus": False,
        "font.family": ["DejaVu Sans", *_chinese_font(texts)],
        "font.size": LABEL,
        "hatch.linewidth": 0.6,
        "legend.fontsize": LABEL,
        "legend.frameon": False,
        "legend.labelcolor": INK,
        "text.color": INK,
        "text.parse_math": False,  # a name may hold dollar signs
        "xtick.color": FAINT,
        "xtick.labelcolor": INK,
        "ytick.color": FAINT,
        "ytick.labelcolor": INK,
        "ytick.major.size": 0,
    }
    with mpl.rc_context(settings):
        yield


def grid(axes: Axes) -> None:
    """Faint vertical lines behind what is drawn."""
    axes.set_axisbelow(True)
    axes.grid(axis="x", color=GRID, linewidth=0.6)


def to_bytes(figure: Figure, kind: str) -> bytes:
    """The figure as a file: ``svg`` (letters as outlines), ``svg_text`` (as text) or ``png``.

    The same figure gives the same bytes: neither dates nor versions are written.
    """
    import matplotlib as mpl
    from matplotlib.text import Text

    file = io.BytesIO()
    # Some labels come into being only now.
    with style([text.get_text() for text in figure.findobj(Text)]):
        if kind == "png":
            figure.savefig(file, format="png", dpi=200, metadata={"Software": None})
            return file.getvalue()
        letters = "none" if kind == "svg_text" else "path"
        with mpl.rc_context({"svg.fonttype": letters, "svg.hashsalt": "minpairs"}):
            figure.savefig(
                file,
                format="svg",
                metadata={"Date": None, "Creator": None},
                transparent=kind == "svg_text",
            )
    return file.getvalue()


def themed(svg: bytes, name: str) -> str:
    """An SVG for inside a page: it takes the page's colours for text and lines.

    Args:
        svg: as ``to_bytes`` makes it, with letters as text.
        name: what its element ids begin with, as a page may hold several figures.
    """
    text = svg.decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower())
    text = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{slug}-", text)
    for colour, replacement in (
        (INK, "currentColor"),
        (FAINT, "var(--faint)"),
        (GRID, "var(--rule)"),
        (PAPER, "var(--paper)"),
        (COLOURS[0].lower(), "var(--bar)"),  # too dark for a dark page
    ):
        text = text.replace(colour, replacement)
    # The page decides the size; the view box keeps the proportions.
    return re.sub(r'(<svg\b[^>]*?) height="[^"]*"([^>]*?) width="[^"]*"', r"\1\2", text, count=1)


def _chinese_font(texts: Sequence[str]) -> list[str]:
    wanted = {character for text in texts for character in _CJK.findall(text)}
    if not wanted:
        return []
    from matplotlib import font_manager

    names = _installed()
    if not any(family in names for family in _CJK_FAMILIES):
        # Fonts that were installed after matplotlib made its list.
        for path in font_manager.findSystemFonts():
            if re.search(r"CJK|SourceHan|wqy", path):
                font_manager.fontManager.addfont(path)
        names = _installed()
    found = [family for family in _CJK_FAMILIES if family in names]
    if not found:
        warnings.warn(
            "no font here has Chinese characters: figures will show boxes in their place "
            "(Debian and Ubuntu: apt install fonts-noto-cjk)",
            stacklevel=4,
        )
    return found[:1]


def _installed() -> set[str]:
    from matplotlib import font_manager

    return {font.name for font in font_manager.fontManager.ttflist}
