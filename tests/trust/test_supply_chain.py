"""What is installed and shipped: locked by hash, and built alike twice."""

from __future__ import annotations

import hashlib
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

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


def _script(name: str) -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "scripts" / "trust" / name))


AUDITED = {"name": "Some_Package", "version": "1.0", "vulns": []}
FAULT = {"id": "CVE-1", "fix_versions": ["1.1"]}


@pytest.mark.parametrize(
    ("output", "code", "says"),
    [
        (json.dumps({"dependencies": [AUDITED]}), 0, "1 locked packages, none with a known"),
        (json.dumps({"dependencies": [{**AUDITED, "vulns": [FAULT]}]}), 1, "CVE-1, mended in 1.1"),
        (json.dumps({"dependencies": []}), 2, "no verdict: 1 of 1 locked packages could not"),
        (json.dumps({"dependencies": [{"name": "some-package", "skip_reason": "?"}]}), 2, "no ver"),
        ("", 2, "not found on PyPI\nno verdict: 1 of 1 locked packages could not be looked up"),
    ],
    ids=["clean", "vulnerable", "not asked", "skipped", "database out of reach"],
)
def test_an_audit_passes_only_when_every_locked_package_was_looked_up(
    output: str, code: int, says: str
):
    audit = _script("audit.py")
    locked = audit["locked"]("some-package==1.0 \\\n    --hash=sha256:0\n")
    found = audit["verdict"](output, "a long traceback\nnot found on PyPI\n", locked)
    assert (found[0], says in found[1]) == (code, True), found


def test_an_audit_of_nothing_is_no_pass():
    assert _script("audit.py")["verdict"](json.dumps({"dependencies": []}), "", set())[0] == 2


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({}, None),
        ({"version": "2.0"}, "one: 1.0 is installed, not 2.0"),
        ({"licenses": []}, None),  # completed
        ({"name": "two"}, "one: installed, and not in the bill"),
    ],
    ids=["whole", "other version", "licence in words", "lacking"],
)
def test_a_bill_of_materials_that_lacks_something_is_refused(
    change: dict[str, Any], fault: str | None
):
    sbom = _script("sbom.py")
    there = {"one": sbom["Installed"]("1.0", "Apache 2.0 License")}
    component = {"name": "One", "version": "1.0", "licenses": [{"license": {"id": "MIT"}}]}
    bill = sbom["completed"]({"components": [{**component, **change}]}, there)
    found = sbom["faults"](bill, there, set())
    assert found == ([] if fault is None else [fault])


def test_a_bill_of_materials_has_what_is_locked_for_this_platform():
    sbom = _script("sbom.py")
    locked = sbom["locked"](
        'one==1 \\\n    --hash=sha256:0\ntwo==1 ; sys_platform == "none" \\\n    --hash=sha256:0\n'
    )
    assert sbom["faults"]({"components": []}, {}, locked) == ["one: locked, and not in the bill"]


def test_a_bill_of_materials_names_no_folder_of_the_machine_it_was_made_on():
    references = [{"type": "distribution", "url": "file:///home/me/one"}]
    bill = {"components": [{"name": "one", "externalReferences": references}]}
    assert "file:" not in json.dumps(_script("sbom.py")["completed"](bill, {}))
