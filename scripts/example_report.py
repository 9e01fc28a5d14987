"""The example report: SmolLM2-135M and 5-grams on samples of CLiMP and let alone.

    python scripts/example_report.py [--limit 50] [--texts .cache/texts]

writes docs/examples/: a page, tables and figures for either benchmark. Texts for the 5-grams are
fetched by scripts/fetch_texts.py unless they are there (it needs npm). Run it again after an
interruption: what has been trained and scored is kept. About five minutes on two cores.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from convert_smollm2 import convert

from minpairs.files import write_durably

ROOT = Path(__file__).resolve().parent.parent
MODEL = Path(".cache/smollm2-135m-instruct")
WORK = Path(".cache/example")
DOCS = Path("docs/examples")
# SmolLM2's tokenizer names <|im_start|> as its beginning; its documents began with this token.
BOS = ("--bos", "<|endoftext|>")
REPORTED = ("report.md", "report.csv")
INDEX = """# Example reports

SmolLM2-135M-Instruct and 5-grams on {limit} items of every suite, made by `make example`.

- [CLiMP](climp/report.html): compared by log-probability; a 5-gram of characters.
  [Tables](climp/report.md), [figures](climp/figures).
- [Let alone](let_alone/report.html): compared by SLOR; a 5-gram of words.
  [Tables](let_alone/report.md), [figures](let_alone/figures).

They show what a report looks like, and are no results to quote: samples are small, SmolLM2 hardly
learnt Chinese, the 5-grams learnt from some three million words or characters, and SmolLM2's
unigrams are counts over the 5-gram's text, as its own text is not at hand.
"""


@dataclass(frozen=True, slots=True)
class Example:
    """A benchmark and the 5-gram beside SmolLM2.

    Attributes:
        benchmark: its folder.
        language: of the text that the 5-gram is trained on.
        ngram: its file.
        segmentation: its units.
        measure: what is compared.
    """

    benchmark: str
    language: str
    ngram: str
    segmentation: str
    measure: str


EXAMPLES = (
    Example("climp", "zh", "5gram-characters.arpa", "characters", "sum"),
    Example("let_alone", "en", "5gram-words.arpa", "words", "slor"),
)


def main() -> None:
    """Fetches, trains, scores and reports."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=50, help="items a suite")
    parser.add_argument("--texts", type=Path, default=Path(".cache/texts"))
    options = parser.parse_args()
    convert(ROOT / MODEL)
    missing = [e.language for e in EXAMPLES if not (ROOT / options.texts / e.language).is_dir()]
    if missing:
        _run("scripts/fetch_texts.py", str(options.texts), *missing)
    for example in EXAMPLES:
        _score(example, options.texts / example.language, options.limit)
        _report(example)
    write_durably(ROOT / DOCS / "README.md", INDEX.format(limit=options.limit).encode())


def _score(example: Example, texts: Path, limit: int) -> None:
    ngram = WORK / example.benchmark / example.ngram
    units = ("--segmentation", example.segmentation)
    if not (ROOT / ngram).is_file():
        language = ("--language", example.language)
        _minpairs("train", "ngram", str(texts), "--out", str(ngram), *units, *language)
    counts: tuple[str, ...] = ()
    if example.measure == "slor":
        path = WORK / example.benchmark / "smollm2.unigrams.parquet"
        if not (ROOT / path).is_file():
            _minpairs("unigrams", str(MODEL), str(texts), "--out", str(path))
        own = ngram.with_name("5gram.unigrams.parquet")
        if not (ROOT / own).is_file():
            _minpairs("unigrams", str(ngram), str(texts), "--out", str(own), *units)
        counts = ("--unigrams", str(path))
        units = (*units, "--unigrams", str(own))
    common = (example.benchmark, "--limit", str(limit), "--tokens", "--out", str(_runs(example)))
    _minpairs("score", str(MODEL), *common, *BOS, *counts)
    _minpairs("score", str(ngram), *common, *units)


def _report(example: Example) -> None:
    runs, out = _runs(example), DOCS / example.benchmark
    page, figures = str(out / "report.html"), str(out / "figures")
    measure = ("--measure", example.measure)
    _minpairs("report", str(runs), *measure, "--html", page, "--figures", figures)
    for name in REPORTED:
        shutil.copyfile(ROOT / runs / name, ROOT / out / name)


def _runs(example: Example) -> Path:
    return WORK / example.benchmark / "results"


def _minpairs(*arguments: str) -> None:
    _run("-m", "minpairs", *arguments)


def _run(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
