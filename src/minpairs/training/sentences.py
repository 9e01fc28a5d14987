"""From a text to its sentences, one line each."""

from __future__ import annotations

import re

from minpairs.training.sources import SourceFormat

# What str.splitlines cuts at besides "\n": a sentence must stay one line for whoever reads it.
_LINE_ENDS = ("\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")
# A line break inside a paragraph: after what ends no sentence, before a line that is not blank.
# It begins with a literal, which the regex engine finds fast.
_WRAP = re.compile("\n(?<=[^\\s.!?…。！？\"”’')\\]]\n)[ \t]*(?=\\S)")


def unify_line_ends(text: str) -> str:
    """The text with one line feed for every line end, and a space for what is only like one."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    for character in _LINE_ENDS:
        if character in text:
            text = text.replace(character, " ")
    return text


def split_sentences(text: str, form: SourceFormat, language: str = "en") -> list[str]:
    """Cuts a text into sentences, without white space around them; inside nothing changes.

    ``sentencex`` finds the ends of sentences in paragraphs; where it is in doubt it does not cut.

    Args:
        text: lines, as ``form`` says what a line is.
        form: the layout of the text.
        language: ISO code of the text's language, for abbreviations.
    """
    text = unify_line_ends(text)
    if form.unit == "wrapped":
        while " \n" in text:
            text = text.replace(" \n", "\n")
        text = _WRAP.sub(" ", text)
    lines = [line for raw in text.split("\n") if (line := raw.strip())]
    if form.label is not None:
        lines = [line for raw in lines if (line := _without(form.label, raw))]
    if form.unit == "line":
        return lines
    from sentencex import segment  # type: ignore[import-not-found, import-untyped, unused-ignore]

    return [
        sentence for line in lines for raw in segment(language, line) if (sentence := raw.strip())
    ]


def _without(label: re.Pattern[str], line: str) -> str:
    found = label.match(line)
    return line[found.end() :].strip() if found else line


def ends_paragraph(line: bytes) -> bool:
    """Whether a wrapped paragraph cannot go on after this line (of UTF-8)."""
    text = line.decode("utf-8", errors="replace").rstrip()
    return not text or text[-1] in ".!?…。！？\"”’')]"
