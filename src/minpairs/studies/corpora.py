"""The texts that the cells of a study are trained on."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from minpairs.errors import ResultsError
from minpairs.files import write_durably
from minpairs.parsing import read_json
from minpairs.studies.errors import StudyError
from minpairs.studies.plan import Plan
from minpairs.training._parallel import Progress
from minpairs.training.corpus import Corpus, open_corpus
from minpairs.training.filtering import filter_corpus
from minpairs.training.filters import load_filters

CORPUS = "corpus"  # of a let-alone study, the folder of its filtered corpus
_SAMPLED = "sampled.json"


@dataclass(frozen=True, slots=True)
class Text:
    """A training text on disk: sentences, one a line or row."""

    path: Path
    language: str

    def open(self) -> Corpus:
        """The corpus."""
        return open_corpus(self.path, unit="line", language=self.language)


def count_sentences(corpus: Corpus, out: Path, progress: Progress | None = None) -> int:
    """How many sentences a corpus has: as a study's folder says, or all of it is read."""
    path = out / "corpora" / _SAMPLED
    if path.is_file():
        known = read_json(path, ResultsError)
        if known["corpus"] == dict(corpus.identity):
            return int(known["sentences"])
    total = 0
    for done, part in enumerate(corpus.parts, start=1):
        total += len(corpus.read(part).texts)
        if progress is not None:
            progress(done, len(corpus.parts))
    return total


def climp_texts(plan: Plan, corpus: Corpus, out: Path, sentences: int) -> dict[str, Text]:
    """The texts of a CLiMP study; see :func:`sampled_texts`."""
    return sampled_texts(corpus, plan.sizes or {}, out / "corpora", sentences)


def let_alone_texts(
    plan: Plan,
    corpus: Corpus,
    out: Path,
    processes: int = 1,
    progress: Progress | None = None,
) -> dict[str, Text]:
    """The texts of a let-alone study, every filter of the variant.

    Raises:
        FilterError: a fault in the plan's file of rules.
        ResultsError: the folder holds another corpus, or one that was filtered otherwise.
    """
    filters = load_filters(plan.variant, plan.rules)
    folder = out / CORPUS
    filter_corpus(corpus, folder, variant=filters, processes=processes, progress=progress)
    return {
        name: Text(folder / "data" / f"corpus.{name}", corpus.language)
        for name in filters.scenarios
    }


def sampled_texts(
    corpus: Corpus, sizes: Mapping[str, int], folder: Path, sentences: int, seed: int = 0
) -> dict[str, Text]:
    """Random sentences of a corpus in its order, a file for each size; each holds the smaller ones.

    Args:
        corpus: what to draw from.
        sizes: number of sentences by label.
        folder: where ``<label>.txt`` go; files that are there already stay.
        sentences: how many the corpus has.
        seed: which are drawn.

    Raises:
        StudyError: a size is larger than the corpus.
        ResultsError: the folder holds samples of another corpus.
    """
    record = {"corpus": dict(corpus.identity), "sentences": sentences, "seed": seed}
    path = folder / _SAMPLED
    if path.is_file() and read_json(path, ResultsError) != record:
        raise ResultsError(f"{folder} holds samples of another corpus; choose another --out")
    for label, size in sizes.items():
        if size > sentences:
            raise StudyError(f"{corpus.name} has {sentences:,} sentences: too few for {label}")
    write_durably(path, (json.dumps(record, ensure_ascii=False, indent=1) + "\n").encode())
    texts = {label: Text(folder / f"{label}.txt", corpus.language) for label in sizes}
    missing = {label: texts[label].path for label in sizes if not texts[label].path.is_file()}
    if missing:
        rank = np.random.default_rng(seed).permutation(sentences)
        _write(corpus, {path: rank < sizes[label] for label, path in missing.items()})
    return texts


def _write(corpus: Corpus, chosen: Mapping[Path, np.ndarray]) -> None:
    # Names of this process's own: another may draw the same sentences at the same time.
    parts = {path: path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp") for path in chosen}
    with ExitStack() as stack:
        for part in parts.values():
            stack.callback(part.unlink, missing_ok=True)
        files = {
            path: stack.enter_context(part.open("w", encoding="utf-8", newline="\n"))
            for path, part in parts.items()
        }
        for number, sentence in enumerate(corpus.sentences()):
            for path, mask in chosen.items():
                if mask[number]:
                    files[path].write(sentence + "\n")
        for path, file in files.items():
            file.flush()
            os.fsync(file.fileno())
            parts[path].replace(path)  # whole, or not there
