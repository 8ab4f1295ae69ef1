"""Average the weights of several training runs, which often beats each of them.

    PYTHONPATH=python:models python -m recipe.average OUT.gguf FOLDER FOLDER...

A FOLDER is one into which ``hpd finetune`` wrote ``checkpoint.pt`` and ``model.gguf``. Metadata and
frozen weights are those of the first one's model.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import torch

from hpd.training.network import load_network
from hpd.training.weights import GgufFile, write_model


def average(folders: Sequence[Path], output: Path, file_type: str) -> None:
    """Write a GGUF file with the mean of the weights in the folders' checkpoints."""
    first = folders[0] / "model.gguf"
    runs = [
        torch.load(folder / "checkpoint.pt", map_location="cpu", weights_only=True)["weights"]
        for folder in folders
    ]
    weights = {}
    for name, frozen in load_network(first).named_parameters():
        own = [run.get(name, frozen.detach()).float() for run in runs]
        weights[name] = torch.stack(own).mean(0).numpy()
    write_model(GgufFile(first), output, weights, file_type)


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("output", type=Path, metavar="OUT.gguf")
    parser.add_argument("folders", type=Path, metavar="FOLDER", nargs="+")
    parser.add_argument("--type", default="q4_0", help="of the weights (default: %(default)s)")
    arguments = parser.parse_args()
    average(arguments.folders, arguments.output, arguments.type)


if __name__ == "__main__":
    main()
