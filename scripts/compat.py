"""Loads every config of the benchmarks, and the metric, with old and new releases of `datasets`.

    python scripts/compat.py [FOLDER]

Each release gets an environment of its own in FOLDER (.cache/compat). The rows that it loads must
have the hash that the card states.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENTS = ROOT / ".cache" / "compat"
NEWEST = "newest"
RELEASES = ("2.21.0", "3.6.0", NEWEST)
FOLDERS = ("climp", "let_alone")
METRIC = ("evaluate>=0.4.6", "numpy", "scipy")
CHILD = Path(__file__).with_name("compat_child.py")


def environment(folder: Path) -> Path:
    """The Python of an environment with a release of datasets; made if it is not there."""
    python = folder / "bin" / "python"
    if not (folder / "done").exists():
        venv.create(folder, with_pip=True, clear=True)
        wanted = "datasets" if folder.name == NEWEST else f"datasets=={folder.name}"
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([python, *install, wanted, *METRIC], check=True)
        (folder / "done").touch()
    return python


def answers(python: Path) -> list[dict[str, str]]:
    """What the child finds with that Python: one line a config, and one for the metric."""
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            [python, CHILD, *FOLDERS],
            cwd=ROOT,
            env={**os.environ, "HF_HOME": cache, "HF_HUB_OFFLINE": "1", "PYTHONPATH": "src"},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise SystemExit(f"{python}: {done.stderr[-2000:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def main(environments: Path = ENVIRONMENTS) -> int:
    """Prints a table; 1 if anything failed."""
    failed = 0
    print("| datasets | pyarrow | what | configs | rows | result |")
    print("|:--|:--|:--|--:|--:|:--|")
    for release in RELEASES:
        for row in answers(environment(environments / release)):
            failed += row["result"] != "ok"
            print(f"| {' | '.join(str(value) for value in row.values())} |", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
