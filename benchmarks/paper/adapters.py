"""Trains an adapter for each way to decode, and extracts with it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.harness.workbench import DataSet, Workbench
from hpd.evaluation.rows import load_examples
from hpd.models.hardware import n_cores
from hpd.schema import load_schemas

K_MAX = 30
"""The paper's maximum number of tokens in a value."""

_UNNAMED = {"oa-mine": "null", "ae-110k": "skip"}
"""What an attribute that a row does not name means; OA-Mine's rows are complete."""


@dataclass(frozen=True, slots=True)
class AdapterWay:
    """A decoding method with its mask."""

    method: str
    mask: str = "branch"

    @property
    def name(self) -> str:
        """The name in file names."""
        return "ar" if self.method == "ar" else f"hpd-{self.mask}"

    @property
    def title(self) -> str:
        """The name in tables."""
        return "AR" if self.method == "ar" else f"HPD, mask `{self.mask}`"


def trained(
    bench: Workbench,
    data: DataSet,
    way: AdapterWay,
    *,
    model: Path | None = None,
    labels: Sequence[str] = (),
    name: str = "",
) -> Path:
    """Return the folder of an adapter, trained on the data set's own rows or on other labels.

    It is an adapter of the scored model, or of ``model``.
    """
    folder = bench.folder("trained", data.name) / (name or way.name)
    train = data.gold if data.train is None else data.train
    mask = ["--mask", way.mask] if way.method == "hpd" else []
    command = ["hpd", "finetune", str(train), *data.schemas()]
    command += ["-m", str(bench.using(model or bench.model)), "-o", str(folder)]
    command += ["--method", way.method, *mask, "--max-tokens", str(K_MAX)]
    command += ["--lora-rank", "16", "--epochs", "1", "--learning-rate", "1e-3"]
    command += ["--unnamed", _UNNAMED.get(data.name, "null"), *labels]
    command += ["--resume", "--quiet", *bench.threads()]
    bench.make(folder / "adapter.gguf", command)
    return folder


def predicted(
    bench: Workbench,
    data: DataSet,
    way: AdapterWay,
    adapter: Path | None,
    suffix: str = "",
    arguments: Sequence[str] = (),
    model: Path | None = None,
) -> Path:
    """Return the file of one way's extractions, before or after training."""
    if way.mask == "paper":
        return reference(bench, data, way, adapter)
    name = f"{way.name}-{'tuned' if adapter else 'base'}{suffix}"
    lora = ["--lora", str(adapter / "adapter.gguf")] if adapter else []
    asked = ["--set", f"method={way.method}", "--max-tokens", str(K_MAX), *lora]
    return bench.extract(data, name, *asked, *arguments, model=model or quantized(bench, "Q8_0"))


def reference(bench: Workbench, data: DataSet, way: AdapterWay, adapter: Path | None) -> Path:
    """Return the file of the reference decoder's extractions.

    This decoder, in PyTorch, supports the paper's mask; the engine does not, as llama.cpp allows no
    gaps between the positions of a sequence.
    """

    def write(output: Path) -> None:
        import torch

        from hpd.training.network import GgufVocabulary, load_network
        from hpd.training.predict import Predictor

        torch.set_num_threads(bench.n_threads or torch.get_num_threads())
        network = load_network(bench.model, adapter=adapter and adapter / "adapter.gguf")
        vocabulary = GgufVocabulary(bench.model)
        predictor = Predictor(network, vocabulary, "hpd", way.mask, max_tokens=K_MAX)
        examples = list(load_examples(data.gold, category_field="category", needs_text=True))
        schemas = load_schemas(data.schema)
        asked = [schemas.for_category(each.category) for each in examples]
        answers = predictor.predict([each.text for each in examples], asked)
        with output.open("w", encoding="utf-8") as file:
            for example, values in zip(examples, answers, strict=True):
                file.write(json.dumps({"id": example.id, "data": values}) + "\n")

    bench.using(bench.model)
    name = f"reference-{way.name}-{adapter.name if adapter else 'base'}"
    return bench.made(data.gold.with_name(f"{data.gold.stem}-{name}.jsonl"), write)


def quantized(bench: Workbench, kind: str) -> Path:
    """Return the scored model with its weights in another type."""
    from benchmarks.make_model import quantise  # needs gguf

    write = partial(quantise, bench.model, type_name=kind, n_threads=bench.n_threads or n_cores())
    return bench.made(bench.folder("models") / f"{kind}.gguf", write)


def merged(bench: Workbench, adapter: Path) -> Path:
    """Return the scored model with an adapter added to its weights, as Q8_0."""

    def write(output: Path) -> None:
        from hpd.training.network import load_network
        from hpd.training.weights import GgufFile, write_model

        network = load_network(bench.model, adapter=adapter / "adapter.gguf")
        weights = {name: each.detach().numpy() for name, each in network.named_parameters()}
        write_model(GgufFile(bench.model), output, weights, "Q8_0", {})

    output = bench.folder("models") / f"{adapter.parent.name}-{adapter.name}.gguf"
    return bench.made(output, write)
