"""Ways of splitting text before byte-level BPE merges, and llama.cpp's names for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_QWEN2 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_LLAMA3 = _QWEN2.replace(r"|\p{N}|", r"|\p{N}{1,3}|")


@dataclass(frozen=True, slots=True)
class Split:
    """A way of splitting that llama.cpp knows by name."""

    name: str
    expression: str | None
    """None for the expression that is built into a ByteLevel pre-tokenizer."""
    ignore_merges: bool = False
    """A part that is a token as it stands is not merged from its bytes."""


# Not among them: Mistral's "tekken", of which llama.cpp computes something near, without combining
# marks and without capitals beyond ASCII.
SPLITS = (
    Split("gpt-2", None),
    Split("qwen2", _QWEN2),
    Split("llama-bpe", _LLAMA3, ignore_merges=True),
    Split("smaug-bpe", _LLAMA3),
)


def find_split(tokenizer: dict[str, Any]) -> Split | None:
    """The way in which a byte-level ``tokenizer.json`` splits text; None if llama.cpp has none."""
    expressions = []
    for part in _parts(tokenizer.get("pre_tokenizer")):
        if part["type"] == "Split":
            expressions.append(part["pattern"].get("Regex", ""))
        elif part["type"] != "ByteLevel" or part.get("add_prefix_space"):
            return None
        elif part.get("use_regex", True):
            expressions.append(None)
    ignore_merges = bool(tokenizer["model"].get("ignore_merges"))
    for split in SPLITS:
        if expressions == [split.expression] and split.ignore_merges == ignore_merges:
            return split
    return None


def _parts(splitter: dict[str, Any] | None) -> Iterator[dict[str, Any]]:
    if splitter is None:
        return
    if splitter["type"] != "Sequence":
        yield splitter
        return
    for part in splitter["pretokenizers"]:
        yield from _parts(part)
