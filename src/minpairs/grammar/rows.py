"""Items as the rows of a dataset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from minpairs.benchmarks.schema import MINIMAL_PAIR
from minpairs.grammar.items import Item
from minpairs.grammar.template import Grammar, Template
from minpairs.grammar.texts import Pieces, join_words, write

_PAIR_COLUMNS = (
    "pair_id",
    "UID",
    "phenomenon",
    "sentence_good",
    "sentence_bad",
    "words_good",
    "words_bad",
    "edit_good",
    "edit_bad",
)


def rows(template: Template, items: Sequence[Item]) -> pa.Table:
    """One row an item, in the order of drawing.

    Minimal pairs have ``pair_id, UID, phenomenon, sentence_good, sentence_bad, words_good,
    words_bad, edit_good, edit_bad``, other designs ``item_id``; then the template's columns,
    ``cluster`` if given, and (other designs) a string column per cell, or ``<cell>_context`` and
    ``<cell>_continuation``.
    """
    if template.design == MINIMAL_PAIR.name:
        table = _pairs(template, items) | _metadata(template, items)
    else:
        table = {"item_id": pa.array(range(len(items)), pa.int64())}
        table |= _metadata(template, items) | _cells(template, items)
    return pa.table(table)


def edits(good: Sequence[str], bad: Sequence[str], language: str) -> tuple[str, str]:
    """The strings that differ: what remains when common first and last words are trimmed."""
    start = 0
    while start < min(len(good), len(bad)) and good[start] == bad[start]:
        start += 1
    end = 0
    while end < min(len(good), len(bad)) - start and good[-1 - end] == bad[-1 - end]:
        end += 1
    left, right = (words[start : len(words) - end] for words in (good, bad))
    return join_words(left, language), join_words(right, language)


def reserved(grammar: Grammar, design: str) -> set[str]:
    """Column names that a template's own columns may not take."""
    if design == MINIMAL_PAIR.name:
        return {*_PAIR_COLUMNS, "cluster"}
    cells = {cell.name for cell in grammar.cells}
    return {"item_id", "cluster", *cells} | {
        f"{name}_{part}" for name in cells for part in ("context", "continuation")
    }


def _pairs(template: Template, items: Sequence[Item]) -> dict[str, Any]:
    good, bad = ([item.cells[name].continuation for item in items] for name in MINIMAL_PAIR.cells)
    edit = [edits(g.words, b.words, template.language) for g, b in zip(good, bad, strict=True)]
    n = len(items)
    words = pa.list_(pa.string())
    return {
        "pair_id": pa.array(range(n), pa.int64()),
        "UID": pa.array([template.uid] * n, pa.string()),
        "phenomenon": pa.array([template.phenomenon] * n, pa.string()),
        "sentence_good": pa.array([g.text for g in good], pa.string()),
        "sentence_bad": pa.array([b.text for b in bad], pa.string()),
        "words_good": pa.array([list(g.words) for g in good], words),
        "words_bad": pa.array([list(b.words) for b in bad], words),
        "edit_good": pa.array([g for g, _ in edit], pa.string()),
        "edit_bad": pa.array([b for _, b in edit], pa.string()),
    }


def _metadata(template: Template, items: Sequence[Item]) -> dict[str, Any]:
    first = template.grammars[0]
    columns: dict[str, list[str]] = {name: [] for name, _ in first.columns}
    clusters: list[str] = []
    for item in items:
        grammar = item.grammar
        for name, pieces in grammar.columns:
            columns[name].append(_text(template, item, pieces))
        if grammar.cluster:
            clusters.append(_text(template, item, grammar.cluster))
    table = {name: pa.array(values, pa.string()) for name, values in columns.items()}
    if first.cluster:
        table["cluster"] = pa.array(clusters, pa.string())
    return table


def _text(template: Template, item: Item, pieces: Pieces) -> str:
    return write(pieces, item.assignment, template.language, mid_sentence=True).text


def _cells(template: Template, items: Sequence[Item]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for cell in template.grammars[0].cells:
        written = [item.cells[cell.name] for item in items]
        texts = pa.array([w.continuation.text for w in written], pa.string())
        if not cell.context:
            table[cell.name] = texts
            continue
        contexts = [w.context.text if w.context else "" for w in written]
        table[f"{cell.name}_context"] = pa.array(contexts, pa.string())
        table[f"{cell.name}_continuation"] = texts
    return table
