"""Batches by free memory; nothing of it ever changes a score."""

from __future__ import annotations

import pytest
import torch
from tiny_models import SENTENCES, byte_tokenizer, causal

from minpairs.benchmarks.schema import Text
from minpairs.errors import TextError
from minpairs.scoring import encoding, load_scorer, memory


def test_a_batch_is_smaller_where_little_memory_is_free(monkeypatch):
    model = causal("llama")
    plenty = memory.default_batch_tokens(model)
    monkeypatch.setattr(memory, "free_bytes", lambda device: 4_000_000)
    assert memory.default_batch_tokens(model) < plenty
    monkeypatch.setattr(memory, "free_bytes", lambda device: 0)
    assert memory.default_batch_tokens(model) == 64


def test_a_large_vocabulary_makes_small_batches(monkeypatch):
    model = causal("llama")
    monkeypatch.setattr(memory, "free_bytes", lambda device: None)
    model.config.vocab_size = 1 << 19
    assert memory.default_batch_tokens(model) == 1 << 8


def test_free_memory_is_known_on_this_machine():
    free = memory.free_bytes(torch.device("cpu"))
    assert free is None or free > 0


def test_where_memory_gives_out_batches_are_halved_and_scores_stay(monkeypatch):
    model, tokenizer = causal("llama"), byte_tokenizer()
    expected = load_scorer(model, tokenizer=tokenizer).score(SENTENCES)
    scorer = load_scorer(model, tokenizer=tokenizer)
    run = scorer.backend.run
    refused = []

    def small_only(batch):
        if len(batch) > 2:
            refused.append(len(batch))
            raise torch.OutOfMemoryError("no more")
        return run(batch)

    monkeypatch.setattr(scorer.backend, "run", small_only)
    scores = scorer.score(SENTENCES)
    assert refused
    assert [score.logprob for score in scores] == pytest.approx(
        [score.logprob for score in expected], abs=1e-4
    )


def test_texts_are_tokenized_some_at_a_time_and_still_named_by_their_place(monkeypatch):
    # A tokenizer's record of a text takes kilobytes: of millions at once it would fill the memory.
    tokenizer = byte_tokenizer()
    asked = []

    class Counted(type(tokenizer)):
        def __call__(self, whole, **options):
            asked.append(len(whole))
            return super().__call__(whole, **options)

    monkeypatch.setattr(encoding, "_BLOCK", 4)
    tokenizer.__class__ = Counted
    texts = [Text(f"Text {number} it is.") for number in range(10)]
    split = encoding.split_tokens(tokenizer, texts, special=False)
    assert asked == [4, 4, 2]
    assert [ids for ids, _, _ in split] == [
        encoding.split_tokens(tokenizer, [text], special=False)[0][0] for text in texts
    ]
    with pytest.raises(TextError, match="text 9 is empty"):
        encoding.split_tokens(tokenizer, [*texts[:9], Text(" ")], special=False)


def test_masked_models_take_half_the_positions_of_causal_ones_on_processors(monkeypatch):
    monkeypatch.setattr(memory, "free_bytes", lambda device: None)
    model = causal("llama")
    assert memory.default_batch_tokens(model, "masked") * 2 == memory.default_batch_tokens(model)
