"""Commands to be disturbed, each small: what they read, how they run, what must come out."""

from __future__ import annotations

import importlib
import json
import random
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow.parquet as pq
import yaml
from trust.harness import Job, files

_NOUNS = ("fox", "hen", "cat", "dog", "owl", "bee", "ant", "elk", "yak", "cow", "pig", "ram")
_VERBS = ("nap", "run", "eat", "sit", "hop", "dig", "fly", "nod", "win", "sob")
_LET_ALONE = Path(__file__).parents[2] / "let_alone"
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
    _write_let_alone(folder / "let_alone")


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


def _write_let_alone(folder: Path) -> None:
    """Some items of two suites of the benchmark."""
    for name in ("npi", "scalar"):
        (path,) = (_LET_ALONE / "data" / name).glob("*.parquet")
        (folder / "data" / name).mkdir(parents=True, exist_ok=True)
        pq.write_table(pq.read_table(path).slice(0, 20), folder / "data" / name / path.name)
    card = yaml.safe_load((_LET_ALONE / "README.md").read_text().split("---\n")[1])
    card["configs"] = [one for one in card["configs"] if one["config_name"] in ("npi", "scalar")]
    (folder / "README.md").write_text(f"---\n{yaml.safe_dump(card)}---\n")


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


def _log(model: Path) -> set[object]:
    """What a model's log says of its training; of a stopped one, its last whole checkpoint's."""
    from minpairs.training.loop import LOG, kept_log, last_whole_checkpoint

    if (model / LOG).is_file():
        entries = json.loads((model / LOG).read_text())
    elif (checkpoint := last_whole_checkpoint(model / "checkpoints")) is not None:
        state = json.loads((checkpoint / "trainer_state.json").read_text())
        entries = kept_log(state["log_history"])
    else:
        entries = []
    return {json.dumps(entry, sort_keys=True) for entry in entries}


def _training(inputs: Path, kind: str, options: str) -> Job:
    """``minpairs train`` of a neural model: checkpoints every few steps, steps that take a while.

    Its records are the lines of its log: a checkpoint keeps those that came before it.
    """
    words = ("train", kind, str(inputs / "small.txt"), *options.split())
    return Job(
        f"train {kind}",
        lambda out: command(*words, "--out", str(out)),
        _without_remains,
        _log,
    )


_STEPS = "--max-steps 40 --batch-size 4 --checkpoint-every 5 --log-every 5 --held-out 0.05"
_TINY = "--layers 1 --hidden 16 --feed-forward 32 --heads 2 --positions 64 --dropout 0.1"


def training_lstm(inputs: Path) -> Job:
    """``minpairs train lstm``."""
    return _training(inputs, "lstm", f"--layers 1 --units 8 --embedding 8 --dropout 0.1 {_STEPS}")


def training_causal(inputs: Path) -> Job:
    """``minpairs train causal``: an OPT model, several sentences a row."""
    options = f"--preset opt-tiny --packed --vocabulary 300 {_TINY} {_STEPS}"
    return _training(inputs, "causal", options)


def training_masked(inputs: Path) -> Job:
    """``minpairs train masked``: a BERT model."""
    return _training(inputs, "masked", f"--preset bert-tiny --vocabulary 200 {_TINY} {_STEPS}")


def _study(
    name: str, run: Callable[[Path], None], result: Callable[[Path], Mapping[str, object]]
) -> Job:
    """A study. Its records: scores, cells that are done, and the lines of its models' logs."""

    def records(out: Path) -> set[object]:
        logs = {(model.name, line) for model in (out / "models").glob("*") for line in _log(model)}
        return {*_scores(out), *(path.name for path in out.glob("cells/*.json")), *logs}

    return Job(f"study {name}", run, result, records)


def studying_climp(inputs: Path) -> Job:
    """``minpairs study climp``: two n-gram models."""

    def run(out: Path) -> None:
        words = ["--corpus", str(inputs / "small.txt"), "--language", "en", "--out", str(out)]
        words += ["--sizes", "100", "300", "--models", "5gram", "--units", "char"]
        words += ["--suites", str(inputs / "suites" / "naps"), "--limit", "50"]
        command("study", "climp", *words, "--processes", "1")

    def result(out: Path) -> Mapping[str, object]:
        return {"report": (out / "report.md").read_bytes(), "scores": _scores(out)}

    return _study("climp", run, result)


def studying_let_alone(inputs: Path) -> Job:
    """``minpairs study let-alone``: OPT models on two filters of a corpus."""
    settings = "layers=1 hidden=8 feed_forward=8 heads=2 vocabulary=280 positions=128 max_steps=9"
    settings += " checkpoint_every=3 log_every=3 warmup_steps=1 batch_size=4 held_out=0.05"

    def run(out: Path) -> None:
        words = ["--corpus", str(inputs / "small.txt"), "--out", str(out), "--seeds", "1"]
        words += ["--scenarios", "no_filtering", "no_let", "--preset", "opt-tiny"]
        words += ["--set", *settings.split()]
        words += [
            "--suites",
            f"{inputs / 'let_alone'}:npi,scalar",
            "--limit",
            "3",
            "--processes",
            "1",
        ]
        command("study", "let-alone", *words)

    def result(out: Path) -> Mapping[str, object]:
        tables, _, _ = (out / "report.md").read_text().rpartition("| model |")  # then minutes
        models = {
            name: data
            for name, data in _without_remains(out / "models").items()
            if not name.endswith("README.md")
        }
        corpus = _without_remains(out / "corpus")
        figure = (out / "figure3.png").read_bytes()
        return {"report": tables, "figure": figure, "scores": _scores(out), **models, **corpus}

    return _study("let-alone", run, result)


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
        training_causal(inputs),
        training_masked(inputs),
        studying_climp(inputs),
        studying_let_alone(inputs),
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
    for module in ("causal", "masked", "lstm_training"):
        importlib.import_module(f"minpairs.training.{module}")
    importlib.import_module("minpairs.studies")
    importlib.import_module("minpairs.report.figures")
