"""Writing files so that a reader finds them whole or not at all."""

from __future__ import annotations

import os
import uuid
from pathlib import Path


def write_durably(path: Path, content: bytes) -> None:
    """Writes a whole file: it appears under its name once its content is on disk."""
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
