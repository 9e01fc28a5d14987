"""Models that load and answer wrongly: noticed, named, or harmless."""

from __future__ import annotations

import logging

import pytest
import torch
from tiny_models import SENTENCES, bert, byte_tokenizer, causal, wordpiece_tokenizer

from minpairs.errors import ModelError, TextError
from minpairs.scoring import load_scorer
from minpairs.scoring.model_checks import IGNORES_INPUT, warn_if_improbable
from minpairs.scoring.score import Score


def scorer(model, **options):
    return load_scorer(model, tokenizer=byte_tokenizer(), **options)


def logprobs(model, texts=SENTENCES, **options) -> list[float]:
    return [score.logprob for score in scorer(model, **options).score(texts)]


class _DropsOutAlways(torch.nn.Module):
    """Dropout that evaluation does not turn off."""

    def forward(self, hidden):
        return torch.nn.functional.dropout(hidden, 0.1, training=True)


def unsteady(model):
    return model.lm_head.register_forward_pre_hook(lambda _, inputs: _DropsOutAlways()(inputs[0]))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_model_that_answers_differently_each_time_is_an_error(dtype):
    model = causal("llama").to(getattr(torch, dtype))
    unsteady(model)
    with pytest.raises(ModelError, match=r"LlamaForCausalLM answers differently each time"):
        scorer(model)


def test_a_masked_model_that_answers_differently_each_time_is_an_error():
    model = bert()
    model.cls.register_forward_pre_hook(lambda _, inputs: _DropsOutAlways()(inputs[0]))
    with pytest.raises(ModelError, match="BertForMaskedLM answers differently each time"):
        load_scorer(model, tokenizer=wordpiece_tokenizer())


def test_dropout_that_evaluation_turns_off_is_no_fault():
    model = causal("gpt2").train()
    assert logprobs(model) == logprobs(model.eval())


def test_a_model_that_reads_ahead_is_no_causal_model(masked_folder):
    # Transformers gives an encoder a causal head, and warns.
    with pytest.raises(ModelError, match=r"reads what comes after a token.*leave --kind out"):
        load_scorer(masked_folder, kind="causal")


def test_a_causal_model_without_its_mask_is_an_error():
    model = causal("opt")
    layer = model.model.decoder.layers[0]
    layer.self_attn.register_forward_pre_hook(
        lambda _, args, kwargs: (args, kwargs | {"attention_mask": None}), with_kwargs=True
    )
    layer.self_attn.is_causal = False
    with pytest.raises(ModelError, match="reads what comes after"):
        scorer(model)


@pytest.mark.parametrize("size", [1e-4, 1e4])
def test_logits_of_another_order_of_magnitude_are_normalised_all_the_same(size):
    model = causal("llama")
    with torch.no_grad():
        model.lm_head.weight *= size
    text = SENTENCES[0]
    ids = [0, *byte_tokenizer()(text, add_special_tokens=False)["input_ids"]]
    with torch.inference_mode():
        logits = model(torch.tensor([ids])).logits[0, :-1].double()
    expected = logits.log_softmax(-1).gather(1, torch.tensor(ids[1:])[:, None]).sum().item()
    assert logprobs(model, [text]) == pytest.approx([expected], rel=1e-5)


@pytest.mark.parametrize("shift", [1e4, -1e4])
def test_a_constant_added_to_all_logits_changes_no_score(shift):
    model = causal("llama")
    expected = logprobs(model)
    model.lm_head.bias = torch.nn.Parameter(torch.full((320,), shift))
    # At 10,000, float32 knows logits to a thousandth.
    assert logprobs(model) == pytest.approx(expected, abs=0.05)


def test_logits_beyond_float16_are_an_error_that_names_text_and_precision():
    model = causal("llama")
    with torch.no_grad():
        model.lm_head.weight *= 1e5
    with pytest.raises(ModelError, match=r"to '.*' in float16; try --dtype float32"):
        logprobs(model, dtype="float16")
    assert all(value < 0 for value in logprobs(model))


@pytest.mark.parametrize("tree_nodes", [0, 256])
def test_numbers_of_one_token_that_are_not_finite_are_an_error_where_a_text_reads_it(tree_nodes):
    model, tokenizer = causal("llama"), byte_tokenizer()
    spoilt = tokenizer("Yes.", add_special_tokens=False)["input_ids"][0]
    with torch.no_grad():
        model.model.embed_tokens.weight[spoilt] = float("nan")
    sound = [text for text in SENTENCES if text != "Yes."]
    assert logprobs(model, sound, tree_nodes=tree_nodes) == logprobs(
        causal("llama"), sound, tree_nodes=tree_nodes
    )
    with pytest.raises(ModelError, match=r"gave the log-probability nan to 'Yes\.'"):
        logprobs(model, ["Yes."], tree_nodes=tree_nodes)


def test_a_text_is_not_blamed_for_the_numbers_of_another_in_its_tree():
    model, tokenizer = causal("llama"), byte_tokenizer()
    one = scorer(model)
    one.score(SENTENCES)  # trees are found to be exact
    spoilt = tokenizer("Yes.", add_special_tokens=False)["input_ids"][0]
    with torch.no_grad():
        model.model.embed_tokens.weight[spoilt] = float("nan")
    assert one.backend.use_trees
    with pytest.raises(ModelError, match=r"gave the log-probability nan to 'Yes\.'"):
        one.score(SENTENCES)


def test_a_model_that_ignores_what_it_reads_says_so_in_its_settings(caplog):
    model = causal("llama")
    with torch.no_grad():
        model.lm_head.weight.zero_()
    with caplog.at_level(logging.WARNING):
        one = scorer(model)
    assert one.settings()["fault"] == IGNORES_INPUT
    assert "ignores what it reads" in caplog.text
    assert "fault" not in scorer(causal("llama")).settings()


def test_a_model_that_is_always_certain_of_one_token_says_so_in_its_settings():
    model = causal("llama")
    bias = torch.zeros(320)
    bias[1] = 1e3
    model.lm_head.bias = torch.nn.Parameter(bias)
    assert scorer(model).settings()["fault"] == "is always certain of </s>"


def test_texts_less_probable_than_random_tokens_are_warned_of(caplog):
    with caplog.at_level(logging.WARNING):
        logprobs(causal("llama", seed=3))
    assert "nats a token; 320 tokens drawn at random have -5.77" in caplog.text


def test_texts_as_probable_as_they_should_be_are_not_warned_of(caplog):
    score = Score("", "two words", logprob=-2 * 5.7, tokens=2, words=2, characters=8)
    with caplog.at_level(logging.WARNING):
        warn_if_improbable("model", [score], vocabulary=320)
    assert not caplog.text


def test_a_context_of_eight_tokens_is_kept_to():
    model = causal("opt", positions=8)
    (score,) = scorer(model).score(["Yes."])
    assert score.tokens <= 8
    with pytest.raises(TextError, match="reads at most 8"):
        scorer(model).score([" ".join(SENTENCES)])


class Fails(torch.nn.Module):
    """Raises where more than some tokens are read at once."""

    def __init__(self, tokens: int, error: Exception):
        super().__init__()
        self.tokens, self.error = tokens, error

    def forward(self, hidden):
        if hidden.shape[:-1].numel() > self.tokens:
            raise self.error
        return hidden


def failing(tokens: int, error: Exception) -> torch.nn.Module:
    model = causal("llama")
    model.model.norm = torch.nn.Sequential(model.model.norm, Fails(tokens, error))
    return model


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"),
        RuntimeError("MPS backend out of memory"),
        MemoryError(),
    ],
    ids=["CUDA", "processor", "MPS", "Python"],
)
@pytest.mark.parametrize("tree_nodes", [0, 256])
def test_where_memory_gives_out_on_any_device_batches_are_halved(error, tree_nodes):
    found = logprobs(failing(32, error), tree_nodes=tree_nodes)
    assert found == pytest.approx(logprobs(causal("llama")), abs=1e-4)


def test_a_model_that_fails_while_it_runs_is_an_error_that_names_it():
    with pytest.raises(ModelError, match=r"LlamaForCausalLM fails on a batch.*IndexError: odd"):
        logprobs(failing(12, IndexError("odd")))


def test_a_model_that_cannot_run_at_all_is_an_error_on_loading():
    with pytest.raises(ModelError, match=r"LlamaForCausalLM cannot be run.*IndexError: odd"):
        scorer(failing(0, IndexError("odd")))
