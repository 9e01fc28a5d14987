"""The estimator is lmplz's: the same n-grams, probabilities and back-off weights."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path

import kenlm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minpairs.training.arpa import write_arpa
from minpairs.training.errors import CorpusError
from minpairs.training.kneser_ney import FALLBACK, KneserNey, estimate
from minpairs.training.vocabulary import code_corpus, limit_vocabulary

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "golden" / "lmplz.json").read_text(encoding="utf-8")
)
CASES = [(name, int(order)) for name, text in GOLDEN.items() for order in text["models"]]


def words(*sentences: str, order: int) -> KneserNey:
    return estimate(code_corpus(sentences, "words"), order)


def entries(model: KneserNey) -> dict[str, tuple[float, float]]:
    """Log-probability and back-off weight of every n-gram."""
    found: dict[str, tuple[float, float]] = {}
    below: list[str] = []
    for table in model.tables:
        last = [model.vocabulary[unit] for unit in table.unit]
        pairs = zip(table.context, last, strict=True)
        below = [f"{below[context]} {unit}" for context, unit in pairs] if below else last
        values = zip(table.log10_prob.tolist(), table.log10_backoff.tolist(), strict=True)
        found |= dict(zip(below, values, strict=True))
    return found


@pytest.mark.parametrize(("text", "order"), CASES)
def test_every_ngram_is_as_lmplz_has_it(text, order):
    ours = entries(words(*GOLDEN[text]["sentences"], order=order))
    theirs = GOLDEN[text]["models"][str(order)]
    assert ours.keys() == theirs.keys()
    assert max(np.abs(np.subtract(ours[key], theirs[key])).max() for key in theirs) < 1e-6


@pytest.mark.skipif(shutil.which("lmplz") is None, reason="lmplz is not on PATH")
@pytest.mark.parametrize("order", range(1, 7))
def test_every_ngram_is_as_an_installed_lmplz_has_it(order):
    rng = random.Random(order)
    units = [f"w{number}" for number in range(300)]
    weights = [1 / (number + 1) for number in range(300)]
    sentences = [" ".join(rng.choices(units, weights, k=rng.randint(6, 15))) for _ in range(2000)]
    command = ["lmplz", "-o", str(order), "-S", "100M", "--discount_fallback"]
    text = "\n".join(sentences) + "\n"
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    rows = [line.split("\t") for line in done.stdout.splitlines() if "\t" in line]
    theirs = {row[1]: [float(value) for value in (row[0], *row[2:])] for row in rows}
    ours = entries(words(*sentences, order=order))
    assert ours.keys() == theirs.keys()
    for key, values in theirs.items():
        assert np.abs(np.subtract(ours[key][: len(values)], values)).max() < 1e-5


def test_a_corpus_too_small_for_discounts_falls_back():
    discounts = [table.discounts for table in words("a b c", "a b", order=2).tables]
    assert discounts[1].amounts == FALLBACK
    assert not discounts[1].estimated


def test_a_corpus_with_all_counts_has_discounts_of_its_own():
    estimated = [
        t.discounts.estimated for t in words(*GOLDEN["walks"]["sentences"], order=2).tables
    ]
    assert estimated[1]


def test_an_unknown_unit_gets_its_share_of_what_smoothing_leaves():
    model = words("a b c a", "a a b", order=1)
    discounted = sum((0.5, 1.0, 1.5)[min(count, 3) - 1] for count in (4, 2, 1, 2))  # a, b, c, </s>
    assert 10 ** model.tables[0].log10_prob[0] == pytest.approx(discounted / 9 / 5)


def test_with_a_cut_off_unknown_units_are_learned_as_a_unit():
    corpus = limit_vocabulary(code_corpus(["a b c", "a d c", "a e c"], "words"), min_count=2)
    model = entries(estimate(corpus, 2))
    # Met three times of three: 1.5 of 3 is kept, and what was taken goes to the unigram's quarter.
    assert 10 ** model["a <unk>"][0] == pytest.approx(1.5 / 3 + 1.5 / 3 * 0.25)
    assert "a b" not in model


def test_probabilities_of_units_sum_to_one_without_context():
    probabilities = 10 ** words("a b c a", "a a b", order=1).tables[0].log10_prob.astype(float)
    assert probabilities.sum() - 1 == pytest.approx(1, abs=1e-6)  # <s> is given, and counts as 1


@pytest.mark.parametrize("order", [0, 7])
def test_an_order_out_of_range_is_refused(order):
    with pytest.raises(CorpusError, match="choose 1 to 6"):
        words("a b c", order=order)


def test_an_order_longer_than_every_sentence_is_refused():
    with pytest.raises(CorpusError, match="no sentence has 5 units"):
        words("a b", order=5)


@settings(max_examples=40, deadline=None)
@given(
    sentences=st.lists(
        st.lists(st.sampled_from("abcde"), min_size=4, max_size=9), min_size=1, max_size=12
    ),
    order=st.integers(2, 6),
    context=st.lists(st.sampled_from("abcdez"), max_size=6),
    cut=st.booleans(),
    beginning=st.booleans(),
)
def test_probabilities_sum_to_one_after_any_context(
    tmp_path_factory, sentences, order, context, cut, beginning
):
    corpus = code_corpus([" ".join(sentence) for sentence in sentences], "words")
    if cut and max(np.bincount(corpus.ids)[3:]) > 1:
        corpus = limit_vocabulary(corpus, min_count=2)
    model = estimate(corpus, order)
    path = tmp_path_factory.mktemp("sums") / "m.arpa"
    write_arpa(model, path)
    loaded = kenlm.Model(str(path))  # reads contexts and backs off by itself
    state, after = kenlm.State(), kenlm.State()
    (loaded.BeginSentenceWrite if beginning else loaded.NullContextWrite)(state)
    for unit in context:
        loaded.BaseScore(state, unit, after)
        state, after = after, state
    units = [unit for unit in model.vocabulary if unit != "<s>"]
    total = sum(10 ** loaded.BaseScore(state, unit, after) for unit in units)
    assert total == pytest.approx(1, abs=1e-5)
