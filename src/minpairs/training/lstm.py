"""An LSTM language model that transformers loads, trains, saves and scores like any other.

Importing this module makes it known to transformers' Auto classes as ``minpairs_lstm``.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, PreTrainedModel
from transformers.configuration_utils import PreTrainedConfig
from transformers.modeling_outputs import CausalLMOutput

from minpairs.errors import ModelError
from minpairs.training.unit_tokenizer import JiebaTokenizer
from minpairs.training.vocabulary import BEGINNING, END

_IGNORED = -100  # transformers' label of what has no loss


class LstmConfig(PreTrainedConfig):  # type: ignore[misc]
    """The shape of an ``LstmForCausalLM``.

    Attributes:
        vocab_size: units of the vocabulary.
        embedding_size: size of the input embedding.
        hidden_size: size of a layer's state.
        num_hidden_layers: stacked layers.
        dropout: after the embedding, between layers, and before the head.
        initializer_range: embeddings begin uniform between this and its negative.
        tie_word_embeddings: whether input and output embedding are one.
    """

    model_type = "minpairs_lstm"

    vocab_size: int = 3
    embedding_size: int = 200
    hidden_size: int = 200
    num_hidden_layers: int = 2
    dropout: float = 0.2
    initializer_range: float = 0.1
    tie_word_embeddings: bool = False
    bos_token_id: int | None = BEGINNING
    eos_token_id: int | None = END
    pad_token_id: int | None = END


class LstmForCausalLM(PreTrainedModel):  # type: ignore[misc]
    """An LSTM whose state is fresh for each row of a batch: a row is a sentence."""

    config_class = LstmConfig
    base_model_prefix = ""
    # A position depends on all before it through the state: rows must be texts, never trees.
    _is_stateful = True
    _tied_weights_keys = {"lm_head.weight": "embed_tokens.weight"}  # noqa: RUF012

    def __init__(self, config: LstmConfig) -> None:
        super().__init__(config)
        if config.tie_word_embeddings and config.embedding_size != config.hidden_size:
            raise ModelError(
                f"tied embeddings need one size; embedding {config.embedding_size} is not "
                f"the layers' {config.hidden_size}"
            )
        layers = config.num_hidden_layers
        self.embed_tokens = nn.Embedding(config.vocab_size, config.embedding_size)
        self.dropout = nn.Dropout(config.dropout)
        self.lstm = nn.LSTM(
            config.embedding_size,
            config.hidden_size,
            layers,
            batch_first=True,
            dropout=config.dropout if layers > 1 else 0.0,
        )
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size)
        self.post_init()

    def get_input_embeddings(self) -> nn.Embedding:
        """See ``PreTrainedModel``."""
        return self.embed_tokens

    def set_input_embeddings(self, value: nn.Embedding) -> None:
        """See ``PreTrainedModel``."""
        self.embed_tokens = value

    def get_output_embeddings(self) -> nn.Linear:
        """See ``PreTrainedModel``."""
        return self.lm_head

    def set_output_embeddings(self, new_embeddings: nn.Linear) -> None:
        """See ``PreTrainedModel``."""
        self.lm_head = new_embeddings

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor | None = None,
        labels: torch.Tensor | None = None,
        logits_to_keep: int | torch.Tensor = 0,
        num_items_in_batch: torch.Tensor | int | None = None,
        **_: Any,
    ) -> CausalLMOutput:
        """Reads sentences from left to right.

        Args:
            input_ids: units, ``(batch, length)``.
            attention_mask: 0 for padding, which must be on the right: the state runs through it.
            labels: as ``input_ids``, -100 where no loss is asked for. With labels there is a loss
                and there are no logits: a vocabulary at every padded place is what costs memory.
            logits_to_keep: only the last so many positions, or these; 0 for all.
            num_items_in_batch: labels of the whole step; the loss is then their share of its mean.

        Raises:
            ModelError: there is padding on the left.
        """
        if attention_mask is not None and not bool((attention_mask[:, 0] != 0).all()):
            raise ModelError("an LSTM reads padding too: pad on the right")
        hidden = self.dropout(self.embed_tokens(input_ids))  # (B, T, E)
        hidden = self.dropout(self.lstm(hidden)[0])  # (B, T, H)
        if labels is not None:
            return CausalLMOutput(loss=self._loss(hidden, labels, num_items_in_batch))
        kept = slice(-logits_to_keep, None) if isinstance(logits_to_keep, int) else logits_to_keep
        return CausalLMOutput(logits=self.lm_head(hidden[:, kept]))  # (B, K, V)

    def _loss(
        self, hidden: torch.Tensor, labels: torch.Tensor, items: torch.Tensor | int | None
    ) -> torch.Tensor:
        targets = labels[:, 1:]
        asked = targets != _IGNORED
        logits = self.lm_head(hidden[:, :-1][asked])
        total = nn.functional.cross_entropy(logits.float(), targets[asked], reduction="sum")
        return total / (asked.sum() if items is None else items)

    def _init_weights(self, module: nn.Module) -> None:
        reach = self.config.initializer_range
        if isinstance(module, nn.Embedding):
            nn.init.uniform_(module.weight, -reach, reach)
        elif isinstance(module, nn.Linear):
            nn.init.uniform_(module.weight, -reach, reach)
            nn.init.zeros_(module.bias)
        elif isinstance(module, nn.LSTM):
            for parameter in module.parameters():
                nn.init.uniform_(parameter, -(module.hidden_size**-0.5), module.hidden_size**-0.5)


AutoConfig.register(LstmConfig.model_type, LstmConfig)
AutoModelForCausalLM.register(LstmConfig, LstmForCausalLM)
AutoTokenizer.register(LstmConfig, fast_tokenizer_class=JiebaTokenizer)  # others are known
