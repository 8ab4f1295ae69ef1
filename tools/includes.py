"""Rules for C++ includes: they run one way, and few files include llama.cpp's headers."""

from __future__ import annotations

import re
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1] / "src" / "hpd_cpp"

_LAYERS = """\
bindings
bindings_testing
bindings_gguf bindings_testing_faults bindings_testing_scheduling bindings_testing_script
bindings_common handles
engine
observers
drafting/model_drafter sampling/value_writer
model/context sampling/constraint
attention/guard
attention/trial
attention/attention model/model products/timing scheduling/scheduler
scheduling/admission scheduling/batch_filler
drafting/drafter scheduling/forecast scheduling/holdings
scheduling/batch_plan scheduling/key_trie scheduling/prefix_cache
scheduling/request scheduling/sequence_pool
drafting/list_guesser
drafting/histories products/guard scheduling/cache_ops
products/trial
products/products
attention/kernel model/llama_cpp products/kernel scheduling/limits scheduling/tokens
model/log sampling/choices sampling/json_scanner sampling/repetition sampling/sampling
errors model/characters model/cpu_backend model/custom_node options sampling/exponential
"""
LAYERS = [layer.split() for layer in _LAYERS.splitlines()]
"""Layers from the top down, one a line: a file may only include files of lower layers."""

MEETS_LLAMA_CPP = {
    "attention/attention", "attention/guard", "attention/trial", "bindings_gguf",
    "sampling/constraint", "model/context", "model/cpu_backend", "model/custom_node",
    "model/llama_cpp", "model/log", "model/model", "products/guard",
    "products/products", "products/timing", "products/trial",
}  # fmt: skip
"""The only files that may include llama.cpp's headers."""

CALLS_DECODE = {"model/context"}
"""The only caller of llama.cpp's decode and memory functions."""

OWN_TRIE = ("scheduling/request.cpp", "scheduling/key_trie")
"""The only upward include: request.h only declares the type of its trie; request.cpp needs it."""

_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)\.h"', re.MULTILINE)
_LLAMA_INCLUDE = re.compile(r"^\s*#\s*include\s+<(?:llama|ggml)", re.MULTILINE)
_DECODE = re.compile(r"\bllama_(?:decode|encode|memory_\w+|get_memory|get_logits\w*)\s*\(")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def sources() -> dict[str, str]:
    """Return the text of each file, by its path below ``SOURCES``."""
    return {
        path.relative_to(SOURCES).as_posix(): path.read_text(encoding="utf-8")
        for path in SOURCES.rglob("*")
        if path.suffix in (".h", ".cpp")
    }


def problems(texts: dict[str, str]) -> list[str]:
    """Return a line for each violation in the files, given by name and text."""
    depth = {name: i for i, layer in enumerate(LAYERS) for name in layer}
    broken = []
    for file, text in sorted(texts.items()):
        name = file.rpartition(".")[0]
        code = _COMMENT.sub("", text)
        if name not in depth:
            broken.append(f"{file}: has no layer; give it one in tools/includes.py")
            continue
        for included in _INCLUDE.findall(code):
            if included == name or (file, included) == OWN_TRIE:
                continue
            if included not in depth:
                broken.append(f"{file}: includes {included}.h, which has no layer")
            elif depth[included] <= depth[name]:
                broken.append(f"{file}: includes {included}.h, which is not below it")
        if _LLAMA_INCLUDE.search(code) and name not in MEETS_LLAMA_CPP:
            broken.append(f"{file}: includes llama.cpp's headers")
        if _DECODE.search(code) and name not in CALLS_DECODE:
            broken.append(f"{file}: calls llama.cpp's decode or memory functions")
    return broken


def main() -> int:
    """Check all files; return 1 if any breaks a rule."""
    files = sources()
    broken = problems(files)
    print("\n".join(broken) or f"{len(files)} files: all includes run one way")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
