"""Cutting a text into the units of a word- or character-level model."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Literal

Segmentation = Literal["characters", "words", "jieba"]


def segmenter(name: Segmentation) -> Callable[[str], list[str]]:
    """The function that cuts a text: ``characters``, ``words`` (white space) or ``jieba``.

    White space never becomes a unit. For the true word boundaries of a generated suite, pass its
    words joined by spaces and choose ``words``.
    """
    segmenters: dict[str, Callable[[str], list[str]]] = {
        "characters": _characters,
        "words": _words,
        "jieba": _jieba,
    }
    return segmenters[name]


def _characters(text: str) -> list[str]:
    return list("".join(text.split()))


def _words(text: str) -> list[str]:
    return text.split()


def _jieba(text: str) -> list[str]:
    import jieba

    jieba.setLogLevel(logging.WARNING)
    return [word for word in jieba.cut(text) if not word.isspace()]
