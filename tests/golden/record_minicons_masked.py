"""Records minicons' pseudo-log-likelihoods, to which ours are compared.

minicons 0.3.39 needs ``batch_encode_plus``, which transformers 5 no longer has, so its masked
scorer runs only in an environment of its own, which this script makes:

    python tests/golden/record_minicons_masked.py

It writes ``minicons_masked.json`` beside itself. Weights and tokenizer are those of
``tiny_models.bert`` and ``tiny_models.wordpiece_tokenizer``, the same in either environment.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGES = ("torch==2.13.0", "transformers==4.57.3", "minicons==0.3.39")
TEXTS = (
    "the cats near the window sleep.",
    "nobody saw the dog sleeping.",
    "nobody saw the dog sleeper.",
    "a letter came.",
    "他看见了一只猫。",
)


def main() -> None:
    """Makes the environment, and runs this file in it."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        for package in PACKAGES:  # torch first, so that nothing else chooses its build
            subprocess.run([python, "-m", "pip", "install", "--quiet", package], check=True)
        subprocess.run([python, __file__, "record"], check=True)


def record() -> None:
    """Scores the texts in both variants."""
    sys.path.insert(0, str(HERE.parent))
    import minicons
    import torch
    import transformers
    from minicons import scorer
    from tiny_models import bert, wordpiece_tokenizer

    model = scorer.MaskedLMScorer(bert(), "cpu", tokenizer=wordpiece_tokenizer())
    scores = {
        variant: [
            [[token, float(logprob)] for token, logprob in sentence]
            for sentence in model.token_score(list(TEXTS), PLL_metric=variant)
        ]
        for variant in ("original", "within_word_l2r")
    }
    versions = {
        "minicons": getattr(minicons, "__version__", "0.3.39"),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }
    golden = {"texts": TEXTS, "versions": versions, "scores": scores}
    path = HERE / "minicons_masked.json"
    path.write_text(json.dumps(golden, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(path)


if __name__ == "__main__":
    record() if sys.argv[1:] == ["record"] else main()
