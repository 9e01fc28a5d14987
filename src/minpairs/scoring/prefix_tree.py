"""Prefix trees of token sequences: each distinct prefix is one node, computed once.

The nodes of a tree are the positions that a causal model has to run; a text's last token is only
predicted, never read, so it is an edge and no node. Nodes stand in depth-first order, so that the
descendants of node ``j`` are just ``j .. ends[j] - 1`` and the attention mask is two comparisons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minpairs.scoring.score import Encoded


@dataclass(frozen=True, slots=True)
class PrefixTree:
    """The prefixes of a set of texts.

    Attributes:
        tokens: token of each node, shape ``(nodes,)``.
        depths: position of each node in its text, from 0, shape ``(nodes,)``.
        ends: one past the last descendant of each node, shape ``(nodes,)``.
        edge_nodes: node from which each scored token is predicted, shape ``(edges,)``.
        edge_targets: that token, shape ``(edges,)``.
        paths: for each text the edges of its scored tokens, in order.
    """

    tokens: NDArray[np.int64]
    depths: NDArray[np.int64]
    ends: NDArray[np.int64]
    edge_nodes: NDArray[np.int64]
    edge_targets: NDArray[np.int64]
    paths: tuple[NDArray[np.int64], ...]

    def __len__(self) -> int:
        return len(self.tokens)


def shared_prefix(left: Sequence[int], right: Sequence[int]) -> int:
    """Number of leading tokens that two sequences share."""
    length = min(len(left), len(right))
    for position in range(length):
        if left[position] != right[position]:
            return position
    return length


def build(texts: Sequence[Encoded]) -> PrefixTree:
    """The tree of ``texts``, which must be sorted by ``ids``.

    Every scored position must have a token before it (a causal model cannot predict the first).
    """
    tokens: list[int] = []
    depths: list[int] = []
    edge_nodes: list[int] = []
    edge_targets: list[int] = []
    paths: list[NDArray[np.int64]] = []
    nodes: list[int] = []  # nodes of the current text, by position
    edges: list[int] = []  # edges into the current text's positions; -1 where not scored
    previous: tuple[int, ...] = ()
    for text in texts:
        ids = text.ids
        common = shared_prefix(previous, ids)
        del nodes[min(common, len(ids) - 1) :]
        del edges[common:]
        for position in range(len(nodes), len(ids) - 1):
            nodes.append(len(tokens))
            tokens.append(ids[position])
            depths.append(position)
        edges.extend([-1] * (len(ids) - len(edges)))
        for position in text.scored:
            if edges[position] < 0:
                edges[position] = len(edge_nodes)
                edge_nodes.append(nodes[position - 1])
                edge_targets.append(ids[position])
        paths.append(np.asarray(edges[text.scored.start : text.scored.stop], dtype=np.int64))
        previous = ids
    depth = np.asarray(depths, dtype=np.int64)
    return PrefixTree(
        np.asarray(tokens, dtype=np.int64),
        depth,
        _subtree_ends(depth),
        np.asarray(edge_nodes, dtype=np.int64),
        np.asarray(edge_targets, dtype=np.int64),
        tuple(paths),
    )


def split(texts: Sequence[Encoded], budget: int) -> list[range]:
    """Cuts texts sorted by ``ids`` into runs whose trees have at most ``budget`` nodes.

    A single text longer than the budget has a run of its own.
    """
    runs: list[range] = []
    start, size = 0, 0
    previous: tuple[int, ...] = ()
    for index, text in enumerate(texts):
        length = len(text.ids) - 1
        common = min(shared_prefix(previous, text.ids), len(previous) - 1, length) if size else 0
        if size and size + length - common > budget:
            runs.append(range(start, index))
            start, size, common = index, 0, 0
        size += length - common
        previous = text.ids
    if len(texts) > start:
        runs.append(range(start, len(texts)))
    return runs


def _subtree_ends(depths: NDArray[np.int64]) -> NDArray[np.int64]:
    """In depth-first order a subtree ends where the depth falls back to its root's."""
    ends = np.empty_like(depths)
    open_nodes: list[int] = []
    for node, depth in enumerate(depths):
        while open_nodes and depths[open_nodes[-1]] >= depth:
            ends[open_nodes.pop()] = node
        open_nodes.append(node)
    for node in open_nodes:
        ends[node] = len(depths)
    return ends
