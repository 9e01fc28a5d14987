"""Items: an assignment of entries to slots, and the cells it writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from minpairs.grammar.lexicon import Entry
from minpairs.grammar.template import Cell, Grammar
from minpairs.grammar.texts import Assignment, Written, write

_SENTENCE_ENDS = (".", "!", "?", '."', '!"', '?"')


@dataclass(frozen=True, slots=True)
class WrittenCell:
    """A cell's texts; ``context + continuation`` is the whole, joined as it stands."""

    continuation: Written
    context: Written | None = None

    @property
    def text(self) -> str:
        """The whole text."""
        return (self.context.text if self.context else "") + self.continuation.text


@dataclass(frozen=True, slots=True)
class Item:
    """What a row is made from."""

    grammar: Grammar
    assignment: Mapping[str, Entry]
    cells: Mapping[str, WrittenCell]


def write_item(grammar: Grammar, assignment: Assignment, language: str) -> Item:
    """Writes every cell of an assignment."""
    cells = {cell.name: write_cell(cell, assignment, language) for cell in grammar.cells}
    return Item(grammar, assignment, cells)


def write_cell(cell: Cell, assignment: Assignment, language: str) -> WrittenCell:
    """Writes a cell; an English continuation keeps the blank that parts it from its context."""
    if not cell.context:
        return WrittenCell(write(cell.continuation, assignment, language))
    context = write(cell.context, assignment, language)
    inside = not context.text.endswith(_SENTENCE_ENDS)
    after = write(cell.continuation, assignment, language, mid_sentence=inside)
    blank = "" if language == "zh" else " "
    return WrittenCell(Written(after.words, blank + after.text), context)
