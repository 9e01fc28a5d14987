"""The tasks of lm-evaluation-harness give the verdicts that minpairs gives, item by item."""

from __future__ import annotations

import importlib.util
import zlib
from pathlib import Path

import pytest
from harness_verdicts import EVERY, ROOT, ours, scored_by, suite_of
from tiny_models import byte_tokenizer, causal

from minpairs.scoring.score import Score

TASKS = ROOT / "integrations" / "lm_eval"
LIMIT = 20
FORMAL = ("climp_classifier", "let_alone_npi_much_less")
SOME = ("climp_classifier", "let_alone_scalar")


def module(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.fixture(scope="module")
def utils():
    return module(TASKS / "utils.py")


def run(lm, tasks, limit: int):
    """What the harness finds: its results, and the verdicts on each item by task."""
    from lm_eval.evaluator import evaluate
    from lm_eval.tasks import TaskManager

    found = evaluate(
        lm,
        TaskManager(include_path=str(TASKS), include_defaults=False).load(list(tasks)),
        limit=limit,
        log_samples=True,
        bootstrap_iters=0,
    )
    items = {
        name: [
            {key: item[key] for key in item["metrics"]}
            for item in sorted(samples, key=lambda item: item["doc_id"])
        ]
        for name, samples in found["samples"].items()
    }
    return found, items


def coarse_harness():
    """A model of the harness whose scores are few and whole, so that many items tie."""
    from lm_eval.api.model import LM

    class Coarse(LM):
        def loglikelihood(self, requests):
            assert all(context == "" for context, _ in (r.args for r in requests))
            return [(coarse(text), False) for _, text in (r.args for r in requests)]

        def loglikelihood_rolling(self, requests):
            raise NotImplementedError

        def generate_until(self, requests):
            raise NotImplementedError

    return Coarse()


def coarse(text: str) -> float:
    return -1.0 - zlib.crc32(text.encode()) % 3


def score_coarsely(texts):
    # A context costs nothing, so that a continuation has the score of the whole text.
    scores = [coarse(text.context + text.continuation) for text in texts]
    return [
        Score(text.continuation, text.context, logprob=score, tokens=1, words=1, characters=1)
        for text, score in zip(texts, scores, strict=True)
    ]


def compare(tasks, limit: int) -> list[dict[str, float]]:
    from lm_eval.models.huggingface import HFLM

    model = causal("opt", positions=512)
    _, items = run(HFLM(pretrained=model, tokenizer=byte_tokenizer(), batch_size=16), tasks, limit)
    for task in tasks:
        expected = ours(suite_of(task, limit), scored_by(model, byte_tokenizer()))
        assert items[task] == expected, task
    return [item for found in items.values() for item in found]


def test_the_tasks_are_those_of_the_cards():
    written = module(ROOT / "scripts" / "write_lm_eval.py").render(
        {"climp": "climp", "let_alone": "let_alone"}
    )
    there = {
        path.name: path.read_text(encoding="utf-8")
        for path in TASKS.iterdir()
        if path.is_file() and path.name != "utils.py"
    }
    assert there == written, "run scripts/write_lm_eval.py"


def test_every_suite_has_a_task():
    assert set(EVERY) <= {path.stem for path in TASKS.glob("*.yaml")}
    assert len(EVERY) == 16 + 24


@pytest.mark.peers
def test_a_models_verdicts_equal_ours_item_by_item(monkeypatch):
    monkeypatch.chdir(ROOT)
    items = compare(SOME, limit=LIMIT)
    assert {item["acc"] for item in items} == {0.0, 1.0}


@pytest.mark.peers
def test_ties_and_both_orders_are_counted_as_ours(monkeypatch):
    monkeypatch.chdir(ROOT)
    found, items = run(coarse_harness(), FORMAL, limit=LIMIT)
    for task in FORMAL:
        expected = ours(suite_of(task, LIMIT), score_coarsely)
        assert items[task] == expected
        assert 0 < sum(item["tie"] for item in expected) < LIMIT
        assert found["results"][task]["acc,none"] == pytest.approx(
            sum(item["acc"] for item in expected) / LIMIT
        )


@pytest.mark.peers
@pytest.mark.slow
def test_all_tasks_equal_ours_and_groups_are_unweighted_means(monkeypatch):
    monkeypatch.chdir(ROOT)
    compare(EVERY, limit=25)
    groups = {
        "climp": [task for task in EVERY if task.startswith("climp")],
        "let_alone": [
            f"let_alone_{name}" for name in ("npi", "clause", "cleft", "vp", "gap", "scalar")
        ],
        "let_alone_much_less": [task for task in EVERY if task.endswith("much_less")],
    }
    found, items = run(coarse_harness(), groups, limit=25)
    for group, members in groups.items():
        accuracies = [sum(item["acc"] for item in items[task]) / 25 for task in members]
        assert found["groups"][group]["acc,none"] == pytest.approx(
            sum(accuracies) / len(accuracies)
        )


def test_a_number_that_is_not_finite_is_an_error(utils):
    with pytest.raises(ValueError, match="float32"):
        utils.minimal_pair({}, [(float("nan"), False), (-1.0, False)])


def test_contexts_that_differ_are_an_error(utils):
    doc = {"base_and_context": "a", "base_and_manipulated_context": "b"}
    with pytest.raises(ValueError, match="base_and_manipulated_context 'b' differs"):
        utils.interaction(doc, [(-1.0, False)] * 8)


def test_rounding_does_not_break_a_tie(utils):
    # 0.1 + 0.2 - 0.3 is not zero in floating point.
    assert utils.difference(0.1, -0.2, 0.3, 0.0) == 0.0
