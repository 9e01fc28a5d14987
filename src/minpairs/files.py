"""Writing files so that a reader finds them whole or not at all."""

from __future__ import annotations

import hashlib
import os
import re
import uuid
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from minpairs.errors import WriteError

_BLOCK = 1 << 20
_LONGEST = 120  # bytes of a name that is taken as it is: a file system has room for 255


def file_name(name: str) -> str:
    """A name for a file, from any name: it cannot lead elsewhere, nor be hidden, nor too long.

    A name that cannot stand as it is gets a hash, so that two names never make one file.
    """
    safe = re.sub(r"[^\w.-]+", "-", name).lstrip(".")
    if safe == name and len(name.encode()) <= _LONGEST:
        return name
    return f"{safe[: _LONGEST // 4]}-{hashlib.sha256(repr(name).encode()).hexdigest()[:8]}"


def content_hash(paths: Iterable[Path]) -> str:
    """SHA-256 of some files' names and contents, 12 hexadecimal digits."""
    return _hash_of(tuple((path, *_state(path)) for path in sorted(paths)))


def _state(path: Path) -> tuple[int, ...]:
    """What changes whenever a file is written."""
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


@lru_cache(maxsize=16)
def _hash_of(files: tuple[tuple[Any, ...], ...]) -> str:
    # Kept, as a run asks for its model's hash more than once, and gigabytes take long to read.
    digest = hashlib.sha256()
    for path, *_ in files:
        digest.update(path.name.encode())
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()[:12]


def write_durably(path: Path, content: bytes) -> None:
    """Writes a whole file: it appears under its name once its content is on disk.

    Raises:
        WriteError: the disk is full, or may not be written to; what stood there before still does.
    """
    try:
        _write(path, content)
    except OSError as error:
        raise _no_room(path, error) from error


def check_room(folder: Path) -> None:
    """Says so where a folder takes nothing more, for libraries that fail there with other words.

    Raises:
        WriteError: the disk is full, or may not be written to.
    """
    path = folder / f".{uuid.uuid4().hex}.tmp"
    try:
        _write(path, bytes(_BLOCK))
        path.unlink()
    except OSError as error:
        raise _no_room(folder, error) from error


def _no_room(path: Path, error: OSError) -> WriteError:
    return WriteError(
        f"cannot write {path}: {error.strerror or error}; what was written before is kept: "
        "make room or give leave to write there, and run the same command again"
    )


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
