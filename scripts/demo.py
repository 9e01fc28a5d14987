"""The demo: SmolLM2-135M on a sample of two CLiMP paradigms and two let-alone suites."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from convert_smollm2 import convert

ROOT = Path(__file__).resolve().parent.parent
MODEL = Path(".cache/smollm2-135m-instruct")
SUITES = ("climp:classifier,ba_construction", "let_alone:npi,scalar")


def main() -> None:
    """Converts the model once, scores the sample, and prints the table."""
    convert(ROOT / MODEL)
    command = [sys.executable, "-m", "minpairs", "score", str(MODEL), *SUITES]
    # SmolLM2's tokenizer names <|im_start|> as its beginning; its documents began with this token.
    command += ["--bos", "<|endoftext|>", "--limit", "100", "--out", "results/demo"]
    subprocess.run(command, cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
