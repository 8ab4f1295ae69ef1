"""The options by name, as type checkers see those of a call."""

from __future__ import annotations

from typing import TypedDict

from hpd.options.options import (
    CacheType,
    FlashAttention,
    LogitsOnDevice,
    Method,
    OnInvalid,
    OnOverflow,
    SplitMode,
)
from hpd.prompt import DocumentTurn, Layout


class Settings(TypedDict, total=False):
    """Any of the fields of ``Options``, for ``**settings``; a test holds it against them."""

    method: Method
    layout: Layout
    document_turn: DocumentTurn
    instructions: str
    stack: int
    in_flight: int | None
    drafts: bool | None
    draft_model: str
    n_draft: int
    draft_p_min: float
    deterministic: bool
    max_tokens: int
    dedupe: bool | None
    cache: str
    n_ctx: int
    n_batch: int
    n_ubatch: int
    n_value_batch: int | None
    n_busy_cells: int | None
    n_pad: int
    n_threads: int
    n_threads_batch: int
    n_gpu_layers: int
    split_mode: SplitMode
    tensor_split: tuple[float, ...]
    main_gpu: int
    flash_attn: FlashAttention
    logits_on_device: LogitsOnDevice
    cpu_attention: bool
    cache_type_k: CacheType
    cache_type_v: CacheType
    loras: tuple[tuple[str, float], ...]
    temperature: float
    top_k: int
    top_p: float
    min_p: float
    seed: int
    on_invalid: OnInvalid
    null_threshold: float | None
    calibration: str
    require_grounding: bool
    stated: bool | None
    decide: bool | None
    all_occurrences: bool
    on_overflow: OnOverflow
    chunk_size: int
    passes: int
    verbose: bool
    quiet: bool
