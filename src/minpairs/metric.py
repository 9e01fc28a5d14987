"""The ``evaluate`` metric: accuracy of minimal pairs from scores or log-probabilities.

A thin shell over ``metric_inputs.judge``, which needs no ``evaluate``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from difflib import get_close_matches
from typing import Any

import evaluate
from datasets import Features, Sequence, Value
from numpy.typing import ArrayLike

from minpairs.errors import MeasureError
from minpairs.evaluation import Evaluation, GroupResult, InequalityResult
from minpairs.interactions import Deltas
from minpairs.measures import as_array
from minpairs.metric_inputs import CONFIGS, DEFAULT, check_columns, find_config, judge
from minpairs.signature import Signature
from minpairs.statistics import Interval

_DESCRIPTION = """\
How often a language model prefers the acceptable member of a minimal pair, with a 95 % interval,
ties, and accuracies by group. Configurations: pairwise (any score), slor (log-probability less
unigram log-probability, per token), interaction (does the manipulation cost more with the
construction than with its control, in every order?).
"""
_OPTIONS = """
    groups (list of str): paradigm or suite of each row.
    clusters (list): what a row shares with others (template, lexical item); adds an interval that
        does not take rows of one cluster as independent.
    phenomena (dict): phenomenon of each group.
    ties (str): credit of a tie: "strict" (none, the default), "half", or "paper" (all of it).
    interval (str): "wilson" (the default) or "as_released" (1.96 standard errors).
    signature (dict or str): what is known of the scores: model, data, bos, dtype, ...
Returns a dict: accuracy, interval, clustered_interval, right, ties, n, chance, mean_difference,
    inequalities, order_bias, deltas, mean_of_groups, groups, phenomena, signature.
"""
OPTIONS = ("groups", "clusters", "phenomena", "ties", "interval", "signature")


class MinimalPairs(evaluate.Metric):  # type: ignore[misc]
    """Minimal-pair accuracy; configurations ``pairwise`` (default), ``slor``, ``interaction``.

    Raises:
        KeyError: unknown configuration.
    """

    config_name: str

    def _info(self) -> evaluate.MetricInfo:
        if self.config_name == "default":
            self.config_name = DEFAULT
        config = find_config(self.config_name)
        inputs = "\n".join(f"    {name}" for name in config.inputs)
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation="",
            inputs_description=f"\nArgs: {config.description}:\n{inputs}\n{_OPTIONS}",
            features=_features(self.config_name),
            license="apache-2.0",
        )

    def add_batch(
        self, *, predictions: object = None, references: object = None, **columns: ArrayLike
    ) -> None:
        """Adds rows, after checking them: evaluate would turn what is missing into NaN."""
        unused = {"predictions": predictions, "references": references}
        given = [name for name, values in unused.items() if values is not None]
        if given:
            needed = ", ".join(find_config(self.config_name).inputs)
            raise MeasureError(f"{self.config_name} takes no {given[0]!r}; it needs {needed}")
        check_columns(self.config_name, columns)
        super().add_batch(**{name: as_array(columns[name]) for name in columns})

    def _compute(self, **given: Any) -> dict[str, Any]:
        options = {name: given[name] for name in OPTIONS if name in given}
        inputs = find_config(self.config_name).inputs
        for name in given:
            _refuse_misspelt(name, inputs)
        return as_dict(judge(self.config_name, given, **options))


def as_dict(evaluation: Evaluation) -> dict[str, Any]:
    """An evaluation as plain dicts, lists, strings and numbers, ready for JSON.

    The unprefixed figures are over all rows (micro); ``mean_of_groups`` is the unweighted mean.
    """
    micro = _figures(evaluation.micro)
    return {
        **micro,
        "mean_of_groups": {**_figures(evaluation.macro), "groups": evaluation.macro.groups},
        "groups": {group.name: _group(group) for group in evaluation.groups},
        "phenomena": {
            result.name: {**_figures(result), "groups": result.groups}
            for result in evaluation.phenomena
        },
        "signature": str(evaluation.signature or Signature(())),
    }


def _group(group: GroupResult) -> dict[str, Any]:
    return {**_figures(group), "phenomenon": group.phenomenon}


def _figures(result: GroupResult) -> dict[str, Any]:
    return {
        **_proportion(result),
        "n": result.n,
        "chance": result.chance,
        "inequalities": {single.name: _proportion(single) for single in result.inequalities},
        "order_bias": result.order_bias,
        "deltas": _deltas(result.deltas),
    }


def _deltas(deltas: Deltas | None) -> dict[str, Any] | None:
    if deltas is None:
        return None
    return {
        name: {**asdict(found), "interval": _ends(found.interval)}
        for name in ("construction", "control", "difference")
        for found in [getattr(deltas, name)]
    }


def _proportion(result: GroupResult | InequalityResult) -> dict[str, Any]:
    return {
        "accuracy": result.accuracy,
        "interval": _ends(result.interval),
        "clustered_interval": _ends(result.clustered_interval),
        "right": result.right,
        "ties": result.ties,
        "mean_difference": result.mean_difference,
    }


def _ends(interval: Interval | None) -> dict[str, float] | None:
    return None if interval is None else {"low": interval.low, "high": interval.high}


class _Checked(Features):  # type: ignore[misc]
    """Features of columns that are already checked: encoding them row by row takes minutes."""

    def encode_batch(self, batch: Mapping[str, ArrayLike]) -> Mapping[str, ArrayLike]:
        return batch


def _features(config: str) -> Features | list[Features]:
    number = Value("float64")
    plain = _Checked(dict.fromkeys(CONFIGS[config].inputs, number))
    if config != "interaction":
        return plain
    # Plain numbers first: evaluate takes the first form that the first row fits.
    return [plain, _Checked({name: Sequence(number) for name in CONFIGS[config].inputs})]


def _refuse_misspelt(name: str, inputs: Mapping[str, object] | tuple[str, ...]) -> None:
    """Refuses ``tie=``; lets through what ``evaluate.combine`` passes on for other metrics."""
    known = (*OPTIONS, *(column for config in CONFIGS.values() for column in config.inputs))
    if name in known or name in inputs:
        return
    close = get_close_matches(name, OPTIONS, n=1, cutoff=0.7)
    if close:
        raise MeasureError(f"unknown option {name!r}: did you mean {close[0]!r}?")
