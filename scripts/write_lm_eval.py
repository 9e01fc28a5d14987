"""Writes integrations/lm_eval: one task of lm-evaluation-harness for each suite of the benchmarks.

    python scripts/write_lm_eval.py [--climp ORG/climp] [--let-alone ORG/let_alone]

The tasks are made from the cards of climp/ and let_alone/, and name the data in these folders, or
in the repositories that are given here. They are never edited by hand.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

import pyarrow.parquet as pq
import yaml

from minpairs.benchmarks.schema import holds_items, interaction
from minpairs.files import write_durably
from minpairs.hub.folders import CardConfig, card_configs

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "integrations" / "lm_eval"
NOTICE = "# Written by scripts/write_lm_eval.py from the card; run it again instead of editing.\n"
UNION = "all"
MEANS = {
    "climp": ("acc", "tie"),
    "let_alone": ("acc", "acc_base", "acc_swapped", "tie"),
}
RESULTS = {"climp": "minimal_pair", "let_alone": "interaction"}


def template(benchmark: str, dataset: str) -> str:
    """What all tasks of a benchmark share."""
    metrics = "".join(
        f"  - metric: {name}\n    aggregation: mean\n"
        f"    higher_is_better: {'false' if name == 'tie' else 'true'}\n"
        for name in MEANS[benchmark]
    )
    return (
        f"{NOTICE}dataset_path: {dataset}\n"
        "output_type: multiple_choice\n"
        "test_split: test\n"
        'doc_to_text: ""\n'
        "doc_to_target: 0\n"
        '# No space before a text: the harness would add one, and score " Sentence".\n'
        'target_delimiter: ""\n'
        "num_fewshot: 0\n"
        "# The harness's own accuracy lets the first choice win a tie.\n"
        f"process_results: !function utils.{RESULTS[benchmark]}\n"
        f"metric_list:\n{metrics}"
    )


def task(benchmark: str, config: CardConfig) -> str:
    """One suite; its texts are the choices, in the order in which utils.py reads them."""
    fields = {
        "include": f"_{benchmark}",
        "task": task_name(benchmark, config.name),
        "dataset_name": config.name,
        "doc_to_choice": "{{[" + ", ".join(choices(benchmark, config)) + "]}}",
        "metadata": {"version": 1, "sha256": config.sha256},
    }
    return NOTICE + dump(fields)


def task_name(benchmark: str, config: str) -> str:
    return f"{benchmark}_{config.replace('.', '_')}"


def choices(benchmark: str, config: CardConfig) -> list[str]:
    """The columns of a suite's cells; a context and its continuation are joined as they stand.

    Whole texts are scored, always after a beginning token: with a context, the harness would
    put none. The context is the same on both sides of a difference, and cancels.
    """
    if benchmark == "climp":
        return ["sentence_good", "sentence_bad"]
    construction = config.name.partition(".")[2] or "let_alone"
    return [
        cell if cell in config.columns else f"{cell}_context + {cell}_continuation"
        for cell in interaction(construction).cells
    ]


def group(name: str, benchmark: str, members: list[str]) -> str:
    """A group of tasks with the unweighted mean of their accuracies."""
    means = [
        {"metric": metric, "aggregation": "mean", "weight_by_size": False}
        for metric in MEANS[benchmark]
    ]
    fields = {
        "group": name,
        "task": members,
        "aggregate_metric_list": means,
        "metadata": {"version": 1},
    }
    return NOTICE + dump(fields)


def dump(fields: Mapping[str, object]) -> str:
    return yaml.safe_dump(dict(fields), sort_keys=False, allow_unicode=True, width=10_000)


def render(datasets: Mapping[str, str], root: Path = ROOT) -> dict[str, str]:
    """All files by name, except utils.py, which is written by hand."""
    files = {}
    for benchmark, dataset in datasets.items():
        suites = [
            config
            for config in card_configs(root / benchmark)
            if config.name != UNION and holds_items(config.name)
        ]
        files[f"_{benchmark}"] = template(benchmark, dataset)
        for config in suites:
            files[f"{task_name(benchmark, config.name)}.yaml"] = task(benchmark, config)
        parts = (
            phenomena(root / benchmark, suites)
            if benchmark == "climp"
            else constructions(benchmark, suites)
        )
        for name, members in parts.items():
            files[f"{name}_group.yaml"] = group(name, benchmark, members)
    return files


def phenomena(folder: Path, suites: list[CardConfig]) -> dict[str, list[str]]:
    """``climp`` and, in it, a group for each phenomenon."""
    found: dict[str, list[str]] = {}
    for config in suites:
        first = pq.ParquetFile(folder / config.files[0]).read_row_group(0, columns=["phenomenon"])
        name = f"climp_phenomenon_{first['phenomenon'][0].as_py()}"
        found.setdefault(name, []).append(task_name("climp", config.name))
    return {"climp": list(found), **found}


def constructions(benchmark: str, suites: list[CardConfig]) -> dict[str, list[str]]:
    """``let_alone``, and a group for each other construction."""
    found: dict[str, list[str]] = {}
    for config in suites:
        construction = config.name.partition(".")[2]
        name = f"{benchmark}_{construction}" if construction else benchmark
        found.setdefault(name, []).append(task_name(benchmark, config.name))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--climp", default="climp")
    parser.add_argument("--let-alone", default="let_alone")
    given = parser.parse_args()
    files = render({"climp": given.climp, "let_alone": given.let_alone})
    for path in {*OUT.glob("*.yaml"), *OUT.glob("_*")} - {OUT / name for name in files}:
        if path.is_file():
            path.unlink()
    for name, content in files.items():
        write_durably(OUT / name, content.encode("utf-8"))


if __name__ == "__main__":
    main()
