"""The table of a chat model's choices: accuracies, position bias, unreadable replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from minpairs.evaluation import Evaluation, GroupResult
from minpairs.report.model import Cell, Column, Table

if TYPE_CHECKING:
    from minpairs.scoring.chat import Choices

_MICRO = "micro (all items)"


@dataclass(frozen=True, slots=True)
class _Field:
    column: Column
    read: Callable[[str], Cell]


def choices_table(choices: Choices, *, caption: str = "", unit: str = "suite") -> Table:
    """One row a suite; macro and micro at the foot where there are several.

    Args:
        choices: of one model.
        caption: what the table shows.
        unit: what a row is called.
    """
    groups = [group.name for group in choices.items.groups]
    macro = f"macro (mean of {len(groups)} {unit}s)"
    fields = _fields(choices, macro)
    summary = [macro, _MICRO] if len(groups) > 1 else []
    return Table(
        columns=(Column(unit, unit, "text"), *(field.column for field in fields)),
        rows=tuple((name, *(field.read(name) for field in fields)) for name in groups),
        summary=tuple((name, *(field.read(name) for field in fields)) for name in summary),
        caption=caption,
        footnotes=_notes(choices),
        signatures=(str(choices.items.signature),) if choices.items.signature else (),
    )


def _fields(choices: Choices, macro: str) -> list[_Field]:
    def share(key: str, title: str, evaluation: Evaluation | None) -> list[_Field]:
        if evaluation is None:
            return []
        found = _results(evaluation, macro)
        return [
            _Field(
                Column(key, f"{title} %", "percent"),
                lambda name: found[name].accuracy if name in found else None,
            )
        ]

    def count(key: str, counts: Mapping[str, int]) -> _Field:
        totals = {**counts, macro: sum(counts.values()), _MICRO: sum(counts.values())}
        return _Field(Column(key, key, "count"), lambda name: totals[name])

    def interval(key: str, title: str, evaluation: Evaluation | None, clustered: bool) -> _Field:
        found = {} if evaluation is None else _results(evaluation, macro)
        return _Field(
            Column(key, title, "interval"),
            lambda name: (
                None
                if name not in found
                else found[name].clustered_interval
                if clustered
                else found[name].interval
            ),
        )

    items = _results(choices.items, macro)
    fields = [
        _Field(Column("n", "n", "count"), lambda name: items[name].n),
        *share("accuracy", "right", choices.items),
        interval("interval", "95 % interval", choices.items, False),
    ]
    if choices.items.clusters is not None:
        fields.append(interval("clustered_interval", "clustered", choices.items, True))
    fields.append(_Field(Column("chance", "chance %", "percent"), lambda name: items[name].chance))
    if len(choices.orders) > 1:
        for name, evaluation in choices.orders.items():
            fields += share(f"{name}_accuracy", f"{name} order", evaluation)
    for letter, evaluation in choices.letters.items():
        fields += share(f"fits_{letter.lower()}_accuracy", f"fits = {letter}", evaluation)
    fields += share("single_accuracy", "single replies", choices.single)
    fields += share("logprob_accuracy", "log-prob.", choices.logprobs)
    fields += share("control", "control", choices.control)
    fields += share("chose_a", "A chosen", choices.chose_a)
    if choices.chose_a is not None:
        clustered = choices.chose_a.clusters is not None
        fields.append(interval("chose_a_interval", "A: 95 % interval", choices.chose_a, clustered))
    return [*fields, count("unreadable", choices.unreadable), count("replies", choices.replies)]


def _results(evaluation: Evaluation, macro: str) -> dict[str, GroupResult]:
    groups = {group.name: group for group in evaluation.groups}
    return {**groups, macro: evaluation.macro, _MICRO: evaluation.micro}


def _notes(choices: Choices) -> tuple[str, ...]:
    several = len(choices.orders) > 1
    orders = "in both orders of the focus phrases and " if several else ""
    notes = [
        f"Right: an item whose fitting choice is named {orders}under both letters. "
        "A reply that is not a letter is never right."
    ]
    if several:
        names = " and ".join(f"'{name} order'" for name in choices.orders)
        notes.append(f"{names}: under both letters, chance 25 %.")
    notes.append(
        "'fits = A': when the fitting choice is listed as A, "
        + ("in both orders, chance 25 %; " if several else "chance 50 %; ")
        + "'fits = B' likewise. Single replies: chance 50 %."
    )
    if choices.logprobs is not None:
        chance = 100 * choices.logprobs.micro.chance
        lacking = f" {choices.no_logprobs:,} replies came without them: those items are not right."
        notes.append(
            "'log-prob.': by the log-probabilities of the letters, averaged over both places of "
            f"the fitting choice, chance {chance:g} %." + (lacking if choices.no_logprobs else "")
        )
    if choices.control is not None:
        notes.append(
            "'control': the same choices after the control, where neither contradicts; share that "
            "names the one which fits the construction. 50 % if its words alone decide nothing."
        )
    notes.append("'A chosen': share of A among letters; 50 % without a bias for a position.")
    if choices.incomplete:
        notes.append(
            f"NOT COMPLETE: {choices.incomplete:,} items lack an answer and are left out; those "
            "that come first in a suite are asked first. Run the same command again to go on."
        )
    usage = choices.usage
    tokens = f"{usage.prompt_tokens:,} prompt and {usage.completion_tokens:,} reply tokens"
    missing = f" ({usage.uncounted:,} replies came without counts)" if usage.uncounted else ""
    notes.append(
        f"{usage.replies:,} distinct replies, {tokens}{missing}, {usage.seconds:.2f} s each."
    )
    return tuple(notes)
