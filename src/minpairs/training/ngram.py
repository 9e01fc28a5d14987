"""Training an n-gram model: by KenLM's ``lmplz`` where it is installed, else by our estimator."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from minpairs._version import __version__
from minpairs.errors import ModelError
from minpairs.files import write_durably
from minpairs.training.arpa import write_arpa
from minpairs.training.errors import CorpusError
from minpairs.training.kneser_ney import estimate
from minpairs.training.presets import NgramSettings
from minpairs.training.vocabulary import code_corpus, cut_corpus, limit_vocabulary


@dataclass(frozen=True, slots=True)
class NgramModel:
    """What was trained.

    Attributes:
        path: the file to score with: KenLM's binary, or the ARPA file where there is none.
        estimator: who estimated it.
        ngrams: how many there are of each order.
        fallback: orders whose counts were too few for discounts of their own.
    """

    path: Path
    estimator: str
    ngrams: tuple[int, ...]
    fallback: tuple[int, ...]


def train_ngram(
    sentences: Iterable[str],
    out: Path,
    settings: NgramSettings,
    *,
    binary: bool = False,
    memory: str = "1G",
    corpus: Any = None,
) -> NgramModel:
    """Trains a model with interpolated modified Kneser-Ney smoothing.

    Discounts that a small corpus cannot give are 0.5, 1 and 1.5 (``--discount_fallback``).

    Args:
        sentences: the corpus, read once.
        out: the ARPA file to write; what was done is written beside it as ``OUT.json``.
        settings: order, units, cut-off, estimator.
        binary: write KenLM's binary too (same name, ``.binary``): loads in no time.
        memory: what ``lmplz`` may take, as its ``-S`` says it.
        corpus: what to write down as the corpus.

    Raises:
        CorpusError: no text, text that spells out ``<s>``, or no sentence as long as the order.
        ModelError: KenLM could not read such a model; ``lmplz`` or ``build_binary`` is missing,
            fails, or cannot do what is asked.
    """
    if out.suffix != ".arpa":
        raise ModelError(f"{out}: an n-gram model is written as an ARPA file, NAME.arpa")
    if settings.order < 2:
        raise ModelError("KenLM reads no model of single units: choose an order of 2 or more")
    builder = _program("build_binary") if binary else None
    estimator = _estimator(settings)
    if estimator == "lmplz":
        fallback = _lmplz(sentences, out, settings, memory)
    else:
        coded = limit_vocabulary(
            code_corpus(sentences, settings.segmentation), settings.min_count, settings.max_units
        )
        model = estimate(coded, settings.order)
        write_arpa(model, out)
        fallback = tuple(
            n for n, table in enumerate(model.tables, start=1) if not table.discounts.estimated
        )
    path = out
    if builder is not None:
        path = out.with_suffix(".binary")
        _run(builder, str(out), str(path))
    trained = NgramModel(path, estimator, arpa_counts(out), fallback)
    record = {
        "minpairs": __version__,
        "corpus": corpus,
        "settings": asdict(settings) | {"estimator": estimator},
        "ngrams": trained.ngrams,
        "fallback_discounts": trained.fallback,
    }
    content = json.dumps(record, ensure_ascii=False, indent=1) + "\n"
    write_durably(out.with_name(f"{out.name}.json"), content.encode())
    return trained


def arpa_counts(path: Path) -> tuple[int, ...]:
    """How many n-grams of each order an ARPA file says it has."""
    counts = []
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.startswith("ngram "):
                counts.append(int(line.partition("=")[2]))
            elif counts:
                return tuple(counts)
    raise ModelError(f"{path} is not an ARPA file: it counts no n-grams")


def _estimator(settings: NgramSettings) -> str:
    cut = settings.min_count > 1 or settings.max_units is not None
    if settings.estimator == "lmplz":
        _program("lmplz")
        if cut:
            raise ModelError(
                "lmplz cannot learn <unk>: take --estimator own with a cut-off of the vocabulary"
            )
        return "lmplz"
    return "lmplz" if settings.estimator == "auto" and not cut and shutil.which("lmplz") else "own"


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise ModelError(f"{name} is not installed; scripts/build_lmplz.sh builds it")
    return found


def _lmplz(
    sentences: Iterable[str], out: Path, settings: NgramSettings, memory: str
) -> tuple[int, ...]:
    """Runs lmplz over the units of the sentences; returns the orders that fell back."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}.") as folder:
        text, arpa = Path(folder) / "text", Path(folder) / "arpa"
        longest = 0
        with text.open("w", encoding="utf-8", newline="\n") as file:
            for units in cut_corpus(sentences, settings.segmentation):
                longest = max(longest, len(units))
                file.write(" ".join(units) + "\n")
        if not longest:
            raise CorpusError("the corpus holds no text")
        if longest + 2 < settings.order:
            raise CorpusError(
                f"no sentence has {settings.order} units, with <s> and </s>: choose a lower order"
            )
        said = _run(
            *(_program("lmplz"), "-o", str(settings.order), "-S", memory, "-T", folder),
            *("--discount_fallback", "--text", str(text), "--arpa", str(arpa)),
        )
        arpa.replace(out)
    return tuple(
        int(line.partition("for order ")[2].partition(":")[0]) + 1
        for line in said.splitlines()
        if line.startswith("Substituting fallback discounts")
    )


def _run(*command: str) -> str:
    """What a program says while it works."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        said = " ".join(done.stderr.split()[-60:])
        raise ModelError(f"{Path(command[0]).name} failed ({done.returncode}): {said}")
    return done.stderr
