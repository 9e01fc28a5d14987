"""Masked language models: pseudo-log-likelihood, one forward row per masked token."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from minpairs.benchmarks.schema import Text
from minpairs.errors import ModelError
from minpairs.scoring.encoding import encode, split_tokens
from minpairs.scoring.limits import context_length, embedding_rows, inference, plain_special_ids
from minpairs.scoring.score import Encoded

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
        self.rows_run = 0

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
        """Texts of one length together, longest first; neighbours share masked rows."""
        order = sorted(
            range(len(encoded)), key=lambda index: (-len(encoded[index].ids), encoded[index].ids)
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
        found = torch.empty(len(asked), dtype=torch.float64)
        row_of = torch.tensor([row for row, _ in asked])
        targets = torch.tensor([target for _, target in asked])
        for start in range(0, len(ids), per_pass):
            here = (row_of >= start) & (row_of < start + per_pass)
            logits = self._forward(
                ids[start : start + per_pass], positions[start : start + per_pass]
            )
            normaliser = logits.logsumexp(dim=-1)
            local, target = row_of[here] - start, targets[here]
            device = logits.device
            values = logits[local.to(device), target.to(device)] - normaliser[local.to(device)]
            found[here] = values.double().cpu()
        bounds = np.cumsum([len(text.scored) for text in batch])[:-1]
        return list(np.split(found.numpy(), bounds))

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

    def _forward(self, ids: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        """Float32 logits ``(rows, vocabulary)`` at one position of each row."""
        self.rows_run += len(ids)
        device = self.model.device
        rows = torch.arange(len(ids), device=device)
        positions = positions.to(device)
        mask = torch.ones_like(ids)
        with inference(self.model), _head_at(self.model, rows, positions, ids.shape[1]):
            logits: torch.Tensor = self.model(
                input_ids=ids.to(device), attention_mask=mask.to(device)
            ).logits
        if logits.shape[1] != 1:
            return logits[rows, positions].float()
        return logits[:, 0].float()


@contextmanager
def _head_at(model: Any, rows: torch.Tensor, positions: torch.Tensor, width: int) -> Iterator[None]:
    """Runs everything after the base model at one position of each row only.

    The vocabulary head is applied position by position, so the result is the same to the bit.
    """

    def gather(_module: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...] | None:
        hidden = arguments[0] if arguments else None
        if isinstance(hidden, torch.Tensor) and hidden.shape[:2] == (len(rows), width):
            return (hidden[rows, positions][:, None], *arguments[1:])
        return None

    base = getattr(model, "base_model_prefix", "")
    handles = [
        child.register_forward_pre_hook(gather)
        for name, child in model.named_children()
        if name != base
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
