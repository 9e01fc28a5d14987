"""Causal language models: log-probabilities by prefix tree, or by plain batches."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from minpairs.benchmarks.schema import Text
from minpairs.scoring import prefix_tree
from minpairs.scoring.encoding import beginning_token, encode, split_tokens
from minpairs.scoring.heads import causal_head, log_probabilities, logits_at
from minpairs.scoring.limits import context_length, embedding_rows, inference, plain_special_ids
from minpairs.scoring.score import Encoded

logger = logging.getLogger(__name__)

# Largest agreement error of a tree with plain batches that rounding explains, per token (nats):
# the largest single difference, and the mean, by the precision of the model.
_TOLERANCE = {torch.float32: (2e-3, 2e-4), torch.bfloat16: (1.0, 6e-2), torch.float16: (0.2, 1e-2)}


@dataclass
class CausalBackend:
    """Scores with a causal model.

    Attributes:
        model: a transformers causal model.
        tokenizer: its tokenizer.
        name: what the user called the model.
        bos: ``auto``, ``none`` or a token; see ``beginning_token``.
        eos: whether the end token is scored too.
        batch_tokens: most nodes, or padded positions, in one forward pass.
        tree_nodes: most nodes in one prefix tree; ``0`` turns trees off.
    """

    model: Any
    tokenizer: Any
    name: str
    bos: str = "auto"
    eos: bool = False
    batch_tokens: int = 1024
    tree_nodes: int = 256
    kind: str = "causal"

    def __post_init__(self) -> None:
        self._bos_id = beginning_token(self.tokenizer, self.model.config, self.bos)
        self._limit = context_length(self.model, self.tokenizer)
        self._rows = embedding_rows(self.model)
        parameters = inspect.signature(self.model.forward).parameters
        self._no_cache = {"use_cache": False} if "use_cache" in parameters else {}
        self.positions_run = 0
        self._checked = (0, 0)
        self._ready: dict[tuple[Encoded, ...], list[NDArray[np.float64]]] = {}
        self.use_trees = (
            self.tree_nodes > 0
            and "position_ids" in parameters
            and not getattr(self.model, "_is_stateful", False)
        )

    def encode(self, texts: Sequence[Text]) -> list[Encoded]:
        """See ``Backend``."""
        start = [] if self._bos_id is None else [self._bos_id]
        end = [self.tokenizer.eos_token_id] if self.eos else []
        forbidden = plain_special_ids(self.tokenizer) - {self.tokenizer.unk_token_id}
        encoded = []
        for text, (ids, first, _) in zip(
            texts, split_tokens(self.tokenizer, texts, special=False), strict=True
        ):
            begin, last = first + len(start), len(start) + len(ids)
            encoded.append(
                encode(
                    text,
                    start + ids + end,
                    max(begin, 1),
                    last,
                    begin=begin,
                    ends=len(end),
                    unknown_id=self.tokenizer.unk_token_id,
                    forbidden=forbidden,
                    rows=self._rows,
                    limit=self._limit,
                    reads=last + len(end) - 1,
                )
            )
        return encoded

    def plan(self, encoded: Sequence[Encoded]) -> list[list[int]]:
        """Texts sorted by tokens and cut into trees; by length into batches where trees fail."""
        if self.use_trees and encoded:
            batches = self._plan_trees(encoded)
            with inference(self.model):
                agree = self._trees_agree(encoded, batches)
            if agree:
                return batches
            self.use_trees = False
        return self._plan_plain(encoded)

    def cost(self, encoded: Encoded) -> float:
        """See ``Backend``."""
        return len(encoded.ids)

    def run(self, batch: Sequence[Encoded]) -> list[NDArray[np.float64]]:
        """See ``Backend``."""
        with inference(self.model):
            if not self.use_trees:
                return self._run_plain(batch)
            results = self._ready.pop(tuple(batch), None) if self._ready else None
            if results is None:
                results = self._run_trees(batch)
            if all(np.isfinite(values).all() for values in results):
                return results
            # One token's NaN spreads over its tree: plain batches show whose it is.
            return self._run_plain_batches(batch)

    def token_texts(self, encoded: Encoded) -> tuple[str, ...]:
        """See ``Backend``."""
        ids = list(encoded.ids[encoded.scored.start : encoded.scored.stop])
        return tuple(self.tokenizer.convert_ids_to_tokens(ids))

    def settings(self) -> dict[str, str]:
        """See ``Backend``."""
        token = (
            "none" if self._bos_id is None else self.tokenizer.convert_ids_to_tokens(self._bos_id)
        )
        return {
            "bos": f"auto({token})" if self.bos == "auto" else token,
            "eos": "scored" if self.eos else "unscored",
        }

    def _plan_trees(self, encoded: Sequence[Encoded]) -> list[list[int]]:
        order = sorted(range(len(encoded)), key=lambda index: encoded[index].ids)
        runs = prefix_tree.split([encoded[index] for index in order], self.tree_nodes)
        # Trees side by side are padded to the largest.
        batches: list[range] = []
        trees, width = 0, 0
        for run in runs:
            nodes = prefix_tree.count_nodes(
                [encoded[index] for index in order[run.start : run.stop]]
            )
            if batches and (trees + 1) * max(width, nodes) <= self.batch_tokens:
                batches[-1] = range(batches[-1].start, run.stop)
                trees, width = trees + 1, max(width, nodes)
            else:
                batches.append(run)
                trees, width = 1, nodes
        return [order[batch.start : batch.stop] for batch in batches]

    def _plan_plain(self, encoded: Sequence[Encoded]) -> list[list[int]]:
        order = sorted(
            range(len(encoded)), key=lambda index: (-len(encoded[index].ids), encoded[index].ids)
        )
        batches: list[list[int]] = []
        width = 0
        for index in order:
            if not batches or (len(batches[-1]) + 1) * width > self.batch_tokens:
                batches.append([])
                width = len(encoded[index].ids)
            batches[-1].append(index)
        return batches

    def _trees_agree(self, encoded: Sequence[Encoded], batches: Sequence[Sequence[int]]) -> bool:
        """Scores the fullest tree, and the one with the longest text, both ways.

        Sliding windows and position tables err only beyond some size, so a check holds for what is
        no larger than it was. What they scored is kept for ``run``, which would do it again.
        """
        self._ready.clear()
        tokens = [len(text.ids) for text in encoded]
        fullest = max(batches, key=lambda batch: sum(tokens[index] for index in batch))
        longest = max(batches, key=lambda batch: max(tokens[index] for index in batch))
        size = (sum(tokens[index] for index in fullest), max(tokens))
        if size[0] <= self._checked[0] and size[1] <= self._checked[1]:
            return True
        for batch in {tuple(fullest), tuple(longest)}:
            texts = [encoded[index] for index in batch]
            sample = _spread(texts)
            try:
                scored = self._run_trees(texts)
                plain = np.concatenate(self._run_plain_batches([texts[i] for i in sample]))
            except (TypeError, ValueError, RuntimeError, IndexError, MemoryError) as error:
                # Where memory gave out too: plain batches are halved until they fit.
                logger.info("no prefix trees with %s: %s", self.name, error)
                return False
            tree = np.concatenate([scored[index] for index in sample])
            difference = np.abs(tree - plain)
            largest, mean = _TOLERANCE.get(self.model.dtype, _TOLERANCE[torch.float32])
            if not (difference.max() <= largest and difference.mean() <= mean):
                logger.warning(
                    "%s does not score prefix trees exactly (off by up to %.2g nats a token); "
                    "using plain batches",
                    self.name,
                    difference.max(),
                )
                return False
            self._ready[tuple(texts)] = scored
        self._checked = (max(size[0], self._checked[0]), max(size[1], self._checked[1]))
        return True

    def _run_trees(self, batch: Sequence[Encoded]) -> list[NDArray[np.float64]]:
        """Scores texts by the trees of their prefixes, one tree a row of the batch."""
        order = sorted(range(len(batch)), key=lambda index: batch[index].ids)
        texts = [batch[index] for index in order]
        trees = [
            prefix_tree.build(texts[run.start : run.stop])
            for run in prefix_tree.split(texts, self.tree_nodes)
        ]
        self.positions_run += sum(map(len, trees))
        width = max(map(len, trees))
        device = self.model.device
        rows, edge_rows = np.unique(
            np.concatenate([tree.edge_nodes + row * width for row, tree in enumerate(trees)]),
            return_inverse=True,
        )
        logits = logits_at(
            self.model,
            causal_head(self.model),
            torch.from_numpy(rows).to(device),
            {
                "input_ids": _padded([tree.tokens for tree in trees], width).to(device),
                "attention_mask": _tree_masks(trees, width, self.model.dtype, device),
                "position_ids": _padded([tree.depths for tree in trees], width).to(device),
                **self._no_cache,
            },
        )
        targets = np.concatenate([tree.edge_targets for tree in trees])
        values = log_probabilities(logits, torch.from_numpy(edge_rows), torch.from_numpy(targets))
        paths = []
        edges = 0
        for tree in trees:
            paths += [path + edges for path in tree.paths]
            edges += len(tree.edge_nodes)
        results: list[NDArray[np.float64]] = [np.empty(0)] * len(batch)
        for index, path in zip(order, paths, strict=True):
            results[index] = values[path]
        return results

    def _run_plain_batches(self, texts: Sequence[Encoded]) -> list[NDArray[np.float64]]:
        """Scores texts in plain batches within the budget, in order."""
        results: list[NDArray[np.float64]] = [np.empty(0)] * len(texts)
        for batch in self._plan_plain(texts):
            found = self._run_plain([texts[index] for index in batch])
            for index, values in zip(batch, found, strict=True):
                results[index] = values
        return results

    def _run_plain(self, batch: Sequence[Encoded]) -> list[NDArray[np.float64]]:
        """Scores texts side by side, each padded to the longest."""
        device = self.model.device
        # The last token is only predicted. Padding on the right is read by nobody, whatever it is.
        read = [np.asarray(text.ids[:-1]) for text in batch]
        width = max(map(len, read))
        self.positions_run += width * len(batch)
        rows = [
            row * width + position - 1 for row, text in enumerate(batch) for position in text.scored
        ]
        logits = logits_at(
            self.model,
            causal_head(self.model),
            torch.tensor(rows, device=device),
            {
                "input_ids": _padded(read, width).to(device),
                "attention_mask": _padded([np.ones_like(ids) for ids in read], width).to(device),
                **self._no_cache,
            },
        )
        targets = [text.ids[position] for text in batch for position in text.scored]
        values = log_probabilities(logits, torch.arange(len(rows)), torch.tensor(targets))
        bounds = np.cumsum([len(text.scored) for text in batch])[:-1]
        return list(np.split(values, bounds))


def _padded(rows: Sequence[NDArray[np.int64]], width: int) -> torch.Tensor:
    padded = torch.zeros((len(rows), width), dtype=torch.long)
    for index, row in enumerate(rows):
        padded[index, : len(row)] = torch.from_numpy(row)
    return padded


def _spread(texts: Sequence[Encoded], most: int = 16) -> list[int]:
    """Some texts from all over a batch, its longest among them."""
    longest = max(range(len(texts)), key=lambda index: len(texts[index].ids))
    step = max(1, len(texts) // most)
    return sorted({longest, len(texts) - 1, *range(0, len(texts), step)})


def _tree_masks(
    trees: Sequence[prefix_tree.PrefixTree], width: int, dtype: torch.dtype, device: Any
) -> torch.Tensor:
    """Additive masks ``(trees, 1, width, width)``: a node reads itself and the nodes above it.

    Padding reads only itself, so that no row is masked whole.
    """
    node = torch.arange(width)
    ends = (node + 1).repeat(len(trees), 1)
    for row, tree in enumerate(trees):
        ends[row, : len(tree)] = torch.from_numpy(tree.ends)
    node, ends = node.to(device), ends.to(device)
    reads = (node[None, None, :] <= node[None, :, None]) & (node[None, :, None] < ends[:, None, :])
    # Additive, because a boolean mask is silently misread by eager attention.
    masks = torch.zeros(reads.shape, dtype=dtype, device=device)
    return masks.masked_fill_(~reads, torch.finfo(dtype).min)[:, None]
