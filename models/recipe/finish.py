"""Turn a training checkpoint into a transformers folder and the GGUF file.

    PYTHONPATH=python:models python models/recipe/finish.py FOLDER models/hpd-box.gguf

A training that went on from an earlier box gains what it was for, and loses some of what the box
could do before. The weights in the middle between the two often keep most of both (Wortsman et al.
2022, "Robust fine-tuning of zero-shot models", section 3): ``--share 0.5``.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from hpd.cli.arguments import number
from hpd.training.conversion.to_gguf import export_model
from recipe.model import Box, Shape, to_transformers


def write_transformers(folder: Path, output: Path, share: float = 1.0) -> None:
    """Write the checkpoint in ``folder`` in the form that ``Qwen3ForCausalLM`` expects.

    ``share`` is how far to go to it from the box that the training started from, from 0 to 1.
    """
    saved = torch.load(folder / "checkpoint.pt", weights_only=True)
    shape = Shape(**saved["shape"])
    model = Box(shape, saved["model"]["traits"])
    model.load_state_dict(saved["model"])
    output.mkdir(parents=True, exist_ok=True)
    weights = to_transformers(model)
    if share < 1:
        before = load_file(folder / "start" / "model.safetensors")
        weights = {
            name: torch.lerp(before[name].float(), weight.float(), share)
            for name, weight in weights.items()
        }
    save_file(weights, output / "model.safetensors", metadata={"format": "pt"})
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
    parser.add_argument(
        "--share", type=number(0, 1), default=1.0, help="of the way from the start's box"
    )
    arguments = parser.parse_args()
    if arguments.share < 1 and not (arguments.folder / "start").exists():
        parser.error(f"--share: the training in {arguments.folder} started from no box")
    write_transformers(arguments.folder, arguments.folder / "hf", arguments.share)
    export_model(arguments.folder / "hf", arguments.output, arguments.type, name="hpd-box")


if __name__ == "__main__":
    main()
