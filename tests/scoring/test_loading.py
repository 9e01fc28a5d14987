"""Which kind a model is, and models that cannot be scored."""

from __future__ import annotations

import json

import pytest
from tiny_models import bert, byte_tokenizer, causal, wordpiece_tokenizer
from transformers import T5Config

from minpairs.errors import ModelError
from minpairs.scoring import load_scorer


@pytest.fixture
def causal_folder(tmp_path):
    causal("opt").save_pretrained(tmp_path / "opt")
    byte_tokenizer().save_pretrained(tmp_path / "opt")
    return tmp_path / "opt"


def test_a_folder_s_architecture_says_its_kind(causal_folder, tmp_path):
    bert().save_pretrained(tmp_path / "bert")
    wordpiece_tokenizer().save_pretrained(tmp_path / "bert")
    assert load_scorer(causal_folder).kind == "causal"
    assert load_scorer(tmp_path / "bert").kind == "masked"


def test_a_folder_and_the_model_it_holds_score_alike(causal_folder):
    stored = load_scorer(str(causal_folder)).score(["A letter came."])[0]
    held = load_scorer(causal("opt"), tokenizer=byte_tokenizer()).score(["A letter came."])[0]
    assert stored.logprob == pytest.approx(held.logprob, abs=1e-6)


@pytest.mark.parametrize(
    "name", ["/no/such/model", "./model", "../model", "runs/one/model", "5gram.arpa", "5gram.klm"]
)
@pytest.mark.parametrize("kind", [None, "causal"])
def test_a_path_with_nothing_there_is_an_error_and_no_name_to_ask_the_hub_for(
    monkeypatch, name, kind
):
    def ask(*_, **__):
        raise AssertionError("asked the Hub")

    monkeypatch.setattr("transformers.AutoConfig.from_pretrained", ask)
    with pytest.raises(ModelError, match=rf"{name} does not exist"):
        load_scorer(name, kind=kind)


def test_a_masked_model_cannot_be_taken_for_a_causal_one(tmp_path):
    model = bert()
    del model.cls
    model.save_pretrained(tmp_path)
    wordpiece_tokenizer().save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="has no weights for"):
        load_scorer(tmp_path)


def test_an_encoder_decoder_is_neither(tmp_path):
    config = T5Config(architectures=["T5ForConditionalGeneration"])
    config.save_pretrained(tmp_path)
    with pytest.raises(ModelError, match=r"neither a causal .* nor a masked"):
        load_scorer(tmp_path)


def test_a_folder_without_a_model_is_an_error_that_names_it(tmp_path):
    with pytest.raises(ModelError, match="cannot read the configuration of"):
        load_scorer(tmp_path)


def test_a_model_object_needs_its_tokenizer():
    with pytest.raises(ModelError, match="needs its tokenizer"):
        load_scorer(causal())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dtype": "float31"}, "did you mean 'float32'"),
        ({"kind": "mask"}, "did you mean 'masked'"),
    ],
)
def test_a_misspelt_option_is_an_error_with_the_nearest(options, message):
    with pytest.raises(ModelError, match=message):
        load_scorer(causal(), tokenizer=byte_tokenizer(), **options)


def test_the_revision_changes_with_the_weights(causal_folder):
    before = load_scorer(causal_folder).settings()["revision"]
    causal("opt", seed=1).save_pretrained(causal_folder)
    assert load_scorer(causal_folder).settings()["revision"] != before
    assert (
        load_scorer(causal(), tokenizer=byte_tokenizer()).revision
        != load_scorer(causal(seed=1), tokenizer=byte_tokenizer()).revision
    )


def test_an_edited_card_leaves_the_model_the_same(causal_folder):
    before = load_scorer(causal_folder).revision
    (causal_folder / "README.md").write_text("# A card\n")
    (causal_folder / ".gitattributes").write_text("*.safetensors filter=lfs\n")
    assert load_scorer(causal_folder).revision == before
    (causal_folder / "unigrams.json").write_text(json.dumps({"A": 5}))
    assert load_scorer(causal_folder).revision != before


def test_unigram_counts_beside_a_model_are_found(causal_folder):
    (causal_folder / "unigrams.json").write_text(json.dumps({"A": 5, "Ġletter": 2}))
    scorer = load_scorer(causal_folder)
    assert scorer.settings()["unigrams"].startswith("add_one:")
    assert scorer.score(["A letter came."])[0].unigram_logprob < 0


@pytest.mark.parametrize("content", ["", "[1]", '{"A": 0}', '{"A": "x"}', "{}"])
def test_a_bad_unigram_table_is_an_error_that_names_it(causal_folder, content):
    (causal_folder / "unigrams.json").write_text(content)
    with pytest.raises(ModelError, match=r"unigrams\.json"):
        load_scorer(causal_folder)
