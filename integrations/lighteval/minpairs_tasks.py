"""CLiMP and let-alone as custom tasks of lighteval; see integrations/README.md.

    lighteval accelerate "model_name=MODEL,dtype=float32" climp:classifier,let_alone:npi \
        --custom-tasks integrations/lighteval/minpairs_tasks.py

Run it where the folders climp/ and let_alone/ are, or name repositories on the Hub in
MINPAIRS_CLIMP and MINPAIRS_LET_ALONE. MINPAIRS_BOS is the token to be read before every text, for
models whose tokenizer does not put one there by itself.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from datasets import get_dataset_config_names
from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import SampleLevelMetricGrouping
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc, SamplingMethod

CLIMP = os.environ.get("MINPAIRS_CLIMP", "climp")
LET_ALONE = os.environ.get("MINPAIRS_LET_ALONE", "let_alone")
BOS = os.environ.get("MINPAIRS_BOS", "")

_spec = importlib.util.spec_from_file_location(
    "minpairs_verdicts", Path(__file__).resolve().parents[1] / "lm_eval" / "utils.py"
)
verdicts = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(verdicts)


class Verdict(SampleLevelComputation):
    """An item's verdicts, by the functions that the tasks of lm-evaluation-harness use."""

    def __init__(self, judge: Callable[..., dict[str, float]]) -> None:
        self.judge = judge

    def compute(self, doc: Doc, model_response: ModelResponse, **_: Any) -> dict[str, float]:
        """The metrics of one item, from the log-probabilities of its choices."""
        logprobs = model_response.logprobs[: len(doc.choices)]
        return self.judge({}, [(float(logprob), False) for logprob in logprobs])


def metrics(judge: Callable[..., dict[str, float]], *names: str) -> SampleLevelMetricGrouping:
    """Means over items of what a judge says of each."""
    return SampleLevelMetricGrouping(
        metric_name=list(names),
        higher_is_better={name: name != "tie" for name in names},
        category=SamplingMethod.LOGPROBS,
        sample_level_fn=Verdict(judge),
        corpus_level_fn=dict.fromkeys(names, np.mean),
    )


PAIR = metrics(verdicts.minimal_pair, "acc", "tie")
INTERACTION = metrics(verdicts.interaction, "acc", "acc_base", "acc_swapped", "tie")


def pair_prompt(line: dict[str, Any], task_name: str) -> Doc:
    """A minimal pair: two whole sentences."""
    choices = [line["sentence_good"], line["sentence_bad"]]
    return Doc(task_name=task_name, query=BOS, choices=choices, gold_index=0)


def interaction_prompt(line: dict[str, Any], task_name: str) -> Doc:
    """An interaction: eight whole texts, a context and its continuation joined as they stand."""
    verdicts.check_contexts(line)
    construction = task_name.partition(":")[2].partition(".")[2] or "let_alone"
    cells = [
        f"{order}_{conjunction}{manipulated}"
        for order in ("base", "swapped")
        for conjunction in (construction, "and")
        for manipulated in ("", "_manipulated")
    ]
    choices = [
        line[cell] if cell in line else line[f"{cell}_context"] + line[f"{cell}_continuation"]
        for cell in cells
    ]
    return Doc(task_name=task_name, query=BOS, choices=choices, gold_index=0)


def task(benchmark: str, dataset: str, config: str) -> LightevalTaskConfig:
    """One suite."""
    pairs = benchmark == "climp"
    return LightevalTaskConfig(
        name=f"{benchmark}:{config}",
        prompt_function=pair_prompt if pairs else interaction_prompt,
        hf_repo=dataset,
        hf_subset=config,
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        metrics=[PAIR if pairs else INTERACTION],
        generation_size=1,
        version=1,
    )


TASKS_TABLE = [
    task(benchmark, dataset, config)
    for benchmark, dataset in (("climp", CLIMP), ("let_alone", LET_ALONE))
    for config in get_dataset_config_names(dataset)
    if config != "all" and not config.startswith(("corpus.", "unigrams."))
]
