"""Leading spaces, trailing spaces, and tokens that span a context and its continuation."""

from __future__ import annotations

import pytest
import torch
from tiny_models import byte_tokenizer, causal

from minpairs.scoring import load_scorer


@pytest.mark.parametrize("text", ["Yes.", " Yes.", "Yes. ", "  Yes."])
def test_a_space_is_neither_added_nor_taken_off(text):
    tokenizer = byte_tokenizer()
    (score,) = load_scorer(causal(), tokenizer=tokenizer).score([text], keep_tokens=True)
    assert list(score.token_texts) == tokenizer.tokenize(text)
    ids = [0, *tokenizer(text, add_special_tokens=False)["input_ids"]]
    with torch.inference_mode():
        logprobs = causal()(torch.tensor([ids])).logits[0, :-1].double().log_softmax(-1)
    expected = logprobs.gather(1, torch.tensor(ids[1:])[:, None]).sum().item()
    assert score.logprob == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("context", "continuation", "scored"),
    [
        ("", "The cat sleeps.", "The cat sleeps."),
        (" ", "The cat sleeps.", "The cat sleeps."),
        ("The cat", " sleeps.", " sleeps."),
        ("The cat ", "sleeps.", " sleeps."),  # one token spans both: it is scored whole
        ("The c", "at sleeps.", " cat sleeps."),
        ("他", "来了。", "来了。"),
        ("他来", "了。", "了。"),
    ],
)
def test_a_token_is_scored_where_it_ends_in_the_continuation(context, continuation, scored):
    tokenizer = byte_tokenizer()
    scorer = load_scorer(causal(), tokenizer=tokenizer)
    (score,) = scorer.score([continuation], [context], keep_tokens=True)
    assert tokenizer.convert_tokens_to_string(list(score.token_texts)) == scored
    whole = tokenizer.tokenize(context + continuation)
    assert whole[len(whole) - score.tokens :] == list(score.token_texts)


def test_what_is_scored_and_what_is_read_add_up_wherever_a_text_is_cut():
    scorer = load_scorer(causal(), tokenizer=byte_tokenizer())
    text = "The cat near the windows sleeps."
    (whole,) = scorer.score([text], keep_tokens=True)
    for cut in range(1, len(text)):
        (score,) = scorer.score([text[cut:]], [text[:cut]], keep_tokens=True)
        scored = whole.token_logprobs[whole.tokens - score.tokens :]
        assert score.token_logprobs == pytest.approx(scored, abs=1e-4)
