"""Reading a model's configuration, weights and tokenizer: whole, and running nothing of theirs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from pickle import UnpicklingError
from typing import TYPE_CHECKING, Any, Literal

from minpairs.errors import ModelError, nearest

if TYPE_CHECKING:
    import torch

Kind = Literal["causal", "masked", "ngram"]
KINDS = ("causal", "masked", "ngram")
_NEURAL = ("causal", "masked")
_INDEX = "model.safetensors.index.json"


def find_kind(name: str, revision: str | None = None, trust_remote_code: bool = False) -> Kind:
    """``causal`` or ``masked``, from the architectures in the model's configuration.

    Raises:
        ModelError: there is no configuration, or it names neither kind.
    """
    config = read_config(name, revision, trust_remote_code)
    return kind_of_architectures(config.architectures or [], name)


def read_config(name: str, revision: str | None, trust_remote_code: bool) -> Any:
    """The configuration of a Hub model or of a folder.

    Raises:
        ModelError: there is none that can be read.
    """
    from transformers import AutoConfig

    from minpairs.training.own_models import register

    register()
    if Path(name).suffix == ".gguf":
        raise ModelError(
            f"{name}: GGUF files are not read; score the model that it was made from, "
            "or serve it and use `minpairs chat`"
        )
    if _is_path(name) and not Path(name).exists():
        raise ModelError(f"{name} does not exist; a model is a local path, or a name on the Hub")
    try:
        return AutoConfig.from_pretrained(
            name, revision=revision, trust_remote_code=trust_remote_code
        )
    except Exception as error:  # whatever a stranger's file makes transformers raise
        if "trust_remote_code" in str(error):
            raise ModelError(
                f"{name} comes with Python code of its own, which was not run: look at it, and say "
                "--trust-remote-code if you trust it"
            ) from error
        raise ModelError(f"cannot read the configuration of {name}: {_in_short(error)}") from error


def _is_path(name: str) -> bool:
    """Whether a name can only be a path, so that the Hub need not be asked for it."""
    return (
        Path(name).is_absolute()
        or name.startswith((".", "~"))
        or name.count("/") > 1
        or name.endswith((".arpa", ".arpa.gz", ".klm"))
    )


def kind_of_architectures(architectures: Iterable[object], name: str) -> Kind:
    """``causal`` or ``masked``, from class names such as ``OPTForCausalLM``.

    Raises:
        ModelError: they name neither kind.
    """
    named = [architectures] if isinstance(architectures, str) else list(architectures)
    for architecture in named:
        if str(architecture).endswith("ForMaskedLM"):
            return "masked"
        if str(architecture).endswith(("ForCausalLM", "LMHeadModel")):
            return "causal"
    stated = ", ".join(map(str, named)) or "no architecture"
    raise ModelError(
        f"{name} says it is {stated}: neither a causal (…ForCausalLM) nor a masked (…ForMaskedLM) "
        "language model; say which with --kind, if it has such a head"
    )


def load_checkpoint(
    name: str,
    kind: Kind,
    dtype: torch.dtype,
    *,
    revision: str | None,
    trust_remote_code: bool,
    allow_pickle: bool,
    tokenizer: Any,
) -> tuple[Any, Any]:
    """The model and its tokenizer (``tokenizer``, where one is given).

    Raises:
        ModelError: a file is missing or damaged, or the files do not make up the model that the
            configuration describes.
    """
    from transformers import AutoModelForCausalLM, AutoModelForMaskedLM

    if kind not in _NEURAL:
        raise ModelError(f"unknown kind {kind!r}; {nearest(str(kind), KINDS)}")
    config = read_config(name, revision, trust_remote_code)
    if not allow_pickle:
        _refuse_other_formats(name, config, revision)
    options = {"revision": revision, "trust_remote_code": trust_remote_code}
    factory = AutoModelForMaskedLM if kind == "masked" else AutoModelForCausalLM
    try:
        model, report = factory.from_pretrained(
            name,
            dtype=dtype,
            use_safetensors=None if allow_pickle else True,
            weights_only=True,
            output_loading_info=True,
            ignore_mismatched_sizes=True,  # so that they are told one by one
            **options,
        )
    except UnpicklingError as error:  # its message tells the user to load it all the same
        raise ModelError(
            f"cannot load {name}: its .bin file is damaged, or holds more than tensors"
        ) from error
    except Exception as error:  # whatever a stranger's files make the libraries raise
        raise ModelError(
            f"cannot load {name} as a {kind} model: {_in_short(error)}"
            f"{_hint(name, kind, config, error)}"
        ) from error
    _check_weights(name, kind, model, report)
    return model, tokenizer or load_tokenizer(name, revision, trust_remote_code)


def load_tokenizer(name: str, revision: str | None = None, trust_remote_code: bool = False) -> Any:
    """The tokenizer of a Hub model or of a folder.

    Raises:
        ModelError: there is none that can be read.
    """
    from transformers import AutoTokenizer

    from minpairs.training.own_models import register

    register()
    try:
        tokenizer = AutoTokenizer.from_pretrained(
            name, revision=revision, trust_remote_code=trust_remote_code
        )
    except Exception as error:  # whatever a stranger's files make the libraries raise
        raise ModelError(f"cannot load a tokenizer from {name}: {_in_short(error)}") from error
    # Where there are no files of it, transformers makes one up that knows no token.
    if not set(tokenizer.get_vocab()) - set(tokenizer.all_special_tokens):
        raise ModelError(f"{name} has a tokenizer without tokens; is a file of it missing?")
    return tokenizer


def _check_weights(name: str, kind: Kind, model: Any, report: Any) -> None:
    for key, stored, wanted in sorted(report["mismatched_keys"]):
        raise ModelError(
            f"{name}: the weights {key} have the shape {tuple(stored)}, "
            f"but the configuration wants {tuple(wanted)}"
        )
    missing = sorted(report["missing_keys"])
    if missing:
        # Transformers fills missing weights at random: a masked head on a causal model, say.
        raise ModelError(
            f"{name} has no weights for {', '.join(missing[:3])} "
            f"({len(missing)} missing): it is not a {kind} language model; try another --kind"
        )
    # Transformers passes over weights that the configuration has no place for. Heads of other
    # tasks are harmless; a layer that is left out makes another model.
    known = {_unnumbered(key) for key in model.state_dict()}
    left_out = sorted(key for key in report["unexpected_keys"] if _unnumbered(key) in known)
    if left_out:
        raise ModelError(
            f"{name} has weights that its configuration leaves out: {', '.join(left_out[:3])} "
            f"({len(left_out)} in all); the configuration has too few layers"
        )


def _refuse_other_formats(name: str, config: Any, revision: str | None) -> None:
    """Weights come from safetensors files of the model itself, whatever its files say.

    ``use_safetensors`` alone does not see to it: an index, or the configuration, may name others.
    """
    stated = getattr(config, "transformers_weights", None)
    named = [] if stated is None else [str(stated)]
    index = _index_file(name, revision)
    if index is not None:
        try:
            shards = json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()
        except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
            raise ModelError(f"{name}: {_INDEX} is damaged: {error!r}") from error
        named += sorted({str(shard) for shard in shards})
    for file in named:
        if file != Path(file).name or not file.endswith((".safetensors", _INDEX)):
            raise ModelError(
                f"{name} takes weights from {file!r}, which is no safetensors file beside its "
                "configuration; --allow-pickle reads other formats"
            )


def _index_file(name: str, revision: str | None) -> Path | None:
    if Path(name).is_dir():
        path = Path(name, _INDEX)
        return path if path.is_file() else None
    from transformers.utils import cached_file

    found = cached_file(
        name,
        _INDEX,
        revision=revision,
        _raise_exceptions_for_gated_repo=False,
        _raise_exceptions_for_missing_entries=False,
        _raise_exceptions_for_connection_errors=False,
    )
    return None if found is None else Path(found)


def _hint(name: str, kind: Kind, config: Any, error: Exception) -> str:
    try:
        stated = kind_of_architectures(config.architectures or [], name)
    except ModelError:
        return ""
    if stated != kind:
        return f"; it is a {stated} model: leave --kind out"
    if isinstance(error, OSError) and "safetensors" in str(error):
        return "; if its weights are a pickle (.bin), convert them, or say --allow-pickle"
    return ""


def _unnumbered(key: str) -> str:
    return re.sub(r"\d+", "*", key)


def _in_short(error: Exception, limit: int = 300) -> str:
    """An error's message in one line: libraries append long lists of what they support."""
    text = " ".join(f"{error}".split()) or type(error).__name__
    return text if len(text) <= limit else text[: limit - 1] + "…"
