"""Model folders that are damaged or malicious: an error of ours that names them, never a score."""

from __future__ import annotations

import json
import os

import pytest
import torch
from tiny_models import SENTENCES, byte_tokenizer, causal

from minpairs.errors import ModelError
from minpairs.scoring import load_scorer

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"


class Payload:
    """Leaves a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def refused(folder, match: str, **options) -> None:
    with pytest.raises(ModelError, match=match) as met:
        load_scorer(folder, **options).score(["A letter came."])
    assert folder.name in str(met.value)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda whole: b"",
        lambda whole: whole[: len(whole) // 2],
        lambda whole: whole[:-1],
        lambda whole: b"\0" * len(whole),
        lambda whole: (2**63).to_bytes(8, "little") + b"{}",
        lambda whole: (2).to_bytes(8, "little") + b"{}",
        lambda whole: whole.replace(b"[320,32]", b"[32,320]"),
    ],
    ids=["empty", "half", "one byte short", "zeros", "endless header", "no tensors", "turned"],
)
def test_damaged_weights_are_an_error(causal_folder, spoil):
    weights = causal_folder / WEIGHTS
    weights.write_bytes(spoil(weights.read_bytes()))
    refused(causal_folder, "cannot load|has no weights|have the shape")


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"\xff\xfe\0", b"null", b"3", b"[1]", b"{}", b'{"model_type": 5}']
)
def test_a_configuration_that_is_none_is_an_error(causal_folder, content):
    (causal_folder / "config.json").write_bytes(content)
    refused(causal_folder, "cannot read the configuration")


@pytest.mark.parametrize(
    "entries",
    [
        {"vocab_size": -1},
        {"hidden_size": "many"},
        {"num_attention_heads": 0},
        {"activation_function": "no such function"},
        {"dtype": "float99"},
        {"quantization_config": 3},
        {"architectures": [5]},
    ],
    ids=lambda entries: next(iter(entries)),
)
def test_a_configuration_that_makes_no_sense_is_an_error(causal_folder, configure, entries):
    configure(causal_folder, **entries)
    refused(causal_folder, "cannot|neither a causal")


def test_a_configuration_of_more_layers_than_there_are_weights_is_an_error(
    causal_folder, configure
):
    configure(causal_folder, num_hidden_layers=3)
    refused(causal_folder, r"no weights for model\.decoder\.layers\.2")


def test_a_configuration_of_fewer_layers_than_there_are_weights_is_an_error(
    causal_folder, configure
):
    # Transformers would leave the last layer out and score without it.
    configure(causal_folder, num_hidden_layers=1)
    refused(causal_folder, r"leaves out: model\.decoder\.layers\.1")


def test_a_configuration_of_another_size_is_an_error(causal_folder, configure):
    configure(causal_folder, max_position_embeddings=32)
    refused(causal_folder, r"embed_positions\.weight have the shape \(66, 32\)")


def test_a_tied_head_need_not_be_stored(causal_folder):
    stored = load_scorer(causal_folder).score(SENTENCES)
    held = load_scorer(causal("opt"), tokenizer=byte_tokenizer()).score(SENTENCES)
    assert [score.logprob for score in stored] == pytest.approx(
        [score.logprob for score in held], abs=1e-5
    )


def test_an_untied_head_that_is_not_stored_is_an_error(causal_folder, configure):
    # Transformers would fill it at random, and warn.
    configure(causal_folder, tie_word_embeddings=False)
    refused(causal_folder, r"no weights for lm_head\.weight")


def test_a_stored_head_is_used_whatever_the_configuration_says_of_ties(tmp_path, configure):
    folder = tmp_path / "llama"
    causal("llama").save_pretrained(folder)
    byte_tokenizer().save_pretrained(folder)
    before = load_scorer(folder).score(SENTENCES)
    configure(folder, tie_word_embeddings=True)
    after = load_scorer(folder).score(SENTENCES)
    assert [score.logprob for score in after] == [score.logprob for score in before]


@pytest.mark.parametrize("file", ["tokenizer.json", "tokenizer_config.json"])
@pytest.mark.parametrize("content", [b"", b"hello", b"[]", b"\xff"])
def test_a_tokenizer_that_is_none_is_an_error(causal_folder, file, content):
    (causal_folder / file).write_bytes(content)
    refused(causal_folder, "cannot load a tokenizer from")


def test_a_folder_without_a_tokenizer_is_an_error(causal_folder):
    # Transformers would make up a tokenizer that knows no token.
    (causal_folder / "tokenizer.json").unlink()
    (causal_folder / "tokenizer_config.json").unlink()
    refused(causal_folder, "has a tokenizer without tokens")


def test_a_pickle_is_not_read_unless_it_is_allowed(causal_folder):
    (causal_folder / WEIGHTS).unlink()
    torch.save(causal("opt").state_dict(), causal_folder / "pytorch_model.bin")
    refused(causal_folder, r"its weights are a pickle \(\.bin\).*--allow-pickle")
    (allowed,) = load_scorer(causal_folder, allow_pickle=True).score(["A letter came."])
    (held,) = load_scorer(causal("opt"), tokenizer=byte_tokenizer()).score(["A letter came."])
    assert allowed.logprob == pytest.approx(held.logprob, abs=1e-5)


def test_an_allowed_pickle_still_runs_no_code(causal_folder, tmp_path):
    (causal_folder / WEIGHTS).unlink()
    torch.save({"weight": Payload(tmp_path / "ran")}, causal_folder / "pytorch_model.bin")
    refused(causal_folder, "holds more than tensors", allow_pickle=True)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("file", ["weights.bin", "../weights.safetensors", "/weights.safetensors"])
def test_an_index_names_safetensors_of_its_own_folder_only(causal_folder, file):
    # An index may name a pickle, whatever use_safetensors says.
    (causal_folder / WEIGHTS).unlink()
    index = {"metadata": {}, "weight_map": dict.fromkeys(causal("opt").state_dict(), file)}
    (causal_folder / INDEX).write_text(json.dumps(index))
    torch.save(causal("opt").state_dict(), causal_folder / "weights.bin")
    refused(causal_folder, f"takes weights from '{file}'")


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"weight_map": 3}'])
def test_a_damaged_index_is_an_error(causal_folder, content):
    (causal_folder / WEIGHTS).rename(causal_folder / "model-1.safetensors")
    (causal_folder / INDEX).write_text(content)
    refused(causal_folder, "index.json is damaged")


def test_a_configuration_cannot_name_a_pickle(causal_folder, configure):
    torch.save(causal("opt").state_dict(), causal_folder / "adapter_model.bin")
    configure(causal_folder, transformers_weights="adapter_model.bin")
    refused(causal_folder, "takes weights from 'adapter_model.bin'")


@pytest.mark.parametrize("target", ["/nonexistent/weights", "model.safetensors", "/dev/null"])
def test_weights_that_are_a_link_to_nowhere_are_an_error(causal_folder, target):
    (causal_folder / WEIGHTS).unlink()
    (causal_folder / WEIGHTS).symlink_to(target)
    refused(causal_folder, "cannot load")


def test_weights_behind_a_link_are_part_of_the_revision(causal_folder, tmp_path):
    # The Hub's cache consists of links; what they point at must not change unseen.
    outside = tmp_path / "blob"
    (causal_folder / WEIGHTS).rename(outside)
    (causal_folder / WEIGHTS).symlink_to(outside)
    before = load_scorer(causal_folder).revision
    causal("opt", seed=1).save_pretrained(tmp_path / "other")
    outside.write_bytes((tmp_path / "other" / WEIGHTS).read_bytes())
    assert load_scorer(causal_folder).revision != before


def test_a_device_file_or_a_pipe_in_the_folder_is_not_read(causal_folder):
    before = load_scorer(causal_folder).revision
    (causal_folder / "endless").symlink_to("/dev/zero")
    os.mkfifo(causal_folder / "pipe")
    assert load_scorer(causal_folder).revision == before


EVIL = "import os; os.mkdir({path!r})\nEvil = object\n"


def test_code_that_comes_with_a_model_is_not_run(causal_folder, configure, tmp_path):
    (causal_folder / "evil.py").write_text(EVIL.format(path=str(tmp_path / "ran")))
    mapped = {"AutoConfig": "evil.Evil", "AutoModelForCausalLM": "evil.Evil"}
    configure(causal_folder, model_type="evil", auto_map=mapped)
    refused(causal_folder, "code of its own, which was not run.*--trust-remote-code")
    assert not (tmp_path / "ran").exists()


def test_code_that_comes_with_a_tokenizer_is_not_run(causal_folder, tmp_path):
    (causal_folder / "evil.py").write_text(EVIL.format(path=str(tmp_path / "ran")))
    expected = load_scorer(causal_folder).score(["A letter came."])[0].logprob
    path = causal_folder / "tokenizer_config.json"
    settings = json.loads(path.read_text()) | {"tokenizer_class": "EvilTokenizer"}
    path.write_text(json.dumps(settings | {"auto_map": {"AutoTokenizer": ["evil.Evil"] * 2}}))
    # The library's own class for this kind of model reads the tokenizer's data.
    assert load_scorer(causal_folder).score(["A letter came."])[0].logprob == expected
    assert not (tmp_path / "ran").exists()


def test_a_chat_template_is_never_rendered(causal_folder, monkeypatch):
    import jinja2

    def refuse(*_, **__):
        raise AssertionError("a template was compiled")

    monkeypatch.setattr(jinja2.Environment, "compile", refuse)
    expected = load_scorer(causal_folder).score(["A letter came."])[0].logprob
    hostile = (
        "{{ ''.__class__.__mro__[1].__subclasses__() }}{% for _ in range(10**12) %}.{% endfor %}"
    )
    (causal_folder / "chat_template.jinja").write_text(hostile)
    scorer = load_scorer(causal_folder)
    assert scorer.backend.tokenizer.chat_template == hostile
    assert scorer.score(["A letter came."])[0].logprob == expected


def test_a_gguf_file_is_refused_unread(tmp_path):
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF\x03\0\0\0")
    refused(path, r"GGUF files are not read")


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"settings": 3}'])
def test_a_damaged_record_beside_an_n_gram_model_is_an_error(tmp_path, content):
    model = tmp_path / "tiny.arpa"
    model.write_text("\\data\\\nngram 1=1\n")
    (tmp_path / "tiny.arpa.json").write_text(content)
    with pytest.raises(ModelError, match=r"tiny\.arpa\.json is damaged"):
        load_scorer(model)


@pytest.mark.parametrize("device", ["cudaa", "cuda:99", ""])
def test_a_device_that_is_not_there_is_an_error(causal_folder, device):
    with pytest.raises(ModelError, match=f"cannot use --device {device}"):
        load_scorer(causal_folder, device=device)
