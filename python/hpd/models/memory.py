"""The memory of this computer, and an estimate of what a model needs before it is loaded.

The estimate follows the buffers that llama.cpp and ``src/hpd_cpp/model/context.cpp`` allocate, and
counts them in full, although a run may not fill them: in seven runs with the bundled model and a
model of 0.6 billion parameters it was 1.0 to 1.4 times the peak resident memory.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, astuple, dataclass
from operator import add
from pathlib import Path

from hpd.errors import HpdWarning, ModelLoadError
from hpd.messages import caller_level
from hpd.models.gguf_files import GgufHeader, part_names, read_gguf_header
from hpd.models.hardware import devices, system_lines
from hpd.options import Options

_UNLIMITED = 1 << 60
"""Limits this large mean no limit: cgroups write a huge number."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory in bytes; None if unknown."""

    total: int | None
    """The memory of the computer in total."""
    limit: int | None
    """The smallest limit of this process's control groups (cgroups); None: no limit."""
    available: int | None
    """The memory that is available without swapping, within the limit."""


def memory(root: Path = Path("/")) -> Memory:
    """Return the current memory; ``root`` is the folder that contains ``proc`` and ``sys``."""
    known = _meminfo(root / "proc/meminfo")
    total = known.get("MemTotal", _total_by_sysconf())
    available = known.get("MemAvailable")
    limit: int | None = None
    for of_group, used in _group_limits(root):
        limit = of_group if limit is None else min(limit, of_group)
        room = max(0, of_group - used)
        available = room if available is None else min(available, room)
    return Memory(total, limit, available)


def readable_size(n_bytes: float) -> str:
    """Format a number of bytes: ``1.5 GB``."""
    for unit in ("bytes", "KB", "MB"):
        if abs(n_bytes) < 1000:
            return f"{n_bytes:.0f} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.1f} GB"


def _meminfo(file: Path) -> dict[str, int]:
    known = {}
    for line in system_lines(file):
        name, _, value = line.partition(":")
        number, _, unit = value.strip().partition(" ")
        if unit == "kB" and number.isdecimal():
            known[name] = int(number) * 1024
    return known


def _total_by_sysconf() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # a system that has no such names
        return None


def _group_limits(root: Path) -> Iterator[tuple[int, int]]:
    """Iterate over the limits of this process's control groups, with the bytes in use.

    The page cache is not counted as used, because the system can reclaim it.
    """
    mount = root / "sys/fs/cgroup"
    for line in system_lines(root / "proc/self/cgroup"):
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if not controllers:  # version 2
            names = ("memory.max", "memory.current", "inactive_file")
            yield from _limits_along(mount, path, names)
        elif "memory" in controllers.split(","):
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            yield from _limits_along(mount / "memory", path, names)


def _limits_along(mount: Path, path: str, names: tuple[str, str, str]) -> Iterator[tuple[int, int]]:
    """Iterate over the limits of a group and of its parents, up to the root.

    In a container the group's path may be invisible; its limit is then at the root.
    """
    limit_name, used_name, cache_name = names
    inside = mount / path.strip("/")
    for group in (inside, *inside.parents):
        limit = _number(group / limit_name)
        if limit is not None and limit < _UNLIMITED:
            statistics = dict(line.split()[:2] for line in system_lines(group / "memory.stat"))
            cached = int(statistics.get(cache_name, 0))
            yield limit, max(0, (_number(group / used_name) or 0) - cached)
        if group == mount:
            return


def _number(file: Path) -> int | None:
    lines = system_lines(file)
    return int(lines[0]) if lines and lines[0].isdecimal() else None


DEFAULT_N_CTX = 8192
"""The engine's default_n_ctx, for models that were trained for at least a quarter of it."""
_N_SEQUENCES = 256  # as the engine requests
_N_SEQUENCES_RECURRENT = 64
_N_DRAFT_ROWS = 64  # rows of logits for drafts, besides one for each sequence
_CELL_STEP = 256  # llama.cpp rounds the number of cells up to a multiple

_BYTES_BY_TYPE = {
    "f32": 4.0,
    "f16": 2.0,
    "bf16": 2.0,
    "q8_0": 34 / 32,
    "q5_1": 24 / 32,
    "q5_0": 22 / 32,
    "q4_1": 20 / 32,
    "q4_0": 18 / 32,
    "iq4_nl": 18 / 32,
}
"""Bytes for each number in a cell."""

_FLOAT = 4
_N_WIDE = 4
"""How many rows of the model's width, and of its feed-forward layers', exist at a time."""
_BYTES_PER_TOKEN = 180
"""Bytes per token of the vocabulary, including merges. Measured."""
PROCESS_BYTES = 70_000_000
"""Python, its modules and llama.cpp's code. Measured."""


_TOO_LARGE_FACTOR = 2
"""Times the total memory, because the estimate is high and there may be swap space."""


class MemoryWarning(HpdWarning):
    """Warns that a model will probably not fit into memory."""


@dataclass(frozen=True, slots=True)
class MemoryNeed:
    """The memory that a model needs, in bytes."""

    weights: int
    """The tensors of the file, mapped or, if repacked, copied; including adapters."""
    cells: int
    """The KV cells, and the states of recurrent layers."""
    computing: int
    """llama.cpp's compute buffer, including logits."""
    logits: int
    """The output buffer of logits."""
    rest: int
    """The vocabulary and the process."""

    @property
    def total(self) -> int:
        return sum(astuple(self))

    def __add__(self, other: MemoryNeed) -> MemoryNeed:
        """Return the need of two models in one process."""
        return MemoryNeed(*map(add, astuple(self), astuple(other)))

    def in_words(self) -> str:
        """Describe the total and its parts."""
        parts = [f"{name} {readable_size(n_bytes)}" for name, n_bytes in asdict(self).items()]
        return f"{readable_size(self.total)} ({', '.join(parts)})"


def memory_need(path: Path, options: Options) -> MemoryNeed:
    """Return the memory that a model needs on the CPU, with its draft model and adapters.

    Args:
        path: its file; for a split model, the first part.
        options: the options; unset ones count with their defaults.

    Raises:
        ModelLoadError: a file cannot be read.
    """
    options = options.with_defaults()
    need = _need_of(path, options)
    if options.draft_model and Path(options.draft_model).is_file():
        need += _need_of(Path(options.draft_model), options)
    n_adapter_bytes = sum(Path(adapter).stat().st_size for adapter, _ in options.adapters)
    return need + MemoryNeed(n_adapter_bytes, 0, 0, 0, PROCESS_BYTES)


def shortage(path: Path, options: Options, now: Memory, need: MemoryNeed) -> str:
    """Explain why a model will probably not fit, and what to do; empty if it fits.

    Raises:
        ModelLoadError: a file cannot be read.
    """
    if now.available is None or need.total <= now.available:
        return ""
    within = "" if now.limit is None else f" (the limit is {readable_size(now.limit)})"
    fitting = []
    for flags, changed in _smaller(path, options.with_defaults()):
        n_bytes = memory_need(path, changed).total
        if n_bytes <= now.available:
            fitting.append(f"{flags} ({readable_size(n_bytes)})")
    remedy = f"{', or '.join(fitting)} would fit" if fitting else "take a smaller model"
    return (
        f"{path.name} takes about {need.in_words()}, and {readable_size(now.available)} are "
        f"available{within}: {remedy}"
    )


def warn_of_shortage(path: Path, options: Options) -> None:
    """Warn if a model will probably not fit; models on a GPU are not checked.

    Raises:
        ModelLoadError: its cells and compute buffers alone need far more than the total memory, so
            the system would kill the process.
    """
    if options.n_gpu_layers != 0 and devices():
        return
    now = memory()
    try:
        need = memory_need(path, options)
        problem = shortage(path, options, now, need)
    except (ModelLoadError, OSError):
        return  # loading the file says what is wrong with it
    most = min((each for each in (now.total, now.limit) if each is not None), default=None)
    if problem and most is not None and need.cells + need.computing > _TOO_LARGE_FACTOR * most:
        raise ModelLoadError(problem)
    if problem:
        warnings.warn(problem, MemoryWarning, stacklevel=caller_level())


def need_of_shape(shape: ModelShape, n_weight_bytes: int, options: Options) -> MemoryNeed:
    """Return the memory that a model of a shape needs, without that of the process itself.

    Args:
        shape: the model's shape.
        n_weight_bytes: the size of all its tensors.
        options: options with no field unset.
    """
    n_cells = options.n_ctx or min(DEFAULT_N_CTX, 4 * max(1, shape.n_ctx_train))
    n_cells = -(-n_cells // _CELL_STEP) * _CELL_STEP
    n_batch = min(options.n_batch, n_cells)
    n_ubatch = min(options.n_ubatch, n_batch)
    n_sequences = _N_SEQUENCES_RECURRENT if shape.n_state else _N_SEQUENCES
    n_rows = max(n_sequences, min(n_batch, n_sequences + _N_DRAFT_ROWS))
    bytes_k, bytes_v = _BYTES_BY_TYPE[options.cache_type_k], _BYTES_BY_TYPE[options.cache_type_v]
    cell = shape.n_k * bytes_k + shape.n_v * bytes_v
    # The logits are computed when the layers' results are no longer needed.
    row = _N_WIDE * (shape.n_embd + shape.n_ff) + n_cells // 2  # the mask, in half precision
    if options.flash_attn == "off":
        row += shape.n_heads * n_cells
    last_row = shape.n_vocab + 2 * shape.n_embd
    return MemoryNeed(
        weights=n_weight_bytes,
        cells=int(n_cells * cell) + n_sequences * shape.n_state * _FLOAT,
        computing=n_ubatch * max(row, last_row) * _FLOAT,
        logits=n_rows * shape.n_vocab * _FLOAT,
        rest=shape.n_texts * _BYTES_PER_TOKEN,
    )


def _need_of(path: Path, options: Options) -> MemoryNeed:
    parts = [path.with_name(name) for name in part_names(path.name)]
    headers = [read_gguf_header(part) for part in parts]
    n_weight_bytes = sum(header.n_weight_bytes for header in headers)
    return need_of_shape(ModelShape.of(headers[0]), n_weight_bytes, options)


def _smaller(path: Path, options: Options) -> Iterator[tuple[str, Options]]:
    """Yield options that need less memory, with their flags, the least drastic first."""
    shape = ModelShape.of(read_gguf_header(path))
    n_cells = options.n_ctx or min(DEFAULT_N_CTX, 4 * max(1, shape.n_ctx_train))
    is_float = options.cache_type_k in ("f32", "f16", "bf16")
    if is_float and options.flash_attn != "off":
        quantised = {"cache_type_k": "q8_0", "cache_type_v": "q8_0"}
        yield "-ctk q8_0 -ctv q8_0", options.with_settings(quantised)
    for share in (2, 4, 8):
        fewer = n_cells // share
        if fewer >= _CELL_STEP:
            yield f"-c {fewer}", options.with_settings({"n_ctx": fewer})


@dataclass(frozen=True, slots=True)
class ModelShape:
    """The numbers in a model's metadata that determine its memory."""

    n_ctx_train: int
    n_embd: int
    n_ff: int
    """The widest feed-forward layer; for experts, the sum of those used by a token."""
    n_heads: int
    n_vocab: int
    n_texts: int
    """Tokens and merges in the vocabulary."""
    n_k: int
    """Elements of K in a cell, over all layers."""
    n_v: int
    n_state: int
    """Elements of the state of a sequence, over all recurrent layers."""

    @classmethod
    def of(cls, header: GgufHeader) -> ModelShape:
        """Return the shape given by a header.

        Raises:
            ModelLoadError: a number is invalid.
        """
        architecture = header.metadata.get("general.architecture", "")

        def one(key: str, default: int = 0) -> int:
            return header.integer(f"{architecture}.{key}", default)

        n_layers = one("block_count")
        if not 0 < n_layers <= 100_000:
            raise ModelLoadError(f"{architecture}.block_count is {n_layers}")
        n_embd = one("embedding_length")
        heads = header.integers(f"{architecture}.attention.head_count", n_layers)
        kv_heads = header.integers(f"{architecture}.attention.head_count_kv", n_layers, max(heads))
        wide = max(header.integers(f"{architecture}.feed_forward_length", n_layers))
        expert = one("expert_used_count") * one("expert_feed_forward_length", wide)
        d_head = n_embd // max(1, *heads)
        n_texts = header.lengths.get("tokenizer.ggml.tokens", 0)
        return cls(
            n_ctx_train=one("context_length"),
            n_embd=n_embd,
            n_ff=max(wide, expert, one("ssm.inner_size")),
            n_heads=max(heads),
            n_vocab=n_texts,
            n_texts=n_texts + header.lengths.get("tokenizer.ggml.merges", 0),
            n_k=sum(kv_heads) * one("attention.key_length", d_head),
            n_v=sum(kv_heads) * one("attention.value_length", d_head),
            n_state=_n_state(one, kv_heads, n_embd),
        )


def _n_state(one: Callable[..., int], kv_heads: list[int], n_embd: int) -> int:
    """Return the number of state elements of layers without attention."""
    n_recurrent = sum(n == 0 for n in kv_heads)
    n_inner, n_deep = one("ssm.inner_size"), one("ssm.state_size")
    kernel = max(1, one("ssm.conv_kernel")) - 1
    convolution = kernel * (n_inner + 2 * one("ssm.group_count") * n_deep)
    short = (max(1, one("shortconv.l_cache")) - 1) * n_embd
    return n_recurrent * (convolution + n_inner * n_deep + short)
