"""What the pages name and readers have: models, benchmarks and texts, each a tiny local stand-in.

Benchmarks are the first items of the real ones, under their configurations' real names.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import yaml
from docs.blocks import ROOT
from tiny_models import bert, byte_tokenizer, causal, wordpiece_tokenizer

from minpairs.training.ngram import train_ngram
from minpairs.training.presets import NGRAM_PRESETS, chosen

ITEMS = 4
SMOLLM2 = ".cache/smollm2-135m-instruct"
CAUSAL = ("gpt2", "my-model", "path/or/hub-name", SMOLLM2)
MASKED = ("bert-base-chinese",)
NGRAM = "model.arpa"
BENCHMARKS = {
    "climp": ("all", "ba_construction", "classifier", "passive_formal"),
    "let_alone": ("npi", "scalar", "clause", "npi.much_less", "corpus.no_filtering"),
}
TEXT = "The cat sleeps near the window.\nNobody let the small dog in.\nA letter came.\n" * 8
SENTENCES = {"sentence_good": "The key is here.", "sentence_bad": "The key are here."}
REGIONS = {
    "match": ["The key", "is", "here."],
    "mismatch": ["The key", "are", "here."],
}
# Files of others' suites, in their formats, with a sentence of ours.
SUITES = {
    "blimp/agreement.jsonl": [
        SENTENCES | {"UID": "agreement", "linguistics_term": "agreement", "pairID": "0"}
    ],
    "ZhoBLiMP/ba.jsonl": [
        {
            "sentence_good": "老张把伞收了。",
            "sentence_bad": "老张被伞收了。",
            "UID": "ba",
            "phenomenon": "ba",
            "pairID": 0,
        }
    ],
    "SLING/Aspect/le.jsonl": [
        {
            "sentence_good": "她收了伞。",
            "sentence_bad": "她收着了伞。",
            "phenomenon": "Aspect",
            "paradigm": "le",
            "pair_ID": 0,
        }
    ],
    "number_prep.json": {
        "meta": {"name": "number_prep", "metric": "sum"},
        "predictions": [{"type": "formula", "formula": "(2;%mismatch%) > (2;%match%)"}],
        "items": [
            {
                "item_number": 1,
                "conditions": [
                    {
                        "condition_name": name,
                        "regions": [
                            {"region_number": number, "content": text}
                            for number, text in enumerate(texts, start=1)
                        ],
                    }
                    for name, texts in REGIONS.items()
                ],
            }
        ],
    },
    "multiblimp/eng/data.tsv": "sen\twrong_sen\tphenomenon\n"
    "The key is here.\tThe key are here.\tSV-#\n",
    "corruption.csv": "construction,order_swap,no_article,no_modifier,no_numeral\n"
    "a fine ten days,fine a ten days,fine ten days,a ten days,a fine days\n",
    "pairs.csv": "good,bad,paradigm\nThe key is here.,The key are here.,agreement\n",
}


def build(home: Path) -> None:
    """Writes all stand-ins into a folder."""
    for seed, name in enumerate(CAUSAL):
        model, tokenizer = causal(positions=128, seed=seed), byte_tokenizer()
        if name == SMOLLM2:
            tokenizer.add_special_tokens({"extra_special_tokens": ["<|endoftext|>"]})
            model.resize_token_embeddings(len(tokenizer))
        model.save_pretrained(home / name)
        tokenizer.save_pretrained(home / name)
    for name in MASKED:
        bert(positions=64).save_pretrained(home / name)
        wordpiece_tokenizer().save_pretrained(home / name)
    for name, configs in BENCHMARKS.items():
        _benchmark(home / name, ROOT / name, configs)
    (home / "corpus.txt").write_text(TEXT, encoding="utf-8")
    sentences = _sentences(home / "climp")
    train_ngram(sentences, home / NGRAM, chosen(NGRAM_PRESETS, "5gram", {}))
    (home / "zh.txt").write_text("\n".join(sentences), encoding="utf-8")
    for name, content in SUITES.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_text(content), encoding="utf-8")
    for folder in ("metrics", "generation"):
        (home / folder).symlink_to(ROOT / folder)


def _benchmark(folder: Path, source: Path, configs: tuple[str, ...]) -> None:
    """The first items of some configurations, and a card that names them."""
    named = []
    for config in configs:
        (data,) = (source / "data" / config).glob("*.parquet")
        file = folder / "data" / config / "test.parquet"
        file.parent.mkdir(parents=True)
        pq.write_table(pq.read_table(data).slice(0, ITEMS), file)
        path = str(file.relative_to(folder))
        named.append({"config_name": config, "data_files": [{"split": "test", "path": path}]})
    card = yaml.safe_dump({"configs": named}, sort_keys=False)
    (folder / "README.md").write_text(f"---\n{card}---\n", encoding="utf-8")


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):  # JSON Lines
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in content)
    return json.dumps(content)


def _sentences(climp: Path) -> list[str]:
    table = pq.read_table(climp / "data" / "all" / "test.parquet")
    return table["sentence_good"].to_pylist() + table["sentence_bad"].to_pylist()


def clear(home: Path, kept: frozenset[str]) -> None:
    """Removes what a page wrote, so that the next one finds what a reader of it alone has."""
    for path in home.iterdir():
        if path.name not in kept:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
