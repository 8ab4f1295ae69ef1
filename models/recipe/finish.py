"""Turn a training checkpoint into a transformers folder and the GGUF file.

PYTHONPATH=python:models python models/recipe/finish.py FOLDER models/hpd-box.gguf
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import torch
from safetensors.torch import save_file

from hpd.training.conversion.to_gguf import export_model
from recipe.model import Box, Shape, to_transformers


def write_transformers(folder: Path, output: Path) -> None:
    """Write the checkpoint in ``folder`` in the form that ``Qwen3ForCausalLM`` expects."""
    saved = torch.load(folder / "checkpoint.pt", weights_only=True)
    shape = Shape(**saved["shape"])
    model = Box(shape, saved["model"]["traits"])
    model.load_state_dict(saved["model"])
    output.mkdir(parents=True, exist_ok=True)
    save_file(to_transformers(model), output / "model.safetensors", metadata={"format": "pt"})
    tokens = {
        entry["content"]: entry["id"]
        for entry in json.loads((folder / "tokenizer.json").read_text())["added_tokens"]
    }
    config = shape.as_config() | {
        "eos_token_id": tokens["<|end|>"],
        "pad_token_id": tokens["<|pad|>"],
        "bos_token_id": None,
    }
    (output / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(folder / name, output / name)


def main() -> None:
    """Convert the checkpoint that the arguments name."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--type", default="Q8_0")
    arguments = parser.parse_args()
    write_transformers(arguments.folder, arguments.folder / "hf")
    export_model(arguments.folder / "hf", arguments.output, arguments.type, name="hpd-box")


if __name__ == "__main__":
    main()
