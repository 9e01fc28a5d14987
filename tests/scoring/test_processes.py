"""Several processes: the same scores in the same order, and failures that do not hang."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_models import SENTENCES, byte_tokenizer, causal

from minpairs.scoring import load_scorer
from minpairs.scoring.processes import Processes, current_processes

SCRIPT = """
import json, sys
from pathlib import Path
from minpairs.results import ScoreStore
from minpairs.scoring import load_scorer
scorer = load_scorer(sys.argv[1], batch_tokens=32, tree_nodes=16)
texts = json.loads(Path(sys.argv[2]).read_text())
scores = scorer.score(texts, journal=ScoreStore(Path(sys.argv[3])))
Path(f"{sys.argv[3]}/rank{scorer.processes.rank}.json").write_text(
    json.dumps([scorer.processes.size, [score.logprob for score in scores]])
)
"""


@given(st.lists(st.integers(1, 9), max_size=20), st.integers(1, 5))
def test_every_task_has_one_process_and_loads_are_even(costs, size):
    shares = [Processes(rank, size).share(costs) for rank in range(size)]
    assert sorted(task for share in shares for task in share) == list(range(len(costs)))
    loads = [sum(costs[task] for task in share) for share in shares]
    assert max(loads) - min(loads) <= max(costs, default=0)


def test_one_process_has_everything():
    one = Processes()
    assert one.main
    assert one.share([3, 1, 2]) == [0, 1, 2]
    assert one.gather("x") == ["x"]


def test_accelerate_s_silent_single_process_is_noticed(monkeypatch, caplog):
    monkeypatch.setenv("ACCELERATE_USE_CPU", "True")
    monkeypatch.setenv("MASTER_PORT", "29500")
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    assert current_processes() == Processes()
    assert "torchrun --nproc_per_node" in caplog.text


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    causal(positions=64).save_pretrained(folder)
    byte_tokenizer().save_pretrained(folder)
    return folder


def launch(model: Path, folder: Path, texts: list[str], processes: int) -> subprocess.Popen[str]:
    folder.mkdir(exist_ok=True)
    (folder / "script.py").write_text(SCRIPT)
    (folder / "texts.json").write_text(json.dumps(texts))
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "torch.distributed.run", "--standalone"),
            *("--nproc_per_node", str(processes), str(folder / "script.py")),
            *(str(model), str(folder / "texts.json"), str(folder / "scores")),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "ACCELERATE_USE_CPU": "1", "OMP_NUM_THREADS": "1"},
    )


@pytest.mark.parametrize("number", [1, 7])
def test_two_processes_score_as_one(model, tmp_path, number):
    texts = [*SENTENCES, SENTENCES[0]][:number]
    expected = [score.logprob for score in load_scorer(model).score(texts)]
    process = launch(model, tmp_path, texts, 2)
    output, _ = process.communicate(timeout=240)
    assert process.returncode == 0, output
    for rank in (0, 1):
        size, logprobs = json.loads((tmp_path / "scores" / f"rank{rank}.json").read_text())
        assert size == 2
        assert logprobs == pytest.approx(expected, abs=1e-4)


def test_a_fault_ends_every_process_with_its_message(model, tmp_path):
    process = launch(model, tmp_path, ["Yes.", ""], 2)
    output, _ = process.communicate(timeout=240)
    assert process.returncode != 0
    assert "text 1 is empty" in output


def test_a_process_that_is_killed_ends_the_run(model, tmp_path):
    process = launch(model, tmp_path, list(SENTENCES) * 3, 2)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.exists():
        process.kill()
        pytest.skip("needs /proc to find the launcher's processes")
    deadline = time.monotonic() + 120
    while len(workers := children.read_text().split()) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(int(workers[1]), signal.SIGKILL)
    output, _ = process.communicate(timeout=240)
    assert process.returncode != 0
    assert "SIGKILL" in output or "-9" in output
