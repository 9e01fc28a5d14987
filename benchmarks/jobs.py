"""One measurement, in a process of its own: python benchmarks/jobs.py JOB OPTIONS-AS-JSON.

Prints a line of JSON: texts scored, seconds, processor seconds, peak memory, and their scores' sum.
"""

from __future__ import annotations

import json
import math
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from models import bert, opt

from minpairs.benchmarks.schema import Text
from minpairs.benchmarks.suites import Suite, load_suites
from minpairs.scoring.memory import keep_freed_memory

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


def model_for(options: dict[str, Any]) -> tuple[Any, Any]:
    """The model; its tokenizer is trained on the whole suite, whatever part is scored."""
    every = texts({key: value for key, value in options.items() if key not in {"sample", "items"}})
    wholes = [text.context + text.continuation for text in every]
    model, tokenizer = (bert if options.get("masked") else opt)(wholes)
    return model.to(options["device"]), tokenizer


def ours(options: dict[str, Any]) -> dict[str, Any]:
    from minpairs.scoring import load_scorer

    chosen = texts(options)
    keep_freed_memory()
    scorer = load_scorer(
        options["folder"], dtype=options.get("dtype", "float32"), device=options["device"]
    )
    scorer.score(
        [text.continuation for text in chosen[:20]], [text.context for text in chosen[:20]]
    )

    def run() -> list[float]:
        scores = scorer.score(
            [text.continuation for text in chosen], [text.context for text in chosen]
        )
        return [score.logprob for score in scores]

    counts = scorer.backend
    before = counts.positions_run, getattr(counts, "rows_run", 0)
    result = timed(run)
    result["positions"] = counts.positions_run - before[0]
    result["rows"] = getattr(counts, "rows_run", 0) - before[1]
    return result


def whole_run(options: dict[str, Any]) -> dict[str, Any]:
    """The whole command's work, from a model's folder: loading, scoring, journal."""
    from minpairs.judgements import judge
    from minpairs.results import read_runs
    from minpairs.running import score_suites
    from minpairs.scoring import load_scorer

    items = suite(options)
    keep_freed_memory()
    backends: list[Any] = []

    def load(dtype: str) -> Any:
        scorer = load_scorer(options["folder"], dtype=dtype, device=options["device"])
        if options["dtype"] != "adaptive":  # whose first model is given up before the second comes
            backends.append(scorer.backend)
        return scorer

    with tempfile.TemporaryDirectory() as folder:

        def run() -> list[float]:
            score_suites(
                load,
                [items],
                Path(folder),
                model="opt",
                dtype=options["dtype"],
                precision_sample=300 if options["dtype"] == "adaptive" else 0,
            )
            return []

        result = timed(run)
        (done,) = read_runs(Path(folder))
        (evaluation,) = judge(done).values()
        result["right"] = evaluation.micro.right
    result["texts"] = len(dict.fromkeys(items.every_text()))
    result["positions"] = sum(backend.positions_run for backend in backends)
    return result


def minicons(options: dict[str, Any]) -> dict[str, Any]:
    from minicons import scorer

    chosen = texts(options)
    model, tokenizer = model_for(options)
    size = options["batch"]
    batches = [chosen[start : start + size] for start in range(0, len(chosen), size)]
    if options.get("masked"):
        # minicons 0.3.39 calls what transformers 5 removed; it is the same call by another name.
        type(tokenizer).batch_encode_plus = type(tokenizer).__call__
        peer = scorer.MaskedLMScorer(model, str(model.device), tokenizer=tokenizer)
    else:
        peer = scorer.IncrementalLMScorer(model, str(model.device), tokenizer=tokenizer)

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
    model, tokenizer = model_for(options)
    peer = HFLM(
        pretrained=model,
        tokenizer=tokenizer,
        batch_size=options["batch"],
        device=str(model.device),
    )
    requests = [
        Instance("loglikelihood", {}, (text.context, text.continuation), index)
        for index, text in enumerate(chosen)
    ]
    return timed(lambda: [score for score, _ in peer.loglikelihood(requests, disable_tqdm=True)])


def loop(options: dict[str, Any]) -> dict[str, Any]:
    """One masked text at a time, all its masks in one batch: what one would write first."""
    chosen = texts(options)
    model, tokenizer = model_for(options)

    @torch.inference_mode()
    def run() -> list[float]:
        found = []
        for text in chosen:
            ids = torch.tensor(tokenizer(text.continuation)["input_ids"], device=model.device)
            positions = torch.arange(1, len(ids) - 1, device=model.device)
            rows = ids.repeat(len(positions), 1)
            rows[torch.arange(len(rows)), positions] = tokenizer.mask_token_id
            logits = model(rows).logits[torch.arange(len(rows)), positions]
            logprobs = logits.log_softmax(-1)
            found.append(float(logprobs.gather(1, ids[positions][:, None]).sum()))
        return found

    return timed(run)


def save_model(options: dict[str, Any]) -> dict[str, Any]:
    """Writes the model and its tokenizer to a folder."""
    model, tokenizer = model_for(options)
    model.save_pretrained(options["folder"])
    tokenizer.save_pretrained(options["folder"])
    return {}


def train_ngram(options: dict[str, Any]) -> dict[str, Any]:
    """A 5-gram of the characters of CLiMP's own sentences, in a file."""
    from minpairs.training.ngram import train_ngram as train
    from minpairs.training.presets import NgramSettings

    settings = NgramSettings(order=5, segmentation="characters")
    train((text.continuation for text in texts(options)), Path(options["file"]), settings)
    return {}


def ngram(options: dict[str, Any]) -> dict[str, Any]:
    from minpairs.scoring import load_scorer

    chosen = [text.continuation for text in texts(options)]
    keep_freed_memory()
    scorer = load_scorer(options["file"])
    return timed(lambda: [score.logprob for score in scorer.score(chosen)])


def kenlm_loop(options: dict[str, Any]) -> dict[str, Any]:
    import kenlm

    chosen = [text.continuation for text in texts(options)]
    model = kenlm.Model(options["file"])
    nats = math.log(10)
    return timed(
        lambda: [model.score(" ".join(text), bos=True, eos=False) * nats for text in chosen]
    )


def matrix_rate(options: dict[str, Any]) -> dict[str, Any]:
    """Floating-point operations a second of the models' matrix products, as torch does them."""
    dtype, device = getattr(torch, options["dtype"]), options["device"]
    rows, hidden, inner, vocabulary = 1024, 768, 3072, options["vocabulary"]
    shapes = [(hidden, hidden, 48), (hidden, inner, 12), (inner, hidden, 12)]
    shapes += [(hidden, vocabulary, 1)]
    seconds = work = 0.0
    with torch.inference_mode():
        for width, height, times in shapes:
            layer = torch.nn.Linear(width, height).to(device, dtype)
            states = torch.randn(rows, width).to(device, dtype)
            for _ in range(3):
                layer(states)
            finish()
            runs, begun = 0, time.perf_counter()
            while runs < 10 or time.perf_counter() - begun < 1.0:
                for _ in range(5):
                    layer(states)
                finish()
                runs += 5
            seconds += (time.perf_counter() - begun) / runs * times
            work += 2.0 * rows * width * height * times
    return {"rate": work / seconds}


def finish() -> None:
    """Waits for what a GPU was given to do."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def timed(run: Callable[[], list[float]]) -> dict[str, Any]:
    begun, used = time.perf_counter(), time.process_time()
    found = run()
    finish()
    gpu = torch.cuda.max_memory_allocated() if torch.cuda.is_initialized() else 0
    peak = gpu / 2**20 or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "texts": len(found),
        "seconds": time.perf_counter() - begun,
        "cpu_seconds": time.process_time() - used,
        "peak_mb": peak,
        "sum": sum(found),
    }


JOBS = {
    job.__name__: job
    for job in (
        *(ours, whole_run, minicons, lm_eval, loop, matrix_rate),
        *(save_model, train_ngram, ngram, kenlm_loop),
    )
}

if __name__ == "__main__":
    print(json.dumps(JOBS[sys.argv[1]](json.loads(sys.argv[2]))))
