"""Runs that are finished: asked for again, they are reported without loading the model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from filelock import FileLock

from minpairs._version import __version__
from minpairs.benchmarks.suites import Suite
from minpairs.errors import ResultsError
from minpairs.files import content_hash, write_durably
from minpairs.parsing import read_json
from minpairs.signature import versions

_FILE = "finished.json"


def request_key(
    model: str, suites: Sequence[Suite], options: Mapping[str, Any], files: Sequence[Path] = ()
) -> str | None:
    """What identifies a request: the model's files, every option, every text, the versions.

    Args:
        model: local folder or file of a model.
        suites: what is to be scored.
        options: all that may change a score.
        files: other files that may (token counts).

    Returns:
        A hash; ``None`` where the model is not on this machine, so that its revision is not known.
    """
    path = Path(model)
    if path.is_dir():
        files = [*(each for each in path.iterdir() if each.is_file()), *files]
    elif path.is_file():
        beside = [path.with_name(f"unigrams{suffix}") for suffix in (".parquet", ".json")]
        files = [path, *beside, *files]
    else:
        return None
    request = {
        "files": content_hash(each for each in files if each.is_file()),
        "suites": [(suite.name, suite.data_hash) for suite in suites],
        "options": dict(options),
        "minpairs": __version__,
        "versions": versions("torch", "transformers", "tokenizers", "kenlm", "jieba"),
    }
    return hashlib.sha256(json.dumps(request, sort_keys=True, default=str).encode()).hexdigest()


def mark_finished(folder: Path, key: str) -> None:
    """Records in a run's folder that a request has all its scores there."""
    path = folder / _FILE
    with FileLock(folder / ".lock"):
        keys = _keys(path)
        if key not in keys:
            write_durably(path, json.dumps([*keys, key], indent=2).encode())


def find_finished(out: Path, key: str) -> Path | None:
    """The folder under ``out`` that has all scores of a request, if any does."""
    for path in sorted(out.glob(f"*/{_FILE}")):
        if key in _keys(path):
            return path.parent
    return None


def _keys(path: Path) -> list[str]:
    if not path.exists():
        return []
    keys = read_json(path, ResultsError)
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        raise ResultsError(f"{path} is damaged: it holds no list of keys; remove it")
    return keys
