"""``features.yaml``: what every table and column of a lexicon means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from minpairs.errors import nearest
from minpairs.grammar._yaml import Document, Value
from minpairs.grammar.lexicon import COMPUTED, Column

Documented: TypeAlias = dict[str, tuple[str, dict[str, Column]]]


def documentation(document: Document) -> Documented:
    """For each table, what it holds and its columns.

    Raises:
        LexiconError: naming file, line, field and the nearest valid name.
    """
    if not isinstance(document.value, dict):
        raise document.fault((), "must map each table to {about: ..., columns: {...}}")
    tables: Documented = {}
    for name, body in document.value.items():
        if not isinstance(body, dict):
            raise document.fault((name,), "must be {about: ..., columns: {...}}")
        _known_keys(document, (name,), body, ("about", "columns"), ("about", "columns"))
        listed = body["columns"]
        if not isinstance(listed, dict):
            raise document.fault((name, "columns"), "must map each column to its description")
        place = (name, "columns")
        columns = {key: _column(document, (*place, key), key, text) for key, text in listed.items()}
        if next(iter(columns), None) != "form":
            raise document.fault(place, "the first column must be 'form'")
        tables[name] = (_about(document, (name, "about"), body["about"]), columns)
    return tables


def _column(document: Document, place: tuple[str, ...], name: str, body: Value) -> Column:
    if name in COMPUTED[1:]:
        raise document.fault(place, f"{name!r} is computed from the form; rename the column")
    if not name.isidentifier():
        raise document.fault(place, "a column's name is letters, digits and '_'")
    if isinstance(body, str):
        return Column(name, _about(document, place, body))
    if not isinstance(body, dict):
        raise document.fault(place, "must be a text, or {about: ..., values: [...]}")
    _known_keys(document, place, body, ("about", "values"), ("about",))
    about, values = _about(document, (*place, "about"), body["about"]), body.get("values")
    if values is None:
        return Column(name, about)
    if not isinstance(values, list) or not values:
        raise document.fault((*place, "values"), "must be a list of values")
    closed: list[str] = []
    for i, value in enumerate(values):
        if not isinstance(value, str) or not value or value != value.strip() or "|" in value:
            raise document.fault((*place, "values", i), f"{value!r} cannot stand in a cell")
        if value in closed:
            raise document.fault((*place, "values", i), f"{value!r} is listed twice")
        closed.append(value)
    return Column(name, about, frozenset(closed))


def _about(document: Document, place: tuple[str, ...], text: Value) -> str:
    if not isinstance(text, str) or not text.strip():
        raise document.fault(place, "must say in words what this means")
    return text


def _known_keys(
    document: Document,
    place: tuple[str, ...],
    body: Mapping[str, Value],
    keys: tuple[str, ...],
    required: tuple[str, ...],
) -> None:
    for key in body:
        if key not in keys:
            raise document.fault((*place, key), f"unknown key {key!r}; {nearest(key, keys)}")
    for key in required:
        if key not in body:
            raise document.fault(place, f"key {key!r} is missing")
