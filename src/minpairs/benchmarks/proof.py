"""The proof on a card: what of its minimal pairs can be guessed without knowing any grammar."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, log

import pyarrow as pa

from minpairs.grammar.proof import PairProof, prove

COMMON = 5000  # words count as common up to this rank
_RAREST = 1e-9  # what wordfreq does not know counts as one in a thousand million


@dataclass(frozen=True, slots=True)
class Frequencies:
    """How often words occur in a language, by wordfreq.

    Attributes:
        language: ``zh`` or ``en``.
        common: the most frequent words.
        known: the frequency of each word of wordfreq's list, a share of all words.
    """

    language: str
    common: frozenset[str]
    known: Mapping[str, float]
    _logs: dict[str, float] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, language: str) -> Frequencies:
        """Reads wordfreq's lists of a language."""
        import wordfreq

        common = frozenset(wordfreq.top_n_list(language, COMMON))
        return cls(language, common, wordfreq.get_frequency_dict(language))

    def log_probability(self, words: Sequence[str]) -> float:
        """Natural logarithm of the product of the words' frequencies, whatever their order."""
        return fsum(self._log(word) for word in words)

    def _log(self, word: str) -> float:
        if word not in self._logs:
            from wordfreq import word_frequency

            self._logs[word] = log(word_frequency(word, self.language, minimum=_RAREST))
        return self._logs[word]


@dataclass(frozen=True, slots=True)
class ParadigmProof:
    """Counts and baselines of one paradigm's pairs; shares are from 0 to 1.

    Attributes:
        pairs: lengths, duplicates and the edit-only baseline.
        unigram: share of pairs whose acceptable member has the more frequent words, ties one half.
        unigram_jieba: the same with the words that jieba cuts; None if not in Chinese.
        jieba_unequal: pairs whose members jieba cuts into different numbers of words; likewise.
        words: distinct words, without punctuation.
        common_tokens: share of the words as they stand that are common.
        common_types: share of the distinct words that are common.
    """

    pairs: PairProof
    unigram: float
    unigram_jieba: float | None
    jieba_unequal: int | None
    words: int
    common_tokens: float
    common_types: float


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a paradigm must keep, as shares from 0 to 1; equal lengths and no repetition besides."""

    edit_only: float
    unigram: tuple[float, float]


def prove_paradigm(table: pa.Table, frequencies: Frequencies) -> ParadigmProof:
    """Counts over a table of minimal pairs as :func:`minpairs.grammar.rows` writes it."""
    good, bad = (
        [bare(words) for words in table[name].to_pylist()] for name in ("words_good", "words_bad")
    )
    tokens = Counter(word for words in (*good, *bad) for word in words)
    common = {word: times for word, times in tokens.items() if word in frequencies.common}
    unigram_jieba = jieba_unequal = None
    if frequencies.language == "zh":
        from minpairs.scoring.segmentation import segmenter

        jieba = segmenter("jieba")
        cut_good, cut_bad = (
            [jieba(text) for text in table[name].to_pylist()]
            for name in ("sentence_good", "sentence_bad")
        )
        jieba_unequal = sum(len(g) != len(b) for g, b in zip(cut_good, cut_bad, strict=True))
        unigram_jieba = unigram(
            [bare(words) for words in cut_good], [bare(words) for words in cut_bad], frequencies
        )
    return ParadigmProof(
        pairs=prove(table),
        unigram=unigram(good, bad, frequencies),
        unigram_jieba=unigram_jieba,
        jieba_unequal=jieba_unequal,
        words=len(tokens),
        common_tokens=_ratio(sum(common.values()), tokens.total()),
        common_types=_ratio(len(common), len(tokens)),
    )


def unigram(
    good: Sequence[Sequence[str]], bad: Sequence[Sequence[str]], frequencies: Frequencies
) -> float:
    """Accuracy of preferring the member with the more frequent words; a tie counts one half."""
    total = 0.0
    for g, b in zip(good, bad, strict=True):
        ours, theirs = frequencies.log_probability(g), frequencies.log_probability(b)
        total += (1 + (ours > theirs) - (ours < theirs)) / 2
    return _ratio(total, len(good))


def bare(words: Sequence[str]) -> list[str]:
    """Words in lower case, without the punctuation around them; mere punctuation is left out."""
    stripped = (_strip(word).lower() for word in words)
    return [word for word in stripped if word]


def faults(proofs: Mapping[str, ParadigmProof], bounds: Bounds) -> list[str]:
    """What misses the bounds, a line for each."""
    found = []
    low, high = bounds.unigram
    for uid, proof in proofs.items():
        pairs = proof.pairs
        if not pairs.edit_only_stable <= bounds.edit_only:
            found.append(
                f"{uid}: knowing only the exchanged strings is right in "
                f"{100 * pairs.edit_only_stable:.1f} % of the pairs; "
                f"{100 * bounds.edit_only:g} % at most: use balance.exchange"
            )
        if not low <= proof.unigram <= high:
            found.append(
                f"{uid}: the more frequent words are right in {100 * proof.unigram:.1f} % of the "
                f"pairs, not in {100 * low:g} to {100 * high:g} %: use balance.exchange"
            )
        for count, name in ((pairs.equal_characters, "characters"), (pairs.equal_words, "words")):
            if count < pairs.n:
                found.append(
                    f"{uid}: {pairs.n - count} of {pairs.n} pairs have unequal numbers of {name}; "
                    f"add a relation between the exchanged slots' {name}"
                )
        if pairs.identical or pairs.repeated:
            found.append(
                f"{uid}: {pairs.identical} pairs of identical members, "
                f"{pairs.repeated} repeated sentences"
            )
    return found


def _strip(word: str) -> str:
    letters = [i for i, character in enumerate(word) if character.isalnum()]
    return word[letters[0] : letters[-1] + 1] if letters else ""


def _ratio(part: float, whole: int) -> float:
    return part / whole if whole else float("nan")
