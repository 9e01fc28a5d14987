"""What filters did to a corpus: for programs (``report.json``) and for people (the card)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from huggingface_hub import DatasetCardData
from pydantic import TypeAdapter, ValidationError

from minpairs.benchmarks.card import features
from minpairs.errors import ResultsError
from minpairs.files import write_durably
from minpairs.training._part import SCHEMA, BySource, ScenarioCount, Tally

__all__ = ["FilterReport", "by_rule", "left_in", "read_report", "summary", "write_card"]

_UNIGRAMS = pa.schema([("token", pa.string()), ("count", pa.int64())])
_SPLIT = "train"


@dataclass(slots=True)
class FilterReport:
    """What was filtered, how, and what came out.

    Attributes:
        settings: everything that decides the result: files and their hashes, rules, seed.
        whole: the corpus before filtering, by source.
        rules: for each rule, the sentences it finds, by source. A sentence may match several.
        scenarios: for each scenario what it took out and what is left.
        unigrams: for each scenario the files of its token counts.
    """

    settings: dict[str, Any]
    whole: BySource
    rules: dict[str, BySource]
    scenarios: dict[str, ScenarioCount]
    unigrams: dict[str, ScenarioCount] = field(default_factory=dict)

    def to_json(self) -> bytes:
        """The report as the file ``report.json`` has it."""
        return _REPORT.dump_json(self, indent=1) + b"\n"


_REPORT = TypeAdapter(FilterReport)


def read_report(folder: Path) -> FilterReport:
    """The report of a folder that ``minpairs filter`` wrote.

    Raises:
        ResultsError: there is none, or it is damaged.
    """
    path = folder / "report.json"
    try:
        return _REPORT.validate_json(path.read_bytes())
    except OSError as error:
        raise ResultsError(
            f"{folder} has no report.json: it is no filtered corpus, or one not done"
        ) from error
    except ValidationError as error:
        raise ResultsError(f"{path} is damaged: {error.errors()[0]['msg']}") from error


def total(tallies: BySource) -> Tally:
    """The sum over sources."""
    whole = Tally()
    for tally in tallies.values():
        whole.add(tally)
    return whole


def summary(report: FilterReport) -> list[list[str]]:
    """One row a scenario: what it took out, and what its rules still find. With a head."""
    whole = total(report.whole)
    rows = [["scenario", "sentences out", "%", "words out", "sentences left", "still found"]]
    for name, count in report.scenarios.items():
        out = total(count.removed)
        control = report.settings["scenarios"][name]["control_of"]
        rows.append(
            [
                name,
                f"{out.sentences:,}",
                f"{100 * out.sentences / max(whole.sentences, 1):.3f}",
                f"{out.words:,}",
                f"{count.rows:,}",
                "(random)" if control else str(sum(count.remaining.values())),
            ]
        )
    return rows


def by_rule(report: FilterReport) -> list[list[str]]:
    """One row a rule: the scenarios that use it, and what it finds. With a head."""
    rows = [["rule", "sentences", "words", "used by"]]
    for rule, found in report.rules.items():
        scenarios = report.settings["scenarios"]
        users = [name for name in report.scenarios if rule in scenarios[name]["rules"]]
        tally = total(found)
        rows.append([rule, f"{tally.sentences:,}", f"{tally.words:,}", ", ".join(users)])
    return rows


def by_source(report: FilterReport, counts: Mapping[str, BySource]) -> list[list[str]]:
    """One row a source: the corpus, and each count, as ``sentences (words)``. With a head."""
    rows = [["source", "corpus", *counts]]
    for source, whole in report.whole.items():
        tallies = [whole, *(count.get(source, Tally()) for count in counts.values())]
        rows.append([source, *(f"{one.sentences:,} ({one.words:,})" for one in tallies)])
    return rows


def left_in(report: FilterReport) -> list[list[str]]:
    """One row a scenario and rule of the study's text that the filter left sentences of."""
    rows = [["scenario", "described rule", "sentences left in"]]
    for name, count in report.scenarios.items():
        rows += [[name, rule, f"{n:,}"] for rule, n in count.described.items() if n]
    return rows


def write_card(folder: Path, report: FilterReport) -> None:
    """Writes ``README.md``: the configs for ``load_dataset``, and the report for people."""
    configs = [
        (f"{kind}.{name}", count, schema)
        for kind, counts, schema in (
            ("corpus", report.scenarios, SCHEMA),
            ("unigrams", report.unigrams, _UNIGRAMS),
        )
        for name, count in counts.items()
    ]
    data = DatasetCardData(
        pretty_name=f"Filtered corpus ({report.settings['variant']})",
        configs=[_config(name, count) for name, count, _ in configs],
        dataset_info=[_info(name, count, schema) for name, count, schema in configs],
    )
    lost = left_in(report)
    removed = {name: count.removed for name, count in report.scenarios.items()}
    parts = [
        f"# Filtered corpus ({report.settings['variant']})",
        "`corpus.<scenario>` is the corpus without the sentences that the scenario takes out, "
        "`unigrams.<scenario>` its token counts "
        f"(tokens: {report.settings['tokens']}). The texts are those of their owners, "
        "under the terms under which you have them.",
        "## What was taken out",
        _markdown(summary(report)),
        "*Still found*: sentences in which any rule of the scenario finds something, counted in "
        "the files as they were written.",
        "## What each rule finds",
        "A sentence may match several rules.",
        _markdown(by_rule(report)),
        "## Taken out by source",
        "Sentences (words) by scenario, then by rule.",
        _markdown(by_source(report, removed)),
        _markdown(by_source(report, report.rules)),
    ]
    if len(lost) > 1:
        parts += ["## Left in, against the study's description", _markdown(lost)]
    files = [["file", "SHA-256"], *map(list, report.settings["corpus"].items())]
    parts += ["## What it was made from", _markdown(files)]
    text = f"---\n{data.to_yaml()}\n---\n\n" + "\n\n".join(parts) + "\n"
    write_durably(folder / "README.md", text.encode("utf-8"))


def _config(name: str, count: ScenarioCount) -> dict[str, object]:
    return {
        "config_name": name,
        "data_files": [{"split": _SPLIT, "path": f"data/{name}/{_SPLIT}-*.parquet"}],
        # datasets caches by this YAML alone: the hash makes changed rows a new version
        "description": f"sha256 {count.sha256}",
    }


def _info(name: str, count: ScenarioCount, schema: pa.Schema) -> dict[str, object]:
    return {
        "config_name": name,
        "features": features(schema),
        "splits": [{"name": _SPLIT, "num_bytes": count.size, "num_examples": count.rows}],
    }


def _markdown(rows: Sequence[Iterable[str]]) -> str:
    head, *body = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
