"""Speed and memory beside peers, each figure a ratio within one run: `make bench`.

Every measurement is a process of its own (jobs.py). Peers and ours take turns, and of each the
best run counts, so that a neighbour's load falls on both; processor seconds over wall seconds show
whether both cores were free. Writes RESULTS.md beside this file, a part as soon as it is measured;
results.json keeps the parts of earlier runs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from minpairs.signature import versions

HERE = Path(__file__).resolve().parent
HIDDEN, INNER, LAYERS = 768, 3072, 12
OPT_HEAD, BERT_HEAD = 16_384, 21_128
LAYER_FLOPS = 2 * (4 * HIDDEN * HIDDEN + 2 * HIDDEN * INNER)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    work: str
    who: str
    rate: float
    ratio: float | None
    target: str
    peak_mb: float
    busy: float
    note: str = ""


def measure(job: str, **options: Any) -> dict[str, Any]:
    """Runs one job in a new process, on the device that was asked for."""
    options = {"device": os.environ.get("MINPAIRS_BENCH_DEVICE", "cpu"), **options}
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


def row(
    work: str,
    who: str,
    result: Mapping[str, Any],
    best: float | None = None,
    *,
    target: str = "",
    note: str = "",
) -> Row:
    """A table row; ``best`` is the peers' best rate."""
    ratio = None if best is None else result["rate"] / best
    return Row(work, who, result["rate"], ratio, target, result["peak_mb"], result["busy"], note)


def peers_of(options: dict[str, Any], jobs: dict[str, list[int]]) -> dict[str, dict[str, Any]]:
    """Each peer at each batch size, by name."""
    return {
        f"{job}, batch {size}": measure(job, **options, batch=size)
        for job, sizes in jobs.items()
        for size in sizes
    }


def fastest(peers: Mapping[str, dict[str, Any]]) -> float:
    """The best rate of any peer, at any batch size."""
    return float(max(result["rate"] for result in peers.values()))


def faster(one: dict[str, Any], other: dict[str, Any] | None) -> dict[str, Any]:
    """The better of two measurements of one thing."""
    return one if other is None or one["rate"] >= other["rate"] else other


def matrix_rate(dtype: str, vocabulary: int) -> float:
    """Floating-point operations a second of the products that a model is made of."""
    return float(measure("matrix_rate", dtype=dtype, vocabulary=vocabulary)["rate"])


def of_floor(flops: float, seconds: float, rate: float) -> str:
    """Which share of the time the matrix products alone would take at the machine's rate."""
    return f"{100 * flops / rate / seconds:.0f} % of the floor"


def causal_flops(result: dict[str, Any]) -> float:
    """Of the distinct prefixes."""
    return float(result["positions"] * (LAYERS * LAYER_FLOPS + 2 * HIDDEN * OPT_HEAD))


def masked_flops(result: dict[str, Any]) -> float:
    """Of distinct masked rows, the last layer's query and the head at one position."""
    last = 2 * 2 * HIDDEN * HIDDEN * result["positions"]  # keys and values
    one = 2 * (2 * HIDDEN * HIDDEN + 2 * HIDDEN * INNER) + 2 * HIDDEN * (HIDDEN + BERT_HEAD)
    layers = result["positions"] * (LAYERS - 1) * LAYER_FLOPS
    return float(layers + last + result["rows"] * one)


def causal(sample: int, items: int | None, benchmark: str, config: str, name: str) -> list[Row]:
    """The let-alone study's OPT on one of its suites."""
    of = {"benchmark": benchmark, "config": config}
    jobs = {"minicons": [32, 128], "lm_eval": [32, 128]}
    whole = of if items is None else {**of, "items": items}
    peers = peers_of({**of, "sample": sample}, jobs)
    runs: dict[str, list[dict[str, Any]]] = {}
    rates: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        measure("save_model", **of, folder=folder)
        for turn, dtype in enumerate(("float32", "bfloat16", "adaptive") * 2):
            if turn:  # the machine may have become slower, or faster
                size = max(peers, key=lambda peer: peers[peer]["rate"]).partition(", batch ")
                again = peers_of({**of, "sample": sample}, {size[0]: [int(size[2])]})
                peers = {peer: faster(of_peer, again.get(peer)) for peer, of_peer in peers.items()}
            runs.setdefault(dtype, []).append(
                measure("whole_run", **whole, dtype=dtype, folder=folder)
            )
            if dtype != "adaptive":
                rates.setdefault(dtype, []).append(matrix_rate(dtype, OPT_HEAD))
    full, half, mixed = (
        max(runs[dtype], key=lambda run: run["rate"])
        for dtype in ("float32", "bfloat16", "adaptive")
    )
    best = max(peer["rate"] for peer in peers.values())
    formal = config != "scalar"
    work = f"{name}, OPT 97M"
    share = full["positions"] / full["texts"]
    verdicts = f"{mixed['right']} items right; in float32 {full['right']}"
    floors = {
        dtype: of_floor(causal_flops(run), run["seconds"], max(rates[dtype]))
        for dtype, run in (("float32", full), ("bfloat16", half))
    }
    return [
        *(row(work, peer, result) for peer, result in peers.items()),
        row(
            work,
            "minpairs float32",
            full,
            best,
            target="4.5x" if formal else "3.5x",
            note=f"{floors['float32']}; {share:.2f} positions a text",
        ),
        row(
            work,
            "minpairs bfloat16",
            half,
            best,
            target="13x" if formal else "",
            note=floors["bfloat16"],
        ),
        row(
            work,
            "minpairs adaptive",
            mixed,
            best,
            target="8x" if formal else "",
            note=verdicts,
        ),
    ]


def masked(sample: int) -> list[Row]:
    """A model of the shape of bert-base-chinese on CLiMP."""
    of = {"benchmark": "climp", "config": "all", "masked": True, "sample": sample}
    before = {**peers_of(of, {"minicons": [1, 32]}), "plain loop": measure("loop", **of)}
    runs: dict[str, list[dict[str, Any]]] = {}
    rates: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        measure("save_model", **of, folder=folder)
        for dtype in ("float32", "bfloat16", "float32", "bfloat16"):
            runs.setdefault(dtype, []).append(measure("ours", **of, dtype=dtype, folder=folder))
            rates.setdefault(dtype, []).append(matrix_rate(dtype, BERT_HEAD))
    after = {**peers_of(of, {"minicons": [32]}), "plain loop": measure("loop", **of)}
    peers = {peer: faster(result, after.get(peer)) for peer, result in before.items()}
    best = fastest(peers)
    work = "CLiMP, BERT base"
    rows = [row(work, peer, result) for peer, result in peers.items()]
    for dtype, target in (("float32", "1.25x"), ("bfloat16", "3.3x")):
        run = max(runs[dtype], key=lambda run: run["rate"])
        floor = of_floor(masked_flops(run), run["seconds"], max(rates[dtype]))
        rows.append(row(work, f"minpairs {dtype}", run, best, target=target, note=floor))
    return rows


def ngram() -> list[Row]:
    """A character 5-gram on all of CLiMP, against a loop that checks and keeps nothing."""
    with tempfile.TemporaryDirectory() as folder:
        of = {"benchmark": "climp", "config": "all", "file": str(Path(folder) / "model.arpa")}
        measure("train_ngram", **of)
        loop = measure("kenlm_loop", **of)
        ours = measure("ngram", **of)
        loop_after = measure("kenlm_loop", **of)
    best = max(loop["rate"], loop_after["rate"])
    work = "CLiMP, 5-gram"
    return [row(work, "plain kenlm loop", loop), row(work, "minpairs", ours, best)]


def growth() -> list[Row]:
    """Cost by distinct prefixes: 1, 4 and 16 times as many items."""
    rows: list[Row] = []
    of = {"benchmark": "let_alone", "config": "npi"}
    with tempfile.TemporaryDirectory() as folder:
        measure("save_model", **of, folder=folder)
        for items in (100, 400, 1600):
            result = measure("ours", **of, items=items, folder=folder)
            each = 1e3 * result["seconds"] / result["positions"]
            note = f"{result['positions']:,} positions, {each:.2f} ms each"
            work = f"npi, {items:,} items, OPT 97M"
            rows.append(row(work, "minpairs float32", result, note=note))
    return rows


def repeat() -> list[Row]:
    """The same command twice: the second run computes nothing."""
    with tempfile.TemporaryDirectory() as folder:
        model, out = Path(folder) / "opt", Path(folder) / "results"
        measure("save_model", benchmark="let_alone", config="npi", folder=str(model))
        command = [sys.executable, "-m", "minpairs", "score", str(model), "let_alone:npi"]
        command += ["--dtype", "bfloat16", "--precision-sample", "0", "--out", str(out)]
        seconds = []
        for _ in range(2):
            begun = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True, cwd=HERE.parent)
            seconds.append(time.perf_counter() - begun)
            files = {path: path.stat().st_mtime_ns for path in out.glob("*/scores/*")}
            if len(seconds) == 1:
                before = files
        if files != before:
            raise SystemExit("the second run wrote scores anew")
    note = f"first run {seconds[0]:.1f} s, second {seconds[1]:.1f} s; no score written again"
    nothing = {"rate": 41_736 / seconds[1], "peak_mb": float("nan"), "busy": float("nan")}
    return [row("npi asked for again, OPT 97M", "minpairs", nothing, target="< 5 s", note=note)]


def markdown(parts: Mapping[str, Mapping[str, Any]]) -> str:
    """The table, and what it was made with."""
    lines = [
        "# Benchmark results",
        "",
        "Made by `make bench` (`run.py`). A ratio compares with the best peer of the same run at",
        "its best batch size; of several runs in turn the best one counts, of peers and of ours.",
        "Peers score a random sample, in float32. `cpu/wall` is near 2 where",
        "both cores were free. Ours keeps every score on disk. The floor is what the matrix",
        "products of the distinct prefixes (or masked rows) would take at the rate that the",
        "machine showed for just these shapes.",
        "",
        "| work | who | texts/s | ratio | target | peak MB | cpu/wall | |",
        "|:--|:--|--:|--:|--:|--:|--:|:--|",
    ]
    made = []
    for name, part in parts.items():
        made.append(f"{name}: {part['when']}, {part['made']}")
        for one in (Row(**values) for values in part["rows"]):
            ratio = "" if one.ratio is None else f"{one.ratio:.2f}x"
            peak = "" if one.peak_mb != one.peak_mb else f"{one.peak_mb:.0f}"
            busy = "" if one.busy != one.busy else f"{one.busy:.2f}"
            lines.append(
                f"| {one.work} | {one.who} | {one.rate:,.1f} | {ratio} | {one.target} | "
                f"{peak} | {busy} | {one.note} |"
            )
    return "\n".join([*lines, "", *(f"- {line}" for line in made)]) + "\n"


def _made() -> str:
    machine = f"{_processor()}, {os.cpu_count()} cores"
    named = versions("torch", "transformers", "minicons", "lm-eval", "kenlm")
    return machine + "; " + ", ".join(f"{name} {version}" for name, version in named.items())


def _processor() -> str:
    try:
        info = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    found = {line.partition(":")[2].strip() for line in info.splitlines() if "model name" in line}
    flags = "with AMX" if "amx_bf16" in info else "without AMX"
    return f"{', '.join(sorted(found)) or platform.machine()} {flags}"


def main() -> None:
    """Runs the parts that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    every = ["npi", "scalar", "masked", "ngram", "growth", "repeat"]
    parser.add_argument("parts", nargs="*", default=every, help=", ".join([*every, "published"]))
    parser.add_argument("--sample", type=int, default=800, help="texts that peers score")
    parser.add_argument("--items", type=int, default=2000, help="items of scalar (its first)")
    parser.add_argument("--masked-sample", type=int, default=300)
    parser.add_argument(
        "--published", help="folder that `minpairs import let-alone` made, for the part published"
    )
    parser.add_argument("--device", default="cpu", help="cpu, or cuda for what runs in torch")
    arguments = parser.parse_args()
    os.environ["MINPAIRS_BENCH_DEVICE"] = arguments.device
    sample = arguments.sample
    store = HERE / "results.json"
    parts = json.loads(store.read_text()) if store.exists() else {}
    for part in arguments.parts:
        if part == "published" and not arguments.published:
            parser.error("published needs --published FOLDER")
        jobs = {
            "npi": lambda: causal(sample, None, "let_alone", "npi", "npi"),
            "published": lambda: causal(sample, None, arguments.published, "npi", "published npi"),
            "scalar": lambda: causal(sample, arguments.items, "let_alone", "scalar", "scalar"),
            "masked": lambda: masked(arguments.masked_sample),
            **{"ngram": ngram, "growth": growth, "repeat": repeat},
        }
        if part not in jobs:
            parser.error(f"no part {part!r}; there are {', '.join(jobs)}")
        rows = jobs[part]()
        when = datetime.now(UTC).date().isoformat()
        parts[part] = {"when": when, "made": _made(), "rows": [asdict(one) for one in rows]}
        store.write_text(json.dumps(parts, indent=1) + "\n", encoding="utf-8")
        (HERE / "RESULTS.md").write_text(markdown(parts), encoding="utf-8")
    print(markdown(parts))


if __name__ == "__main__":
    main()
