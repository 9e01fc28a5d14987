"""From a benchmark's folder of templates to its tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from types import MappingProxyType

import pyarrow as pa

from minpairs.errors import TemplateError, nearest
from minpairs.grammar._expand import expand
from minpairs.grammar._models import read_model
from minpairs.grammar._yaml import read_yaml
from minpairs.grammar.constructions import (
    CROSSING,
    Construction,
    load_constructions,
    renamed,
    rewritten,
    with_construction,
)
from minpairs.grammar.items import Item
from minpairs.grammar.lexicon import Lexicon, load_lexicon
from minpairs.grammar.rows import rows
from minpairs.grammar.sampler import draw
from minpairs.grammar.template import Template

BENCHMARKS = ("climp", "let_alone")
NO_PHRASES: Mapping[str, str] = MappingProxyType({})
NOT_TEMPLATES = frozenset({"card", "constructions", "corpus_filters"})


def generate(
    benchmark: str | Path,
    uids: Iterable[str] | None = None,
    n: int | None = None,
    seed: int = 0,
    phrases: Mapping[str, str] = NO_PHRASES,
) -> dict[str, pa.Table]:
    """Draws a benchmark's paradigms.

    Args:
        benchmark: ``climp``, ``let_alone``, or a folder of templates with a ``lexicon`` folder.
        uids: paradigms to draw; default all, in alphabetical order, then each once more for every
            other construction (``<uid>.<construction>``).
        n: items of each; default what its template says.
        seed: the same seed gives the same items.
        phrases: texts for phrases of the templates, by name.

    Returns:
        A ``pyarrow.Table`` per uid.

    Raises:
        MinpairsError: a fault in a file, or a grammar that is too small.
    """
    templates, lexicon = load_benchmark(benchmark, uids, phrases)
    return tables(templates, lexicon, n, seed)


def tables(
    templates: Iterable[Template], lexicon: Lexicon, n: int | None = None, seed: int = 0
) -> dict[str, pa.Table]:
    """The rows of templates; those that write the same items draw them once."""
    drawn: dict[str, list[Item]] = {}
    written: dict[str, pa.Table] = {}
    for template in templates:
        source = template.same_items_as or template.uid
        if source not in drawn:
            drawn[source] = draw(template, lexicon, n, seed)
        items = drawn[source]
        if template.same_items_as:
            items = rewritten(template, items)
        written[template.uid] = rows(template, items)
    return written


def load_benchmark(
    benchmark: str | Path,
    uids: Iterable[str] | None = None,
    phrases: Mapping[str, str] = NO_PHRASES,
) -> tuple[list[Template], Lexicon]:
    """A benchmark's templates and their lexicon, loaded and checked; see :func:`generate`."""
    folder = benchmark_folder(benchmark)
    lexicon = load_lexicon(folder / "lexicon")
    wanted = None if uids is None else list(dict.fromkeys(uids))
    stems = None if wanted is None else list(dict.fromkeys(u.partition(".")[0] for u in wanted))
    constructions = load_constructions(folder, [path.stem for path in template_files(folder)])
    found: dict[str, Template] = {}
    names: set[str] = set()
    for path in template_files(folder, stems):
        its_names, templates = load_file(path, lexicon, constructions, phrases)
        names |= its_names
        found |= {template.uid: template for template in templates}
    for name in phrases:
        if name not in names:
            hint = nearest(name, names)
            raise TemplateError(f"{folder}: no template has a phrase {name!r}; {hint}")
    for uid in wanted or ():
        if uid not in found:
            raise TemplateError(f"{folder}: no template {uid!r}; {nearest(uid, found)}")
    if wanted is None:
        wanted = sorted(found, key=lambda uid: bool(found[uid].same_items_as))
    return [found[uid] for uid in wanted], lexicon


def load_file(
    path: Path,
    lexicon: Lexicon,
    constructions: Sequence[Construction] = (),
    phrases: Mapping[str, str] = NO_PHRASES,
) -> tuple[set[str], list[Template]]:
    """A file's phrases, by name, and its template: as it stands, then in other constructions."""
    document = read_yaml(path, TemplateError)
    model = read_model(document)
    given = {name: text for name, text in phrases.items() if name in model.phrases}
    model = model.model_copy(update={"phrases": {**model.phrases, **given}})
    loaded = [expand(model, document, lexicon)]
    if constructions and CROSSING in model.cross:
        own, *others = constructions
        for other in others:
            changed = with_construction(model, document, own, other)
            loaded.append(renamed(expand(changed, document, lexicon), own, other))
    return set(model.phrases), loaded


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
