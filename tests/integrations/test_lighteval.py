"""The tasks of lighteval give our verdicts: run with an environment that has lighteval.

It cannot be installed beside minpairs (see integrations/README.md); name its Python:
LIGHTEVAL_PYTHON=/path/to/bin/python pytest -m slow tests/integrations/test_lighteval.py
"""

from __future__ import annotations

import os
import subprocess

import pyarrow.parquet as pq
import pytest
from harness_verdicts import EVERY, ROOT, ours, scored_by, suite_of
from tiny_models import byte_tokenizer, causal

PYTHON = os.environ.get("LIGHTEVAL_PYTHON")
TASKS = ROOT / "integrations" / "lighteval" / "minpairs_tasks.py"
SOME = ("climp_classifier", "let_alone_npi_much_less", "let_alone_scalar")
LIMIT = 20

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PYTHON is None, reason="LIGHTEVAL_PYTHON names no environment of lighteval"),
]


@pytest.mark.parametrize("adds_bos", [True, False])
def test_verdicts_equal_ours_item_by_item(tmp_path, adds_bos):
    model, tokenizer = causal("opt", positions=512), byte_tokenizer(adds_bos=adds_bos)
    model.save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    names = {task: ":".join(EVERY[task]) for task in SOME}
    subprocess.run(
        [
            *(PYTHON, "-m", "lighteval", "accelerate"),
            f"model_name={tmp_path / 'model'},dtype=float32,batch_size=8",
            ",".join(names.values()),
            *("--custom-tasks", str(TASKS), "--max-samples", str(LIMIT)),
            *("--save-details", "--output-dir", str(tmp_path / "out")),
        ],
        cwd=ROOT,
        env={**os.environ, "MINPAIRS_BOS": "" if adds_bos else "<s>"},
        check=True,
    )
    for task, name in names.items():
        (details,) = (tmp_path / "out" / "details").rglob(f"details_{name}|0_*.parquet")
        rows = sorted(pq.read_table(details).to_pylist(), key=lambda row: int(row["doc"]["id"]))
        suite = suite_of(task, 20_000).rows([int(row["doc"]["id"]) for row in rows])
        assert [row["metric"] for row in rows] == ours(suite, scored_by(model, tokenizer))
        assert len(rows) == LIMIT
