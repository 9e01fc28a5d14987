"""Our verdicts on items of the benchmarks, one by one, to be compared with other harnesses'."""

from __future__ import annotations

import functools
from pathlib import Path

import pyarrow.parquet as pq

from minpairs.benchmarks.schema import holds_items
from minpairs.benchmarks.suites import Suite, from_table
from minpairs.cells import cell_values
from minpairs.measures import differences, verdicts
from minpairs.scoring import load_scorer

ROOT = Path(__file__).parents[1]
EVERY = {
    f"{suite}_{config.replace('.', '_')}": (suite, config)
    for suite in ("climp", "let_alone")
    for config in (path.name for path in sorted((ROOT / suite / "data").iterdir()))
    if config != "all" and holds_items(config)
}


class Table(dict):
    """Scores by text, as a results folder has them."""

    def get(self, text):
        return super().get(text)


@functools.cache
def suite_of(task: str, limit: int) -> Suite:
    benchmark, config = EVERY[task]
    (file,) = (ROOT / benchmark / "data" / config).glob("*.parquet")
    return from_table(benchmark, config, pq.read_table(file).slice(0, limit))


def ours(suite: Suite, score) -> list[dict[str, float]]:
    """Our verdicts: of each item, and of each of its inequalities."""
    texts = list(dict.fromkeys(suite.every_text()))
    values = cell_values([suite], Table(zip(texts, score(texts), strict=True)), "sum")
    margins = differences(values, suite.design)
    judged = verdicts(margins)
    names = [f"acc_{i.name}" for i in suite.design.inequalities]
    rows = []
    for row, margin in enumerate(margins):
        parts = dict(zip(names, (float(value > 0) for value in margin), strict=True))
        parts = parts if len(names) > 1 else {}
        rows.append({"acc": float(judged.right[row]), "tie": float(judged.tied[row]), **parts})
    return rows


def scored_by(model, tokenizer):
    """A model as a function from texts to scores."""
    scorer = load_scorer(model, tokenizer=tokenizer)
    return lambda texts: scorer.score(
        [text.continuation for text in texts], [text.context for text in texts]
    )
