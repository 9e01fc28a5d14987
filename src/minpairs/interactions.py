"""ΔS of an interaction: what the manipulation costs with the construction, and with its control.

``ΔS(l) = S(-Manip, l) - S(+Manip, l)``, where ``l`` is the construction (*let alone*) or its
control (*and*), and S a measure such as SLOR (the let-alone study, section 3.2). An interaction
predicts that ``ΔS(construction) - ΔS(control)`` is above zero, for each order of the focus phrases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from minpairs.benchmarks.schema import Design, Inequality
from minpairs.errors import MeasureError
from minpairs.labels import Codes
from minpairs.measures import Floats, column
from minpairs.statistics import Interval, mean_interval

MANIPULATED = "_manipulated"
NEAR_ZERO = 0.1


@dataclass(frozen=True, slots=True)
class Form:
    """The parts of an interaction's design.

    Attributes:
        construction: what the manipulation should cost more with (``let_alone``).
        control: what it is compared with (``and``).
        orders: orders of the focus phrases (``base``, ``swapped``).
    """

    construction: str
    control: str
    orders: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Distribution:
    """A number of each item and order, summarised; in nats, or nats per token or word.

    Attributes:
        mean: over items and orders.
        interval: 95 % interval of the mean, by Student's t over items (over clusters, where items
            share some), each item's orders averaged; None where there is one item or one cluster.
        minimum: the least.
        lower_quartile: a quarter lies below.
        median: half lies below.
        upper_quartile: three quarters lie below.
        maximum: the greatest.
        near_zero: share within ±0.1.
    """

    mean: float
    interval: Interval | None
    minimum: float
    lower_quartile: float
    median: float
    upper_quartile: float
    maximum: float
    near_zero: float

    @classmethod
    def of(cls, values: Floats, clusters: Codes | None = None) -> Distribution:
        """Summarises values of shape (n, orders) of n items."""
        least, lower, median, upper, most = np.quantile(values, [0, 0.25, 0.5, 0.75, 1])
        return cls(
            mean=float(values.mean()),
            interval=mean_interval(values.mean(axis=1), clusters),
            minimum=float(least),
            lower_quartile=float(lower),
            median=float(median),
            upper_quartile=float(upper),
            maximum=float(most),
            near_zero=float((np.abs(values) <= NEAR_ZERO).mean()),
        )


@dataclass(frozen=True, slots=True)
class Deltas:
    """ΔS of the construction, of its control, and their difference, summarised."""

    construction: Distribution
    control: Distribution
    difference: Distribution


@dataclass(frozen=True, slots=True)
class Differences:
    """ΔS of n items in k orders: what figures show.

    Attributes:
        form: names of construction, control and orders.
        construction_delta: ΔS with the construction, shape (n, k); positive: the manipulated text
            is worse.
        control_delta: the same with the control.
    """

    form: Form
    construction_delta: Floats
    control_delta: Floats

    @property
    def difference(self) -> Floats:
        """ΔS(construction) - ΔS(control), shape (n, k).

        Positive: the manipulation costs more with the construction, as predicted.
        """
        return self.construction_delta - self.control_delta

    def __getitem__(self, rows: Codes) -> Differences:
        return Differences(self.form, self.construction_delta[rows], self.control_delta[rows])

    def summary(self, clusters: Codes | None = None) -> Deltas:
        """The three distributions; ``clusters`` are codes from 0, shape (n,)."""
        return Deltas(
            *(
                Distribution.of(values, clusters)
                for values in (self.construction_delta, self.control_delta, self.difference)
            )
        )


def form_of(design: Design) -> Form | None:
    """The parts of a design that is an interaction; None of another."""
    forms = set()
    for inequality in design.inequalities:
        signs = dict(inequality.terms)
        plain = {cell: sign for cell, sign in signs.items() if not cell.endswith(MANIPULATED)}
        wanted = {f"{cell}{MANIPULATED}": -sign for cell, sign in plain.items()}
        if sorted(plain.values()) != [-1.0, 1.0] or {**plain, **wanted} != signs:
            return None
        before = f"{inequality.name}_"
        if not all(cell.startswith(before) for cell in plain):
            return None
        by_sign = {sign: cell.removeprefix(before) for cell, sign in plain.items()}
        forms.add((by_sign[1.0], by_sign[-1.0]))
    if len(forms) != 1:
        return None
    (construction, control) = forms.pop()
    return Form(construction, control, tuple(inequality.name for inequality in design.inequalities))


def has_two_orders(design: Design) -> bool:
    """Whether a design makes one and the same prediction for two orders of the focus phrases."""
    shapes = {
        tuple((cell.removeprefix(f"{inequality.name}_"), sign) for cell, sign in inequality.terms)
        for inequality in design.inequalities
    }
    named = all(
        cell.startswith(f"{inequality.name}_")
        for inequality in design.inequalities
        for cell, _ in inequality.terms
    )
    return named and len(design.inequalities) == 2 and len(shapes) == 1


def plain_comparison(orders: Sequence[str], part: str, name: str) -> Design:
    """That a part's plain text scores above its manipulated one, in every order."""
    cells = tuple(f"{order}_{part}{suffix}" for order in orders for suffix in ("", MANIPULATED))
    return Design(
        name,
        cells,
        tuple(
            Inequality.parse(order, f"{order}_{part} > {order}_{part}{MANIPULATED}")
            for order in orders
        ),
        0.5 ** len(orders),
    )


def differences_in(values: Mapping[str, ArrayLike], design: Design) -> Differences:
    """ΔS of n items from their measured cells, each of shape (n,).

    Raises:
        MeasureError: the design is no interaction, or a value is missing or not finite.
    """
    form = form_of(design)
    if form is None:
        raise MeasureError(
            f"design {design.name!r} is no interaction (a manipulation with a construction and "
            "with its control), so there is no ΔS to compare"
        )

    def delta(part: str) -> Floats:
        cells = [(f"{order}_{part}", f"{order}_{part}{MANIPULATED}") for order in form.orders]
        return np.stack(
            [column(values[a], a) - column(values[b], b) for a, b in cells],
            axis=1,
        )

    return Differences(form, delta(form.construction), delta(form.control))
