"""Turn training checkpoints into a transformers folder and the GGUF file.

    PYTHONPATH=python:models python models/recipe/finish.py FOLDER models/hpd-box.gguf

A training that went on from an earlier box gains what it was for, and loses some of what the box
could do before. The weights in the middle between the two often keep most of both (Wortsman et al.
2022, "Robust fine-tuning of zero-shot models", section 3): ``--share 0.5``. What several trainings
from one box have changed can be added up in the same way (Ilharco et al. 2023, "Editing models with
task arithmetic", section 5): name all their folders.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from hpd.cli.arguments import number
from hpd.prompt import LABEL_KEY
from hpd.training.conversion.to_gguf import export_model
from hpd.values.grammar import DECIDE_KEY
from hpd.values.stated import STATED_KEY
from recipe.model import Box, Shape, to_transformers


def write_transformers(folders: Sequence[Path], output: Path, share: float = 1.0) -> None:
    """Write the checkpoints in ``folders`` as one model, as ``Qwen3ForCausalLM`` expects it.

    ``share`` is how far to go to each from the box that all of them started from, from 0 to 1. Only
    one checkpoint whose share is 1 needs no such box.

    Raises:
        ValueError: if the folders started from different boxes, or from none.
    """
    trained = [_trained(folder) for folder in folders]
    shape, weights = trained[0]
    if len(folders) > 1 or share < 1:
        before = _start_of_all(folders)
        weights = {
            name: start + share * sum(after[name] - start for _, after in trained)
            for name, start in before.items()
        }
    output.mkdir(parents=True, exist_ok=True)
    save_file(weights, output / "model.safetensors", metadata={"format": "pt"})
    folder = folders[0]
    tokens = {
        entry["content"]: entry["id"]
        for entry in json.loads((folder / "tokenizer.json").read_text())["added_tokens"]
    }
    config = (
        shape.as_config()
        | _context_of_start(folder)
        | {
            "eos_token_id": tokens["<|end|>"],
            "pad_token_id": tokens["<|pad|>"],
            "bos_token_id": None,
        }
    )
    (output / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(folder / name, output / name)


def _context_of_start(folder: Path) -> dict[str, int]:
    """The context length of the box that a training went on from: what it took, it still takes."""
    file = folder / "start" / "config.json"
    name = "max_position_embeddings"
    return {name: json.loads(file.read_text())[name]} if file.exists() else {}


def _trained(folder: Path) -> tuple[Shape, dict[str, Tensor]]:
    saved = torch.load(folder / "checkpoint.pt", weights_only=True)
    model = Box(Shape(**saved["shape"]), saved["model"]["traits"])
    model.load_state_dict(saved["model"])
    return model.shape, to_transformers(model)


def _start_of_all(folders: Sequence[Path]) -> dict[str, Tensor]:
    starts = []
    for folder in folders:
        file = folder / "start" / "model.safetensors"
        if not file.exists():
            raise ValueError(f"the training in {folder} started from no box")
        starts.append({name: weight.float() for name, weight in load_file(file).items()})
        for name, weight in starts[0].items():
            if not torch.equal(weight, starts[-1].get(name, torch.empty(0))):
                raise ValueError(f"the trainings in {folders[0]} and {folder} have other starts")
    return starts[0]


def main() -> None:
    """Convert the checkpoints that the arguments name."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("output", type=Path)
    parser.add_argument("--type", default="Q8_0")
    parser.add_argument(
        "--share", type=number(0, 1), default=1.0, help="of the way from the start's box"
    )
    arguments = parser.parse_args()
    scratch = arguments.folders[0] / "hf"
    try:
        write_transformers(arguments.folders, scratch, arguments.share)
    except ValueError as error:
        parser.error(str(error))
    # What the box says beyond the text is hardly ever right.
    metadata = dict.fromkeys((STATED_KEY, DECIDE_KEY, LABEL_KEY), "on")
    export_model(scratch, arguments.output, arguments.type, name="hpd-box", metadata=metadata)


if __name__ == "__main__":
    main()
