"""Whether a model's answers can be believed: checks on loading, and on the scores it gave."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from minpairs.errors import ModelError
from minpairs.scoring.limits import context_length, embedding_rows, inference
from minpairs.scoring.score import Score

logger = logging.getLogger(__name__)

# What rounding may change in a log-probability (nats) of the same tokens in the same batch.
_TOLERANCE = {torch.float32: 1e-3, torch.bfloat16: 0.5, torch.float16: 0.1}
_LENGTH = 6
_CERTAIN = -1e-6  # nats
_SAME = 1e-5  # nats: of two contexts, less than any that was read would make
IGNORES_INPUT = "ignores what it reads"


def check_vocabulary(model: Any, tokenizer: Any, name: str) -> None:
    """Whether the tokenizer can be the model's.

    Tokens that were added later (a padding token, say) need no embedding until a text uses them.

    Raises:
        ModelError: it has more tokens than the model has embeddings.
    """
    rows = embedding_rows(model)
    if rows is not None and tokenizer.vocab_size > rows:
        raise ModelError(
            f"the tokenizer has {tokenizer.vocab_size} tokens, outside the model's {rows} "
            f"embeddings: it does not belong to {name}"
        )


def check_answers(model: Any, tokenizer: Any, kind: str, name: str) -> str | None:
    """Asks a model about a few tokens, and whether it answers as a language model does.

    Two short rows are read, twice. They begin alike and end differently (masked: they are all
    different, around one mask). The same rows must get the same answers, and a causal model the
    same answers where nothing before has changed.

    Args:
        model: a transformers model.
        tokenizer: its tokenizer.
        kind: ``causal`` or ``masked``.
        name: what the user called the model.

    Returns:
        What is wrong with a model that can be scored and knows nothing, for its signature, or
        ``None``. Numbers that are not finite are left to scoring, which names their text.

    Raises:
        ModelError: the model answers differently each time, or reads what comes after.
    """
    rows = probe(model, tokenizer, kind)
    if rows is None:
        return None
    ids, shared, asked = rows.ids, rows.shared, rows.asked
    try:
        first, again = (answers_to(model, ids) for _ in range(2))
    except Exception as error:  # whatever a model's own code raises
        raise ModelError(
            f"{name} cannot be run on {ids.numel()} tokens: {type(error).__name__}: {error}"
        ) from error
    if not torch.isfinite(first).all():
        return None
    tolerance = _TOLERANCE.get(model.dtype, _TOLERANCE[torch.float32])
    unsteady = _difference(first, again)
    if not unsteady <= tolerance:
        raise ModelError(
            f"{name} answers differently each time it is asked the same (by up to {unsteady:.2g} "
            "nats): is dropout left on? Its scores could not be repeated"
        )
    if kind == "causal":
        leaked = _difference(first[0, :shared], first[1, :shared])
        if not leaked <= tolerance:
            raise ModelError(
                f"{name} reads what comes after a token when it predicts it (by up to {leaked:.2g} "
                "nats), so it is no causal model; leave --kind out, or try --kind masked"
            )
    answers = first[:, asked]  # (2, vocabulary)
    fault = None
    best = first.argmax(-1)
    if _difference(answers[0], answers[1]) <= _SAME:
        fault = IGNORES_INPUT
    elif bool((best == best[0, 0]).all()) and float(first.amax(-1).min()) > _CERTAIN:
        fault = f"is always certain of {tokenizer.convert_ids_to_tokens(int(best[0, 0]))}"
    if fault:
        logger.warning("%s %s: it knows nothing of sentences", name, fault)
    return fault


def warn_if_improbable(name: str, scores: Sequence[Score], vocabulary: int) -> None:
    """Warns where texts are less probable than tokens drawn at random.

    So it is with a wrong beginning token, another model's tokenizer, or weights that were not read.
    """
    tokens = sum(score.tokens for score in scores)
    if not tokens:
        return
    mean = sum(score.logprob for score in scores) / tokens
    chance = -math.log(vocabulary)
    if mean < chance:
        logger.warning(
            "%s gives these texts %.2f nats a token; %d tokens drawn at random have %.2f: do its "
            "tokenizer, beginning token and weights belong together?",
            name,
            mean,
            vocabulary,
            chance,
        )


@dataclass(frozen=True, slots=True)
class Probe:
    """Two short rows to ask a model about.

    Attributes:
        ids: their tokens, shape ``(2, t)``.
        shared: how many they share at first.
        asked: the position to compare.
    """

    ids: torch.Tensor
    shared: int
    asked: int


def probe(model: Any, tokenizer: Any, kind: str) -> Probe | None:
    """Rows to ask a model about; ``None`` where its vocabulary or context is too small for them."""
    embedded = embedding_rows(model) or len(tokenizer)
    special = set(tokenizer.all_special_ids)
    plain = [token for token in range(min(embedded, len(tokenizer))) if token not in special]
    length = min(_LENGTH, context_length(model, tokenizer) or _LENGTH)
    if len(plain) < 2 or length < 3:
        return None
    # Tokens apart from each other; a tiny vocabulary repeats some.
    chosen = [plain[index * (len(plain) - 1) // (2 * length - 1)] for index in range(2 * length)]
    shared = length // 2 if kind == "causal" else 0
    rows = torch.tensor([chosen[:length], chosen[:shared] + chosen[length + shared :]])
    asked = length - 1
    if kind == "masked":
        asked = length // 2
        rows[:, asked] = tokenizer.mask_token_id
    return Probe(rows, shared, asked)


def answers_to(model: Any, ids: torch.Tensor) -> torch.Tensor:
    """Float32 log-probabilities after each position of some rows, ``(rows, t, vocabulary)``."""
    ids = ids.to(model.device)
    with inference(model):
        logits: torch.Tensor = model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
    return logits.float().log_softmax(-1).cpu()


def _difference(one: torch.Tensor, other: torch.Tensor) -> float:
    return float((one - other).abs().max())
