"""Tokens, words, characters: counted as they are, none lost, none rebuilt from pieces."""

from __future__ import annotations

import pytest
import torch
from tiny_models import bert, byte_tokenizer, causal, wordpiece_tokenizer

from minpairs.errors import TextError
from minpairs.scoring import load_scorer

ARPA = """\\data\\
ngram 1=5
ngram 2=2

\\1-grams:
-2.0\t<unk>\t0
0\t<s>\t-0.3
-1.0\t</s>\t0
-0.5\the\t-0.2
-0.7\tcame\t-0.1

\\2-grams:
-0.1\t<s> he
-0.4\the came

\\end\\
"""


def test_spaces_between_chinese_words_count_words_and_change_no_token():
    scorer = load_scorer(bert(), tokenizer=wordpiece_tokenizer())
    plain, spaced = scorer.score(["他看见了一只猫。", "他 看见 了 一 只 猫 。"], keep_tokens=True)
    assert plain.token_texts == spaced.token_texts == tuple("他看见了一只猫。")
    assert spaced.logprob == plain.logprob
    assert (plain.words, spaced.words) == (1, 7)
    assert plain.characters == spaced.characters == 8


def test_pieces_are_given_as_the_tokenizer_writes_them():
    scorer = load_scorer(bert(), tokenizer=wordpiece_tokenizer())
    (score,) = scorer.score(["sleeping came."], keep_tokens=True)
    assert score.token_texts == tuple(wordpiece_tokenizer().tokenize("sleeping came."))
    assert sum(score.token_logprobs) == pytest.approx(score.logprob)


def test_a_token_that_is_certain_counts_as_a_token():
    model = causal()
    tokenizer = byte_tokenizer()
    (token,) = tokenizer("A", add_special_tokens=False)["input_ids"]
    head = torch.nn.Linear(32, 320)
    with torch.no_grad():
        head.weight.zero_()
        head.bias.zero_()
        head.bias[token] = 1e4
    model.set_output_embeddings(head)
    (score,) = load_scorer(model, tokenizer=tokenizer).score(["AAA"])
    assert (score.logprob, score.tokens) == (0.0, 3)


def test_an_n_gram_model_is_asked_for_the_letters_as_they_are(tmp_path):
    path = tmp_path / "tiny.arpa"
    path.write_text(ARPA, encoding="utf-8")
    scorer = load_scorer(path, segmentation="words")
    lower, upper = scorer.score(["he came", "He came"])
    assert (lower.unknown_tokens, upper.unknown_tokens) == (0, 1)
    assert lower.logprob > upper.logprob


@pytest.mark.parametrize("characters", [63, 64, 200])
def test_no_text_is_cut(characters):
    # Another tool pads or cuts every sentence to 64 tokens.
    model, tokenizer = causal(positions=256), byte_tokenizer()
    text = ("Nobody saw the small dog, let alone the large one. " * 9)[:characters].strip()
    (score,) = load_scorer(model, tokenizer=tokenizer).score([text])
    assert score.tokens == len(tokenizer.tokenize(text))
    with pytest.raises(TextError, match="never cut in silence"):
        load_scorer(causal(positions=8), tokenizer=tokenizer).score([text])
