"""Run by compat.py with each release of `datasets`: needs nothing but datasets and evaluate."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import datasets
import pyarrow as pa
import yaml

PAIRS = {"acceptable": [-1.0, -2.0, -3.0], "unacceptable": [-2.0, -1.0, -3.0]}


def content_hash(rows: datasets.Dataset) -> str:
    """As ``minpairs.benchmarks.hub.content_hash``, which these environments cannot import."""
    digest = hashlib.sha256(json.dumps(rows.column_names).encode("ascii") + b"\n")
    for row in rows:
        line = json.dumps(list(row.values()), ensure_ascii=False)
        digest.update(line.encode("utf-8") + b"\n")
    return digest.hexdigest()


def load(folder: str) -> tuple[int, int, str]:
    """Number of configs and of rows, and the first fault."""
    card = yaml.safe_load(Path(folder, "README.md").read_text(encoding="utf-8").split("---\n")[1])
    names = datasets.get_dataset_config_names(f"./{folder}")
    stated = {config["config_name"]: config for config in card["configs"]}
    if names != list(stated):
        return len(names), 0, f"configs {names}"
    count = 0
    for name, config in stated.items():
        try:
            rows = datasets.load_dataset(f"./{folder}", name, split="test")
        except Exception as error:  # whatever an old release raises is the answer
            return len(names), count, f"{name}: {type(error).__name__}: {error}"
        count += len(rows)
        joined = isinstance(config["data_files"][0]["path"], list)  # has the hash of its parts'
        if not joined and config["description"] != f"sha256 {content_hash(rows)}":
            return len(names), count, f"{name}: other rows than the card's"
    return len(names), count, "ok"


def metric() -> str:
    """Whether the metric loads and counts."""
    try:
        import evaluate

        loaded = evaluate.load("./metrics/minimal_pairs", "pairwise")
        found = loaded.compute(**PAIRS)
    except Exception as error:  # likewise
        return f"{type(error).__name__}: {error}"
    right = found["right"] == 1 and found["ties"] == 1 and found["n"] == 3
    return "ok" if right else f"counted {found['right']} right and {found['ties']} ties of 3"


def main() -> None:
    datasets.disable_progress_bars()
    versions = {"datasets": datasets.__version__, "pyarrow": pa.__version__}
    for folder in sys.argv[1:]:
        configs, rows, result = load(folder)
        line = {**versions, "what": folder, "configs": configs, "rows": rows, "result": result}
        print(json.dumps(line), flush=True)
    line = {**versions, "what": "metric", "configs": "", "rows": "", "result": metric()}
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
