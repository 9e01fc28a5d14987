"""Commands to be disturbed, each small: what they read, how they run, what must come out."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Mapping
from pathlib import Path

import pyarrow.parquet as pq
from trust.harness import Job, files

_NOUNS = ("fox", "hen", "cat", "dog", "owl", "bee", "ant", "elk", "yak", "cow", "pig", "ram")
_VERBS = ("nap", "run", "eat", "sit", "hop", "dig", "fly", "nod", "win", "sob")
_PLACES = ("here", "there", "at home", "by the lake", "in town", "on the hill", "all day long")


def command(*arguments: str) -> None:
    """Runs ``minpairs`` with arguments, in this process."""
    from minpairs.cli import main

    sys.argv = ["minpairs", *arguments]
    main()


def write_inputs(folder: Path) -> None:
    """Pairs, a corpus, a grammar, and the models that the jobs use."""
    folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(0)
    pairs = [
        (f"The {noun} {verb}s {place}.", f"The {noun} {verb} {place}.")
        for noun in _NOUNS
        for verb in _VERBS
        for place in _PLACES
    ]
    draw.shuffle(pairs)
    header = "sentence_good\tsentence_bad\n"
    for name, some in (("pairs.tsv", pairs), ("few.tsv", pairs[:150])):
        (folder / name).write_text(header + "".join(f"{a}\t{b}\n" for a, b in some))
    many = [(f"{a} {i}", f"{b} {i}") for i in range(6) for a, b in pairs]
    (folder / "many.tsv").write_text(header + "".join(f"{a}\t{b}\n" for a, b in many))
    lines = [draw.choice(pairs)[0] for _ in range(3000)]
    lines += [f"Nobody saw the {n}, let alone the {m}." for n in _NOUNS for m in _NOUNS]
    draw.shuffle(lines)
    (folder / "corpus.txt").write_text("\n".join(lines) + "\n")
    (folder / "small.txt").write_text("\n".join(lines[:400]) + "\n")
    _write_grammar(folder / "naps")
    _write_models(folder)


def _write_grammar(folder: Path) -> None:
    (folder / "lexicon").mkdir(parents=True, exist_ok=True)
    (folder / "lexicon" / "features.yaml").write_text(
        "nouns:\n  about: animals\n  columns: {form: the noun, plural: its plural}\n"
        "verbs:\n  about: what they do\n  columns: {form: the verb}\n"
        "places:\n  about: where\n  columns: {form: the place}\n"
    )
    card = "name: Naps\nlanguage: en\nunion: all\nabout: Animals and what they do.\n"
    (folder / "card.yaml").write_text(card)
    rows = {
        "nouns": ["form\tplural", *(f"{noun}\t{noun}s" for noun in _NOUNS)],
        "verbs": ["form", *_VERBS],
        "places": ["form", *_PLACES],
    }
    for name, lines in rows.items():
        (folder / "lexicon" / f"{name}.tsv").write_text("\n".join(lines) + "\n")
    for uid in ("naps_one", "naps_two", "naps_three", "naps_four"):
        (folder / f"{uid}.yaml").write_text(
            f"uid: {uid}\nphenomenon: agreement\nlanguage: en\ndesign: minimal_pair\n"
            "about: A verb agrees with its subject.\nitems: 60\n"
            "slots: {noun: {from: nouns}, verb: {from: verbs}, place: {from: places}}\n"
            'cells:\n  acceptable: "the {noun.plural} {verb} {place}"\n'
            '  unacceptable: "the {noun} {verb} {place}"\ncluster: noun.form\n'
        )


def _write_models(folder: Path) -> None:
    from tiny_models import byte_tokenizer, causal

    from minpairs.training.corpus import open_corpus
    from minpairs.training.ngram import train_ngram
    from minpairs.training.presets import NgramSettings

    sentences = open_corpus(folder / "corpus.txt").sentences()
    train_ngram(sentences, folder / "model.arpa", NgramSettings(order=3, estimator="own"))
    model = causal("opt")
    model.save_pretrained(folder / "opt")
    byte_tokenizer().save_pretrained(folder / "opt")


def _scores(folder: Path) -> set[object]:
    found: set[object] = set()
    for path in folder.rglob("scores/*.parquet"):
        try:
            rows = pq.read_table(path).select(["continuation", "logprob", "tokens"]).to_pylist()
        except FileNotFoundError:
            continue  # joined into another just now
        found |= {tuple(row.values()) for row in rows}
    return found


def _score_result(out: Path) -> Mapping[str, object]:
    (folder,) = (path.parent for path in out.rglob("run.json"))
    record = json.loads((folder / "run.json").read_text())
    kept = {key: record[key] for key in ("model", "settings", "versions")}
    suites = [
        {key: value for key, value in suite.items() if key != "file"} for suite in record["suites"]
    ]
    return {
        "scores": _scores(out),
        "record": json.dumps([kept, suites], sort_keys=True),
        "report": (folder / "report.md").read_bytes(),
        **files(folder / "suites"),
    }


def scoring(inputs: Path, model: str, pairs: str, *options: str) -> Job:
    """``minpairs score``."""
    words = ("score", str(inputs / model), str(inputs / pairs))
    return Job(
        f"score {model}",
        lambda out: command(*words, "--out", str(out), *options),
        _score_result,
        _scores,
    )


def generating(inputs: Path) -> Job:
    """``minpairs generate``."""
    return Job(
        "generate",
        lambda out: command("generate", str(inputs / "naps"), "--out", str(out)),
        files,
    )


def _parts(out: Path) -> set[object]:
    """Shards that are whole: what a resumed run need not write again."""
    return {
        (path.relative_to(out).as_posix(), path.read_bytes())
        for path in out.rglob("data/corpus.*/train-*.parquet")
    }


def filtering(inputs: Path) -> Job:
    """``minpairs filter``, in many parts."""

    def run(out: Path) -> None:
        from minpairs.training.corpus import open_corpus
        from minpairs.training.filtering import filter_corpus

        corpus = open_corpus(inputs / "corpus.txt", part_bytes=8_000)
        filter_corpus(corpus, out, ["no_let", "random_control"], seed=1)

    return Job("filter", run, files, _parts)


def training_ngram(inputs: Path) -> Job:
    """``minpairs train ngram``."""

    def run(out: Path) -> None:
        out.mkdir(parents=True, exist_ok=True)
        corpus, model = str(inputs / "corpus.txt"), str(out / "model.arpa")
        command("train", "ngram", corpus, "--out", model, "--estimator", "own", "--order", "4")

    return Job("train ngram", run, _without_remains)


def _without_remains(out: Path) -> Mapping[str, object]:
    """What a command wrote, without the unnamed beginnings that a kill leaves."""
    return {name: data for name, data in files(out).items() if not Path(name).name.startswith(".")}


def training_lstm(inputs: Path) -> Job:
    """``minpairs train lstm``: checkpoints every few steps."""
    options = "--layers 1 --units 8 --embedding 8 --dropout 0.1 --max-steps 40 --batch-size 4"
    options += " --checkpoint-every 5 --log-every 5 --held-out 0.05"

    def run(out: Path) -> None:
        corpus = str(inputs / "small.txt")
        command("train", "lstm", corpus, "--out", str(out), *options.split())

    def result(out: Path) -> Mapping[str, object]:
        kept = ("model.safetensors", "tokenizer.json", "training_log.json", "config.json")
        return {name: (out / name).read_bytes() for name in kept}

    return Job("train lstm", run, result)


def studying(inputs: Path) -> Job:
    """``minpairs study climp``: two n-gram models."""

    def run(out: Path) -> None:
        words = ["--corpus", str(inputs / "small.txt"), "--language", "en", "--out", str(out)]
        words += ["--sizes", "100", "300", "--models", "5gram", "--units", "char"]
        words += ["--suites", str(inputs / "suites" / "naps"), "--limit", "50"]
        command("study", "climp", *words, "--processes", "1")

    def result(out: Path) -> Mapping[str, object]:
        return {"report": (out / "report.md").read_bytes(), "scores": _scores(out)}

    return Job("study climp", run, result, _scores)


def annotating(inputs: Path) -> Job:
    """A person who answers: what the page has confirmed must be there."""

    def run(out: Path) -> None:
        from minpairs.annotation.session import Session
        from minpairs.annotation.study import build_study
        from minpairs.benchmarks.suites import load_pairs

        names = {"acceptable": "sentence_good", "unacceptable": "sentence_bad"}
        study = build_study(load_pairs(inputs / "few.tsv", **names))
        out.mkdir(parents=True, exist_ok=True)
        session = Session(out / "study", study, "ann")
        with (out / "confirmed").open("a", buffering=1) as confirmed:
            while (trial := session.current) is not None:
                left = len(trial.left) >= len(trial.right)
                if session.answer(trial.pair, "left" if left else "right"):
                    confirmed.write(f"{trial.pair}\n")
        session.close()

    def records(out: Path) -> set[object]:
        path = out / "confirmed"
        return set(path.read_text().split("\n")[:-1]) if path.exists() else set()

    def result(out: Path) -> Mapping[str, object]:
        rows = [json.loads(line) for line in (out / "study" / "ann.jsonl").read_text().splitlines()]
        given = [(row["pair"], row["left"], row["right"], row["choice"]) for row in rows]
        unknown = records(out) - {pair for pair, *_ in given}
        return {"answers": given, "confirmed but not there": unknown}

    return Job("annotate", run, result, records)


def jobs(inputs: Path) -> dict[str, Job]:
    """All of them, by name."""
    every = (
        scoring(inputs, "model.arpa", "many.tsv"),
        scoring(inputs, "opt", "few.tsv", "--batch-tokens", "256"),
        generating(inputs),
        filtering(inputs),
        training_ngram(inputs),
        training_lstm(inputs),
        studying(inputs),
        annotating(inputs),
    )
    return {job.name: job for job in every}


def load_libraries() -> None:
    """Imports what the commands import, once, so that forks have it; no thread is started."""
    import datasets
    import torch
    import transformers

    torch.set_num_threads(1)
    datasets.disable_progress_bars()
    transformers.utils.logging.disable_progress_bar()
    for name in ("OPTForCausalLM", "AutoModelForCausalLM", "AutoTokenizer"):
        getattr(transformers, name)
