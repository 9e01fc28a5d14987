"""The papers' own numbers, to be shown beside a model's and marked as theirs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml


@dataclass(frozen=True, slots=True)
class Phenomenon:
    """A phenomenon of CLiMP.

    Attributes:
        name: as the benchmark writes it.
        title: heading of its column.
        paradigms: how many it has.
        human: accuracy of people, a fraction of one.
    """

    name: str
    title: str
    paradigms: int
    human: float


@dataclass(frozen=True, slots=True)
class Property:
    """A property of *let alone* that a suite tests.

    Attributes:
        config: the suite's configuration.
        title: how tables call it.
        prediction: accuracy of a model that generalises as people do.
        form: whether it is a property of form, not of meaning.
        control: whether the manipulation is grammatical with both constructions.
    """

    config: str
    title: str
    prediction: str
    form: bool
    control: bool


@dataclass(frozen=True, slots=True)
class Published:
    """What the papers print; shares are fractions of one.

    Attributes:
        climp_phenomena: in the order of CLiMP's Table 2.
        climp_human_overall: accuracy of people over all sixteen paradigms.
        let_alone_properties: in the order of the let-alone paper's Tables 2 and 3.
        filtering_order: configurations in the order of its Table 4.
        let_alone: its Table 4: accuracy by filter scenario and configuration, mean of two seeds.
        prompted_model: the chat model of its Table 3.
        prompted_scalar: the accuracy of that model.
        sources: citation of each paper, by benchmark.
    """

    climp_phenomena: tuple[Phenomenon, ...]
    climp_human_overall: float
    let_alone_properties: tuple[Property, ...]
    filtering_order: tuple[str, ...]
    let_alone: Mapping[str, Mapping[str, float]]
    prompted_model: str
    prompted_scalar: float
    sources: Mapping[str, str]

    @property
    def climp_human(self) -> Mapping[str, float]:
        """Accuracy of people by phenomenon."""
        return {phenomenon.name: phenomenon.human for phenomenon in self.climp_phenomena}

    @property
    def baseline(self) -> Mapping[str, float]:
        """The let-alone paper's models that were trained on the whole corpus (Tables 2 and 3)."""
        return self.let_alone["NoFiltering"]


@cache
def published() -> Published:
    """The numbers of ``published.yaml``."""
    text = resources.files("minpairs.report").joinpath("published.yaml").read_text("utf-8")
    data: Mapping[str, Any] = yaml.safe_load(text)
    climp, let_alone = data["climp"], data["let_alone"]
    return Published(
        climp_phenomena=tuple(
            Phenomenon(row["name"], row["title"], row["paradigms"], row["human"] / 100)
            for row in climp["phenomena"]
        ),
        climp_human_overall=climp["human_overall"] / 100,
        let_alone_properties=tuple(
            Property(row["suite"], row["title"], row["prediction"], row["form"], row["control"])
            for row in let_alone["properties"]
        ),
        filtering_order=tuple(let_alone["filtering_order"]),
        let_alone={
            scenario: {suite: share / 100 for suite, share in shares.items()}
            for scenario, shares in let_alone["scenarios"].items()
        },
        prompted_model=let_alone["prompted"]["model"],
        prompted_scalar=let_alone["prompted"]["scalar"] / 100,
        sources={"climp": climp["source"], "let_alone": let_alone["source"]},
    )
