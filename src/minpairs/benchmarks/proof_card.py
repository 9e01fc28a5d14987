"""The proof as a card shows it: a table of baselines, the lexicon's totals, its frequencies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan

from minpairs.benchmarks.proof import COMMON, Bounds, Frequencies, ParadigmProof
from minpairs.grammar.checks import Report

FIGURE = "figures/lexicon_frequency.svg"


def proof_section(proofs: Mapping[str, ParadigmProof], bounds: Bounds | None) -> tuple[str, str]:
    """Title and Markdown of the table of baselines, a line a paradigm."""
    chinese = any(proof.unigram_jieba is not None for proof in proofs.values())
    head = ["paradigm", "pairs", "edit-only", "unigram"]
    head += ["unigram (jieba)", "cut unequally"] if chinese else []
    head += ["unequal length", "repeated", "words", "common tokens", "common types"]
    lines = [head, ["---", *["--:"] * (len(head) - 1)]]
    for uid, proof in proofs.items():
        pairs = proof.pairs
        line = [
            f"`{uid}`",
            str(pairs.n),
            f"{_percent(pairs.edit_only_stable)} ({_percent(pairs.edit_only)})",
            _percent(proof.unigram),
        ]
        if chinese:
            line += [_percent(proof.unigram_jieba), str(proof.jieba_unequal)]
        unequal = pairs.n - min(pairs.equal_characters, pairs.equal_words)
        line += [
            str(unequal),
            str(pairs.identical + pairs.repeated),
            str(proof.words),
            _percent(proof.common_tokens),
            _percent(proof.common_types),
        ]
        lines.append(line)
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return "What can be guessed without grammar", f"{table}\n\n{_explained(chinese, bounds)}"


def lexicon_section(report: Report, frequencies: Frequencies) -> tuple[str, str]:
    """Title and Markdown of the lexicon's totals and of the figure of its frequencies."""
    forms = [form.replace(" ", "") for form in report.words]
    common = sum(form in frequencies.common for form in forms)
    lines = (
        f"{report.used_forms:,} distinct forms in use, {report.used_features} features in use, "
        f"in {len(report.tables)} tables; {common:,} of the forms are among wordfreq's {COMMON:,} "
        "most frequent words.",
        f"![Frequency of the lexicon's words by rank]({FIGURE})",
        f"Frequency by rank, for wordfreq's {frequencies.language} list and for the "
        f"{len(known(report.words, frequencies)):,} words of the lexicon that are in it "
        f"(a form of several words counts as its words). Dotted: rank {COMMON:,}.",
    )
    return "The lexicon", "\n\n".join(lines)


def known(forms: Sequence[str], frequencies: Frequencies) -> list[float]:
    """The frequencies of the forms' distinct words that wordfreq's list has, falling."""
    words = {word.lower() for form in forms for word in form.split(" ")}
    return sorted((frequencies.known[w] for w in words if w in frequencies.known), reverse=True)


def _percent(share: float | None) -> str:
    return "" if share is None or isnan(share) else f"{100 * share:.1f} %"


def _explained(chinese: bool, bounds: Bounds | None) -> str:
    at_most = f", at most {100 * bounds.edit_only:g} % here" if bounds else ""
    between = ""
    if bounds:
        low, high = bounds.unigram
        between = f", from {100 * low:g} to {100 * high:g} % here"
    parts = [
        "*Edit-only*: accuracy of knowing only the two strings that differ, from how often each is "
        "acceptable in the other pairs; 50 % is chance. Where every string is as often acceptable "
        "as not, leaving out the pair in question tips the others against it; such a prediction, "
        f"which the pair itself would change, counts as a tie{at_most} (in brackets: as it comes).",
        "*Unigram*: accuracy of preferring the sentence whose words are more frequent by wordfreq, "
        f"ties one half{between}.",
    ]
    if chinese:
        parts.append(
            "*jieba*: the same with the words that jieba cuts; *cut unequally*: pairs whose two "
            "members it cuts into different numbers of words, so that a word model sees a length "
            "where there is none (`words_good` and `words_bad` have the true words)."
        )
    parts.append(
        "*Unequal length*: pairs whose members differ in characters or words. *Repeated*: "
        "sentences that stand more than once. *Words*: distinct words. *Common*: the share of "
        f"words within wordfreq's {COMMON:,} most frequent."
    )
    return " ".join(parts)
