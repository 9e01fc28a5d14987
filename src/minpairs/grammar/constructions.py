"""Constructions: the items of a template, written with another construction in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from minpairs.errors import TemplateError, nearest
from minpairs.grammar._models import Name, TemplateModel
from minpairs.grammar._yaml import Document, read_yaml
from minpairs.grammar.items import Item, write_cell
from minpairs.grammar.template import Template

FILE = "constructions.yaml"
CROSSING = "construction"


class _ConstructionModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    text: str = Field(min_length=1)
    about: str = Field(min_length=1)
    expected: dict[Name, str] = {}


@dataclass(frozen=True, slots=True)
class Construction:
    """A construction that may stand where the first one of its file stands.

    Attributes:
        name: its choice in ``cross.construction``, and the ending of its configs.
        text: its words.
        about: what it is.
        expected: for each template, what speakers are expected to say of the manipulation.
    """

    name: str
    text: str
    about: str
    expected: dict[str, str]


def load_constructions(folder: Path, uids: Sequence[str]) -> tuple[Construction, ...]:
    """Reads ``folder/constructions.yaml``: the templates' own construction, then the others.

    Args:
        folder: the benchmark's templates.
        uids: the templates it may speak of.

    Returns:
        No constructions if there is no such file.

    Raises:
        TemplateError: naming file, line, field and the nearest valid name.
    """
    path = folder / FILE
    if not path.is_file():
        return ()
    document = read_yaml(path, TemplateError)
    try:
        models = TypeAdapter(dict[Name, _ConstructionModel]).validate_python(document.value)
    except ValidationError as fault:
        first = fault.errors()[0]
        place = tuple(part for part in first["loc"] if part != "[key]")
        raise document.fault(place, first["msg"]) from fault
    for name, model in models.items():
        for uid in model.expected:
            if uid not in uids:
                raise document.fault(
                    (name, "expected", uid), f"no template {uid!r}; {nearest(uid, uids)}"
                )
    return tuple(Construction(name, m.text, m.about, m.expected) for name, m in models.items())


def with_construction(
    model: TemplateModel, document: Document, own: Construction, other: Construction
) -> TemplateModel:
    """A template's model with ``other`` where it has ``own``.

    Raises:
        TemplateError: the template has no choice of that name, or not that text in it.
    """
    choices = model.cross[CROSSING]
    if own.name not in choices:
        hint = nearest(own.name, choices)
        raise document.fault(
            ("cross", CROSSING), f"{FILE} begins with {own.name!r}, which is no choice here; {hint}"
        )
    phrases = choices[own.name]
    if list(phrases.values()).count(own.text) != 1:
        raise document.fault(
            ("cross", CROSSING, own.name),
            f"one phrase must be {own.text!r}, its text in {FILE}, for others to take its place",
        )
    written = {k: other.text if text == own.text else text for k, text in phrases.items()}
    exchanged = {
        (other.name if name == own.name else name): (written if name == own.name else texts)
        for name, texts in choices.items()
    }
    return model.model_copy(update={"cross": {**model.cross, CROSSING: exchanged}})


def renamed(template: Template, own: Construction, other: Construction) -> Template:
    """A template expanded with another construction, named and described as such."""
    uid = template.uid
    expected = other.expected.get(uid)
    about = f"The items of `{uid}`, with *{other.text}* for *{own.text}*"
    about += f"; expected of the manipulation: {expected}." if expected else "."
    return replace(template, uid=f"{uid}.{other.name}", about=about, same_items_as=uid)


def rewritten(template: Template, items: Sequence[Item]) -> list[Item]:
    """The same items with the cells of ``template``, whose slots they must have."""
    grammars = {grammar.name: grammar for grammar in template.grammars}
    drawn_by = {item.grammar.name: item.grammar for item in items}
    kept = {
        name: {cell.name for cell in {*own.cells} & {*grammars[name].cells}}
        for name, own in drawn_by.items()
    }
    return [
        Item(
            grammar := grammars[item.grammar.name],
            item.assignment,
            {
                cell.name: item.cells[cell.name]
                if cell.name in kept[grammar.name]
                else write_cell(cell, item.assignment, template.language)
                for cell in grammar.cells
            },
        )
        for item in items
    ]
