"""From a template's model to grammars: variants merged, names resolved, balance checked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from minpairs.benchmarks.schema import MINIMAL_PAIR
from minpairs.errors import nearest
from minpairs.grammar._models import PartsModel, TemplateModel
from minpairs.grammar._scope import Parts, Scope
from minpairs.grammar._yaml import Document, Location
from minpairs.grammar.lexicon import Lexicon
from minpairs.grammar.rows import reserved
from minpairs.grammar.template import Balance, Blocks, Grammar, Template

DEFAULT_ITEMS = 1000


def expand(model: TemplateModel, document: Document, lexicon: Lexicon) -> Template:
    """Resolves every name of a template.

    Raises:
        TemplateError: naming file, line, field and the nearest valid name.
    """
    stem = document.path.stem
    if model.uid != stem:
        raise document.fault(("uid",), f"{model.uid!r} must equal the file name {stem!r}")
    parts = {"": _merge(model, None, ())}
    if model.variants:
        parts = {
            name: _merge(model, variant, ("variants", name))
            for name, variant in model.variants.items()
        }
    scopes = [Scope(name, own, model, document, lexicon) for name, own in parts.items()]
    grammars = tuple(scope.grammar() for scope in scopes)
    grammars = tuple(_alike(document, grammar, grammars[0]) for grammar in grammars)
    _check_columns(document, grammars[0], model.design)
    check = _check_pair if model.design == MINIMAL_PAIR.name else _check_interaction
    check(document, grammars[0])
    return Template(
        uid=model.uid,
        phenomenon=model.phenomenon,
        language=model.language,
        design=model.design,
        about=model.about,
        grammars=grammars,
        balance=_balance(model, document, scopes),
        items=model.items or DEFAULT_ITEMS,
        seed_group=model.seed_group or model.uid,
        path=document.path,
    )


def _merge(base: TemplateModel, own: PartsModel | None, place: Location) -> Parts:
    def both(name: str) -> dict[str, Any]:
        merged = {key: ((name, key), value) for key, value in getattr(base, name).items()}
        for key, value in getattr(own, name).items() if own else ():
            merged[key] = ((*place, name, key), value)
        return merged

    relations: list[tuple[Location, str]] = [
        (("relations", i), text) for i, text in enumerate(base.relations)
    ]
    for i, text in enumerate(own.relations if own else ()):
        relations.append(((*place, "relations", i), text))
    return Parts(both("slots"), relations, both("phrases"), both("cells"), both("columns"))


def _balance(model: TemplateModel, document: Document, scopes: list[Scope]) -> Balance:
    even = [
        ref for scope in scopes for ref in scope.references(("balance", "even"), model.balance.even)
    ]
    exchange = None
    for scope in scopes:
        if model.balance.exchange is not None:
            place: Location = ("balance", "exchange")
            right, wrong = scope.references(place, model.balance.exchange)
            exchange = (right, wrong)
    return Balance(exchange, tuple(dict.fromkeys(even)), _blocks(model, document, scopes))


def _blocks(model: TemplateModel, document: Document, scopes: list[Scope]) -> Blocks | None:
    blocks = model.balance.blocks
    if blocks is None:
        return None
    place: Location = ("balance", "blocks")
    if model.balance.exchange is not None:
        raise document.fault(
            place, "an exchange draws its pairs in turns, so it cannot have blocks; leave one out"
        )
    for scope in scopes:
        for i, name in enumerate(blocks.by):
            if name not in scope.slots:
                hint = nearest(name, scope.slots)
                raise document.fault((*place, "by", i), f"unknown slot {name!r}; {hint}")
    return Blocks(tuple(dict.fromkeys(blocks.by)), blocks.size)


def _alike(document: Document, grammar: Grammar, first: Grammar) -> Grammar:
    """The grammar with its cells and columns in the order of the first variant's."""
    place: Location = ("variants", grammar.name) if grammar.name else ()
    mine, wanted = ({cell.name: bool(cell.context) for cell in g.cells} for g in (grammar, first))
    if mine != wanted:
        raise document.fault(
            (*place, "cells"),
            f"the cells {_names(mine)} differ from {_names(wanted)} of variant {first.name!r}",
        )
    columns, others = dict(grammar.columns), dict(first.columns)
    if columns.keys() != others.keys():
        raise document.fault(
            (*place, "columns"),
            f"the columns {', '.join(columns) or 'none'} differ from "
            f"{', '.join(others) or 'none'} of variant {first.name!r}",
        )
    cells = {cell.name: cell for cell in grammar.cells}
    return replace(
        grammar,
        cells=tuple(cells[name] for name in wanted),
        columns=tuple((name, columns[name]) for name in others),
    )


def _names(cells: dict[str, bool]) -> str:
    listed = [name + (" (with context)" if context else "") for name, context in cells.items()]
    return ", ".join(listed) or "none"


def _check_columns(document: Document, grammar: Grammar, design: str) -> None:
    taken = reserved(grammar, design)
    for name, _ in grammar.columns:
        if name in taken:
            raise document.fault(("columns", name), f"{name!r} is a column of every row; rename it")


def _check_pair(document: Document, grammar: Grammar) -> None:
    for cell in grammar.cells:
        if cell.name not in MINIMAL_PAIR.cells:
            hint = nearest(cell.name, MINIMAL_PAIR.cells)
            raise document.fault(("cells", cell.name), f"a minimal pair has no such cell; {hint}")
        if cell.context:
            raise document.fault(("cells", cell.name), "a minimal pair's cell is one text")
    for name in MINIMAL_PAIR.cells:
        if name not in [cell.name for cell in grammar.cells]:
            raise document.fault(("cells",), f"the cell {name!r} is missing")


def _check_interaction(document: Document, grammar: Grammar) -> None:
    names = [cell.name for cell in grammar.cells]
    if not names:
        raise document.fault(("cells",), "a template needs cells")
    for name in names:
        base = name.removesuffix("_manipulated")
        partner = base if base != name else f"{name}_manipulated"
        if partner not in names:
            raise document.fault(
                ("cells",), f"the cell {name!r} needs a cell {partner!r} to compare with"
            )
