"""The question that a benchmark asks, and a model's answer in a sentence or two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from minpairs.evaluation import Evaluation, GroupResult
from minpairs.judgements import Felicity
from minpairs.report.published import Property, published
from minpairs.statistics import Interval

_TITLES = {"climp": "CLiMP", "let_alone": "Let alone"}
_QUESTIONS = {
    "climp": "Does the model prefer the Mandarin sentence that speakers accept to one that differs "
    "from it in a single point, and that they reject?",
    "let_alone": "Does the model know what “let alone” forbids where “and” does not, and what “let "
    "alone” says about a scale?",
}
_PAIRS = "Does the model prefer the acceptable sentence of each pair?"
_ELSE = "Do the model's scores hold to the predictions of the suites?"


def title(benchmark: str) -> str:
    """What a benchmark is called."""
    name, bracket, rest = benchmark.partition(" (")
    return _TITLES.get(name, name) + bracket + rest


def question(benchmark: str, evaluation: Evaluation) -> str:
    """What a benchmark asks."""
    known = _QUESTIONS.get(benchmark.partition(" (")[0])
    return known or (_PAIRS if evaluation.design == "minimal_pair" else _ELSE)


def answer(evaluation: Evaluation, felicity: Mapping[str, Felicity]) -> str:
    """A model's answer, from its accuracies and their intervals; a line a sentence or two.

    Args:
        evaluation: of the model on one benchmark.
        felicity: of its suites with follow-ups, by configuration.
    """
    properties = {one.config: one for one in published().let_alone_properties}
    names = {group.name for group in evaluation.groups}
    if evaluation.design == "minimal_pair":
        return _pairs(evaluation)
    if evaluation.design == "interaction" and names <= set(properties):
        return _let_alone(evaluation, properties, felicity)
    return _overall(evaluation, "all predictions hold", "items")


def choice(evaluation: Evaluation) -> str:
    """A chat model's answer."""
    return _overall(evaluation, "the choice that fits is named every time it is asked for", "items")


def standing(result: GroupResult) -> str:
    """Where an accuracy stands, as its interval allows: above, below or not told from chance."""
    return _standing(_interval(result), result.chance)


def _pairs(evaluation: Evaluation) -> str:
    text = _overall(evaluation, "the acceptable sentence scores higher", "pairs")
    parts = evaluation.phenomena or evaluation.groups
    if len(parts) > 1:
        best = max(parts, key=lambda part: part.accuracy)
        worst = min(parts, key=lambda part: part.accuracy)
        text += (
            f" Best at {_name(best)} ({_percent(best.accuracy)}), worst at {_name(worst)} "
            f"({_percent(worst.accuracy)}, {standing(worst)})."
        )
        level = [part for part in parts if standing(part) == _LEVEL]
        if level:
            what = "phenomena" if evaluation.phenomena else "paradigms"
            text += f" In {len(level)} of {len(parts)} {what} it cannot be told from chance."
    return text


def _overall(evaluation: Evaluation, what: str, items: str) -> str:
    count = len(evaluation.groups)
    result = evaluation.macro if count > 1 else evaluation.micro
    units = "paradigms" if evaluation.design == "minimal_pair" else "suites"
    mean = f" (mean of {count} {units})" if count > 1 else ""
    return (
        f"In {_percent(result.accuracy)} of {evaluation.micro.n:,} {items}{mean} {what}: "
        f"{standing(result)} ({_against(result)})."
    )


def _let_alone(
    evaluation: Evaluation, properties: Mapping[str, Property], felicity: Mapping[str, Felicity]
) -> str:
    groups = {group.name: group for group in evaluation.groups}
    tests = [groups[p.config] for p in properties.values() if p.config in groups and _test(p)]
    controls = [
        groups[p.config]
        for p in properties.values()
        if p.config in groups and p.form and not _test(p)
    ]
    sentences = []
    if tests:
        sentences.append(
            "Form: the manipulation costs more with the construction than with its control, in "
            f"both orders, in {_listed(tests)} of items where only the construction forbids it "
            f"(chance {100 * tests[0].chance:g} %): {_together(tests)}."
        )
    if controls:
        sentences.append(
            f"Controls, which forbid nothing: {_listed(controls)}, {_together(controls)}"
            + (
                "; so not all of the difference above is grammar."
                if any(standing(one) == _ABOVE for one in controls)
                else "."
            )
        )
    for config, one in felicity.items():
        fits = one.fitting.micro
        sentences.append(
            f"Meaning ({config.replace('_', ' ')}): the follow-up that fits scores above the one "
            f"that contradicts, in both orders, in {_percent(fits.accuracy)} of items: "
            f"{standing(fits)} ({_against(fits)})."
        )
        if fits.order_bias is not None:
            sentences[-1] += (
                f" In {_percent(fits.order_bias)} it is right in one order and wrong in the other "
                "(50 % by chance; more is a preference for an order of mention)."
            )
    return "\n".join(sentences) or _overall(evaluation, "all predictions hold", "items")


def _test(one: Property) -> bool:
    return one.form and one.prediction == "near 100 %"


_ABOVE, _BELOW, _LEVEL = "above chance", "below chance", "not to be told from chance"


def _together(results: Sequence[GroupResult]) -> str:
    found = list(dict.fromkeys(map(standing, results)))
    if len(found) == 1:
        return found[0] if len(results) == 1 else f"all {found[0]}"
    return "; ".join(
        f"{', '.join(_name(r) for r in results if standing(r) == one)} {one}" for one in found
    )


def _listed(results: Sequence[GroupResult]) -> str:
    return ", ".join(f"{_percent(one.accuracy)} ({_name(one)})" for one in results)


def _name(result: GroupResult) -> str:
    titles = {one.name: one.title for one in published().climp_phenomena}
    return titles.get(result.name, result.name.replace("_", " "))


def _standing(interval: Interval, chance: float) -> str:
    if interval.low > chance:
        return _ABOVE
    return _BELOW if interval.high < chance else _LEVEL


def _interval(result: GroupResult) -> Interval:
    return result.clustered_interval or result.interval


def _against(result: GroupResult) -> str:
    """The interval, and the chance that it is held against."""
    interval = _interval(result)
    return (
        f"95 % interval {100 * interval.low:.1f}–{100 * interval.high:.1f} %; "
        f"chance {100 * result.chance:g} %"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
