"""The names that one sub-template may use, and the slots, relations and cells they build."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from minpairs.errors import nearest
from minpairs.grammar._models import CellModel, SlotModel, TemplateModel
from minpairs.grammar._yaml import Document, Location
from minpairs.grammar.lexicon import Lexicon
from minpairs.grammar.template import Cell, Grammar, Relation, Slot, parse_relation
from minpairs.grammar.texts import Pieces, Reference, split_braces

Phrases: TypeAlias = dict[str, tuple[Location, str]]


@dataclass(frozen=True, slots=True)
class Parts:
    """A sub-template's own and inherited parts, each with its place in the file."""

    slots: Mapping[str, tuple[Location, SlotModel]]
    relations: list[tuple[Location, str]]
    phrases: Phrases
    cells: Mapping[str, tuple[Location, CellModel]]
    columns: Mapping[str, tuple[Location, str]]


class Scope:
    """Resolves the names of one sub-template; every fault is a TemplateError with its line."""

    def __init__(
        self, name: str, parts: Parts, model: TemplateModel, document: Document, lexicon: Lexicon
    ) -> None:
        self.name, self.parts, self.model = name, parts, model
        self.document, self.lexicon = document, lexicon
        if not parts.slots:
            raise document.fault(("slots",), "a template needs at least one slot")
        self.slots = {name: self._slot(name, *parts.slots[name]) for name in parts.slots}
        for phrase, (place, _) in parts.phrases.items():
            self._free(place, phrase, ())

    def grammar(self) -> Grammar:
        """The sub-template with every name resolved."""
        cluster = self.model.cluster
        return Grammar(
            name=self.name,
            slots=tuple(self.slots.values()),
            relations=tuple(self._relation(place, text) for place, text in self.parts.relations),
            cells=tuple(self._cells()),
            columns=tuple(
                (name, self._column(place, text))
                for name, (place, text) in self.parts.columns.items()
            ),
            cluster=self._column(("cluster",), cluster) if cluster is not None else (),
        )

    def reference(self, place: Location, text: str) -> Reference:
        """Reads ``slot.feature`` and checks both names."""
        reference = Reference.parse(text)
        if reference is None:
            raise self.document.fault(place, f"{text!r} is not of the form slot.feature")
        if reference.slot not in self.slots:
            hint = nearest(reference.slot, self.slots)
            raise self.document.fault(place, f"unknown slot {reference.slot!r} in {text!r}; {hint}")
        self._feature(place, self.slots[reference.slot].table, reference.feature)
        return reference

    def references(self, place: Location, texts: list[str]) -> list[Reference]:
        """Reads a list of ``slot.feature``."""
        return [self.reference((*place, i), text) for i, text in enumerate(texts)]

    def _feature(self, place: Location, table: str, feature: str) -> None:
        features = self.lexicon.tables[table].features
        if feature not in features:
            hint = nearest(feature, features)
            raise self.document.fault(place, f"table {table!r} has no feature {feature!r}; {hint}")

    def _slot(self, name: str, place: Location, model: SlotModel) -> Slot:
        if model.table not in self.lexicon.tables:
            hint = nearest(model.table, self.lexicon.tables)
            raise self.document.fault((*place, "from"), f"unknown table {model.table!r}; {hint}")
        filters = [
            tuple(
                (feature, self._filter((*place, key, feature), model.table, feature, values))
                for feature, values in listed.items()
            )
            for key, listed in (("where", model.where), ("without", model.without))
        ]
        return Slot(name, model.table, filters[0], filters[1], self.document.line(place))

    def _filter(
        self, place: Location, table: str, feature: str, values: list[str]
    ) -> frozenset[str]:
        self._feature(place, table, feature)
        column = self.lexicon.tables[table].columns.get(feature)
        for value in values:
            if column is not None and column.values is not None and value not in column.values:
                hint = nearest(value, column.values)
                raise self.document.fault(
                    place, f"{value!r} is not a value of {table}.{feature}; {hint}"
                )
        return frozenset(values)

    def _relation(self, place: Location, text: str) -> Relation:
        relation = parse_relation(text, self.document.line(place))
        if relation is None:
            form = "slot.feature OPERATOR slot.feature, with in, not in, ==, != or <"
            raise self.document.fault(place, f"{text!r} is not of the form {form}")
        for reference in (relation.left, relation.right):
            self.reference(place, str(reference))
        return relation

    def _column(self, place: Location, text: str) -> Pieces:
        if "{" in text or "}" in text:
            return self._pieces(place, text, self.parts.phrases)
        return (self.reference(place, text),)

    def _cells(self) -> Iterator[Cell]:
        cross = self.model.cross
        written: set[str] = set()
        for choices in product(*cross.values()):
            chosen = dict(zip(cross, choices, strict=True))
            phrases = self._phrases(chosen)
            for pattern, (place, model) in self.parts.cells.items():
                name = self._cell_name(place, pattern, chosen)
                if name in written:
                    raise self.document.fault(place, f"the cell {name!r} is written twice")
                written.add(name)
                inner = (*place, "continuation")
                inner = inner if inner in self.document.lines else place
                continuation = self._pieces(inner, model.continuation, phrases)
                if not any(p.strip() if isinstance(p, str) else p for p in continuation):
                    raise self.document.fault(inner, f"the cell {name!r} has no text")
                context = self._pieces((*place, "context"), model.context, phrases)
                yield Cell(name, continuation, context)

    def _cell_name(self, place: Location, pattern: str, chosen: Mapping[str, str]) -> str:
        name = ""
        missing = set(chosen)
        for named, piece in self._split(place, pattern):
            if named and piece not in chosen:
                hint = nearest(piece, chosen)
                raise self.document.fault(
                    place, f"{{{piece}}} in a cell's name is no crossing; {hint}"
                )
            name += chosen[piece] if named else piece
            missing.discard(piece if named else "")
        if missing:
            raise self.document.fault(place, f"the cell's name must hold {{{min(missing)}}}")
        if not name.isidentifier():
            raise self.document.fault(place, f"{name!r} is no name: use letters, digits and '_'")
        return name

    def _phrases(self, chosen: Mapping[str, str]) -> Phrases:
        """The phrases of the template and of the choices made in each crossing."""
        phrases = dict(self.parts.phrases)
        for factor, choice in chosen.items():
            choices = self.model.cross[factor]
            for other, texts in choices.items():
                for name in choices[choice]:
                    if name not in texts:
                        raise self.document.fault(
                            ("cross", factor, other),
                            f"the phrase {name!r} of {choice!r} is missing; {nearest(name, texts)}",
                        )
            for name, text in choices[choice].items():
                place: Location = ("cross", factor, choice, name)
                self._free(place, name, phrases)
                phrases[name] = (place, text)
        return phrases

    def _free(self, place: Location, name: str, phrases: Mapping[str, object] | tuple[()]) -> None:
        if name in self.slots or name in phrases:
            raise self.document.fault(place, f"{name!r} is already the name of a slot or phrase")

    def _pieces(
        self, place: Location, text: str, phrases: Phrases, inside: tuple[str, ...] = ()
    ) -> Pieces:
        pieces: list[str | Reference] = []
        for named, piece in self._split(place, text):
            if not named:
                pieces.append(piece)
            elif piece in inside:
                circle = " -> ".join((*inside, piece))
                raise self.document.fault(place, f"phrases run in a circle: {circle}")
            elif piece in phrases:
                pieces += self._pieces(*phrases[piece], phrases, (*inside, piece))
            else:
                pieces.append(self._named(place, piece, phrases))
        return _joined(pieces)

    def _named(self, place: Location, name: str, phrases: Phrases) -> Reference:
        slot = name.partition(".")[0]
        if slot not in self.slots:
            hint = nearest(slot, {*self.slots, *phrases})
            raise self.document.fault(place, f"{{{name}}} is neither a slot nor a phrase; {hint}")
        return self.reference(place, name)

    def _split(self, place: Location, text: str) -> list[tuple[bool, str]]:
        try:
            return split_braces(text)
        except ValueError as fault:
            raise self.document.fault(place, str(fault)) from fault


def _joined(pieces: list[str | Reference]) -> Pieces:
    """The pieces, with neighbouring literals as one."""
    joined: list[str | Reference] = []
    for piece in pieces:
        if joined and isinstance(piece, str) and isinstance(joined[-1], str):
            joined[-1] += piece
        else:
            joined.append(piece)
    return tuple(joined)
