"""Long and large: millions of pairs through an n-gram and a tiny causal model.

python scripts/trust/large.py [--pairs 2000000] [--causal-pairs 20000] [--out FILE.json]

Checked: memory stays under a bound a pair; the last quarter is scored as fast as the first; the
progress bar's counts only grow and end at their total, and the time that it says is left is about
the time that it then takes; Ctrl-C leaves a run that the same command takes up, without scoring
again what was kept.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
os.environ |= {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1"}

from trust.harness import finish, start, wait  # noqa: E402
from trust.jobs import load_libraries, write_inputs  # noqa: E402

from minpairs.progress import advance, bars  # noqa: E402

BASE_MB = 1200  # the libraries, torch first of all
PAIR_KB = 3.0  # what a pair may take beside: two texts, their scores, and a table while it is read
SLOWEST = 0.7  # the last quarter's texts a second, of the first's
LONGEST = 7200  # seconds of a run, on a busy machine
LEFT = 1.5  # how many times too long or too short the time left may be, in runs of a minute or more


@dataclass
class Measured:
    """One run.

    Attributes:
        model: ``ngram`` or ``causal``.
        pairs: items scored.
        seconds: from the start of the command to its end.
        peak_mb: most memory that the process had.
        texts_a_second: of all, of the first and of the last quarter (time of scoring alone).
        time_left: at a quarter, half and three quarters of the texts, the seconds that the progress
            bar said were left, and that were.
        kept_at_interrupt: texts done when it was interrupted, as its progress told; and the texts
            that the same command found done.
        faults: what was not as it should be.
    """

    model: str
    pairs: int
    seconds: float = 0.0
    peak_mb: float = 0.0
    texts_a_second: tuple[float, float, float] = (0.0, 0.0, 0.0)
    time_left: tuple[tuple[int, int], ...] = ()
    kept_at_interrupt: tuple[int, int] = (0, 0)
    faults: list[str] = field(default_factory=list)


def write_pairs(path: Path, pairs: int) -> None:
    """Distinct pairs of ten words, as a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([("sentence_good", pa.string()), ("sentence_bad", pa.string())])
    with pq.ParquetWriter(path, schema) as file:
        for first in range(0, pairs, 100_000):
            numbers = range(first, min(first + 100_000, pairs))
            good = [f"The cat that saw {n:b} dogs at home sits there." for n in numbers]
            bad = [f"The cat that saw {n:b} dogs at home sit there." for n in numbers]
            file.write_table(pa.table([good, bad], schema=schema))


def score(model: Path, pairs: Path, out: Path, told: Path) -> None:
    """What ``minpairs score`` does; ``told`` gets what its progress bar is told, with times."""
    from minpairs.benchmarks.suites import load_pairs
    from minpairs.running import score_suites
    from minpairs.scoring import load_scorer

    begun = time.monotonic()
    names = {"acceptable": "sentence_good", "unacceptable": "sentence_bad"}
    loaded = time.monotonic()
    with told.open("a", buffering=1) as file:
        score_suites(
            lambda dtype: load_scorer(model, dtype=dtype),
            load_pairs(pairs, **names),
            out,
            model=str(model),
            progress=lambda _: lambda *n: file.write(f"{time.monotonic()} {n[0]} {n[1]}\n"),
        )
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        file.write(f"end {time.monotonic() - begun} {loaded - begun} {peak}\n")


def measured(
    kind: str, model: Path, pairs: Path, number: int, work: Path, *, interrupt: bool
) -> Measured:
    """A run in one go; before it, if asked for, one that is interrupted and taken up."""
    found = Measured(kind, number)
    out = work / f"{kind}-out"
    if interrupt:
        _interrupt(found, model, pairs, work, out)
    whole = work / f"{kind}.whole"
    finish(lambda: score(model, pairs, out, whole), work / f"{kind}.log", LONGEST)
    steps = _steps(whole)
    words = whole.read_text().splitlines()[-1].split()
    found.seconds, found.peak_mb = round(float(words[1]), 1), round(float(words[3]), 1)
    quarter = max(1, len(steps) // 4)
    found.texts_a_second = tuple(  # type: ignore[assignment]
        round((b[1] - a[1]) / max(b[0] - a[0], 1e-9))
        for a, b in (
            (steps[0], steps[-1]),
            (steps[0], steps[quarter]),
            (steps[-quarter - 1], steps[-1]),
        )
    )
    counts = [done for _, done, _ in steps]
    if counts != sorted(counts) or counts[-1] != steps[-1][2] or counts[-1] != 2 * number:
        found.faults.append("progress does not grow to its total")
    found.time_left = time_left(steps)
    wrong = [a for a in found.time_left if not 1 / LEFT <= (a[0] + 1) / (a[1] + 1) <= LEFT]
    if found.seconds >= 60 and wrong:
        found.faults.append(f"the time left was wrong: {wrong}")
    if found.texts_a_second[2] < SLOWEST * found.texts_a_second[1]:
        found.faults.append("it became slower")
    if found.peak_mb > BASE_MB + PAIR_KB * number / 1024:
        found.faults.append(f"more memory than {BASE_MB} MB + {PAIR_KB} KB a pair")
    shutil.rmtree(out)
    return found


def time_left(steps: list[tuple[float, int, int]]) -> tuple[tuple[int, int], ...]:
    """What the command's progress bar said was left, and what was: its steps told to it again."""
    now = steps[0][0]
    found = []
    marks = [share * steps[-1][2] for share in (0.25, 0.5, 0.75)]
    shown = bars(get_time=lambda: now, auto_refresh=False, disable=True)
    task = shown.add_task("scoring", total=None)
    tell = advance(shown, task)
    for when, done, total in steps:
        now = when
        tell(done, total)
        while marks and done >= marks[0]:
            marks.pop(0)
            said = shown.tasks[task].time_remaining
            found.append((round(-1 if said is None else said), round(steps[-1][0] - now)))
    return tuple(found)


def _interrupt(found: Measured, model: Path, pairs: Path, work: Path, out: Path) -> None:
    kind, number = found.model, found.pairs
    told, again = work / f"{kind}.interrupted", work / f"{kind}.again"
    child = start(lambda: score(model, pairs, out, told), work / f"{kind}.log")
    while _last(told)[0] < number // 2:
        if os.waitpid(child, os.WNOHANG)[0]:
            found.faults.append("ended before it could be interrupted")
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGINT)
    if not wait(child):
        found.faults.append("an interrupt did not end it with an error")
    done = _last(told)[0]
    finish(lambda: score(model, pairs, out, again), work / f"{kind}.log", LONGEST)
    found.kept_at_interrupt = (done, _steps(again)[0][1])
    if found.kept_at_interrupt[1] < done:
        found.faults.append("texts that were kept were scored again")
    shutil.rmtree(out)


def _steps(told: Path) -> list[tuple[float, int, int]]:
    if not told.exists():
        return []
    lines = [line.split() for line in told.read_text().split("\n")[:-1]]
    return [(float(a), int(b), int(c)) for a, b, c in (x for x in lines if len(x) == 3)]


def _last(told: Path) -> tuple[int, int]:
    steps = _steps(told)
    return steps[-1][1:] if steps else (0, 0)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pairs", type=int, default=2_000_000)
    options.add_argument("--causal-pairs", type=int, default=20_000)
    options.add_argument("--without-interrupt", action="store_true")
    options.add_argument("--out", type=Path)
    options.add_argument("--work", type=Path)
    given = options.parse_args()
    work = given.work or Path(tempfile.mkdtemp(prefix="minpairs-large-"))
    os.environ["HF_HOME"] = str(work / "hf")
    load_libraries()
    inputs = work / "inputs"
    finish(lambda: write_inputs(inputs), work / "inputs.log")
    found = []
    for kind, model, pairs in (
        ("causal", inputs / "opt", given.causal_pairs),
        ("ngram", inputs / "model.arpa", given.pairs),
    ):
        if not pairs:
            continue
        path = work / f"{kind}.parquet"
        finish(lambda path=path, pairs=pairs: write_pairs(path, pairs), work / "inputs.log")
        found.append(
            measured(kind, model, path, pairs, work, interrupt=not given.without_interrupt)
        )
        print(json.dumps(asdict(found[-1])), flush=True)
        if given.out is not None:
            given.out.write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n")
    if given.work is None:
        shutil.rmtree(work)
    return int(any(one.faults for one in found))


if __name__ == "__main__":
    sys.exit(main())
