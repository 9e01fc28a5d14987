"""What is installed and shipped: locked by hash, and built alike twice."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "requirements" / "dev.txt"


def _entries() -> list[str]:
    joined = LOCK.read_text().replace("\\\n", " ")
    return [line for line in joined.splitlines() if line.strip() and not line.startswith("#")]


def test_every_locked_requirement_has_a_version_and_hashes():
    for entry in _entries():
        assert re.match(r"[a-zA-Z0-9._-]+==\S+", entry), entry
        assert "--hash=sha256:" in entry, entry


def test_the_lock_names_no_index_and_no_path():
    text = LOCK.read_text()
    assert not re.search(r"://|--index|--find-links|file:|^-e|^/", text, re.MULTILINE)


def test_the_lock_holds_what_setup_cfg_asks_for():
    locked = {re.split("==", entry)[0].lower().replace("_", "-") for entry in _entries()}
    needed = {"transformers", "datasets", "pyarrow", "pydantic", "hypothesis", "pytest", "ruff"}
    assert needed <= locked


@pytest.mark.wheel
def test_the_same_wheel_is_built_twice(tmp_path: Path):
    one, two = tmp_path / "one", tmp_path / "two"  # another path and other times, as elsewhere
    one.mkdir()
    for name in ("setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copyfile(ROOT / name, one / name)
    ignored = shutil.ignore_patterns("*.egg-info", "__pycache__")
    for name in ("src", "generation"):
        shutil.copytree(ROOT / name, one / name, ignore=ignored, copy_function=shutil.copyfile)
    shutil.copytree(one, two, copy_function=shutil.copyfile)
    assert _wheel_hash(one) == _wheel_hash(two)


def _wheel_hash(source: Path) -> str:
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", "dist"]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    subprocess.run(command, cwd=source, env=environment, check=True, capture_output=True)
    (wheel,) = (source / "dist").glob("*.whl")
    return hashlib.sha256(wheel.read_bytes()).hexdigest()
