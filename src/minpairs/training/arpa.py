"""Writing ARPA files, a block of n-grams at a time."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from minpairs.training.kneser_ney import KneserNey

_BLOCK = 1 << 18  # n-grams in memory as text at a time


def write_arpa(model: KneserNey, path: Path) -> None:
    """Writes a model as UTF-8 text; the file appears under its name when it is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        with part.open("wb") as file:
            file.write(b"\\data\\\n")
            for n, table in enumerate(model.tables, start=1):
                file.write(f"ngram {n}={len(table)}\n".encode())
            for n in range(1, model.order + 1):
                file.write(f"\n\\{n}-grams:\n".encode())
                for block in _lines(model, n):
                    file.write(block)
            file.write(b"\n\\end\\\n")
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _lines(model: KneserNey, order: int) -> Iterator[memoryview]:
    table = model.tables[order - 1]
    units = pa.array(model.vocabulary, pa.string())
    for start in range(0, len(table), _BLOCK):
        rows: NDArray[np.integer] = np.arange(start, min(start + _BLOCK, len(table)))
        probabilities = pa.array(table.log10_prob[rows]).cast(pa.string())
        backoffs = pa.array(table.log10_backoff[rows]).cast(pa.string())
        words = []
        for n in range(order, 0, -1):
            level = model.tables[n - 1]
            words.append(units.take(pa.array(level.unit[rows])))
            rows = level.context[rows]
        text = pc.binary_join_element_wise(*reversed(words), " ")
        columns = [probabilities, text] if order == model.order else [probabilities, text, backoffs]
        lines = pc.binary_join_element_wise(*columns, "\t")
        lines = pc.binary_join_element_wise(lines, "", "\n")
        _, ends, content = lines.buffers()
        yield memoryview(content)[: np.frombuffer(ends, dtype=np.int32)[len(lines)]]
