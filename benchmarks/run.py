"""Speed and memory beside peers, each figure a ratio within one run: `make bench`.

Every measurement is a process of its own (jobs.py). Peers run before and after ours, so that a
neighbour's load falls on both; processor seconds over wall seconds show whether both cores were
free. Writes RESULTS.md and results.json beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minpairs.signature import versions

HERE = Path(__file__).resolve().parent
HIDDEN, INNER, LAYERS = 768, 3072, 12
OPT_HEAD, BERT_HEAD = 16_384, 21_128
BODY_FLOPS = LAYERS * (4 * 2 * HIDDEN * HIDDEN + 2 * 2 * HIDDEN * INNER)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    work: str
    who: str
    rate: float
    ratio: float | None
    target: float | None
    peak_mb: float
    busy: float
    note: str = ""


def measure(job: str, **options: Any) -> dict[str, Any]:
    """Runs one job in a new process."""
    done = subprocess.run(
        [sys.executable, str(HERE / "jobs.py"), job, json.dumps(options)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"},
    )
    if done.returncode:
        raise SystemExit(f"{job} {options} failed:\n{done.stderr[-3000:]}")
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    if "texts" in result:
        result["rate"] = result["texts"] / result["seconds"]
        result["busy"] = result["cpu_seconds"] / result["seconds"]
    print(job, options, {key: value for key, value in result.items() if key != "sum"}, flush=True)
    return result


def row(work: str, who: str, result: dict[str, Any], best: float | None, **more: Any) -> Row:
    """A table row; ``best`` is the peers' best rate."""
    ratio = None if best is None else result["rate"] / best
    target = more.pop("target", None)
    return Row(work, who, result["rate"], ratio, target, result["peak_mb"], result["busy"], **more)


def peers_of(options: dict[str, Any], jobs: dict[str, list[int]]) -> dict[str, dict[str, Any]]:
    """Each peer at each batch size, by name."""
    return {
        f"{job}, batch {size}": measure(job, **options, batch=size)
        for job, sizes in jobs.items()
        for size in sizes
    }


def floor(
    result: dict[str, Any], vocabulary: int, dtype: str, positions_each: float = 1.0
) -> float:
    """Share of the time that the positions' matrix products alone would take."""
    rate = measure("matrix_rate", dtype=dtype, vocabulary=vocabulary)["rate"]
    flops = result["work"] * (BODY_FLOPS * positions_each + 2 * HIDDEN * vocabulary)
    return float(flops / rate / result["seconds"])


def causal(sample: int, items: int | None, config: str) -> list[Row]:
    """The let-alone study's OPT on one of its suites."""
    of = {"benchmark": "let_alone", "config": config}
    jobs = {"minicons": [32, 128], "lm_eval": [32, 128]}
    before = peers_of({**of, "sample": sample}, jobs)
    whole = of if items is None else {**of, "items": items}
    full = measure("ours", **whole, keep_memory=True)
    half = measure("ours", **whole, dtype="bfloat16", keep_memory=True)
    mixed = measure("adaptive", **whole, dtype="adaptive")
    exact = measure("adaptive", **whole, dtype="float32")
    best_job = max(before, key=lambda name: before[name]["rate"]).partition(",")[0]
    after = peers_of({**of, "sample": sample}, {best_job: jobs[best_job]})
    best = max(result["rate"] for result in [*before.values(), *after.values()])
    name = f"{config}, OPT 97M"
    formal = config != "scalar"
    rows = [row(name, peer, result, None) for peer, result in before.items()]
    rows.append(
        row(
            name,
            "minpairs float32",
            full,
            best,
            target=4.5 if formal else 3.5,
            note=f"{100 * floor(full, OPT_HEAD, 'float32'):.0f} % of its floor",
        )
    )
    rows.append(
        row(
            name,
            "minpairs bfloat16",
            half,
            best,
            target=13.0 if formal else None,
            note=f"{100 * floor(half, OPT_HEAD, 'bfloat16'):.0f} % of its floor",
        )
    )
    mixed["rate"] = mixed["texts"] / mixed["seconds"]
    rows.append(
        row(
            name,
            "minpairs adaptive (whole command)",
            mixed,
            best,
            target=8.0 if formal else None,
            note=f"{mixed['right']} items right; float32: {exact['right']}. "
            + " ".join(mixed["precision"]),
        )
    )
    return rows


def masked(sample: int) -> list[Row]:
    """A model of the shape of bert-base-chinese on CLiMP."""
    of = {"benchmark": "climp", "config": "all", "masked": True, "sample": sample}
    before = {**peers_of(of, {"minicons": [1, 32]}), "plain loop": measure("loop", **of)}
    full = measure("ours", **of, keep_memory=True)
    half = measure("ours", **of, dtype="bfloat16", keep_memory=True)
    after = peers_of(of, {"minicons": [32]})
    best = max(result["rate"] for result in [*before.values(), *after.values()])
    rows = [row("CLiMP, BERT base", peer, result, None) for peer, result in before.items()]
    rows.append(row("CLiMP, BERT base", "minpairs float32", full, best, target=1.25))
    rows.append(row("CLiMP, BERT base", "minpairs bfloat16", half, best, target=3.3))
    return rows


def markdown(rows: list[Row]) -> str:
    """The table, and what it was made with."""
    lines = [
        "# Benchmark results",
        "",
        "Made by `make bench`; see `run.py`. Ratios are against the best peer of the same run.",
        "",
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} processors; "
        + ", ".join(f"{name} {version}" for name, version in _versions().items()),
        "",
        "| work | who | texts/s | ratio | target | peak MB | cpu/wall | |",
        "|:--|:--|--:|--:|--:|--:|--:|:--|",
    ]
    for one in rows:
        ratio = "" if one.ratio is None else f"{one.ratio:.2f}x"
        target = "" if one.target is None else f"{one.target:g}x"
        lines.append(
            f"| {one.work} | {one.who} | {one.rate:.1f} | {ratio} | {target} | "
            f"{one.peak_mb:.0f} | {one.busy:.2f} | {one.note} |"
        )
    return "\n".join(lines) + "\n"


def _versions() -> dict[str, str]:
    return versions("torch", "transformers", "minicons", "lm-eval")


def main() -> None:
    """Runs the parts that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=["npi", "scalar", "masked"])
    parser.add_argument("--sample", type=int, default=800, help="texts that peers score")
    parser.add_argument("--items", type=int, default=2000, help="items of scalar (its first)")
    parser.add_argument("--masked-sample", type=int, default=300)
    arguments = parser.parse_args()
    rows: list[Row] = []
    for part in arguments.parts:
        if part == "masked":
            rows += masked(arguments.masked_sample)
        else:
            items = arguments.items if part == "scalar" else None
            rows += causal(arguments.sample, items, part)
        (HERE / "RESULTS.md").write_text(markdown(rows), encoding="utf-8")
    print(markdown(rows))


if __name__ == "__main__":
    main()
