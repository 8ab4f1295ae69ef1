"""Extractions by the reference decoder in PyTorch, with any mask, the paper's included.

    python -m benchmarks.published.reference gold.jsonl --schema schema.json --mask paper -o OUT

The engine cannot run the paper's mask, as llama.cpp allows no gaps in a sequence's positions.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from hpd.evaluation.rows import load_examples
from hpd.schema import load_schemas
from hpd.schema.attributes import Schema


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("documents", type=Path)
    parser.add_argument("--schema", required=True)
    parser.add_argument("--category-field")
    parser.add_argument("-m", "--model", type=Path, required=True, help="a GGUF file")
    parser.add_argument("--adapter", type=Path, help="OUTDIR/adapter.gguf of hpd finetune")
    parser.add_argument("--mask", choices=("paper", "skeleton", "branch", "label"), required=True)
    parser.add_argument("--max-tokens", type=int, default=30, help="K_max of the paper")
    parser.add_argument("--stack", type=int, default=1)
    parser.add_argument("-t", "--threads", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args(arguments)

    import torch

    from hpd.training.network import GgufVocabulary, load_network
    from hpd.training.predict import Predictor

    if options.threads:
        torch.set_num_threads(options.threads)
    model = load_network(options.model, adapter=options.adapter)
    schemas = load_schemas(options.schema)
    examples = list(
        load_examples(options.documents, category_field=options.category_field, needs_text=True)
    )
    own = [schemas if isinstance(schemas, Schema) else schemas[e.category] for e in examples]
    predictor = Predictor(
        model,
        GgufVocabulary(options.model),
        "hpd",
        options.mask,
        options.max_tokens,
        options.stack,
    )
    answers = predictor.predict([example.text for example in examples], own)
    with options.output.open("w", encoding="utf-8") as file:
        for example, values in zip(examples, answers, strict=True):
            file.write(json.dumps({"id": example.id, "data": values}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
