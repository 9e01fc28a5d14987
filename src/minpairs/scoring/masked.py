"""Masked language models: pseudo-log-likelihood, one forward row per masked token."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from minpairs.benchmarks.schema import Text
from minpairs.errors import ModelError
from minpairs.scoring.encoding import encode, split_tokens
from minpairs.scoring.heads import log_probabilities, logits_at, masked_head
from minpairs.scoring.last_layer import last_layer, queries_at
from minpairs.scoring.limits import context_length, embedding_rows, inference, plain_special_ids
from minpairs.scoring.score import Encoded

logger = logging.getLogger(__name__)

# What rounding may change in a log-probability (nats) when the last layer is cut to one query.
_TOLERANCE = {torch.float32: 1e-3, torch.bfloat16: 0.5, torch.float16: 0.1}

PseudoLogLikelihood = Literal["original", "within_word_l2r"]


@dataclass
class MaskedBackend:
    """Scores with a masked model by pseudo-log-likelihood.

    ``original`` masks one token at a time (Salazar et al. 2020); ``within_word_l2r`` also masks the
    rest of its word to the right, so that a word's pieces do not give each other away (Kauf and
    Ivanova 2023). Special tokens are read and never scored.

    Attributes:
        model: a transformers masked model.
        tokenizer: its tokenizer.
        name: what the user called the model.
        pll: which pseudo-log-likelihood.
        batch_tokens: most positions in one forward pass.
    """

    model: Any
    tokenizer: Any
    name: str
    pll: PseudoLogLikelihood = "original"
    batch_tokens: int = 1024
    kind: str = "masked"

    def __post_init__(self) -> None:
        if self.tokenizer.mask_token_id is None:
            raise ModelError(f"{self.name}: the tokenizer has no mask token; is the model masked?")
        self._mask_id: int = self.tokenizer.mask_token_id
        self._limit = context_length(self.model, self.tokenizer)
        self._rows = embedding_rows(self.model)
        self._layer = last_layer(self.model)
        self._layer_checked = False
        self.rows_run = 0
        self.positions_run = 0

    def encode(self, texts: Sequence[Text]) -> list[Encoded]:
        """See ``Backend``."""
        unknown_id = self.tokenizer.unk_token_id
        forbidden = plain_special_ids(self.tokenizer) - {unknown_id}
        encoded = []
        for text, (ids, first, words) in zip(
            texts, split_tokens(self.tokenizer, texts, special=True), strict=True
        ):
            last = len(ids)
            while last > first and words[last - 1] < 0:
                last -= 1
            encoded.append(
                encode(
                    text,
                    ids,
                    first,
                    last,
                    words=words,
                    unknown_id=unknown_id,
                    forbidden=forbidden,
                    rows=self._rows,
                    limit=self._limit,
                    reads=len(ids),
                )
            )
        return encoded

    def plan(self, encoded: Sequence[Encoded]) -> list[list[int]]:
        """Texts of one length together, longest first; those that share rows side by side."""
        kin = self._kin(encoded)
        order = sorted(
            range(len(encoded)),
            key=lambda index: (-len(encoded[index].ids), kin[index], encoded[index].ids),
        )
        batches: list[list[int]] = []
        rows, length = 0, -1
        for index in order:
            text = encoded[index]
            full = (rows + len(text.scored)) * len(text.ids) > self.batch_tokens
            if not batches or len(text.ids) != length or full:
                batches.append([])
                rows, length = 0, len(text.ids)
            batches[-1].append(index)
            rows += len(text.scored)
        return batches

    def cost(self, encoded: Encoded) -> float:
        """See ``Backend``."""
        return len(encoded.scored) * len(encoded.ids)

    def run(self, batch: Sequence[Encoded]) -> list[NDArray[np.float64]]:
        """See ``Backend``. All texts of a batch have one length, so nothing is padded."""
        rows: dict[tuple[tuple[int, ...], int], int] = {}
        asked: list[tuple[int, int]] = []
        for text in batch:
            for position in text.scored:
                row = (self._masked(text, position), position)
                asked.append((rows.setdefault(row, len(rows)), text.ids[position]))
        ids = torch.tensor([masked for masked, _ in rows])
        positions = torch.tensor([position for _, position in rows])
        per_pass = max(1, self.batch_tokens // ids.shape[1])
        found = np.empty(len(asked))
        row_of = torch.tensor([row for row, _ in asked])
        targets = torch.tensor([target for _, target in asked])
        for start in range(0, len(ids), per_pass):
            here = (row_of >= start) & (row_of < start + per_pass)
            logits = self._forward(
                ids[start : start + per_pass], positions[start : start + per_pass]
            )
            found[here.numpy()] = log_probabilities(logits, row_of[here] - start, targets[here])
        bounds = np.cumsum([len(text.scored) for text in batch])[:-1]
        return list(np.split(found, bounds))

    def token_texts(self, encoded: Encoded) -> tuple[str, ...]:
        """See ``Backend``."""
        ids = list(encoded.ids[encoded.scored.start : encoded.scored.stop])
        return tuple(self.tokenizer.convert_ids_to_tokens(ids))

    def settings(self) -> dict[str, str]:
        """See ``Backend``."""
        return {"pll": self.pll}

    def _masked(self, text: Encoded, position: int) -> tuple[int, ...]:
        ids = list(text.ids)
        ids[position] = self._mask_id
        if self.pll == "within_word_l2r":
            after = position + 1
            while after < len(ids) and text.words[after] == text.words[position]:
                ids[after] = self._mask_id
                after += 1
        return tuple(ids)

    def _kin(self, encoded: Sequence[Encoded]) -> list[int]:
        """For each text the first one with which it shares a row, directly or through others.

        Texts that differ in a single token are identical once it is masked.
        """
        first: dict[int, int] = {}
        parent = list(range(len(encoded)))

        def root(index: int) -> int:
            while parent[index] != index:
                parent[index] = parent[parent[index]]
                index = parent[index]
            return index

        for index, text in enumerate(encoded):
            for position in text.scored:
                # A clash of hashes only makes strangers neighbours.
                row = hash((self._masked(text, position), position))
                other = root(first.setdefault(row, index))
                here = root(index)
                parent[max(other, here)] = min(other, here)
        return [root(index) for index in range(len(encoded))]

    def _forward(self, ids: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        """Logits ``(rows, vocabulary)`` at one position of each row."""
        self.rows_run += len(ids)
        self.positions_run += ids.numel()
        device = self.model.device
        positions = positions.to(device)
        inputs = {
            "input_ids": ids.to(device),
            "attention_mask": torch.ones_like(ids).to(device),
        }
        with inference(self.model):
            if self._layer is None:
                return self._whole(inputs, positions)
            with queries_at(self._layer, positions):
                logits: torch.Tensor = self.model(**inputs).logits[:, 0]
            if not self._layer_checked:
                self._layer_checked = True
                whole = self._whole(inputs, positions)
                difference = (_normalised(logits) - _normalised(whole)).abs().max().item()
                if not difference <= _TOLERANCE.get(self.model.dtype, _TOLERANCE[torch.float32]):
                    logger.warning(
                        "%s: the last layer cannot be cut (off by %.2g nats)", self.name, difference
                    )
                    self._layer = None
                    return whole
            return logits

    def _whole(self, inputs: dict[str, torch.Tensor], positions: torch.Tensor) -> torch.Tensor:
        width = inputs["input_ids"].shape[1]
        rows = torch.arange(len(positions), device=positions.device) * width + positions
        return logits_at(self.model, masked_head(self.model), rows, inputs)


def _normalised(logits: torch.Tensor) -> torch.Tensor:
    return logits.log_softmax(-1, dtype=torch.float32)
