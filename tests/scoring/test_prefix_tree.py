"""Prefix trees: every distinct prefix once, every text's path, depth-first order."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from minpairs.scoring import prefix_tree
from minpairs.scoring.score import Encoded

token_lists = st.lists(
    st.lists(st.integers(0, 3), min_size=2, max_size=7).map(tuple), min_size=1, max_size=20
)


def encoded(ids: tuple[int, ...], start: int = 1) -> Encoded:
    return Encoded(ids, range(start, len(ids)))


def ancestors(tree: prefix_tree.PrefixTree, node: int) -> list[int]:
    return [other for other in range(node + 1) if node < tree.ends[other]]


def test_two_sentences_that_differ_at_the_end_share_all_before():
    tree = prefix_tree.build([encoded((0, 5, 6, 7)), encoded((0, 5, 6, 8))])
    assert tree.tokens.tolist() == [0, 5, 6]  # the last tokens are predicted, never read
    assert tree.depths.tolist() == [0, 1, 2]
    assert tree.edge_targets.tolist() == [5, 6, 7, 8]
    assert [path.tolist() for path in tree.paths] == [[0, 1, 2], [0, 1, 3]]


def test_an_unscored_context_has_no_edges_until_another_text_needs_them():
    tree = prefix_tree.build([encoded((0, 5, 6), start=2), encoded((0, 5, 7), start=1)])
    assert tree.edge_targets.tolist() == [6, 5, 7]
    assert [path.tolist() for path in tree.paths] == [[0], [1, 2]]


@given(token_lists)
def test_nodes_are_just_the_distinct_prefixes_that_are_read(lists):
    texts = [encoded(ids) for ids in sorted(lists)]
    tree = prefix_tree.build(texts)
    assert len(tree) == len({ids[:end] for ids in lists for end in range(1, len(ids))})


@given(token_lists)
def test_each_scored_token_is_predicted_after_all_that_precedes_it(lists):
    texts = [encoded(ids) for ids in sorted(lists)]
    tree = prefix_tree.build(texts)
    for text, path in zip(texts, tree.paths, strict=True):
        for position, edge in zip(text.scored, path, strict=True):
            node = int(tree.edge_nodes[edge])
            above = ancestors(tree, node)
            assert tuple(tree.tokens[above]) == text.ids[:position]
            assert tree.edge_targets[edge] == text.ids[position]
            assert tree.depths[node] == position - 1


@given(token_lists, st.integers(1, 12))
def test_runs_keep_to_the_budget_and_cover_every_text_in_order(lists, budget):
    texts = [encoded(ids) for ids in sorted(lists)]
    runs = prefix_tree.split(texts, budget)
    assert np.concatenate(runs).tolist() == list(range(len(texts)))
    for run in runs:
        tree = prefix_tree.build([texts[index] for index in run])
        assert len(tree) == prefix_tree.count_nodes([texts[index] for index in run])
        shared = prefix_tree.shared_prefix(texts[run[-1]].ids, texts[run[-1] - 1].ids)
        long = 2 * shared >= budget and len(tree) <= 4 * shared
        assert len(tree) <= budget or len(run) == 1 or long
