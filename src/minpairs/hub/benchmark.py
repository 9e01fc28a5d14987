"""``eval.yaml``: what registers a dataset on the Hub as a benchmark, with its tasks.

A task has one number, so that each measure of a suite is a task of its own. The framework that
computes it is left out: the Hub accepts only names of its own list, and registers without one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from minpairs.errors import SuiteError

FILE = "eval.yaml"
MEASURES = ("sum", "mean", "slor")
_SCALE = (
    "Scores are accuracies in per cent (0-100): a tie is not right, and where a task joins several "
    "suites, its score is their unweighted mean. A task's name ends in what is compared: sum "
    "(log-probability), mean (of it, per token), or slor (less the unigrams', per token)."
)


class Task(BaseModel):
    """One leaderboard."""

    model_config = ConfigDict(extra="forbid")
    id: str = Field(min_length=1)
    config: str = Field(min_length=1)
    split: str = "test"


class Registration(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid")
    name: str = Field(min_length=1)
    description: str = Field(min_length=1)
    tasks: list[Task] = Field(min_length=1)


def task_id(config: str, measure: str) -> str:
    """The task of a config under a measure."""
    return f"{config}_{measure}"


def registration(name: str, about: str, configs: Sequence[str]) -> bytes:
    """The file for a benchmark.

    Args:
        name: as on its card.
        about: what it is, in Markdown; the first paragraph is taken.
        configs: those that have a leaderboard, in order.
    """
    import yaml

    document = Registration(
        name=name,
        description=" ".join(about.strip().split("\n\n")[0].split()) + " " + _SCALE,
        tasks=[
            Task(id=task_id(config, measure), config=config)
            for measure in MEASURES
            for config in configs
        ],
    )
    text = yaml.safe_dump(document.model_dump(), sort_keys=False, allow_unicode=True, width=100)
    return text.encode("utf-8")


def read_registration(folder: Path) -> Registration:
    """The registration of a dataset folder.

    Raises:
        SuiteError: the folder has none, or it is not of this form.
    """
    import yaml

    path = folder / FILE
    if not path.is_file():
        raise SuiteError(f"{path} is missing; write the folder with `minpairs generate`")
    try:
        return Registration.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (ValidationError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise SuiteError(f"{path} registers no benchmark: {error}") from error
