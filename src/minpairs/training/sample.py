"""A small corpus of our own, and every filter applied to it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path

import numpy as np
import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from minpairs.errors import TemplateError, nearest
from minpairs.grammar import generate
from minpairs.grammar._yaml import read_yaml
from minpairs.grammar.texts import capitalise
from minpairs.training._part import SCHEMA, find, removals
from minpairs.training.corpus import Sentences
from minpairs.training.filters import Variant, load_filters
from minpairs.training.unigram_counts import WORDS, token_counter, unigram_table

__all__ = ["corpus_about", "corpus_tables", "sample_corpus"]

VARIANTS = ("described", "as_released")
_ITEMS = 1200
_SLOT = re.compile(r"\{(\w+)\}")
# Who (not) does it; and what is done to what. The two are drawn apart: any goes with any.
_WHO = ("subject", "subject_object", "affirmative", "negated")
_WHAT = ("verb_phrase", "first", "second", "noun", "be", "comparative")
_SLOTS = frozenset((*_WHO, *_WHAT))
_OBJECTS = {"I": "me", "he": "him", "she": "her", "we": "us", "they": "them"}


class _Kind(BaseModel):
    model_config = ConfigDict(extra="forbid")
    sentences: int = Field(gt=0)
    frames: tuple[str, ...] = Field(min_length=1)


def sample_corpus(seed: int = 0) -> list[dict[str, str]]:
    """Some thousand English sentences, with and without what the filters look for, in random order.

    Returns:
        Rows with ``text``, and ``source``: the kind of sentence (``let_alone``, ``plain`` …). No
        sentence comes twice.

    Raises:
        MinpairsError: a fault in the grammar.
    """
    items = generate("let_alone", ["scalar"], n=_ITEMS, seed=seed)["scalar"].to_pylist()
    words = [_words(item) for item in items]
    chosen = random.Random(f"{seed}:sample_corpus")
    rows: dict[str, str] = {}
    for kind, frames in _kinds().items():
        wanted = len(rows) + frames.sentences
        for text in _written(frames.frames, words, chosen):
            rows.setdefault(text, kind)
            if len(rows) == wanted:
                break
    texts = list(rows)
    chosen.shuffle(texts)
    return [{"text": text, "source": rows[text]} for text in texts]


def corpus_tables(seed: int = 0, variants: Sequence[str] = VARIANTS) -> dict[str, pa.Table]:
    """The sample without what each scenario takes out, and what its words are.

    Returns:
        Rows by config: ``corpus.<scenario>`` (``text``, ``source``) and ``unigrams.<scenario>``
        (``token``, ``count``; tokens are words and marks of punctuation). Variants but
        ``described`` follow after a further dot, as in ``corpus.no_let.as_released``.
    """
    rows = sample_corpus(seed)
    sentences = Sentences([row["text"] for row in rows], [row["source"] for row in rows])
    counter = token_counter(WORDS)
    corpora: dict[str, pa.Table] = {}
    unigrams: dict[str, pa.Table] = {}
    for variant, name, config in _configs(variants):
        found = find(sentences, variant.needed([name]))
        target = variant.scenario(name).control_of
        quota = {name: int(found.removed(variant, target).sum())} if target else {}
        mask = removals(variant, [name], seed, 0, found, quota)[name]
        kept = np.flatnonzero(~mask)
        texts = [sentences.texts[i] for i in kept]
        corpora[f"corpus.{config}"] = pa.table(
            [texts, [sentences.sources[i] for i in kept]], schema=SCHEMA
        )
        unigrams[f"unigrams.{config}"] = unigram_table(counter.count(texts))
    return corpora | unigrams


def corpus_about(variants: Sequence[str] = VARIANTS) -> dict[str, str]:
    """For the configs of :func:`corpus_tables` a sentence each, for the card."""
    about: dict[str, str] = {}
    for variant, name, config in _configs(variants):
        released = "" if variant.name == "described" else f" ({variant.name})"
        what = variant.scenario(name).about
        about[f"corpus.{config}"] = f"Sample corpus{released}, written by a grammar. {what}"
        about[f"unigrams.{config}"] = f"Counts of the words of `corpus.{config}`."
    return about


def _configs(variants: Sequence[str]) -> Iterator[tuple[Variant, str, str]]:
    for one in variants:
        variant = load_filters(one)
        for name in variant.scenarios:
            yield variant, name, name if one == "described" else f"{name}.{one}"


def _written(
    frames: Sequence[str], words: Sequence[Mapping[str, str]], chosen: random.Random
) -> Iterator[str]:
    """Each frame in turn, with words drawn anew."""
    tries = 100 * len(words)
    for number in range(tries):
        who, what = chosen.choice(words), chosen.choice(words)
        slots = {name: who[name] for name in _WHO} | {name: what[name] for name in _WHAT}
        frame = frames[number % len(frames)]
        yield capitalise(_SLOT.sub(lambda slot: slots[slot[1]], frame))  # noqa: B023
    raise TemplateError(
        f"{_file()}: its frames do not yield enough different sentences ({frames[0]!r} …)"
    )


def _words(item: Mapping[str, str]) -> dict[str, str]:
    """The slots of a frame, from an item of the scalar suite."""
    context = item["base_let_alone_context"]
    subject, verb, noun = item["subject"], item["verb_phrase"], item["noun"]
    end = context.index(f" {verb} the {item['first']} ")
    are = f" {noun} are " in item["base_let_alone_continuation"]
    return {
        "subject": subject,
        "subject_object": _OBJECTS.get(subject, subject),
        "affirmative": item["modal"],
        "negated": context[len(subject) + 1 : end],
        "verb_phrase": verb,
        "first": item["first"],
        "second": item["second"],
        "noun": noun,
        "be": "are" if are else "is",
        "comparative": item["comparative"],
    }


def _file() -> Path:
    return Path(str(resources.files("minpairs.grammars"))) / "let_alone/corpus/sentences.yaml"


def _kinds() -> dict[str, _Kind]:
    document = read_yaml(_file(), TemplateError)
    assert isinstance(document.value, dict)
    kinds = {}
    for name, value in document.value.items():
        try:
            kinds[name] = _Kind.model_validate(value)
        except ValidationError as error:
            first = error.errors()[0]
            raise document.fault((name, *first["loc"]), first["msg"]) from error
        for i, frame in enumerate(kinds[name].frames):
            unknown = set(_SLOT.findall(frame)) - _SLOTS
            if unknown:
                hint = nearest(min(unknown), _SLOTS)
                raise document.fault((name, "frames", i), f"no slot {min(unknown)!r}; {hint}")
    return kinds
