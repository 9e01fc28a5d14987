"""The formats that can be imported: how each is read, and what its card says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from minpairs.benchmarks.importing import (
    aann,
    blimp,
    climp,
    let_alone,
    multiblimp,
    pairs,
    sling,
    syntaxgym,
    zhoblimp,
)
from minpairs.benchmarks.importing._model import ImportedSuite
from minpairs.benchmarks.reading import TABLES, SourceFile

_NO_LICENCE = "Its authors state no licence: use it for research, and do not pass it on."


@dataclass(frozen=True, slots=True)
class Options:
    """What single formats can be asked for.

    Attributes:
        raw: let-alone: leave the orientation of the *and* cells as released.
        predictions: syntaxgym: only these predictions, counted from 1.
        acceptable: pairs: column of the acceptable sentences.
        unacceptable: pairs: column of the unacceptable ones.
        group: pairs: column of paradigms.
    """

    raw: bool = False
    predictions: tuple[int, ...] = ()
    acceptable: str = "sentence_good"
    unacceptable: str = "sentence_bad"
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Format:
    """A format of files.

    Attributes:
        title: the benchmark as its authors call it.
        suffixes: of its files.
        read: suites, and notes on what was done to them.
        language: ISO code; empty where a suite may be in any.
        licence: the Hub's identifier of the licence of the published files.
        licence_text: the same, for people.
    """

    title: str
    suffixes: tuple[str, ...]
    read: Callable[[Sequence[SourceFile], Options], tuple[list[ImportedSuite], list[str]]]
    language: str = ""
    licence: str = "unknown"
    licence_text: str = "That of the source."


FORMATS: Mapping[str, Format] = {
    "climp": Format(
        "CLiMP (Xiang et al. 2021)",
        (".csv",),
        lambda files, _: (climp.read(files), []),
        "zh",
        licence_text=_NO_LICENCE,
    ),
    "let-alone": Format(
        "Let-alone suites (Scivetti et al. 2025)",
        (".tsv",),
        lambda files, options: let_alone.read(files, raw=options.raw),
        "en",
        licence_text=_NO_LICENCE,
    ),
    "sling": Format(
        "SLING (Song et al. 2022)",
        (".jsonl",),
        lambda files, _: (sling.read(files), []),
        "zh",
        "mit",
        "The published data are under the MIT licence.",
    ),
    "zhoblimp": Format(
        "ZhoBLiMP (Liu et al. 2026)",
        (".jsonl",),
        lambda files, _: (zhoblimp.read(files), []),
        "zh",
        licence_text=_NO_LICENCE,
    ),
    "blimp": Format(
        "BLiMP (Warstadt et al. 2020)",
        (".jsonl",),
        lambda files, _: (blimp.read(files), []),
        "en",
        "cc-by-4.0",
        "The published data are under Creative Commons Attribution 4.0.",
    ),
    "multiblimp": Format(
        "MultiBLiMP (Jumelet et al. 2026)",
        (".tsv", ".csv"),
        lambda files, _: (multiblimp.read(files), []),
        "",
        "cc-by-4.0",
        "The published data are under Creative Commons Attribution 4.0.",
    ),
    "syntaxgym": Format(
        "SyntaxGym suites",
        (".json",),
        lambda files, options: (syntaxgym.read(files, predictions=options.predictions), []),
    ),
    "aann": Format(
        "AANN (Misra and Mahowald 2024)",
        (".csv",),
        lambda files, _: (aann.read(files), []),
        "en",
        "mit",
        "The published data are under the MIT licence.",
    ),
    "pairs": Format(
        "Minimal pairs",
        TABLES,
        lambda files, options: (
            pairs.read(
                files,
                acceptable=options.acceptable,
                unacceptable=options.unacceptable,
                group=options.group,
            ),
            [],
        ),
    ),
}
