"""The shape of a template file: every key that may stand in it, checked by pydantic."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from minpairs.errors import TemplateError, nearest
from minpairs.grammar._yaml import Document, Location


def _one_or_more(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _cell(value: object) -> object:
    return {"continuation": value} if isinstance(value, str) else value


Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Filter = dict[str, Annotated[list[str], BeforeValidator(_one_or_more), Field(min_length=1)]]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SlotModel(_Strict):
    """A slot: the table it draws from, and features its entries must have or lack."""

    table: str = Field(alias="from", min_length=1)
    where: Filter = {}
    without: Filter = {}


class CellModel(_Strict):
    """A cell: a text to score, perhaps after a context that is not scored."""

    continuation: str = Field(min_length=1)
    context: str = ""


Cell = Annotated[CellModel, BeforeValidator(_cell)]


class BlocksModel(_Strict):
    """Items drawn by frames: up to ``size`` that share the fillers of the slots in ``by``."""

    by: Annotated[list[str], BeforeValidator(_one_or_more), Field(min_length=1)]
    size: Annotated[int, Field(ge=1)]


class BalanceModel(_Strict):
    """What the drawn items must hold equal."""

    exchange: Annotated[list[str], Field(min_length=2, max_length=2)] | None = None
    even: Annotated[list[str], BeforeValidator(_one_or_more)] = []
    blocks: BlocksModel | None = None


class PartsModel(_Strict):
    """What a variant may add or change."""

    slots: dict[Name, SlotModel] = {}
    relations: list[str] = []
    phrases: dict[Name, str] = {}
    cells: dict[str, Cell] = {}
    columns: dict[Name, str] = {}


class TemplateModel(PartsModel):
    """A whole template file."""

    uid: Name
    phenomenon: Name
    language: Literal["zh", "en"]
    design: Literal["minimal_pair", "interaction"]
    about: str = Field(min_length=1)
    items: Annotated[int, Field(ge=1)] | None = None
    seed_group: Name | None = None
    cross: dict[Name, dict[Name, dict[Name, str]]] = {}
    balance: BalanceModel = BalanceModel()
    cluster: str | None = None
    variants: dict[Name, PartsModel] = {}


def read_model(document: Document) -> TemplateModel:
    """Validates a template file's keys and kinds of values.

    Raises:
        TemplateError: one line for each fault, with file, line, field and nearest valid name.
    """
    try:
        return TemplateModel.model_validate(document.value)
    except ValidationError as fault:
        messages = []
        for error in fault.errors():
            location: Location = tuple(part for part in error["loc"] if part != "[key]")
            message = _message(location, error["type"], error["msg"])
            messages.append(str(document.fault(location, message)))
        raise TemplateError("\n".join(messages)) from fault


def _message(location: Location, kind: str, message: str) -> str:
    if kind == "extra_forbidden":
        name = str(location[-1])
        return f"unknown key {name!r}; {nearest(name, _keys(location[:-1]))}"
    if kind == "missing":
        return f"key {location[-1]!r} is missing"
    if kind == "string_pattern_mismatch":
        return "a name is letters, digits and '_', and begins with a letter"
    return message[0].lower() + message[1:]


def _keys(location: Location) -> list[str]:
    if location[:1] == ("variants",) and len(location) > 1:
        location = location[2:]
        if not location:
            return _names(PartsModel)
    if location == ("balance", "blocks"):
        return _names(BlocksModel)
    models: dict[object, type[BaseModel]] = {
        "slots": SlotModel,
        "cells": CellModel,
        "balance": BalanceModel,
    }
    return _names(models[location[0]] if location and location[0] in models else TemplateModel)


def _names(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]
