"""Every reader of files from outside, with a file that it accepts: what these tests attack."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from minpairs.annotation.agreement import agree, read_annotators
from minpairs.annotation.study import STUDY_FILE, read_study
from minpairs.benchmarks.designs import from_card
from minpairs.benchmarks.importing import import_source, read_source
from minpairs.benchmarks.suites import from_table, load_pairs
from minpairs.errors import SuiteError
from minpairs.grammar import load_lexicon, load_template
from minpairs.judgements import judge
from minpairs.parsing import read_card
from minpairs.results import _SCHEMA, ScoreStore, _read_run, read_runs
from minpairs.scoring.chat.answers import AnswerStore
from minpairs.scoring.chat.prompt import read_prompt
from minpairs.scoring.unigrams import load_unigrams
from minpairs.training.corpus import open_corpus
from minpairs.training.filter_report import read_report
from minpairs.training.filters import _checked, _read, load_filters


@dataclass(frozen=True)
class Reader:
    """A reader, and what it reads.

    Attributes:
        name: what tests call it.
        file: the hostile file's name in the folder.
        valid: bytes that it accepts.
        read: reads the folder in which the file stands.
        beside: other files of the folder, all sound.
        parse: the same without what costs time and takes in no bytes (writing, the package's own
            files), for fuzzing.
    """

    name: str
    file: str
    valid: bytes
    read: Callable[[Path], Any]
    beside: tuple[tuple[str, bytes], ...] = ()
    parse: Callable[[Path], Any] | None = None

    def __str__(self) -> str:
        return self.name

    def put(self, folder: Path, content: bytes) -> Path:
        """Writes the files that are beside, and the file itself with some content."""
        for name, data in self.beside:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.write_bytes(data)
        path = folder / self.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path


def _parquet(columns: dict[str, Any], schema: pa.Schema | None = None) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(columns, schema=schema), sink)
    return sink.getvalue()


def _jsonl(*rows: object) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _csv(*rows: tuple[str, ...], by: str = ",") -> bytes:
    return "".join(by.join(row) + "\n" for row in rows).encode()


_GOOD, _BAD = "The fox naps.", "The fox nap."
_OTHER_GOOD, _OTHER_BAD = "这 只 猫 睡 。", "这 本 猫 睡 。"
_PAIRS = {"sentence_good": [_GOOD, _OTHER_GOOD], "sentence_bad": [_BAD, _OTHER_BAD]}
_PAIR_ROWS = [
    {"sentence_good": _GOOD, "sentence_bad": _BAD, "UID": "naps", "phenomenon": "agreement"},
    {"sentence_good": _OTHER_GOOD, "sentence_bad": _OTHER_BAD, "UID": "naps", "phenomenon": "a"},
]

# --- grammars

_FEATURES = b"""\
nouns:
  about: things that nap
  columns:
    form: the noun
    number: {about: of the noun, values: [sg, pl]}
"""
_NOUNS = "form\tnumber\nfox\tsg\nfoxes\tpl\n猫\tsg|pl\n".encode()
_TEMPLATE = b"""\
uid: naps
phenomenon: agreement
language: en
design: minimal_pair
about: A verb agrees with its subject.
items: 2
slots:
  one: {from: nouns, where: {number: sg}}
  many: {from: nouns, where: {number: pl}}
relations: [one.form != many.form]
cells:
  acceptable: "the {one} naps"
  unacceptable: "the {many} naps"
columns: {noun: one.form}
cluster: one.form
"""


def _lexicon(folder: Path) -> Any:
    return load_lexicon(folder / "lexicon")


def _template(folder: Path) -> Any:
    return load_template(folder / "naps.yaml", load_lexicon(folder / "lexicon"))


# --- results

_DESIGN = {
    "name": "minimal_pair",
    "chance": 0.5,
    "cells": {
        "acceptable": [None, "sentence_good"],
        "unacceptable": [None, "sentence_bad"],
    },
    "predictions": {"acceptability": "acceptable - unacceptable > 0"},
}
_SUITE_FILE = "suites/mine.naps.parquet"
_RUN = json.dumps(
    {
        "model": "toy",
        "settings": {"kind": "causal", "revision": "0", "bos": "none", "dtype": "float32"},
        "versions": {"minpairs": "0"},
        "suites": [
            {
                "name": "mine.naps",
                "benchmark": "mine",
                "config": "naps",
                "items": 2,
                "data_hash": from_table("mine", "naps", pa.table(_PAIRS)).data_hash,
                "file": _SUITE_FILE,
                "design": _DESIGN,
            }
        ],
    },
    indent=1,
).encode()


def score_rows(**changes: object) -> list[dict[str, object]]:
    """The scores of the toy run, the first with some fields changed."""
    rows = []
    for number, text in enumerate((_GOOD, _OTHER_GOOD, _BAD, _OTHER_BAD)):
        row = {
            "context": "",
            "continuation": text,
            "logprob": -10.0 - number,
            "tokens": 4,
            "words": 3,
            "characters": 11,
            "unknown_tokens": 0,
            "unigram_logprob": -12.0,
            "token_texts": [],
            "token_logprobs": [],
        }
        rows.append(row)
    rows[0] |= changes
    return rows


def scores_parquet(**changes: object) -> bytes:
    """A file of scores, the first with some fields changed."""
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(score_rows(**changes), schema=_SCHEMA), sink)
    return sink.getvalue()


_PRECISION = json.dumps(
    {
        "mine.naps": {
            "dtype": "bfloat16",
            "measure": "sum",
            "margins": 2,
            "sample": 2,
            "largest": 0.1,
            "bound": 0.2,
            "exceeding": 0.5,
            "close": 0,
            "rescored": 2,
            "seen": 0.1,
        }
    }
).encode()
_RESULTS = (
    ("run.json", _RUN),
    ("precision.json", _PRECISION),
    (_SUITE_FILE, _parquet(_PAIRS)),
    ("scores/one.parquet", scores_parquet()),
)


def _results(folder: Path) -> Any:
    runs = read_runs(folder)
    return [(judge(run), [str(one) for one in run.precision]) for run in runs]


def _record(folder: Path) -> Any:
    return _read_run(folder)


def _scores(folder: Path) -> Any:
    return ScoreStore(folder / "scores")


# --- annotation and chat

_STUDY = json.dumps(
    {
        "seed": 0,
        "items": None,
        "pairs": [
            {"id": "naps:0", "paradigm": "naps", "acceptable": _GOOD, "unacceptable": _BAD},
            {"id": "naps:1", "paradigm": "naps", "acceptable": "Yes.", "unacceptable": "Yes yes."},
        ],
    }
).encode()


def _judged(pair: str, left: str, right: str, choice: str = "left") -> dict[str, object]:
    time = "2026-01-01T00:00:00+00:00"
    return {
        "pair": pair,
        "left": left,
        "right": right,
        "choice": choice,
        "seconds": 1.5,
        "time": time,
    }


_JUDGEMENTS = _jsonl(
    _judged("naps:0", _GOOD, _BAD),
    _judged("naps:1", "Yes.", "Yes yes.", "right"),
    {"undo": "naps:1"},
    _judged("naps:1", "Yes.", "Yes yes.", "skip"),
)


def _annotations(folder: Path) -> Any:
    return agree(read_study(folder), read_annotators(folder))


_ANSWERS = _jsonl(
    {
        "key": "k",
        "suite": "mine.naps",
        "item": 0,
        "cells": ["acceptable", "unacceptable"],
        "fits": "A",
        "reply": "A",
        "letter": "A",
        "logprob_a": -0.1,
        "logprob_b": -2.5,
        "prompt_tokens": 50,
        "completion_tokens": 1,
        "finish_reason": "stop",
        "model": "fake",
        "latency": 0.1,
        "tries": 1,
        "time": "2026-01-01T00:00:00+00:00",
    }
)

# --- corpora and counts

_TEXT = "The fox naps. The foxes nap!\n\nNobody saw the fox, let alone the hen.\n猫睡。\n".encode()
_FILTERS = b"""\
mine:
  about: my own
  rules:
    naps: {phrase: the fox, not_before: sleeps, about: foxes}
    more: {contains: [nap, fox], lacks: [hen], patterns: ['na[p]+']}
  scenarios:
    no_naps: {rules: [naps, more]}
    control: {control_of: no_naps, chance: 0.5}
"""
_REPORT = json.dumps(
    {
        "settings": {"seed": 0, "scenarios": {"no_let": {"control_of": None, "rules": []}}},
        "whole": {"a": {"sentences": 2, "words": 8}},
        "rules": {},
        "scenarios": {"no_let": {"rows": 2, "size": 10, "sha256": "0"}},
    }
).encode()


def _filters(folder: Path) -> Any:
    return load_filters("mine", folder / "mine.yaml")


def _filter_rules(folder: Path) -> Any:
    return [_checked(one, "mine.yaml") for one in _read(folder / "mine.yaml").values()]


def _corpus(name: str) -> Callable[[Path], Any]:
    return lambda folder: list(open_corpus(folder / name).sentences())


def _corpus_folder(folder: Path) -> Any:
    return list(open_corpus(folder).sentences())


def _unigrams(name: str) -> Callable[[Path], Any]:
    def read(folder: Path) -> float:
        return load_unigrams(folder / name, 5).logprob(["fox", "hen"])

    return read


_ARPA = """\
\\data\\
ngram 1=6
ngram 2=4

\\1-grams:
-1.0\t<unk>
0\t<s>\t-0.3
-1.1\t</s>
-0.7\tf\t-0.3
-0.7\to\t-0.3
-0.9\t猫\t-0.3

\\2-grams:
-0.4\t<s> f
-0.3\tf o
-0.5\to 猫
-0.2\t猫 </s>

\\end\\
""".encode()


def _arpa(folder: Path) -> Any:
    from minpairs.scoring import load_scorer

    return load_scorer(folder / "model.arpa", kind="ngram").score(["fo猫"])


# --- suites of others

_SYNTAXGYM = json.dumps(
    {
        "meta": {"name": "naps", "metric": "sum"},
        "predictions": [{"type": "formula", "formula": "(2;%bad%) > (2;%good%)"}],
        "items": [
            {
                "item_number": 1,
                "conditions": [
                    {
                        "condition_name": name,
                        "regions": [
                            {"region_number": 1, "content": "The fox"},
                            {"region_number": 2, "content": verb},
                        ],
                    }
                    for name, verb in (("good", "naps."), ("bad", "nap."))
                ],
            }
        ],
    }
).encode()
_CLIMP = _csv(
    ("", "0", "1", "2", "3"),
    ("0", "agreement", "naps", _GOOD, "1"),
    ("1", "agreement", "naps", _BAD, "0"),
)
_AANN = _csv(
    ("prefix", "construction", "order_swap", "no_article", "no_modifier", "no_numeral"),
    ("It took", "a fine five days", "a five fine days", "fine five days", "a five days", "a days"),
)
_MULTI = _csv(("phenomenon", "sen", "wrong_sen"), ("SV-#", _GOOD, _BAD), by="\t")
_CARD = b"""\
---
configs:
- config_name: naps
  data_files:
  - {split: test, path: data/naps/test.parquet}
designs:
- config_name: naps
  design: two
  chance: 0.5
  cells: {good: sentence_good, bad: sentence_bad}
  predictions: {one: good - bad > 0}
---
# naps
"""


def _pairs(name: str) -> Callable[[Path], Any]:
    options = {"acceptable": "sentence_good", "unacceptable": "sentence_bad", "group": "UID"}
    return lambda folder: load_pairs(folder / name, **options)


def _import(kind: str, file: str, valid: bytes) -> Reader:
    def read(folder: Path) -> Any:
        out = folder / "out"
        try:
            return import_source(kind, folder / file, out, keep=True)
        finally:
            shutil.rmtree(out, ignore_errors=True)

    def parse(folder: Path) -> Any:
        return [suite.table() for suite in read_source(kind, folder / file).suites]

    return Reader(f"import {kind}", file, valid, read, parse=parse)


def _card(folder: Path) -> Any:
    path = folder / "README.md"
    return from_card(read_card(path, str(path), SuiteError).get("designs"), ["naps"], str(path))


_LEXICON = (("lexicon/features.yaml", _FEATURES), ("lexicon/nouns.tsv", _NOUNS))
_PAIR_TABLE = {key: [row[key] for row in _PAIR_ROWS] for key in _PAIR_ROWS[0]}
_PAIR_CSV = _csv(tuple(_PAIR_TABLE), *(tuple(row.values()) for row in _PAIR_ROWS))
_PAIR_TSV = _PAIR_CSV.replace(b",", b"\t")
_BLIMP = _jsonl(*({**row, "linguistics_term": "agreement"} for row in _PAIR_ROWS))
_PROMPT = b"{text}\n{choices}"
_UNIGRAM_PARQUET = _parquet({"token": ["fox", "hen"], "count": [3, 1]})

READERS: tuple[Reader, ...] = (
    Reader("lexicon table", "lexicon/nouns.tsv", _NOUNS, _lexicon, _LEXICON[:1]),
    Reader("lexicon features", "lexicon/features.yaml", _FEATURES, _lexicon, _LEXICON[1:]),
    Reader("template", "naps.yaml", _TEMPLATE, _template, _LEXICON),
    Reader("card", "README.md", _CARD, _card),
    Reader("pairs CSV", "pairs.csv", _PAIR_CSV, _pairs("pairs.csv")),
    Reader("pairs TSV", "pairs.tsv", _PAIR_TSV, _pairs("pairs.tsv")),
    Reader("pairs JSONL", "pairs.jsonl", _jsonl(*_PAIR_ROWS), _pairs("pairs.jsonl")),
    Reader("pairs Parquet", "pairs.parquet", _parquet(_PAIR_TABLE), _pairs("pairs.parquet")),
    Reader("run record", "run.json", _RUN, _results, _RESULTS, parse=_record),
    Reader("precision record", "precision.json", _PRECISION, _results, _RESULTS),
    Reader("scored suite", _SUITE_FILE, _parquet(_PAIRS), _results, _RESULTS, parse=_record),
    Reader("scores", "scores/one.parquet", scores_parquet(), _results, _RESULTS, parse=_scores),
    Reader("study", STUDY_FILE, _STUDY, _annotations, (("ann.jsonl", _JUDGEMENTS),)),
    Reader("judgements", "ann.jsonl", _JUDGEMENTS, _annotations, ((STUDY_FILE, _STUDY),)),
    Reader("chat answers", "answers.jsonl", _ANSWERS, lambda f: AnswerStore(f / "answers.jsonl")),
    Reader("chat prompt", "prompt.txt", _PROMPT, lambda f: read_prompt(f / "prompt.txt")),
    Reader("corpus text", "a.txt", _TEXT, _corpus("a.txt")),
    Reader("corpus BabyLM", "childes.train", b"*MOT:\tlook !\n" + _TEXT, _corpus_folder),
    Reader("corpus JSONL", "a.jsonl", _jsonl({"text": "The fox naps."}), _corpus("a.jsonl")),
    Reader("corpus Parquet", "a.parquet", _parquet({"text": ["Yes."]}), _corpus("a.parquet")),
    Reader("filters", "mine.yaml", _FILTERS, _filters, parse=_filter_rules),
    Reader("filter report", "report.json", _REPORT, read_report),
    Reader("unigrams JSON", "u.json", b'{"fox": 3, "hen": 1}', _unigrams("u.json")),
    Reader("unigrams Parquet", "u.parquet", _UNIGRAM_PARQUET, _unigrams("u.parquet")),
    Reader("ARPA", "model.arpa", _ARPA, _arpa),
    _import("syntaxgym", "s.json", _SYNTAXGYM),
    _import("climp", "c_1000.csv", _CLIMP),
    _import("aann", "a.csv", _AANN),
    _import("multiblimp", "fra.tsv", _MULTI),
    _import("blimp", "b.jsonl", _BLIMP),
    _import("sling", "s.jsonl", _jsonl(*_PAIR_ROWS)),
    _import("zhoblimp", "z.jsonl", _jsonl(*_PAIR_ROWS)),
    _import("pairs", "p.parquet", _parquet(_PAIR_TABLE)),
)
BY_NAME = {reader.name: reader for reader in READERS}
