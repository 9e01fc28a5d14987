"""Speed and memory beside peers, each figure a ratio within one run: `make bench`.

Every measurement is a process of its own (jobs.py). Each run of ours stands between two of the best
peer's, and of the machine's rate of matrix products: its ratios are to their means, and the median
of several such ratios counts, so that a neighbour's load falls on both. Processor seconds over wall
seconds show whether both cores were free. Writes RESULTS.md beside this file, a part as soon as it
is measured; results.json keeps the parts of earlier runs.
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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean, median
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
    ratio: float | None = None,
    *,
    target: str = "",
    note: str = "",
) -> Row:
    """A table row; ``ratio`` is to the peers' best rate."""
    return Row(work, who, result["rate"], ratio, target, result["peak_mb"], result["busy"], note)


def peers_of(options: dict[str, Any], jobs: dict[str, list[int]]) -> dict[str, dict[str, Any]]:
    """Each peer at each batch size, by name."""
    names = [f"{job}, batch {size}" for job, sizes in jobs.items() for size in sizes]
    return {name: peer_named(name, options) for name in names}


def peer_named(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """One peer at one batch size, by its name in the table."""
    job, _, size = name.partition(", batch ")
    return measure(job, **options, batch=int(size))


@dataclass(frozen=True, slots=True)
class Turn:
    """A run of ours, and what was measured just before and just after it."""

    run: dict[str, Any]
    peer: float
    machine: float | None

    @property
    def ratio(self) -> float:
        """To the peer's mean rate."""
        return float(self.run["rate"] / self.peer)

    def floor(self, flops: float) -> float:
        """The share of the time that the matrix products alone would take."""
        if self.machine is None:
            raise ValueError("the machine's rate was not measured")
        return flops / self.machine / float(self.run["seconds"])


def in_turn(
    dtypes: Sequence[str],
    ours: Callable[[str], dict[str, Any]],
    peer: Callable[[], dict[str, Any]],
    vocabulary: int,
) -> tuple[dict[str, list[Turn]], list[dict[str, Any]]]:
    """Ours and the best peer by turns: the turns of each precision, and the peer's runs."""
    turns: dict[str, list[Turn]] = {}
    peers = [peer()]
    for dtype in dtypes:
        # Adaptive runs are of two precisions: there is no rate of theirs.
        rates = [] if dtype == "adaptive" else [matrix_rate(dtype, vocabulary)]
        run = ours(dtype)
        machine = fmean([*rates, matrix_rate(dtype, vocabulary)]) if rates else None
        peers.append(peer())
        around = fmean(float(one["rate"]) for one in peers[-2:])
        turns.setdefault(dtype, []).append(Turn(run, around, machine))
    return turns, peers


def summary(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Several runs of one thing: their median speed, and the most memory of any."""
    return {
        **runs[0],
        **{key: median(float(run[key]) for run in runs) for key in ("rate", "busy")},
        "peak_mb": max(run["peak_mb"] for run in runs),
    }


def ours_row(
    work: str, dtype: str, turns: Sequence[Turn], target: str, flops: float | None, note: str = ""
) -> Row:
    """Our row of the table: the median of the turns' ratios, and how far they lie apart."""
    ratios = sorted(turn.ratio for turn in turns)
    said = [f"{median(turn.floor(flops) for turn in turns):.0%} of the floor"] if flops else []
    said += [note] if note else []
    said += [f"ratios {ratios[0]:.2f}–{ratios[-1]:.2f}"]
    done, note = summary([turn.run for turn in turns]), "; ".join(said)
    return row(work, f"minpairs {dtype}", done, median(ratios), target=target, note=note)


def fastest(peers: Mapping[str, dict[str, Any]]) -> str:
    """The peer, and its batch size, with the best rate."""
    return max(peers, key=lambda peer: float(peers[peer]["rate"]))


def matrix_rate(dtype: str, vocabulary: int) -> float:
    """Floating-point operations a second of the products that a model is made of."""
    return float(measure("matrix_rate", dtype=dtype, vocabulary=vocabulary)["rate"])


def causal_flops(result: dict[str, Any]) -> float:
    """Of the distinct prefixes."""
    return float(result["positions"] * (LAYERS * LAYER_FLOPS + 2 * HIDDEN * OPT_HEAD))


def masked_flops(result: dict[str, Any]) -> float:
    """Of distinct masked rows, the last layer's query and the head at one position."""
    last = 2 * 2 * HIDDEN * HIDDEN * result["positions"]  # keys and values
    one = 2 * (2 * HIDDEN * HIDDEN + 2 * HIDDEN * INNER) + 2 * HIDDEN * (HIDDEN + BERT_HEAD)
    layers = result["positions"] * (LAYERS - 1) * LAYER_FLOPS
    return float(layers + last + result["rows"] * one)


def causal(
    sample: int, items: int | None, benchmark: str, config: str, name: str, rounds: int
) -> list[Row]:
    """The let-alone study's OPT on one of its suites."""
    of = {"benchmark": benchmark, "config": config}
    peers = peers_of({**of, "sample": sample}, {"minicons": [32, 128], "lm_eval": [32, 128]})
    best = fastest(peers)
    whole = of if items is None else {**of, "items": items}
    with tempfile.TemporaryDirectory() as folder:
        measure("save_model", **of, folder=folder)
        turns, runs = in_turn(
            ("float32", "bfloat16", "adaptive") * rounds,
            lambda dtype: measure("whole_run", **whole, dtype=dtype, folder=folder),
            lambda: peer_named(best, {**of, "sample": sample}),
            OPT_HEAD,
        )
    peers[best] = summary([peers[best], *runs])
    full, half, mixed = (turns[dtype] for dtype in ("float32", "bfloat16", "adaptive"))
    work, formal = f"{name}, OPT 97M", config != "scalar"
    share = full[0].run["positions"] / full[0].run["texts"]
    verdicts = f"{mixed[0].run['right']} items right; in float32 {full[0].run['right']}"
    flops = [causal_flops(one[0].run) for one in (full, half)]
    return [
        *(row(work, peer, result) for peer, result in peers.items()),
        ours_row(
            work,
            "float32",
            full,
            "4.5x" if formal else "3.5x",
            flops[0],
            f"{share:.2f} positions a text",
        ),
        ours_row(work, "bfloat16", half, "13x" if formal else "", flops[1]),
        ours_row(work, "adaptive", mixed, "8x" if formal else "", None, verdicts),
    ]


def masked(sample: int, rounds: int = 4) -> list[Row]:
    """A model of the shape of bert-base-chinese on CLiMP."""
    of = {"benchmark": "climp", "config": "all", "masked": True, "sample": sample}
    peers = peers_of(of, {"minicons": [1, 32]})
    best = fastest(peers)
    runs: dict[str, list[dict[str, Any]]] = {best: [peers[best]], "plain loop": []}

    def peer() -> dict[str, Any]:
        """The better of two that are about as fast."""
        now = {best: peer_named(best, of), "plain loop": measure("loop", **of)}
        for name, run in now.items():
            runs[name].append(run)
        return now[fastest(now)]

    with tempfile.TemporaryDirectory() as folder:
        measure("save_model", **of, folder=folder)
        turns, _ = in_turn(
            ("float32", "bfloat16") * rounds,
            lambda dtype: measure("ours", **of, dtype=dtype, folder=folder),
            peer,
            BERT_HEAD,
        )
    peers |= {name: summary(of_peer) for name, of_peer in runs.items()}
    work = "CLiMP, BERT base"
    return [
        *(row(work, name, result) for name, result in peers.items()),
        *(
            ours_row(work, dtype, turns[dtype], target, masked_flops(turns[dtype][0].run))
            for dtype, target in (("float32", "1.25x"), ("bfloat16", "3.3x"))
        ),
    ]


def ngram() -> list[Row]:
    """A character 5-gram on all of CLiMP, against a loop that checks and keeps nothing."""
    with tempfile.TemporaryDirectory() as folder:
        of = {"benchmark": "climp", "config": "all", "file": str(Path(folder) / "model.arpa")}
        measure("train_ngram", **of)
        loop = measure("kenlm_loop", **of)
        ours = measure("ngram", **of)
        loop_after = measure("kenlm_loop", **of)
    work, loops = "CLiMP, 5-gram", summary([loop, loop_after])
    return [
        row(work, "plain kenlm loop", loops),
        row(work, "minpairs", ours, ours["rate"] / loops["rate"]),
    ]


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
        "Made by `make bench` (`run.py`). A ratio compares a run of ours with the best peer, at",
        "its best batch size, just before and just after; the median of several of these counts,",
        "and their range is given. Speeds are medians, memory is the most of any run. Peers score",
        "a random sample, in float32. `cpu/wall` is near 2 where both cores were free. Ours keeps",
        "every score on disk. The floor is what the matrix products of the distinct prefixes (or",
        "masked rows) would take at the rate that the machine showed for these shapes, before and",
        "after.",
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
    parser.add_argument("--rounds", type=int, default=2, help="turns of each precision, causal")
    parser.add_argument("--masked-sample", type=int, default=80)
    parser.add_argument(
        "--published", help="folder that `minpairs import let-alone` made, for the part published"
    )
    parser.add_argument("--device", default="cpu", help="cpu, or cuda for what runs in torch")
    arguments = parser.parse_args()
    os.environ["MINPAIRS_BENCH_DEVICE"] = arguments.device
    sample = arguments.sample
    store = HERE / "results.json"
    parts = json.loads(store.read_text()) if store.exists() else {}
    published, items, rounds = arguments.published, arguments.items, arguments.rounds
    jobs: dict[str, Callable[[], list[Row]]] = {
        "npi": lambda: causal(sample, None, "let_alone", "npi", "npi", rounds),
        "published": lambda: causal(sample, None, published, "npi", "published npi", rounds),
        "scalar": lambda: causal(sample, items, "let_alone", "scalar", "scalar", rounds),
        "masked": lambda: masked(arguments.masked_sample),
        **{"ngram": ngram, "growth": growth, "repeat": repeat},
    }
    for part in arguments.parts:
        if part == "published" and not published:
            parser.error("published needs --published FOLDER")
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
