"""How much work scoring is: counted in positions and rows, which no busy machine changes."""

from __future__ import annotations

import random

import pytest
from tiny_models import bert, byte_tokenizer, causal, wordpiece_tokenizer

from minpairs.benchmarks.schema import Text
from minpairs.scoring import load_scorer

NOUNS = [f"thing{number}" for number in range(8)]
COLOURS = ("red", "blue", "green", "white", "black")


def sentences(frames: int) -> list[str]:
    """A formal suite in small: frames crossed with pairs of colours and two conjunctions."""
    return [
        f"Person{frame} could not lift the {one} {noun} {conjunction} the {other} {noun}."
        for frame in range(frames)
        for noun in NOUNS[frame % len(NOUNS) :][:1]
        for one in COLOURS
        for other in COLOURS
        if one != other
        for conjunction in ("let alone", "and")
    ]


def distinct_prefixes(texts: list[str]) -> int:
    tokenizer = byte_tokenizer()
    coded = tokenizer(texts, add_special_tokens=False)["input_ids"]
    return len({(0, *ids[:end]) for ids in coded for end in range(len(ids))})


def positions(texts: list[str]) -> int:
    scorer = load_scorer(causal("llama", positions=128), tokenizer=byte_tokenizer())
    scorer.score(texts)  # trees are checked against plain batches once, which is not counted
    before = scorer.backend.positions_run
    scorer.score(texts)
    return scorer.backend.positions_run - before


@pytest.mark.parametrize("frames", [1, 4, 16])
def test_positions_grow_with_distinct_prefixes_and_nothing_else(frames):
    texts = sentences(frames)
    random.Random(0).shuffle(texts)
    run, distinct = positions(texts), distinct_prefixes(texts)
    # Each tree of 256 nodes begins anew with what its texts share with those of the one before.
    assert distinct <= run <= 1.25 * distinct


def test_plain_batches_waste_little_padding():
    scorer = load_scorer(
        causal("llama", positions=128), tokenizer=byte_tokenizer(), tree_nodes=0, batch_tokens=512
    )
    texts = sentences(4)
    scorer.score(texts)
    read = sum(
        len(ids) for ids in byte_tokenizer()(texts, add_special_tokens=False)["input_ids"]
    )  # with a beginning token, without the last
    assert read <= scorer.backend.positions_run <= 1.1 * read


def test_a_masked_text_has_a_row_for_each_token_and_no_row_twice():
    texts = ["the cat came.", "the dog came.", "the cat came."]
    scorer = load_scorer(bert(), tokenizer=wordpiece_tokenizer())
    scorer.score(texts)
    assert scorer.backend.rows_run == 4 + 4 - 1


def test_a_context_longer_than_a_tree_is_run_once_for_all_its_continuations():
    scorer = load_scorer(causal("llama", positions=512), tokenizer=byte_tokenizer(), tree_nodes=64)
    context = "She lifted the red box. " * 12
    texts = [f"Then {name} lifted it." for name in ("he", "we", "they", "Ann", "Bob", "you")]
    before = scorer.backend.encode([Text(texts[0], context)])[0].scored.start
    scorer.score(texts, [context] * len(texts))
    run = scorer.backend.positions_run
    scorer.score(texts, [context] * len(texts))
    assert scorer.backend.positions_run - run < before + sum(map(len, texts))


def test_trees_that_were_checked_are_not_run_again():
    scorer = load_scorer(causal("llama", positions=128), tokenizer=byte_tokenizer())
    texts = sentences(4)
    rows = []
    forward = scorer.backend.model.forward

    def counted(*, input_ids, **options):
        rows.append(input_ids.shape)
        return forward(input_ids=input_ids, **options)

    encoded = scorer.backend.encode([Text(text) for text in texts])
    scorer.backend.model.forward = counted
    batches = scorer.backend.plan(encoded)
    checking = len(rows)
    for batch in batches:
        scorer.backend.run([encoded[index] for index in batch])
    assert 1 <= len(batches) - (len(rows) - checking) <= 2  # the fullest, and that of the longest
