"""The fault harness: commands killed, starved of disk, network and leave, doubled; then finished.

python scripts/trust/faults.py [--kills 200] [--only JOB]… [--without-disturbances]
    [--out FILE.json] [--work FOLDER]

Kills are shared out among the jobs of ``tests/trust/jobs.py``; ``--kills 0`` leaves the other
faults. The table says what was injected, after how many faults the same command ended with an
undisturbed run's result, and how many records that had been kept were lost. Exit code 1 unless all
survived and none was lost.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
os.environ |= {
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
}

from trust import disturbances  # noqa: E402
from trust.harness import Tally, finish, killed  # noqa: E402
from trust.jobs import generating, jobs, load_libraries, write_inputs  # noqa: E402

# A kill of these costs more: they get fewer.
_WEIGHTS = {
    **dict.fromkeys(("train lstm", "train causal", "train masked", "study climp"), 0.5),
    "study let-alone": 0.25,
}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=200)
    options.add_argument("--only", action="append", default=[])
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--without-disturbances", action="store_true")
    options.add_argument("--out", type=Path)
    options.add_argument("--work", type=Path)
    given = options.parse_args()
    work = given.work or Path(tempfile.mkdtemp(prefix="minpairs-faults-"))
    os.environ["HF_HOME"] = str(work / "hf")
    load_libraries()
    inputs = work / "inputs"
    finish(lambda: write_inputs(inputs), work / "inputs.log")
    finish(lambda: generating(inputs).run(inputs / "suites"), work / "inputs.log")
    tallies: list[Tally] = []
    every = jobs(inputs)
    if unknown := set(given.only) - {*every, "chat"}:
        options.error(f"no job {', '.join(sorted(unknown))}; there are {', '.join(every)}, chat")
    chosen = {name: job for name, job in every.items() if name in (given.only or every)}
    whole = sum(_WEIGHTS.get(name, 1.0) for name in chosen)
    for name, job in chosen.items() if given.kills else ():
        kills = -int(-given.kills * _WEIGHTS.get(name, 1.0) // whole)
        tallies.append(
            _timed(
                lambda job=job, kills=kills: [
                    killed(job, work / "kill" / job.name.replace(" ", "-"), kills, given.seed)
                ]
            )[0]
        )
        _keep(given.out, tallies)
    if not given.without_disturbances:
        for disturb in disturbances.ALL:
            folder = work / disturb.__name__
            tallies += _timed(lambda d=disturb, f=folder: d(inputs, f, given.only))
            _keep(given.out, tallies)
    if given.work is None:
        shutil.rmtree(work)
    sound = all(tally.survived == tally.injected and not tally.lost for tally in tallies)
    return 0 if tallies and sound else 1


def _timed(run: Callable[[], list[Tally]]) -> list[Tally]:
    begun = time.monotonic()
    tallies = run()
    for tally in tallies:
        print(
            f"{tally.job:<20}{tally.fault:<34}{tally.injected:>5} injected {tally.survived:>5} "
            f"survived {tally.lost:>3} records lost  {time.monotonic() - begun:6.0f} s",
            *tally.notes,
            sep="\n    ",
            flush=True,
        )
    return tallies


def _keep(out: Path | None, tallies: list[Tally]) -> None:
    if out is not None:
        out.write_text(json.dumps([asdict(tally) for tally in tallies], indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
