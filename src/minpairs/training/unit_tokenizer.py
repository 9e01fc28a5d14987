"""A tokenizer whose tokens are the units of a corpus: characters, words, or jieba's words."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from tokenizers import Regex, Tokenizer, models, pre_tokenizers
from tokenizers.pre_tokenizers import PreTokenizer
from transformers import PreTrainedTokenizerFast

from minpairs.scoring.segmentation import Segmentation, segmenter
from minpairs.training.vocabulary import BEGINNING, END, SYMBOLS, UNKNOWN

# What Python takes for white space; the tokenizers library has a slightly different set.
WHITE_SPACE = "".join(f"\\x{{{code:x}}}" for code in range(sys.maxunicode) if chr(code).isspace())


def unit_tokenizer(
    vocabulary: Sequence[str], segmentation: Segmentation
) -> PreTrainedTokenizerFast:
    """Makes the tokenizer of a vocabulary, which begins with ``SYMBOLS``.

    It adds no ``<s>`` by itself; batches are padded with ``</s>``, which no loss or score counts.
    """
    core = Tokenizer(
        models.WordLevel(
            {unit: number for number, unit in enumerate(vocabulary)}, unk_token=SYMBOLS[UNKNOWN]
        )
    )
    spaces = pre_tokenizers.Split(Regex(f"[{WHITE_SPACE}]+"), "removed")
    characters = pre_tokenizers.Split(Regex("(?m)."), "isolated")
    core.pre_tokenizer = (
        pre_tokenizers.Sequence([spaces, characters]) if segmentation == "characters" else spaces
    )
    kind = JiebaTokenizer if segmentation == "jieba" else PreTrainedTokenizerFast
    tokenizer: PreTrainedTokenizerFast = kind(
        tokenizer_object=core,
        bos_token=SYMBOLS[BEGINNING],
        eos_token=SYMBOLS[END],
        unk_token=SYMBOLS[UNKNOWN],
        pad_token=SYMBOLS[END],
        padding_side="right",
        clean_up_tokenization_spaces=False,
    )
    return tokenizer


class _CutsByJieba(PreTrainedTokenizerFast):  # type: ignore[misc]
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._written = self.backend_tokenizer.pre_tokenizer
        self.backend_tokenizer.pre_tokenizer = PreTokenizer.custom(_Jieba())

    def save_pretrained(self, *args: Any, **options: Any) -> Any:
        """See ``PreTrainedTokenizerFast``."""
        self.backend_tokenizer.pre_tokenizer = self._written
        try:
            return super().save_pretrained(*args, **options)
        finally:
            self.backend_tokenizer.pre_tokenizer = PreTokenizer.custom(_Jieba())


class JiebaTokenizer(_CutsByJieba):
    """Cuts texts with jieba.

    The file ``tokenizer.json`` cannot hold a function of Python's: it is written as if words were
    separated by white space, and jieba is put in again when it is read. (Transformers reads that
    file only for classes without an ``__init__`` of their own: hence the class above.)
    """


class _Jieba:
    def __init__(self) -> None:
        self._cut = segmenter("jieba")

    def pre_tokenize(self, text: Any) -> None:
        text.split(self._pieces)

    def _pieces(self, _index: int, text: Any) -> list[Any]:
        whole, pieces, end = str(text), [], 0
        for unit in self._cut(whole):
            start = whole.index(unit, end)  # between two words there is at most white space
            end = start + len(unit)
            pieces.append(text[start:end])
        return pieces
