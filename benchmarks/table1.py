"""The paper's table 1 on a small scale: F1 of AR and HPD, before and after fine-tuning.

    python benchmarks/table1.py DATA/oa-mine DATA/ae-110k --model models/hpd-box.gguf --work WORK

Each folder holds ``train.jsonl``, ``dev.jsonl`` and ``attributes.json``. ``hpd finetune`` trains an
adapter for AR, and for HPD with the masks ``branch`` and ``paper``. The model is scored on
``dev.jsonl`` without and with each adapter: AR and ``branch`` with ``hpd extract``, ``paper`` with
the reference decoder, as the engine cannot run it. The output is Markdown: plain F1, and strict F1
in brackets. Results that WORK already has are not computed again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from hpd.evaluation.matching import match_rows
from hpd.evaluation.rows import load_examples, load_predictions
from hpd.evaluation.scores import evaluate
from hpd.schema import load_schemas

WAYS = {"AR": ("ar", "branch"), "HPD, branch": ("hpd", "branch"), "HPD, paper": ("hpd", "paper")}


def hpd(*arguments: object) -> None:
    command = [sys.executable, "-m", "hpd.cli", *map(str, arguments)]
    print("+", *command[3:], file=sys.stderr, flush=True)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def common(data: Path) -> list[object]:
    return ["--schema", data / "attributes.json", "--category-field", "category"]


def train(data: Path, way: str, options: argparse.Namespace) -> Path:
    method, mask = WAYS[way]
    folder = Path(options.work) / f"{data.name}-{method}-{mask}"
    if not (folder / "adapter.gguf").exists():
        hpd(
            *("finetune", data / "train.jsonl", *common(data), "-m", options.model, "-o", folder),
            *("--method", method, "--mask", mask, "--lora-rank", options.rank),
            *("--epochs", options.epochs, "--learning-rate", options.learning_rate),
            *("--max-tokens", options.max_tokens, "-t", options.threads, "--resume"),
            *("--unnamed", options.unnamed),
        )
    return folder


def predictions(data: Path, way: str, trained: Path | None, options: argparse.Namespace) -> Path:
    method, mask = WAYS[way]
    name = f"{data.name}-{method}-{mask}-{'tuned' if trained else 'base'}.jsonl"
    output = Path(options.work) / name
    if output.exists():
        return output
    if mask == "paper":
        reference(data, trained, output, options)
        return output
    adapter = ["--lora", trained / "adapter.gguf"] if trained else []
    hpd(
        *("extract", data / "dev.jsonl", *common(data), "-m", options.model, *adapter),
        *("--method", method, "--max-tokens", options.max_tokens, "-o", output, "--quiet"),
        *("-t", options.threads),
    )
    return output


def reference(data: Path, trained: Path | None, output: Path, options: argparse.Namespace) -> None:
    import torch

    from hpd.training.finetune import checkpoint_folder
    from hpd.training.models import load_model
    from hpd.training.predict import Predictor
    from hpd.training.vocabulary import CheckpointVocabulary

    torch.set_num_threads(options.threads)
    base = checkpoint_folder(Path(options.model), Path(options.work))
    model: Any = load_model(base)
    if trained:
        from peft import PeftModel

        model = PeftModel.from_pretrained(model, trained / "adapter").merge_and_unload()
    schemas: Any = load_schemas(str(data / "attributes.json"))
    examples = list(load_examples(data / "dev.jsonl", category_field="category"))
    predictor = Predictor(
        model, CheckpointVocabulary(base), "hpd", "paper", int(options.max_tokens)
    )
    answers = predictor.predict(
        [example.text for example in examples], [schemas[example.category] for example in examples]
    )
    with output.open("w", encoding="utf-8") as file:
        for example, values in zip(examples, answers, strict=True):
            file.write(json.dumps({"id": example.id, "data": values}) + "\n")


def scores(data: Path, predictions: Path) -> str:
    examples = list(load_examples(data / "dev.jsonl", category_field="category"))
    attributes = json.loads((data / "attributes.json").read_text(encoding="utf-8"))
    result = evaluate(
        examples, match_rows(examples, load_predictions(predictions)).data, attributes
    )
    return f"{result.plain.micro.f1:.1f} ({result.strict.micro.f1:.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--model", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--epochs", default="3")
    parser.add_argument("--rank", default="16")
    parser.add_argument("--learning-rate", default="1e-3")
    parser.add_argument("--max-tokens", default="30", help="K_max of the paper")
    parser.add_argument(
        "--unnamed", default="skip", help="null: what a row does not name is absent"
    )
    parser.add_argument("--threads", default=1, type=int)
    options = parser.parse_args()
    Path(options.work).mkdir(parents=True, exist_ok=True)
    names = [data.name for data in options.data]
    print("| " + " | ".join(["", *(f"{n} base | {n} fine-tuned" for n in names)]) + " |")
    print("|---" * (1 + 2 * len(names)) + "|")
    for way in WAYS:
        cells = [way]
        for data in options.data:
            cells.append(scores(data, predictions(data, way, None, options)))
            trained = train(data, way, options)
            cells.append(scores(data, predictions(data, way, trained, options)))
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
