"""n-gram models in KenLM's ARPA or binary format."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minpairs.benchmarks.schema import Text
from minpairs.errors import ModelError, TextError
from minpairs.scoring.encoding import quote
from minpairs.scoring.score import Encoded
from minpairs.scoring.segmentation import Segmentation, segmenter

_NATS = math.log(10)  # KenLM answers in base 10
_BATCH = 4096
_SYMBOLS = frozenset({"<s>", "</s>", "<unk>"})


@dataclass
class NgramBackend:
    """Scores with a KenLM model.

    Attributes:
        path: the ARPA or binary file.
        segmentation: how a text is cut into the model's units.
        bos: whether a text begins after the sentence-beginning symbol (state is reset for each).
        eos: whether the sentence end is scored too.
    """

    path: Path
    segmentation: Segmentation = "characters"
    bos: bool = True
    eos: bool = False
    kind: str = "ngram"

    def __post_init__(self) -> None:
        import kenlm

        self.name = str(self.path)
        options = kenlm.Config()
        options.show_progress = False  # it would write over our own progress bar
        options.arpa_complain = kenlm.ARPALoadComplain.NONE
        try:
            self._model: Any = kenlm.Model(str(self.path), options)
        # ValueError: its message quotes bytes of the file that are no text.
        except (OSError, RuntimeError, ValueError, MemoryError) as error:
            raise ModelError(f"{self.path} is not a KenLM model: {error}") from error
        self._cut = segmenter(self.segmentation)
        self._known: set[str] = set()  # asked for once: sets are compared faster

    def encode(self, texts: Sequence[Text]) -> list[Encoded]:
        """See ``Backend``; raises TextError where nothing can be scored."""
        return [self._encode(index, text) for index, text in enumerate(texts)]

    def plan(self, encoded: Sequence[Encoded]) -> list[list[int]]:
        """In order, some thousand texts at a time."""
        return [
            list(range(start, min(start + _BATCH, len(encoded))))
            for start in range(0, len(encoded), _BATCH)
        ]

    def cost(self, encoded: Encoded) -> float:
        """See ``Backend``."""
        return len(encoded.units)

    def run(self, batch: Sequence[Encoded]) -> list[NDArray[np.float64]]:
        """See ``Backend``."""
        lines = [" ".join(text.units) for text in batch]
        scores = [self._model.full_scores(line, bos=self.bos, eos=self.eos) for line in lines]
        return [
            np.array([score for score, _, _ in one])[text.scored.start :] * _NATS
            for text, one in zip(batch, scores, strict=True)
        ]

    def token_texts(self, encoded: Encoded) -> tuple[str, ...]:
        """See ``Backend``."""
        units = encoded.units[encoded.scored.start :]
        return (*units, "</s>") if self.eos else units

    def settings(self) -> dict[str, str]:
        """See ``Backend``."""
        return {
            "segmentation": self.segmentation,
            "order": str(self._model.order),
            "bos": "<s>" if self.bos else "none",
            "eos": "scored" if self.eos else "unscored",
        }

    def _encode(self, index: int, text: Text) -> Encoded:
        if not isinstance(text.continuation, str) or not isinstance(text.context, str):
            raise TextError(f"text {index} is not a string: {text.continuation!r}")
        if "\0" in text.context + text.continuation:
            raise TextError(f"{quote(text)} holds a NUL character, where KenLM would end a word")
        units = tuple(self._cut(text.context + text.continuation))
        first = _first_unit(units, text) if text.context else 0
        if first == len(units):
            raise TextError(f"text {index} is empty ({quote(text)}): there is nothing to score")
        if not _SYMBOLS.isdisjoint(units):
            raise TextError(f"{quote(text)} spells out a sentence symbol; texts must be plain")
        unknown = self._unknown(units[first:])
        if unknown == len(units) - first:
            raise TextError(
                f"{quote(text)} has only {self.segmentation} that the model does not know"
            )
        return Encoded((), range(first, len(units) + self.eos), unknown, units=units)

    def _unknown(self, units: tuple[str, ...]) -> int:
        """How many units the model does not know."""
        if not self._known.issuperset(units):
            self._known.update(unit for unit in units if unit in self._model)
        if self._known.issuperset(units):
            return 0
        return sum(unit not in self._known for unit in units)


def _first_unit(units: Sequence[str], text: Text) -> int:
    """First unit that ends inside the continuation; white space is no unit."""
    boundary = len("".join(text.context.split()))
    end = 0
    for position, unit in enumerate(units):
        end += len(unit)
        if end > boundary:
            return position
    return len(units)
