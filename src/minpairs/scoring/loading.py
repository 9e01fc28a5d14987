"""Finding out what kind of model a name is, and loading it."""

from __future__ import annotations

import copy
import hashlib
import json
import logging
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import torch

from minpairs.errors import ModelError, nearest
from minpairs.files import content_hash
from minpairs.scoring.causal import CausalBackend
from minpairs.scoring.checkpoint import (
    KINDS,
    Kind,
    find_kind,
    kind_of_architectures,
    load_checkpoint,
)
from minpairs.scoring.engine import Scorer
from minpairs.scoring.limits import embedding_rows
from minpairs.scoring.masked import MaskedBackend, PseudoLogLikelihood
from minpairs.scoring.memory import default_batch_tokens
from minpairs.scoring.model_checks import check_answers, check_vocabulary
from minpairs.scoring.ngram import NgramBackend
from minpairs.scoring.packing import pack
from minpairs.scoring.processes import current_processes, local_device
from minpairs.scoring.segmentation import Segmentation
from minpairs.scoring.unigrams import Unigrams, load_unigrams

logger = logging.getLogger(__name__)

_DTYPES = {
    "float32": torch.float32,
    "fp32": torch.float32,
    "bfloat16": torch.bfloat16,
    "bf16": torch.bfloat16,
    "float16": torch.float16,
    "fp16": torch.float16,
}
_NO_PART_OF_A_MODEL = ("README.md", ".gitattributes")
_NGRAM_SUFFIXES = (".arpa", ".arpa.gz", ".klm", ".binary", ".bin", ".lm")


def load_scorer(
    model: Any,
    *,
    tokenizer: Any = None,
    kind: Kind | None = None,
    device: str = "auto",
    dtype: str | None = None,
    bos: str = "auto",
    eos: bool = False,
    pll: PseudoLogLikelihood = "original",
    segmentation: Segmentation = "characters",
    batch_tokens: int | None = None,
    tree_nodes: int = 256,
    unigrams: str | Path | None = None,
    revision: str | None = None,
    trust_remote_code: bool = False,
    allow_pickle: bool = False,
) -> Scorer:
    """Loads a model as a scorer, and finds out from the model which kind it is.

    Args:
        model: a Hub name, a local folder, a KenLM file, or a transformers model object.
        tokenizer: its tokenizer; needed with a model object.
        kind: ``causal``, ``masked`` or ``ngram``; found from the model by default.
        device: ``auto`` (a GPU where there is one; a model object stays where it is), ``cpu``,
            ``cuda``, ``cuda:1``, ``mps``.
        dtype: ``float32``, ``bfloat16`` or ``float16`` (or ``fp32``, ``bf16``, ``fp16``); by
            default ``float32``, and a model object's own.
        bos: causal and n-gram models: ``auto``, ``none``, or the beginning token.
        eos: score the end of the sentence too.
        pll: masked models: ``original`` or ``within_word_l2r``.
        segmentation: n-gram models: ``characters``, ``words`` or ``jieba``.
        batch_tokens: most positions in one forward pass; by default as memory suggests.
        tree_nodes: causal models: most nodes in a prefix tree; 0 scores without trees.
        unigrams: token counts for SLOR; by default ``unigrams.parquet`` or ``unigrams.json`` beside
            a local model or KenLM file.
        revision: branch, tag or commit of a Hub model.
        trust_remote_code: run Python code that comes with the model.
        allow_pickle: also read weights from ``.bin`` files, tensors only; otherwise they come from
            safetensors.

    Returns:
        The scorer; ``scorer.settings()`` says what was chosen.

    Raises:
        ModelError: the model cannot be loaded, is of a kind that has no sentence scores, does not
            fit its tokenizer, or does not answer as its kind does (see ``check_answers``).
    """
    if isinstance(model, str | Path):
        name = str(model)
        if kind == "ngram" or (kind is None and is_ngram(Path(name))):
            return _ngram(Path(name), segmentation, bos, eos, unigrams)
        kind = kind or find_kind(name, revision, trust_remote_code)
        loaded, tokenizer = load_checkpoint(
            name,
            kind,
            _dtype(dtype or "float32"),
            revision=revision,
            trust_remote_code=trust_remote_code,
            allow_pickle=allow_pickle,
            tokenizer=tokenizer,
        )
        identity = _revision(name, loaded)
        beside = Path(name)
    else:
        if tokenizer is None:
            raise ModelError("a model object needs its tokenizer: load_scorer(model, tokenizer=…)")
        name = str(getattr(model.config, "_name_or_path", "") or type(model).__name__)
        kind = kind or kind_of_architectures([type(model).__name__], name)
        loaded = model
        if dtype is not None and _dtype(dtype) != model.dtype:
            loaded = copy.deepcopy(model).to(_dtype(dtype))  # the caller's model stays as it is
        identity = _weights_hash(loaded)
        beside = None
    if isinstance(model, str | Path) or device != "auto":
        loaded = _moved(loaded, device)
    check_vocabulary(loaded, tokenizer, name)
    table = _unigrams(unigrams, beside, len(tokenizer))
    budget = batch_tokens or default_batch_tokens(loaded, kind)
    backend: CausalBackend | MaskedBackend
    if kind == "masked":
        backend = MaskedBackend(loaded, tokenizer, name, pll=pll, batch_tokens=budget)
    elif kind == "causal":
        nodes = min(tree_nodes, budget)
        backend = CausalBackend(
            loaded, tokenizer, name, bos=bos, eos=eos, batch_tokens=budget, tree_nodes=nodes
        )
    else:
        raise ModelError(f"unknown kind {kind!r}; {nearest(str(kind), KINDS)}")
    fault = check_answers(loaded, tokenizer, kind, name)
    if loaded is not model:  # not the caller's own
        pack(loaded, tokenizer, kind, name)
    logger.info("%s: %s model, %s", name, kind, backend.settings())
    precision = str(loaded.dtype).removeprefix("torch.")
    return Scorer(
        backend,
        identity,
        precision,
        table,
        current_processes(),
        fault,
        embedding_rows(loaded),
    )


def is_ngram(path: Path) -> bool:
    """Whether a file is a KenLM model, by its first bytes, or else by its name."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(64)
    return (
        head.startswith((b"mmap lm http://kheafield.com/code", b"\\data\\"))
        or b"\\data\\" in head
        or path.name.endswith(_NGRAM_SUFFIXES)
    )


def _ngram(
    path: Path, segmentation: Segmentation, bos: str, eos: bool, unigrams: str | Path | None
) -> Scorer:
    if not path.is_file():
        raise ModelError(f"{path} does not exist; an n-gram model is an ARPA or KenLM binary file")
    if bos not in ("auto", "none", "<s>"):
        raise ModelError(f"--bos {bos!r}: an n-gram model has only <s>; choose auto or none")
    _check_units(path, segmentation)
    backend = NgramBackend(path, segmentation, bos=bos != "none", eos=eos)
    found = None if unigrams or not _same_units(path, segmentation) else path.parent
    table = _unigrams(unigrams, found, 0)
    return Scorer(backend, content_hash([path]), "float32", table, current_processes())


def _check_units(path: Path, segmentation: Segmentation) -> None:
    """A model of ours has its units written beside it, as ``NAME.arpa.json``."""
    record = path.with_suffix(".arpa.json")
    if not record.is_file():
        return
    try:
        trained = json.loads(record.read_text(encoding="utf-8"))["settings"]["segmentation"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{record} is damaged ({error!r}); train the model again") from error
    # Words that somebody cut by other means are still words.
    if (trained == "characters") != (segmentation == "characters"):
        raise ModelError(f"{path} is a model of {trained}: choose --segmentation {trained}")


def _same_units(path: Path, segmentation: Segmentation) -> bool:
    """Whether the counts beside an n-gram model are of its units, as far as they say."""
    counts = path.with_name("unigrams.parquet")
    if not counts.is_file():
        return True
    said = (pq.read_schema(counts).metadata or {}).get(b"minpairs.tokens", b"").decode()
    if said in ("characters", "words", "jieba") and (said == "characters") != (
        segmentation == "characters"
    ):
        logger.warning("%s counts %s, not %s: not used", counts, said, segmentation)
        return False
    return True


def _unigrams(given: str | Path | None, folder: Path | None, vocabulary: int) -> Unigrams | None:
    if given is not None:
        return load_unigrams(Path(given), vocabulary)
    for name in ("unigrams.parquet", "unigrams.json"):
        if folder is not None and (folder / name).is_file():
            return load_unigrams(folder / name, vocabulary)
    return None


def _dtype(name: str) -> torch.dtype:
    if name not in _DTYPES:
        raise ModelError(f"unknown dtype {name!r}; {nearest(name, _DTYPES)}")
    return _DTYPES[name]


def _moved(model: Any, device: str) -> Any:
    try:
        return model.to(_device(device))
    except (RuntimeError, AssertionError) as error:  # the latter where there is no CUDA at all
        raise ModelError(f"cannot use --device {device}: {error}") from error


def _device(name: str) -> torch.device:
    if name != "auto":
        return torch.device(name)
    launched = local_device()
    if launched is not None:
        return torch.device(launched)
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


def _revision(name: str, model: Any) -> str:
    """The commit of a Hub model; the content of a local one, but for its card."""
    folder = Path(name)
    if folder.is_dir():
        files = (path for path in folder.iterdir() if path.is_file())
        return content_hash(path for path in files if path.name not in _NO_PART_OF_A_MODEL)
    commit = getattr(model.config, "_commit_hash", None)
    return str(commit)[:12] if commit else _weights_hash(model)


def _weights_hash(model: Any) -> str:
    digest = hashlib.sha256()
    for key, tensor in sorted(model.state_dict().items()):
        digest.update(key.encode())
        digest.update(tensor.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()[:12]
