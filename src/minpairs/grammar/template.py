"""Templates: a YAML file becomes plain grammars (slots, relations, cells) ready to draw from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from minpairs.errors import TemplateError
from minpairs.grammar._yaml import read_yaml
from minpairs.grammar.lexicon import Lexicon
from minpairs.grammar.texts import Pieces, Reference

Operator = Literal["in", "not in", "==", "!=", "<"]


@dataclass(frozen=True, slots=True)
class Slot:
    """Draws entries of ``table`` that have a value of each ``where`` and none of ``without``."""

    name: str
    table: str
    where: tuple[tuple[str, frozenset[str]], ...] = ()
    without: tuple[tuple[str, frozenset[str]], ...] = ()
    line: int = 1


@dataclass(frozen=True, slots=True)
class Relation:
    """``left operator right`` between the features of two slots."""

    left: Reference
    operator: Operator
    right: Reference
    line: int = 1

    def __str__(self) -> str:
        return f"{self.left} {self.operator} {self.right}"


@dataclass(frozen=True, slots=True)
class Cell:
    """A named text; ``context`` is empty when the cell has none."""

    name: str
    continuation: Pieces
    context: Pieces = ()


@dataclass(frozen=True, slots=True)
class Grammar:
    """One sub-template; a template without variants has exactly one, with an empty name."""

    name: str
    slots: tuple[Slot, ...]
    relations: tuple[Relation, ...]
    cells: tuple[Cell, ...]
    columns: tuple[tuple[str, Pieces], ...] = ()
    cluster: Pieces = ()

    def printed(self) -> set[Reference]:
        """What the cells print: each must have a single value."""
        return {
            piece
            for cell in self.cells
            for piece in (*cell.context, *cell.continuation)
            if isinstance(piece, Reference)
        }

    def references(self) -> set[Reference]:
        """Every feature that the cells, relations, columns and cluster name."""
        named = self.printed()
        for relation in self.relations:
            named |= {relation.left, relation.right}
        for pieces in (self.cluster, *(pieces for _, pieces in self.columns)):
            named |= {piece for piece in pieces if isinstance(piece, Reference)}
        return named


@dataclass(frozen=True, slots=True)
class Blocks:
    """Up to ``size`` items in a row share the fillers of the slots ``by``: their frame."""

    by: tuple[str, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Balance:
    """What is counted, and in which turns items are drawn.

    Attributes:
        exchange: strings that stand equally often in each other's place.
        even: features whose values, or combinations of values, have equally many items.
        blocks: the slots whose fillers are kept for some items in a row.
    """

    exchange: tuple[Reference, Reference] | None = None
    even: tuple[Reference, ...] = ()
    blocks: Blocks | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """A paradigm: its card texts, its grammars and the balance its items keep."""

    uid: str
    phenomenon: str
    language: str
    design: str
    about: str
    grammars: tuple[Grammar, ...]
    balance: Balance = Balance()
    items: int = 1000
    seed_group: str = ""
    path: Path = Path()
    same_items_as: str = ""  # the uid of the template whose items it writes, if not its own

    @property
    def cells(self) -> tuple[str, ...]:
        """Names of the cells, in the order they are written."""
        return tuple(cell.name for cell in self.grammars[0].cells)


def load_template(path: Path, lexicon: Lexicon) -> Template:
    """Reads and checks a template against its lexicon.

    Raises:
        TemplateError: naming file, line, field and the nearest valid name.
    """
    from minpairs.grammar._expand import expand
    from minpairs.grammar._models import read_model

    path = Path(path)
    document = read_yaml(path, TemplateError)
    return expand(read_model(document), document, lexicon)


_RELATION = re.compile(r"(.+?)\s*(\bnot\s+in\b|\bin\b|==|!=|<)\s*(.+)")


def parse_relation(text: str, line: int = 1) -> Relation | None:
    """Reads ``slot.feature operator slot.feature``; None if it is not of that form."""
    match = _RELATION.fullmatch(text.strip())
    if match is None:
        return None
    left, right = Reference.parse(match[1]), Reference.parse(match[3])
    if left is None or right is None:
        return None
    operator: Mapping[str, Operator] = {"in": "in", "==": "==", "!=": "!=", "<": "<"}
    return Relation(left, operator.get(match[2], "not in"), right, line)
