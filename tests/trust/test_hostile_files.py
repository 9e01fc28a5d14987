"""Hostile files: whatever stands in a file, a reader reads it or raises an error of ours."""

import os
from pathlib import Path

import pytest
from trust.hostile import TRANSFORMS
from trust.readers import READERS, Reader

from minpairs.errors import MinpairsError


def _files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


# Where what a file holds becomes names of files: these are written too.
_NAMES = {name for name in TRANSFORMS if "path" in name or "name" in name or "surrogate" in name}


def _fault(reader: Reader, folder: Path, transform: str) -> str | None:
    """What a reader did that it must not do."""
    read = reader.read if transform in _NAMES else reader.parse or reader.read
    try:
        read(folder)
    except MinpairsError as error:
        named = Path(reader.file).name in str(error) or os.fspath(folder) in str(error)
        return None if named else f"says not where: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


@pytest.mark.parametrize("reader", READERS, ids=str)
def test_a_sound_file_is_read(reader: Reader, tmp_path: Path):
    reader.put(tmp_path, reader.valid)
    reader.read(tmp_path)


@pytest.mark.parametrize("reader", READERS, ids=str)
def test_only_our_own_errors_escape_and_name_the_file(
    reader: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = tmp_path / "a" / "b" / "c"
    faults = {}
    for name, transform in TRANSFORMS.items():
        reader.put(folder, transform(reader.valid))
        monkeypatch.chdir(folder)
        before = _files(tmp_path)
        fault = _fault(reader, folder, name)
        written = _files(tmp_path) - before
        if fault or written:
            faults[name] = fault or f"wrote {written}"
    assert not faults
