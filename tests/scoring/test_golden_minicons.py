"""Pseudo-log-likelihoods equal minicons', which ``tests/golden`` records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tiny_models import bert, wordpiece_tokenizer

from minpairs.scoring import load_scorer

GOLDEN = json.loads(
    (Path(__file__).parent.parent / "golden" / "minicons_masked.json").read_text(encoding="utf-8")
)
SPECIAL = ("[CLS]", "[SEP]")


@pytest.mark.parametrize("pll", ["original", "within_word_l2r"])
def test_token_scores_equal_minicons(pll):
    scorer = load_scorer(bert(), tokenizer=wordpiece_tokenizer(), pll=pll)
    scores = scorer.score(GOLDEN["texts"], keep_tokens=True)
    for score, sentence in zip(scores, GOLDEN["scores"][pll], strict=True):
        expected = [logprob for token, logprob in sentence if token not in SPECIAL]
        assert score.token_logprobs == pytest.approx(expected, abs=1e-3)
        assert score.logprob == pytest.approx(sum(expected), abs=1e-3)


def test_the_two_variants_were_recorded_on_words_of_several_pieces():
    assert GOLDEN["scores"]["original"] != GOLDEN["scores"]["within_word_l2r"]
