"""Records KenLM's lmplz on small texts of our own, to which our estimator is compared.

    PATH=$PATH:FOLDER_OF_LMPLZ python tests/golden/record_lmplz.py

``scripts/build_lmplz.sh`` builds lmplz. Writes ``lmplz.json`` beside this file.
"""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Too little for discounts of its own in any order, and with a sentence of one word.
NOTE = ["yes", "the owl saw the owl", "the owl slept", "no owl saw the moon"]


def walks(seed: int, sentences: int) -> list[str]:
    """Sentences from a small grammar, uneven enough for all counts to occur."""
    rng = random.Random(seed)
    nouns, verbs = ["owl", "fox", "moon", "river", "child"], ["saw", "heard", "liked", "found"]
    found = []
    for _ in range(sentences):
        noun = rng.choices(nouns, [8, 4, 2, 1, 1])[0]
        other = rng.choices(nouns, [1, 2, 3, 4, 2])[0]
        sentence = f"the {noun} {rng.choices(verbs, [5, 3, 2, 1])[0]} {rng.choice(['a', 'the'])} "
        tail = rng.choices(["", "at night", "again", "near the river"], [4, 2, 1, 1])[0]
        found.append(f"{sentence}{other} {tail}".strip())
    return found


TEXTS = {
    "note": (NOTE, (1, 2, 3, 5)),
    "walks": (walks(0, 60), (1, 2, 3, 4, 5)),
    "hanzi": ([" ".join(line) for line in ("猫看见月亮了", "猫看见河了", "月亮没看见猫")], (2, 4)),
}


def main() -> None:
    """Runs lmplz on each text in each order."""
    golden = {}
    for name, (sentences, orders) in TEXTS.items():
        models = {}
        for order in orders:
            command = ["lmplz", "-o", str(order), "-S", "50M", "--discount_fallback"]
            text = "".join(f"{sentence}\n" for sentence in sentences)
            done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
            rows = [line.split("\t") for line in done.stdout.splitlines() if "\t" in line]
            models[order] = {
                row[1]: [float(row[0]), float(row[2]) if len(row) > 2 else 0.0] for row in rows
            }
        golden[name] = {"sentences": sentences, "models": models}
    path = HERE / "lmplz.json"
    path.write_text(json.dumps(golden, ensure_ascii=False) + "\n", encoding="utf-8")
    print(path, path.stat().st_size)


if __name__ == "__main__":
    main()
