"""The wheel alone is enough: grammars are inside, and nothing else comes along."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from tiny_models import byte_tokenizer, causal

pytestmark = pytest.mark.wheel
ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), ROOT],
        check=True,
        capture_output=True,
    )
    (path,) = out.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory) -> Path:
    """A new environment with the wheel in it; other packages are lent by this one."""
    home = tmp_path_factory.mktemp("empty")
    venv.create(home, with_pip=True)
    executable = home / "bin" / "python"
    subprocess.run(
        [executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel],
        check=True,
    )
    (site,) = (home / "lib").glob("python*/site-packages")
    (site / "lent.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return executable


def run(python: Path, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HF_HOME": str(cwd / "hf"), "HF_HUB_OFFLINE": "1"}
    return subprocess.run(
        [python, *arguments], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


def test_the_wheel_holds_one_top_level_name_and_the_grammars(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"minpairs"}
    assert "minpairs/grammars/climp/classifier.yaml" in names
    assert "minpairs/grammars/climp/lexicon/nouns.tsv" in names
    assert "minpairs/py.typed" in names


def test_every_package_of_the_source_is_in_the_wheel(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for path in (ROOT / "src").rglob("*.py"):
        assert str(path.relative_to(ROOT / "src")) in names


def test_the_wheel_generates_and_scores(python, tmp_path):
    where = run(python, tmp_path, "-c", "import minpairs; print(minpairs.__file__)")
    assert str(ROOT) not in where.stdout
    generated = run(python, tmp_path, "-m", "minpairs", "generate", "climp", "--n", "4")
    assert generated.returncode == 0, generated.stderr
    causal(positions=256).save_pretrained(tmp_path / "tiny")
    byte_tokenizer().save_pretrained(tmp_path / "tiny")
    scored = run(python, tmp_path, "-m", "minpairs", "score", "tiny", "climp:ba_construction")
    assert scored.returncode == 0, scored.stderr
    assert "ba_construction" in scored.stdout.replace("\n", "")


@pytest.mark.parametrize("name", ["climp", "let_alone", "metrics", "generation", "tests"])
def test_no_stray_name_can_be_imported(python, tmp_path, name):
    assert "ModuleNotFoundError" in run(python, tmp_path, "-c", f"import {name}").stderr
