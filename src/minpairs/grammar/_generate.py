"""From a benchmark's folder of templates to its tables."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources
from pathlib import Path

import pyarrow as pa

from minpairs.errors import TemplateError, nearest
from minpairs.grammar.lexicon import Lexicon, load_lexicon
from minpairs.grammar.rows import rows
from minpairs.grammar.sampler import draw
from minpairs.grammar.template import Template, load_template

BENCHMARKS = ("climp", "let_alone")
NOT_TEMPLATES = frozenset({"card", "constructions", "corpus_filters"})


def generate(
    benchmark: str | Path,
    uids: Iterable[str] | None = None,
    n: int | None = None,
    seed: int = 0,
) -> dict[str, pa.Table]:
    """Draws a benchmark's paradigms.

    Args:
        benchmark: ``climp``, ``let_alone``, or a folder of templates with a ``lexicon`` folder.
        uids: paradigms to draw; default all, in alphabetical order.
        n: items of each; default what its template says.
        seed: the same seed gives the same items.

    Returns:
        A ``pyarrow.Table`` per uid.

    Raises:
        MinpairsError: a fault in a file, or a grammar that is too small.
    """
    loaded, lexicon = load_benchmark(benchmark, uids)
    return {template.uid: rows(template, draw(template, lexicon, n, seed)) for template in loaded}


def templates(benchmark: str | Path, uids: Iterable[str] | None = None) -> dict[str, Template]:
    """A benchmark's templates, loaded and checked."""
    return {template.uid: template for template in load_benchmark(benchmark, uids)[0]}


def load_benchmark(
    benchmark: str | Path, uids: Iterable[str] | None = None
) -> tuple[list[Template], Lexicon]:
    """A benchmark's templates and their lexicon, loaded and checked."""
    folder = benchmark_folder(benchmark)
    lexicon = load_lexicon(folder / "lexicon")
    return [load_template(path, lexicon) for path in template_files(folder, uids)], lexicon


def benchmark_folder(benchmark: str | Path) -> Path:
    """The folder of a benchmark's grammars: the one given, or the one inside the package.

    Raises:
        TemplateError: there is no such benchmark.
    """
    if isinstance(benchmark, str) and benchmark in BENCHMARKS:
        return _packaged() / benchmark
    folder = Path(benchmark)
    if not folder.is_dir():
        hint = nearest(str(benchmark), BENCHMARKS)
        raise TemplateError(f"{benchmark}: neither a benchmark nor a folder of templates; {hint}")
    return folder


def template_files(folder: Path, uids: Iterable[str] | None = None) -> list[Path]:
    """The template files of a folder, in alphabetical order, or those of the given uids.

    Raises:
        TemplateError: there is no such template, or none at all.
    """
    found = {p.stem: p for p in sorted(folder.glob("*.yaml")) if p.stem not in NOT_TEMPLATES}
    if not found:
        raise TemplateError(f"{folder}: holds no template (<uid>.yaml)")
    wanted = list(found if uids is None else uids)
    for uid in wanted:
        if uid not in found:
            raise TemplateError(f"{folder}: no template {uid!r}; {nearest(uid, found)}")
    return [found[uid] for uid in wanted]


def _packaged() -> Path:
    try:
        return Path(str(resources.files("minpairs.grammars")))
    except ModuleNotFoundError:  # a checkout that is not installed
        folder = Path(__file__).resolve().parents[3] / "generation"
        if folder.is_dir():
            return folder
        raise
