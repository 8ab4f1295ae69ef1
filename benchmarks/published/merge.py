"""A GGUF file with an adapter added to its weights, as Q8_0.

python -m benchmarks.published.merge model.gguf adapter.gguf merged.gguf
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.published.quantize import silence
from hpd.training.network import load_network
from hpd.training.weights import GgufFile, write_model


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("adapter", type=Path)
    parser.add_argument("output", type=Path)
    options = parser.parse_args(arguments)
    silence()
    network = load_network(options.model, adapter=options.adapter)
    weights = {name: each.detach().numpy() for name, each in network.named_parameters()}
    write_model(GgufFile(options.model), options.output, weights, "Q8_0", {})


if __name__ == "__main__":
    main()
