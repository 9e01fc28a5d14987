"""The project's own errors: each names the place at fault and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class MinpairsError(ValueError):
    """Any fault in what the user gave us: a file, a text, a model, an option."""


class LexiconError(MinpairsError):
    """A lexicon table or its documentation is wrong."""


class TemplateError(MinpairsError):
    """A paradigm's template is wrong."""


class GrammarTooSmallError(MinpairsError):
    """A grammar cannot yield as many items as were asked for."""


class SuiteError(MinpairsError):
    """A suite of items (a Hub folder, an imported file) is wrong."""


class TextError(MinpairsError):
    """A text cannot be scored as it stands."""


class ModelError(MinpairsError):
    """A model or its tokenizer cannot be used as asked."""


class MeasureError(MinpairsError):
    """Scores do not fit the measure or the prediction they are given to."""


class ResultsError(MinpairsError):
    """A results folder is damaged, or belongs to another run."""


class HubError(MinpairsError):
    """The Hub, or what is to be sent to it, is not as it must be."""


class WriteError(MinpairsError):
    """A file cannot be written."""


def nearest(name: str, valid: Iterable[str]) -> str:
    """A hint for a misspelt name: the nearest valid one, else the list of valid ones."""
    choices = sorted(valid)
    close = get_close_matches(name, choices, n=1)
    if close:
        return f"did you mean {close[0]!r}?"
    return "valid names: " + (", ".join(choices) if choices else "none")
