"""One measurement, in a process of its own: python benchmarks/jobs.py JOB OPTIONS-AS-JSON.

Prints a line of JSON: texts scored, seconds, processor seconds, peak memory, and their scores' sum.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from models import bert, opt

from minpairs.benchmarks.schema import Text
from minpairs.benchmarks.suites import Suite, load_suites

ROOT = Path(__file__).resolve().parent.parent


def suite(options: dict[str, Any]) -> Suite:
    (loaded,) = load_suites(str(ROOT / options["benchmark"]), [options["config"]])
    return loaded.rows(range(min(options.get("items", len(loaded)), len(loaded))))


def texts(options: dict[str, Any]) -> list[Text]:
    """All distinct texts of a suite (of several: CLiMP), or a random sample of them."""
    if options["config"] == "all":
        loaded = load_suites(str(ROOT / options["benchmark"]))
        found = [text for one in loaded for text in one.every_text()]
    else:
        found = suite(options).every_text()
    distinct = list(dict.fromkeys(found))
    if "sample" in options:
        return random.Random(0).sample(distinct, options["sample"])
    return distinct


def model_for(options: dict[str, Any], chosen: list[Text]) -> tuple[Any, Any]:
    every = texts({key: value for key, value in options.items() if key != "sample"})
    wholes = [text.context + text.continuation for text in every]
    del chosen
    return (bert if options.get("masked") else opt)(wholes)


def ours(options: dict[str, Any]) -> dict[str, Any]:
    from minpairs.scoring import load_scorer

    chosen = texts(options)
    model, tokenizer = model_for(options, chosen)
    if options.get("keep_memory"):
        from minpairs.scoring.memory import keep_freed_memory

        keep_freed_memory()
    scorer = load_scorer(model, tokenizer=tokenizer, dtype=options.get("dtype"))
    scorer.score(
        [text.continuation for text in chosen[:20]], [text.context for text in chosen[:20]]
    )

    def run() -> list[float]:
        scores = scorer.score(
            [text.continuation for text in chosen], [text.context for text in chosen]
        )
        return [score.logprob for score in scores]

    counts = scorer.backend
    before = getattr(counts, "positions_run", 0) + getattr(counts, "rows_run", 0)
    result = timed(run)
    result["work"] = getattr(counts, "positions_run", 0) + getattr(counts, "rows_run", 0) - before
    return result


def adaptive(options: dict[str, Any]) -> dict[str, Any]:
    """The whole command's work: both passes, journal and verdicts."""
    import tempfile

    from minpairs.judgements import judge
    from minpairs.results import read_runs
    from minpairs.running import score_suites
    from minpairs.scoring import load_scorer

    items = suite(options)
    model, tokenizer = model_for(options, [])
    scorers = {
        dtype: load_scorer(model, tokenizer=tokenizer, dtype=dtype)
        for dtype in ("float32", "bfloat16")
    }
    with tempfile.TemporaryDirectory() as folder:

        def run() -> list[float]:
            score_suites(
                scorers.__getitem__, [items], Path(folder), model="opt", dtype=options["dtype"]
            )
            return []

        result = timed(run)
        (done,) = read_runs(Path(folder))
        (evaluation,) = judge(done).values()
        result["right"] = evaluation.micro.right
        result["precision"] = [str(precision) for precision in done.precision]
    result["texts"] = len(dict.fromkeys(items.every_text()))
    return result


def minicons(options: dict[str, Any]) -> dict[str, Any]:
    from minicons import scorer

    chosen = texts(options)
    model, tokenizer = model_for(options, chosen)
    size = options["batch"]
    batches = [chosen[start : start + size] for start in range(0, len(chosen), size)]
    if options.get("masked"):
        # minicons 0.3.39 calls what transformers 5 removed; it is the same call by another name.
        type(tokenizer).batch_encode_plus = type(tokenizer).__call__
        peer = scorer.MaskedLMScorer(model, "cpu", tokenizer=tokenizer)
    else:
        peer = scorer.IncrementalLMScorer(model, "cpu", tokenizer=tokenizer)

    def total(logprobs: torch.Tensor) -> float:
        return float(logprobs.sum())

    def run() -> list[float]:
        found: list[float] = []
        for batch in batches:
            continuations = [text.continuation for text in batch]
            if batch[0].context:
                found += peer.conditional_score(
                    [text.context for text in batch],
                    [text.lstrip() for text in continuations],
                    reduction=total,
                    bos_token=True,
                )
            elif options.get("masked"):
                found += peer.sequence_score(continuations, reduction=total)
            else:
                found += peer.sequence_score(continuations, reduction=total, bos_token=True)
        return found

    return timed(run)


def lm_eval(options: dict[str, Any]) -> dict[str, Any]:
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    chosen = texts(options)
    model, tokenizer = model_for(options, chosen)
    peer = HFLM(pretrained=model, tokenizer=tokenizer, batch_size=options["batch"])
    requests = [
        Instance("loglikelihood", {}, (text.context, text.continuation), index)
        for index, text in enumerate(chosen)
    ]
    return timed(lambda: [score for score, _ in peer.loglikelihood(requests, disable_tqdm=True)])


def loop(options: dict[str, Any]) -> dict[str, Any]:
    """One masked text at a time, all its masks in one batch: what one would write first."""
    chosen = texts(options)
    model, tokenizer = model_for(options, chosen)

    @torch.inference_mode()
    def run() -> list[float]:
        found = []
        for text in chosen:
            ids = torch.tensor(tokenizer(text.continuation)["input_ids"])
            positions = torch.arange(1, len(ids) - 1)
            rows = ids.repeat(len(positions), 1)
            rows[torch.arange(len(positions)), positions] = tokenizer.mask_token_id
            logits = model(rows).logits[torch.arange(len(positions)), positions]
            logprobs = logits.log_softmax(-1)
            found.append(float(logprobs.gather(1, ids[positions][:, None]).sum()))
        return found

    return timed(run)


def matrix_rate(options: dict[str, Any]) -> dict[str, Any]:
    """Floating-point operations a second of the models' matrix products, as torch does them."""
    dtype = getattr(torch, options["dtype"])
    rows, hidden, inner, vocabulary = 1024, 768, 3072, options["vocabulary"]
    shapes = [(hidden, hidden, 48), (hidden, inner, 12), (inner, hidden, 12)]
    shapes += [(hidden, vocabulary, 1)]
    seconds = work = 0.0
    with torch.inference_mode():
        for width, height, times in shapes:
            layer = torch.nn.Linear(width, height).to(dtype)
            states = torch.randn(rows, width).to(dtype)
            for _ in range(3):
                layer(states)
            begun = time.perf_counter()
            for _ in range(10):
                layer(states)
            seconds += (time.perf_counter() - begun) / 10 * times
            work += 2.0 * rows * width * height * times
    return {"rate": work / seconds}


def timed(run: Callable[[], list[float]]) -> dict[str, Any]:
    begun, used = time.perf_counter(), time.process_time()
    found = run()
    return {
        "texts": len(found),
        "seconds": time.perf_counter() - begun,
        "cpu_seconds": time.process_time() - used,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "sum": sum(found),
    }


JOBS = {job.__name__: job for job in (ours, adaptive, minicons, lm_eval, loop, matrix_rate)}

if __name__ == "__main__":
    print(json.dumps(JOBS[sys.argv[1]](json.loads(sys.argv[2]))))
