"""The same filters as a step of a ``datatrove`` pipeline, for corpora beyond one machine.

``[JsonlReader("texts"), DropSentences("no_let"), JsonlWriter("out")]`` is a pipeline; datatrove's
``LocalPipelineExecutor`` runs it here, its ``SlurmPipelineExecutor`` on a cluster.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from minpairs.training._part import find
from minpairs.training.corpus import Sentences
from minpairs.training.errors import FilterError
from minpairs.training.filters import load_filters
from minpairs.training.sentences import split_sentences
from minpairs.training.sources import BABYLM, SourceFormat, Unit

try:
    from datatrove.pipeline import base  # type: ignore[import-not-found, import-untyped, unused-ignore]
except ImportError as error:
    raise ImportError("datatrove is not installed: pip install 'minpairs[datatrove]'") from error

__all__ = ["DropSentences"]

_BATCH = 1000


class DropSentences(base.PipelineStep):  # type: ignore[misc, unused-ignore]
    """Takes the sentences of a scenario out of documents.

    A document goes on with one sentence a line, or not at all where none is left. The step counts
    ``sentences``, ``sentences_dropped``, and ``dropped_<rule>`` for what each rule finds.

    Attributes:
        scenario: what is taken out.
        variant: how.
    """

    type = "🔻 - FILTER"
    name = "minpairs sentences"

    def __init__(
        self,
        scenario: str,
        variant: str = "described",
        rules: str | Path | None = None,
        unit: Unit = "wrapped",
        language: str = "en",
    ) -> None:
        """Reads the rules.

        Args:
            scenario: name of a scenario.
            variant: ``described``, ``as_released``, or one of the user's file.
            rules: the user's file.
            unit: what a line of a document is; where its metadata name a ``source`` of BabyLM, as
                is usual for that.
            language: ISO code of the texts.

        Raises:
            FilterError: no such scenario, or a random control, which needs the whole corpus.
        """
        super().__init__()
        self.scenario = scenario
        self.variant = load_filters(variant, None if rules is None else Path(rules))
        if self.variant.scenario(scenario).control_of is not None:
            raise FilterError(
                f"{scenario!r} is a random control, which needs the whole corpus: "
                "use minpairs filter"
            )
        self.unit = unit
        self.language = language

    def run(self, data: Iterable[Any], rank: int = 0, world_size: int = 1) -> Iterator[Any]:  # noqa: ARG002
        """Filters documents; what ``datatrove`` calls."""
        documents = iter(data)
        while batch := list(islice(documents, _BATCH)):
            with self.track_time("batch"):
                kept = self._filter(batch)
            for document in kept:
                self.stat_update("documents")
                yield document

    def _filter(self, documents: list[Any]) -> list[Any]:
        cut = [split_sentences(one.text, self._form(one), self.language) for one in documents]
        texts = [text for sentences in cut for text in sentences]
        found = find(Sentences(texts, []), self.variant.needed([self.scenario]))
        gone = found.removed(self.variant, self.scenario)
        self.stat_update("sentences", value=len(texts))
        self.stat_update("sentences_dropped", value=int(gone.sum()))
        for rule, places in found.hits.items():
            self.stat_update(f"dropped_{rule}", value=len(places))
        left = []
        first = 0
        for document, sentences in zip(documents, cut, strict=True):
            stay = [text for i, text in enumerate(sentences, start=first) if not gone[i]]
            first += len(sentences)
            if stay:
                document.text = "\n".join(stay)
                left.append(document)
        return left

    def _form(self, document: Any) -> SourceFormat:
        source = str(document.metadata.get("source", ""))
        return BABYLM.get(source, SourceFormat(self.unit))
