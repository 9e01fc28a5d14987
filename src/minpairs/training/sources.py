"""What stands on a line of each file of BabyLM: its speaker label, and what a line is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

Unit = Literal["line", "paragraph", "wrapped"]
UNITS: tuple[Unit, ...] = get_args(Unit)


@dataclass(frozen=True, slots=True)
class SourceFormat:
    """How the text of a source is laid out.

    Attributes:
        unit: ``line``: a line is a sentence (an utterance, a subtitle). ``paragraph``: a line is a
            paragraph, to be cut into sentences. ``wrapped``: a paragraph may go over several lines;
            it ends at a blank line, or at a line that ends as a sentence does.
        label: what is cut from the start of a line (who speaks), or None.
    """

    unit: Unit
    label: re.Pattern[str] | None = None


PARAGRAPHS = SourceFormat("paragraph")
_LINES = SourceFormat("line")
_WRAPPED = SourceFormat("wrapped")
_CHILDES = SourceFormat("line", re.compile(r"\*[A-Za-z0-9]+:[ \t]*"))
_SWITCHBOARD = SourceFormat("line", re.compile(r"[AB]:[ \t]+"))

# Files of 2023 and of 2024, by the name before the dot.
BABYLM: dict[str, SourceFormat] = {
    "aochildes": _CHILDES,
    "bnc_spoken": _LINES,
    "cbt": _LINES,
    "children_stories": PARAGRAPHS,
    "childes": _CHILDES,
    "gutenberg": _WRAPPED,
    "open_subtitles": _LINES,
    "qed": _LINES,
    "simple_wiki": PARAGRAPHS,
    "simple_wikipedia": PARAGRAPHS,
    "switchboard": _SWITCHBOARD,
    "wikipedia": PARAGRAPHS,
}
