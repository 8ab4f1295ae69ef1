"""Everything that can be set about an extractor, with its default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from hpd.prompt import Layout

Method = Literal["hpd", "ar"]
OnOverflow = Literal["error", "chunk", "truncate"]

TUNABLE: dict[str, int] = {
    "in_flight": 0,
    "n_batch": 512,
    "n_ubatch": 512,
    "n_value_batch": -1,
    "drafts": True,
}
"""What ``hpd tune`` tries, and what each is where neither it nor anybody else has said.

They decide how fast values come, not which.
"""

_MOST_IN_FLIGHT = 24  # of the engine's choice: Limits::n_in_flight


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """How documents are read and values are chosen.

    Names and meanings follow llama.cpp's where it has the same setting. Counts of 0, and None,
    mean: chosen for the model and the machine.
    """

    method: Method = "hpd"
    """``hpd``: every field in parallel. ``ar``: the whole object, token after token."""
    layout: Layout = "branch"
    """What a field sees of the others: nothing, or (``skeleton``) the keys before its own."""
    stack: int = 1
    """Documents in one prompt."""
    in_flight: int | None = None
    """Prompts decoded together; 0: as many as the engine thinks best, which is 24 or, on
    a CPU, fewer where they are long. None: as tuned, else the engine's choice."""
    drafts: bool | None = None
    """Guess tokens and let the model verify them; the values stay the same, the steps get fewer.
    None: as tuned, else True."""
    draft_model: str = ""
    """A smaller model of the same vocabulary that guesses tokens: a GGUF file, or
    ``user/repo[:QUANT]`` on the Hugging Face Hub. The model verifies what it guesses."""
    n_draft: int = 8
    """Tokens that the draft model guesses for a value at a time, at most."""
    draft_p_min: float = 0.75
    """The draft model stops where its own likeliest token is less likely."""
    max_tokens: int = 64
    """Longest value, in tokens; a longer one is cut and marked."""

    n_ctx: int = 0
    """KV cells for everything in flight."""
    n_batch: int = 0
    """Tokens in one decode call; 0: as tuned, else 512."""
    n_ubatch: int = 0
    """Tokens in one pass over the weights; 0: as tuned, else 512."""
    n_value_batch: int | None = None
    """Tokens in a batch of values alone; 0: values ride in the batches that read documents;
    negative: as the engine thinks best. None: as tuned, else the engine's choice."""
    n_threads: int = 0
    n_gpu_layers: int = -1
    """Layers on the GPU; negative: all of them."""
    flash_attn: Literal["auto", "on", "off"] = "auto"
    cpu_attention: bool = True
    """On a CPU, hpd's own kernel for flash attention, where the cells are f16."""
    cache_type_k: str = "f16"
    cache_type_v: str = "f16"
    loras: tuple[tuple[str, float], ...] = ()
    """Adapter files and their scales."""

    temperature: float = 0.0
    """0: always the most likely token."""
    top_k: int = 40
    top_p: float = 0.95
    min_p: float = 0.05
    seed: int = 0

    null_threshold: float = 0.0
    """Values less likely than this become null; the raw text is kept."""
    require_grounding: bool = False
    """Values that the document does not hold become null; the raw text is kept."""
    all_occurrences: bool = False
    """Tell all places of a value in the document, not only the best one."""
    on_overflow: OnOverflow = "error"
    """What happens to a document that is too long for the context: it fails; it is cut into
    overlapping chunks, whose values are put together; or its end is left out."""
    verbose: bool = False
    """Show llama.cpp's own log."""
    quiet: bool = False
    """Show no bar while a model is downloaded."""

    def __post_init__(self) -> None:
        """Refuse what cannot work, by name."""
        for name, allowed in {
            "method": ("hpd", "ar"),
            "layout": ("branch", "skeleton"),
            "on_overflow": ("error", "chunk", "truncate"),
            "flash_attn": ("auto", "on", "off"),
        }.items():
            value = getattr(self, name)
            if value not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
        for name in ("stack", "max_tokens", "n_draft"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in (
            *("in_flight", "n_batch", "n_ubatch"),
            *("n_ctx", "n_threads", "seed", "temperature"),
        ):
            if (getattr(self, name) or 0) < 0:
                raise ValueError(f"{name} must not be negative, not {getattr(self, name)}")
        for name in ("null_threshold", "draft_p_min"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"{name} is a probability, not {getattr(self, name)}")

    @property
    def most_in_flight(self) -> int:
        """Prompts decoded together, at most."""
        return self.in_flight or _MOST_IN_FLIGHT

    @property
    def unset(self) -> tuple[str, ...]:
        """Those of ``TUNABLE`` that nobody has set."""
        defaults = {field.name: field.default for field in fields(self)}
        return tuple(name for name in TUNABLE if getattr(self, name) == defaults[name])

    def filled(self, tuned: Mapping[str, int] | None = None) -> Options:
        """The same, and what nobody has set as in ``tuned``, or else as in ``TUNABLE``."""
        found: dict[str, Any] = {**TUNABLE, **(tuned or {})}
        return replace(self, **{name: found[name] for name in self.unset})
