"""Batches: which rows are in them, what is padded, packed and masked."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tiny_models import causal

from minpairs.training.batches import (
    IGNORED,
    ByLength,
    CodedSentences,
    Masking,
    mask_tokens,
    pack,
    packed_bounds,
    pad,
    sentence_bounds,
)

BEGINNING, END, PADDING = 0, 1, 2
SENTENCES = ([5, 6, 7], [8], [9, 10, 11, 12, 13], [14, 15], [16, 17])


def coded(sentences):
    return np.array([t for s in sentences for t in (BEGINNING, *s, END)], dtype=np.uint16)


def rows(bounds):
    dataset = CodedSentences(coded(SENTENCES), bounds)
    return [dataset[index] for index in range(len(dataset))]


def test_a_row_is_a_sentence():
    bounds = sentence_bounds(coded(SENTENCES), BEGINNING)
    assert [row["input_ids"][1:-1].tolist() for row in rows(bounds)] == [*SENTENCES]


def test_nothing_makes_no_rows():
    nothing = np.array([], dtype=np.uint16)
    assert len(CodedSentences(nothing, sentence_bounds(nothing, BEGINNING))) == 0
    assert len(CodedSentences(nothing, packed_bounds(nothing, BEGINNING, 10))) == 0


def test_packed_rows_are_filled_with_whole_sentences():
    bounds = packed_bounds(coded(SENTENCES), BEGINNING, longest=10)
    assert (bounds[:, 1] - bounds[:, 0]).tolist() == [8, 7, 8]


@given(st.lists(st.integers(1, 12), min_size=1, max_size=30), st.integers(14, 40))
def test_packing_loses_nothing_and_never_breaks_a_sentence(lengths, longest):
    ids = coded([[9] * length for length in lengths])
    bounds = packed_bounds(ids, BEGINNING, longest)
    assert [0, *bounds[:, 1]] == [*bounds[:, 0], len(ids)]
    assert (ids[bounds[:, 0]] == BEGINNING).all()
    assert (bounds[:, 1] - bounds[:, 0]).max() <= longest


def token_losses(model, batch):
    """The loss of each token that has one, by row and place."""
    labels = batch.pop("labels")
    with torch.no_grad():
        logits = model(**batch, use_cache=False).logits[:, :-1]
    losses = torch.nn.functional.cross_entropy(
        logits.transpose(1, 2), labels[:, 1:], ignore_index=IGNORED, reduction="none"
    )
    return losses[labels[:, 1:] != IGNORED]


def test_a_packed_sentence_has_the_losses_it_has_alone():
    model = causal("opt", positions=16)
    alone = torch.cat(
        [
            token_losses(model, pad([row], PADDING))
            for row in rows(sentence_bounds(coded(SENTENCES), BEGINNING))
        ]
    )
    batch = pack(rows(packed_bounds(coded(SENTENCES), BEGINNING, 16)), PADDING, BEGINNING)
    assert batch["input_ids"].shape == (2, 15)
    torch.testing.assert_close(token_losses(model, batch), alone, atol=1e-5, rtol=0)


@pytest.mark.parametrize("missing", ["attention_mask", "position_ids"])
def test_packed_losses_need_both_the_mask_and_the_positions(missing):
    model = causal("opt", positions=16)
    batch = pack(rows(packed_bounds(coded(SENTENCES), BEGINNING, 16)), PADDING, BEGINNING)
    right = token_losses(model, dict(batch))
    if missing == "attention_mask":
        batch["attention_mask"] = torch.ones_like(batch["attention_mask"]).tril()
    else:
        batch["position_ids"] = torch.arange(15).expand(2, -1)
    assert (token_losses(model, batch) - right).abs().max() > 0.1


def test_padding_and_beginnings_have_no_loss():
    batch = pad(rows(sentence_bounds(coded(SENTENCES), BEGINNING))[:2], PADDING)
    assert batch["input_ids"].tolist() == [[0, 5, 6, 7, 1], [0, 8, 1, 2, 2]]
    assert batch["labels"].tolist() == [[IGNORED, 5, 6, 7, 1], [IGNORED, 8, 1, IGNORED, IGNORED]]


def test_every_row_comes_once_an_epoch_and_in_another_order_in_the_next():
    order = ByLength(np.arange(103) % 17, batch=4, seed=1)
    first = list(order)
    order.epoch = 1
    second = list(order)
    assert sorted(first) == sorted(second) == list(range(103))
    assert first != second


def test_batches_hold_rows_of_about_one_length():
    lengths = np.random.default_rng(0).integers(1, 100, 4096)
    order = np.array(list(ByLength(lengths, batch=8, seed=1))).reshape(-1, 8)
    spread = np.ptp(lengths[order], axis=1)
    assert spread.mean() < 3
    means = lengths[order].mean(axis=1)
    assert abs(np.corrcoef(np.arange(len(means)), means)[0, 1]) < 0.1  # short and long alternate


def test_the_seed_decides_the_order():
    lengths = np.random.default_rng(0).integers(1, 100, 64)
    first, again, other = (list(ByLength(lengths, batch=8, seed=seed)) for seed in (1, 1, 2))
    assert first == again != other


MASKING = Masking(mask=4, ordinary=5, vocabulary=1000, share=0.15, seed=1)


def test_masked_tokens_are_fifteen_in_a_hundred_and_never_the_ends():
    ids = np.concatenate([[2], np.arange(5, 905), [3]])
    row = mask_tokens(ids, MASKING, (0, 0))
    chosen = row["labels"] != IGNORED
    assert chosen.sum() == 135
    assert not chosen[[0, -1]].any()
    assert (row["labels"][chosen] == ids[chosen]).all()
    assert (row["input_ids"][~chosen] == ids[~chosen]).all()
    masked = (row["input_ids"] == 4).sum() / 135
    kept = (row["input_ids"][chosen] == ids[chosen]).sum() / 135
    assert masked == pytest.approx(0.8, abs=0.1)
    assert kept == pytest.approx(0.1, abs=0.08)


def test_a_short_sentence_has_one_masked_token():
    row = mask_tokens(np.array([2, 7, 3]), MASKING, (0, 0))
    assert row["labels"].tolist() == [IGNORED, 7, IGNORED]


def test_masks_change_from_epoch_to_epoch_and_are_the_same_in_a_resumed_run():
    ids = np.concatenate([[2], np.arange(5, 105), [3]])
    first, again, later = (mask_tokens(ids, MASKING, (epoch, 40)) for epoch in (0, 0, 1))
    assert (first["labels"] == again["labels"]).all()
    assert (first["labels"] != later["labels"]).any()
