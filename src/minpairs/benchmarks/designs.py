"""Designs as data: a card's ``designs:``, which says how a config's columns make items.

A config whose columns say by themselves what they are (a pair's, an interaction's) needs no entry.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from minpairs.benchmarks.schema import Design, Inequality
from minpairs.errors import MeasureError, SuiteError, nearest

Columns = tuple[str | None, str]


@dataclass(frozen=True, slots=True)
class Layout:
    """A design, and the columns that hold its cells.

    Attributes:
        design: the items' cells and predictions.
        columns: for each cell the columns of its context (or ``None``) and its continuation.
    """

    design: Design
    columns: Mapping[str, Columns]


class _Entry(BaseModel):
    """One entry of ``designs:`` on a card."""

    model_config = ConfigDict(extra="forbid")
    config_name: str
    design: str = Field(min_length=1)
    chance: float = Field(gt=0, lt=1)
    cells: dict[str, str | tuple[str, str]] = Field(min_length=1)
    predictions: dict[str, str] = Field(min_length=1)


def to_card(layouts: Mapping[str, Layout]) -> list[dict[str, Any]]:
    """The value of ``designs:`` for a card's YAML, one entry a config."""
    return [
        {
            "config_name": config,
            "design": layout.design.name,
            "chance": layout.design.chance,
            "cells": {
                cell: continuation if context is None else [context, continuation]
                for cell in layout.design.cells
                for context, continuation in (layout.columns[cell],)
            },
            "predictions": {
                inequality.name: str(inequality) for inequality in layout.design.inequalities
            },
        }
        for config, layout in layouts.items()
    ]


def from_card(entries: object, configs: Sequence[str], card: str) -> dict[str, Layout]:
    """Reads ``designs:``; the inverse of :func:`to_card`.

    Args:
        entries: the YAML value; None where the card has no ``designs:``.
        configs: names of the card's configs.
        card: what to call the card in errors.

    Raises:
        SuiteError: an entry that is not as described; names the config, the field and what is
            expected there.
    """
    if entries is None:
        return {}
    if not isinstance(entries, list):
        raise SuiteError(f"{card}: `designs:` must be a list with one entry a config")
    layouts: dict[str, Layout] = {}
    for number, value in enumerate(entries, start=1):
        entry = _entry(value, f"{card}: entry {number} of `designs:`")
        where = f"{card}: the design of {entry.config_name!r}"
        if entry.config_name not in configs:
            raise SuiteError(f"{where} is of no config here; {nearest(entry.config_name, configs)}")
        if entry.config_name in layouts:
            raise SuiteError(f"{where} stands twice; remove one")
        layouts[entry.config_name] = _layout(entry, where)
    return layouts


def check_columns(layout: Layout, names: Sequence[str], where: str) -> None:
    """Refuses a layout that names columns which a table has not.

    Raises:
        SuiteError: names the column and the nearest there is.
    """
    for cell in layout.design.cells:
        for column in layout.columns[cell]:
            if column is not None and column not in names:
                raise SuiteError(
                    f"{where} has no column {column!r}, which its design names for cell {cell!r}; "
                    f"{nearest(column, names)}"
                )


def chance(inequalities: Sequence[Inequality]) -> float:
    """Probability that all inequalities hold for independent, normally distributed cell scores.

    Exact for up to three inequalities (orthant probabilities in closed form); beyond, numerical
    and rounded to three digits. One inequality has 1/2, two without common cells 1/4, one cell
    above four others 1/5.
    """
    cells = sorted({cell for inequality in inequalities for cell, _ in inequality.terms})
    terms = [dict(inequality.terms) for inequality in inequalities]
    weights = np.array([[term.get(cell, 0.0) for cell in cells] for term in terms])
    weights /= np.linalg.norm(weights, axis=1, keepdims=True)
    correlation = np.clip(weights @ weights.T, -1.0, 1.0)
    count = len(terms)
    if count <= 3:
        angles = float(np.arcsin(correlation[np.triu_indices(count, 1)]).sum())
        known = (0.5, 0.25 + angles / (2 * math.pi), 0.125 + angles / (4 * math.pi))
        return round(known[count - 1], 6)
    from scipy.stats import multivariate_normal

    exact = multivariate_normal.cdf(
        np.zeros(count), cov=correlation, allow_singular=True, rng=np.random.default_rng(0)
    )
    return round(float(exact), 3)


def _entry(value: object, where: str) -> _Entry:
    try:
        return _Entry.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "it"
        raise SuiteError(f"{where}: {field}: {first['msg']}") from error


def _layout(entry: _Entry, where: str) -> Layout:
    try:
        design = Design(
            entry.design,
            tuple(entry.cells),
            tuple(Inequality.parse(name, formula) for name, formula in entry.predictions.items()),
            entry.chance,
        )
    except MeasureError as error:
        raise SuiteError(f"{where}: {error}") from error
    columns: dict[str, Columns] = {
        cell: (None, value) if isinstance(value, str) else value
        for cell, value in entry.cells.items()
    }
    return Layout(design, columns)
