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

_STRETCH = 4  # a tree may be so many times as large as a long prefix that its texts share


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

    A single text longer than the budget has a run of its own. Where texts share a prefix of half
    the budget or more (a prompt, a long context), a run may grow to four times that prefix, which
    otherwise would be computed again for every few texts.
    """
    runs: list[range] = []
    start, size = 0, 0
    previous: tuple[int, ...] = ()
    for index, text in enumerate(texts):
        new, common = _new_nodes(previous if size else (), text.ids)
        most = budget if 2 * common < budget else max(budget, _STRETCH * common)
        if size and size + new > most:
            runs.append(range(start, index))
            start, size, new = index, 0, len(text.ids) - 1
        size += new
        previous = text.ids
    if len(texts) > start:
        runs.append(range(start, len(texts)))
    return runs


def count_nodes(texts: Sequence[Encoded]) -> int:
    """How many nodes the tree of ``texts`` has, which must be sorted by ``ids``."""
    befores = [(), *(text.ids for text in texts)]
    return sum(
        _new_nodes(before, text.ids)[0] for before, text in zip(befores, texts, strict=False)
    )


def _new_nodes(before: tuple[int, ...], ids: tuple[int, ...]) -> tuple[int, int]:
    """Nodes that a text adds to those of the text before it, and those that they share."""
    length = len(ids) - 1
    common = min(shared_prefix(before, ids), max(len(before) - 1, 0), length)
    return length - common, common


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
