"""Cards: the README of a Hub dataset folder, from its tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa
from huggingface_hub import DatasetCardData

from minpairs.benchmarks.designs import Layout, to_card
from minpairs.benchmarks.schema import holds_items
from minpairs.errors import SuiteError

SPLIT = "test"
LICENCE = "cc-by-4.0"
LICENCE_TEXT = "The data are licensed under Creative Commons Attribution 4.0 (CC BY 4.0)."
NO_VALIDATION = "No human validation has been run yet."
GRAMMATICAL = (
    NO_VALIDATION + " The sentences were written by a grammar; the labels follow from its rules."
)
MACHINE = "machine-generated"


@dataclass(frozen=True, slots=True)
class CardText:
    """What a person writes on a card; the rest is computed.

    Attributes:
        name: the dataset's name, as a title.
        language: ISO code of the texts, ``zh`` or ``en``; empty if not known.
        about: what it is, in Markdown.
        paradigms: for each config, a sentence that says what it tests.
        union: name of the default config that joins all others; None for no such config.
        columns: further columns of the table of paradigms: title, then text by config.
        sections: further sections: title and Markdown.
        tags: Hub tags.
        licence: the Hub's identifier of the licence.
        licence_text: the same for people, a sentence or more.
        validation: whether people have judged the data.
        creators: who made sentences and labels, in the Hub's terms; empty if not known.
    """

    name: str
    language: str
    about: str
    paradigms: Mapping[str, str] = field(default_factory=dict)
    union: str | None = None
    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    sections: tuple[tuple[str, str], ...] = ()
    tags: tuple[str, ...] = ("minimal-pairs", "linguistic-acceptability", "evaluation")
    licence: str = LICENCE
    licence_text: str = LICENCE_TEXT
    validation: str = GRAMMATICAL
    creators: str = MACHINE


@dataclass(frozen=True, slots=True)
class ConfigFiles:
    """A config as its card lists it: its rows, their hash, and the files that hold them."""

    name: str
    schema: pa.Schema
    rows: int
    size: int
    sha256: str
    files: tuple[str, ...]
    default: bool = False


def render(
    configs: list[ConfigFiles],
    tables: Mapping[str, pa.Table],
    text: CardText,
    designs: Mapping[str, Layout],
) -> str:
    """The whole README.md: YAML that ``datasets`` reads, then the text for people."""
    data = DatasetCardData(
        language=[text.language] if text.language else None,
        license=text.licence,
        pretty_name=text.name,
        annotations_creators=[text.creators] if text.creators else None,
        language_creators=[text.creators] if text.creators else None,
        size_categories=[_size_category(sum(table.num_rows for table in tables.values()))],
        tags=list(text.tags),
        configs=[_config(config) for config in configs],
        dataset_info=[_info(config) for config in configs],
        designs=to_card(designs) or None,
    )
    suites = [config for config in configs if holds_items(config.name)]
    corpora = [config for config in configs if not holds_items(config.name)]
    parts = [
        f"# {text.name}",
        text.about.strip(),
        "## Configs",
        _table(suites, tables, text, designs),
        *(["## Training text", _corpora(corpora, tables, text)] if corpora else []),
        *(part for title, body in text.sections for part in (f"## {title}", body.strip())),
        "## Validation",
        text.validation,
        "## Licence",
        text.licence_text,
    ]
    return f"---\n{data.to_yaml()}\n---\n\n" + "\n\n".join(parts) + "\n"


def _config(config: ConfigFiles) -> dict[str, object]:
    files = list(config.files)
    entry: dict[str, object] = {
        "config_name": config.name,
        "data_files": [{"split": SPLIT, "path": files[0] if len(files) == 1 else files}],
        # datasets caches by this YAML alone: the hash makes changed rows a new version
        "description": f"sha256 {config.sha256}",
    }
    return entry | ({"default": True} if config.default else {})


def _info(config: ConfigFiles) -> dict[str, object]:
    return {
        "config_name": config.name,
        "features": features(config.schema),
        "splits": [{"name": SPLIT, "num_bytes": config.size, "num_examples": config.rows}],
    }


def features(schema: pa.Schema) -> list[dict[str, object]]:
    """A schema as the card's YAML describes it.

    Raises:
        SuiteError: a column that is neither text nor number nor a list of them.
    """
    return [_feature(column) for column in schema]


def _feature(column: pa.Field) -> dict[str, object]:
    kind = column.type
    if pa.types.is_list(kind):
        return {"name": column.name, "list": _dtype(column.name, kind.value_type)}
    return {"name": column.name, "dtype": _dtype(column.name, kind)}


def _dtype(name: str, kind: pa.DataType) -> str:
    for dtype in ("string", "int64", "float64", "bool"):
        if kind == pa.type_for_alias(dtype):
            return dtype
    raise SuiteError(f"column {name!r}: cannot describe {kind} on a card; use strings or numbers")


def _size_category(rows: int) -> str:
    limits = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))
    return next((name for limit, name in limits if rows < limit), "100K<n<1M")


def _table(
    configs: list[ConfigFiles],
    tables: Mapping[str, pa.Table],
    text: CardText,
    designs: Mapping[str, Layout],
) -> str:
    head = ["config", "what it tests", "n", *text.columns, "example"]
    lines = [head, ["---"] * len(head)]
    for config in configs:
        if config.name not in tables:
            about = "all the others"
            lines.append([f"`{config.name}`", about, str(config.rows), *[""] * (len(head) - 3)])
            continue
        table = tables[config.name]
        line = [f"`{config.name}`", text.paradigms.get(config.name, ""), str(config.rows)]
        line += [column.get(config.name, "") for column in text.columns.values()]
        lines.append([*line, _example(table, designs.get(config.name))])
    return _markdown(lines)


def _corpora(configs: list[ConfigFiles], tables: Mapping[str, pa.Table], text: CardText) -> str:
    """The configs that are no suites: a training text as each filter leaves it, and its counts."""
    head = ["config", "what it is", "rows", "first row"]
    lines = [head, ["---"] * len(head)]
    for config in configs:
        first, *rest = tables[config.name].slice(0, 1).to_pylist()[0].values()
        shown = f"{first} ({', '.join(map(str, rest))})" if rest else str(first)
        lines.append(
            [f"`{config.name}`", text.paradigms.get(config.name, ""), str(config.rows), shown]
        )
    return _markdown(lines)


def _markdown(lines: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(_escaped(cell) for cell in line) + " |" for line in lines)


def _example(table: pa.Table, layout: Layout | None) -> str:
    if not table.num_rows:
        return ""
    row = table.slice(0, 1).to_pylist()[0]
    if layout is not None:
        terms = layout.design.inequalities[0].terms
        columns = (layout.columns[cell] for cell, _ in terms)
        return " / ".join("".join(row[column] for column in both if column) for both in columns)
    if "sentence_good" in row:
        return f"{row['sentence_good']} / \\*{row['sentence_bad']}"
    first = next(
        name
        for name in table.column_names
        if name.endswith("_manipulated") or "_manipulated_" in name
    )
    name = first.partition("_manipulated")[0]
    both = [
        "".join(row.get(cell + part) or "" for part in ("", "_context", "_continuation"))
        for cell in (name, f"{name}_manipulated")
    ]
    return " / ".join(both)


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", " ")
