"""The same filters as a step of a datatrove pipeline."""

from __future__ import annotations

import gzip
import json

import pytest

pytest.importorskip("datatrove", reason="the extra `datatrove` is not installed")
pytest.importorskip("orjson", reason="datatrove reads JSON with orjson; the extra has it")

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter

from minpairs.training.corpus import open_corpus
from minpairs.training.datatrove_step import DropSentences
from minpairs.training.errors import FilterError
from minpairs.training.filtering import filter_corpus

DOCUMENTS = [
    "Let it be. It is complete.\n\nNobody can walk, let\nalone run. We sat alone.",
    "Let me see!",
    "Yes.",
]


@pytest.fixture
def texts(tmp_path):
    (tmp_path / "texts").mkdir()
    for number, text in enumerate(DOCUMENTS):
        record = json.dumps({"text": text, "id": str(number)})
        (tmp_path / "texts" / f"{number}.jsonl").write_text(record + "\n")
    return tmp_path / "texts"


def run(texts, out, step, tasks):
    executor = LocalPipelineExecutor(
        [JsonlReader(str(texts)), step, JsonlWriter(str(out))],
        tasks=tasks,
        workers=1,
        logging_dir=str(out.parent / "logs"),
    )
    stats = executor.run()
    sentences = []
    for path in sorted(out.glob("*.jsonl.gz")):
        with gzip.open(path, "rt") as file:
            sentences += [line for row in file for line in json.loads(row)["text"].split("\n")]
    return sentences, stats


def test_a_local_executor_keeps_what_minpairs_filter_keeps(texts, tmp_path):
    kept, stats = run(texts, tmp_path / "out", DropSentences("no_let"), tasks=2)
    filter_corpus(open_corpus(texts), tmp_path / "ours", ["no_let"])
    ours = list(open_corpus(f"{tmp_path / 'ours'}:corpus.no_let").sentences())
    assert sorted(kept) == sorted(ours) == ["It is complete.", "We sat alone.", "Yes."]
    counts = {step.name: step.stats for step in stats.stats}
    (step,) = (found for name, found in counts.items() if "minpairs" in name)
    assert (step["sentences"].total, step["sentences_dropped"].total) == (6, 3)
    assert step["dropped_let"].total == 3


def test_the_released_variant_is_the_same_too(texts, tmp_path):
    kept, _ = run(texts, tmp_path / "out", DropSentences("no_let", "as_released"), tasks=1)
    assert sorted(kept) == ["Let it be.", "Let me see!", "We sat alone.", "Yes."]


def test_a_random_control_is_refused():
    with pytest.raises(FilterError, match="needs the whole corpus"):
        DropSentences("random_control")
