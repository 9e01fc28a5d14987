"""Tokenizers that are trained on the text a model learns from."""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers import (
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import PreTrainedTokenizerFast

from minpairs.training.errors import CorpusError
from minpairs.training.presets import Pieces
from minpairs.training.unit_tokenizer import WHITE_SPACE

# OPT's configuration pads with 1 and ends with 2; the let-alone study's tokenizers agree.
OPT_SYMBOLS = ("<s>", "<pad>", "</s>")
BERT_SYMBOLS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_RARE = 2  # what occurs once in the text becomes no token of its own


def byte_level_bpe(
    sentences: Iterable[str], vocabulary: int, positions: int
) -> PreTrainedTokenizerFast:
    """Trains a byte-level BPE: case is kept, no space is added, and no text is unknown.

    It puts ``<s>`` before a text, as scoring does, and as the model is trained.

    Args:
        sentences: the text.
        vocabulary: most tokens, special ones and the 256 bytes included.
        positions: longest input of the model.

    Raises:
        CorpusError: the vocabulary has no room for every byte.
    """
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    least = len(alphabet) + len(OPT_SYMBOLS)
    if vocabulary < least:
        raise CorpusError(
            f"a vocabulary of {vocabulary} cannot hold every byte; it needs {least} or more"
        )
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        min_frequency=_RARE,
        special_tokens=list(OPT_SYMBOLS),
        initial_alphabet=alphabet,
        show_progress=False,
    )
    core.train_from_iterator(sentences, trainer)
    core.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing(
                single="<s> $A", pair="<s> $A $B", special_tokens=[("<s>", 0)]
            ),
        ]
    )
    beginning, padding, end = OPT_SYMBOLS
    tokenizer: PreTrainedTokenizerFast = PreTrainedTokenizerFast(
        tokenizer_object=core,
        bos_token=beginning,
        eos_token=end,
        pad_token=padding,
        padding_side="right",
        model_max_length=positions,
        clean_up_tokenization_spaces=False,
    )
    return tokenizer


def bert_tokenizer(
    sentences: Iterable[str], pieces: Pieces, vocabulary: int, positions: int
) -> PreTrainedTokenizerFast:
    """Trains a tokenizer for a masked model; case is kept.

    Args:
        sentences: the text; it is read twice for ``wordpiece``.
        pieces: ``wordpiece``, or ``characters`` (white space apart).
        vocabulary: most tokens, special ones included; ``wordpiece`` keeps every character of the
            text, however few these are.
        positions: longest input of the model.

    Raises:
        CorpusError: the vocabulary has room for special tokens only.
    """
    if vocabulary <= len(BERT_SYMBOLS):
        raise CorpusError(
            f"a vocabulary of {vocabulary} holds special tokens only; it needs more than "
            f"{len(BERT_SYMBOLS)}"
        )
    padding, unknown, beginning, end, mask = BERT_SYMBOLS
    core = _characters() if pieces == "characters" else _wordpiece({unknown: 1})
    trainer: trainers.Trainer
    if pieces == "characters":
        trainer = trainers.WordLevelTrainer(
            vocab_size=vocabulary,
            min_frequency=_RARE,
            special_tokens=list(BERT_SYMBOLS),
            show_progress=False,
        )
        core.train_from_iterator(sentences, trainer)
    else:
        # The trainer numbers these as it meets them in a hash table, anew each time, and breaks
        # ties by their numbers: named beforehand, they make the same text give the same tokens.
        inner = [f"##{character}" for character in _inner_characters(core, sentences)]
        trainer = trainers.WordPieceTrainer(
            vocab_size=vocabulary,
            min_frequency=_RARE,
            special_tokens=[*BERT_SYMBOLS, *inner],
            show_progress=False,
        )
        core.train_from_iterator(sentences, trainer)
        core = _wordpiece(core.get_vocab())  # where they are ordinary tokens
    ids = [(token, BERT_SYMBOLS.index(token)) for token in (beginning, end)]
    core.post_processor = processors.TemplateProcessing(
        single=f"{beginning} $A {end}",
        pair=f"{beginning} $A {end} $B:1 {end}:1",
        special_tokens=ids,
    )
    tokenizer: PreTrainedTokenizerFast = PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token=padding,
        unk_token=unknown,
        cls_token=beginning,
        sep_token=end,
        mask_token=mask,
        padding_side="right",
        model_max_length=positions,
        clean_up_tokenization_spaces=False,
    )
    return tokenizer


def _characters() -> Tokenizer:
    core = Tokenizer(models.WordLevel({BERT_SYMBOLS[1]: 1}, unk_token=BERT_SYMBOLS[1]))
    core.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(f"[{WHITE_SPACE}]+"), "removed"),
            pre_tokenizers.Split(Regex("(?m)."), "isolated"),
        ]
    )
    return core


def _wordpiece(vocabulary: dict[str, int]) -> Tokenizer:
    core = Tokenizer(models.WordPiece(vocabulary, unk_token=BERT_SYMBOLS[1]))
    core.normalizer = normalizers.BertNormalizer(lowercase=False)
    core.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    core.decoder = decoders.WordPiece(cleanup=False)
    return core


def _inner_characters(core: Tokenizer, sentences: Iterable[str]) -> list[str]:
    """The characters that stand inside words, not at their beginning."""
    found: set[str] = set()
    for sentence in sentences:
        for word, _ in core.pre_tokenizer.pre_tokenize_str(core.normalizer.normalize_str(sentence)):
            found.update(word[1:])
    return sorted(found)
