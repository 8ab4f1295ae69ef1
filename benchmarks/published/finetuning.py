"""Ways to decode, each with an adapter that is trained for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.published.workbench import DataSet, Workbench

K_MAX = 30
"""Of the paper."""

_UNNAMED = {"oa-mine": "null", "ae-110k": "skip"}
"""The meaning of attributes that a row does not name: OA-Mine's rows are complete."""


@dataclass(frozen=True, slots=True)
class Way:
    """A method of decoding with its mask."""

    method: str
    mask: str = "branch"
    k_max: int = K_MAX

    @property
    def name(self) -> str:
        """A name for files."""
        parts = [self.method, *([self.mask] if self.method == "hpd" else [])]
        return "-".join(parts) + (f"-{self.k_max}" if self.k_max != K_MAX else "")

    @property
    def title(self) -> str:
        """A name for tables."""
        return "AR" if self.method == "ar" else f"HPD, mask `{self.mask}`"


def trained(
    bench: Workbench,
    data: DataSet,
    way: Way,
    *,
    model: Path | None = None,
    labels: Sequence[str] = (),
    name: str = "",
) -> Path:
    """The folder of a way's adapter, trained on the data set's own rows or on other labels.

    It is one of the scored model, or of another.
    """
    folder = bench.folder("trained", data.name) / (name or way.name)
    train = data.gold if data.train is None else data.train
    mask = ["--mask", way.mask] if way.method == "hpd" else []
    bench.make(
        folder / "adapter.gguf",
        [
            *("hpd", "finetune", str(train), *data.schemas()),
            *("-m", str(bench.using(model or bench.model)), "-o", str(folder)),
            *("--method", way.method, *mask, "--max-tokens", str(way.k_max)),
            *("--lora-rank", "16", "--epochs", "1", "--learning-rate", "1e-3"),
            *("--unnamed", _UNNAMED.get(data.name, "null"), *labels),
            *("--resume", "--quiet", *bench.threads()),
        ],
    )
    return folder


def reference(bench: Workbench, data: DataSet, way: Way, adapter: Path | None) -> Path:
    """The extractions of the reference decoder, which knows masks that the engine cannot run."""
    name = f"reference-{way.name}-{adapter.name if adapter else 'base'}"
    output = data.gold.with_name(f"{data.gold.stem}-{name}.jsonl")
    tuned = ["--adapter", str(adapter / "adapter.gguf")] if adapter else []
    return bench.make(
        output,
        [
            *("-m", "benchmarks.published.reference", str(data.gold), *data.schemas()),
            *("-m", str(bench.using(bench.model)), "--mask", way.mask),
            *("--max-tokens", str(way.k_max), *tuned, *bench.threads(), "-o", str(output)),
        ],
    )
