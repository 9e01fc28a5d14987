"""Folders of tiny models, sound until a test spoils them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny_models import bert, byte_tokenizer, causal, wordpiece_tokenizer


@pytest.fixture(scope="session")
def _stored(tmp_path_factory):
    root = tmp_path_factory.mktemp("models")
    causal("opt").save_pretrained(root / "causal")
    byte_tokenizer().save_pretrained(root / "causal")
    bert().save_pretrained(root / "masked")
    wordpiece_tokenizer().save_pretrained(root / "masked")
    return root


@pytest.fixture
def causal_folder(_stored, tmp_path) -> Path:
    return shutil.copytree(_stored / "causal", tmp_path / "causal")


@pytest.fixture
def masked_folder(_stored, tmp_path) -> Path:
    return shutil.copytree(_stored / "masked", tmp_path / "masked")


@pytest.fixture
def configure() -> Callable[..., None]:
    """Changes entries of a folder's configuration."""

    def change(folder: Path, **entries: Any) -> None:
        path = folder / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | entries))

    return change
