"""The table of options: one field of ``Options`` for each.

Each option is declared once, with its default, help, flags, bounds, and what it affects. The
command line, the checks and the engine's structs are derived from these declarations, as are the
identities that determine whether a run can be resumed (``--resume``), a value reused (``--cache``)
and tuned settings applied.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from hpd.errors import OptionError
from hpd.messages import did_you_mean, short_repr
from hpd.option_fields import Option, Target, Tuning, declared_options, option
from hpd.prompt.text import Layout, Lists

Method = Literal["hpd", "ar"]
OnInvalid = Literal["raise", "record", "retry"]
OnMissing = Literal["error", "force", "null"]
OnOverflow = Literal["error", "chunk", "truncate"]
FlashAttention = Literal["auto", "on", "off"]
SplitMode = Literal["none", "layer", "row", "tensor"]
CacheType = Literal["f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "iq4_nl", "q5_0", "q5_1"]

_FLOAT_CACHE_TYPES: tuple[CacheType, ...] = ("f32", "f16", "bf16")
_GPU_OPTIONS = ("split_mode", "tensor_split", "main_gpu")
_MAX_IN_FLIGHT = 24  # the engine's default: Limits::n_in_flight
_MAX_SEQUENCES = 256  # llama.cpp's limit
SHORT_VALUE_TOKENS = 64
"""Maximum number of tokens in a value that is not text."""
_MAX_THREADS = 512  # GGML_MAX_N_THREADS
_WHY_NOT_REUSED = {
    "temperature": "values are drawn at random",
    "stack": "documents in one prompt see each other",
    "deterministic": "the counts in a line would depend on the documents before it",
}
# What an option affects and configures, and whether it can be set for a single call.
_PROMPT, _ANSWER, _VALUE, _DOCUMENT = (
    {"affects": "values", "target": target, "per_call": True}
    for target in ("prompt", "answer", "value", "document")
)
_ENGINE, _SAMPLING, _MODEL = (
    {"affects": "values", "target": target} for target in ("engine", "sampling", "model")
)
_ENGINE_SPEED, _MODEL_SPEED, _RUN = (
    {"affects": "speed", "target": target} for target in ("engine", "model", "run")
)
_DISPLAY = {"affects": "display", "target": "run"}
_ANY_VALUE: Any = object()
"""Stands for any value except the default."""
_WRITTEN_AT_ONCE = "all values are written at once, so none can be asked for again"
_CONFLICTS: tuple[tuple[str, Any, str, Any, str], ...] = (
    ("layout", _ANY_VALUE, "method", "ar", "it writes all keys itself"),
    ("lists", _ANY_VALUE, "method", "ar", "the whole answer is written at once"),
    ("lists", "names", "layout", "label", "its models are trained on row numbers"),
    ("lists", "ar", "layout", "label", "its models are trained on row numbers"),
    ("lists", "whole", "layout", "label", "its models are trained on row numbers"),
    ("probabilities", True, "method", "ar", "values are not asked for one by one"),
    ("on_invalid", "retry", "method", "ar", _WRITTEN_AT_ONCE),
    ("on_missing", "force", "method", "ar", _WRITTEN_AT_ONCE),
    ("on_missing", "force", "require_grounding", True, "a made-up value is in no document"),
    ("on_missing", "force", "on_overflow", "chunk", "a chunk need not state what another does"),
    ("deterministic", True, "stack", _ANY_VALUE, "documents in one prompt see each other"),
    (
        "deterministic",
        True,
        "draft_model",
        _ANY_VALUE,
        "its guesses depend on what it has read before",
    ),
    ("dedupe", False, "cache", _ANY_VALUE, "it keeps equal documents from being decoded twice"),
    *(
        (name, value, other, _ANY_VALUE, reason)
        for name, value in (("dedupe", True), ("cache", _ANY_VALUE))
        for other, reason in _WHY_NOT_REUSED.items()
    ),
    ("tensor_split", _ANY_VALUE, "split_mode", "none", "one GPU has the whole model"),
    ("main_gpu", _ANY_VALUE, "split_mode", "tensor", "no GPU has more of the model than another"),
)
"""Pairs of options with values that conflict, and the reason."""
_MAX_PASSES = 16  # with more, chunks would begin at almost the same places
_UINT64 = 2**64 - 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """The options for reading documents and choosing values.

    Options of llama.cpp keep their names and meanings. If an option is None, or a count is 0, a
    value is chosen for the model and the machine.

    Raises:
        OptionError: an option has an invalid value, or two options conflict.
    """

    method: Method = option(
        "hpd",
        help="hpd decodes all fields in parallel; ar decodes the whole object token by token",
        **_PROMPT,
    )
    layout: Layout = option(
        "branch",
        help="what a field sees of the others: nothing (branch), the keys before its own "
        "(skeleton), or nothing, with a letter in place of its key (label)",
        **_PROMPT,
    )
    lists: Lists | None = option(
        None,
        help="how lists are read: from beginning to end, beside all other fields (whole); so, "
        "except for a few rows, which are read by name (ar); all rows by name, with fewer steps "
        "but more errors (names); or the number of rows, then all rows by number, for models "
        "trained for it (numbers). The default is set in the model's file, else whole",
        **_PROMPT,
    )
    instructions: str = option(
        "",
        "--instructions",
        metavar="TEXT|@FILE",
        help="text for every prompt, before the attributes: the text itself, or @ and the name of "
        "a file with it",
        is_long_text=True,
        **_PROMPT,
    )
    stack: int = option(
        1,
        metavar="J",
        affects="values",
        target="prompt",
        help="documents per prompt. They may influence each other's values; a document with "
        "numbers like those of a stack, such as [2], gets its own prompt",
        minimum=1,
    )
    in_flight: int | None = option(
        None,
        metavar="N",
        help=f"prompts decoded together; 0: chosen by the engine, {_MAX_IN_FLIGHT} or, for long "
        "prompts on a CPU, fewer",
        minimum=0,
        maximum=_MAX_SEQUENCES,
        native_name="n_in_flight",
        tuning=Tuning(0, tried=(0, 4, 8, 16, 32, 64)),
        **_ENGINE_SPEED,
    )
    drafts: bool | None = option(
        None,
        help="guess tokens where it pays and let the model verify them: the same values in fewer, "
        "larger steps",
        tuning=Tuning(True, tried=(True, False)),
        **_ENGINE_SPEED,
    )
    draft_model: str = option(
        "",
        metavar="MODEL",
        help="a smaller model with the same vocabulary that also guesses tokens: a GGUF file, or "
        "USER/REPO[:QUANT] on the Hugging Face Hub",
        **_ENGINE_SPEED,
    )
    n_draft: int = option(
        8,
        metavar="N",
        help="maximum number of tokens that the draft model guesses for a value at a time",
        minimum=1,
        needs="draft_model",
        **_ENGINE_SPEED,
    )
    draft_p_min: float = option(
        0.75,
        metavar="P",
        help="the draft model stops when its most likely token is less likely than P",
        minimum=0.0,
        maximum=1.0,
        needs="draft_model",
        **_ENGINE_SPEED,
    )
    deterministic: bool = option(
        False,
        help="bit-for-bit the same values in any order of the documents, for any subset of them, "
        "and after --resume; prompts are decoded one after another, which is slower",
        **_ENGINE,
    )
    max_tokens: int = option(
        256,
        "--max-tokens",
        metavar="K",
        help="maximum length of a value, in tokens. A longer text is cut and marked; numbers, "
        f"dates and counts have at most {SHORT_VALUE_TOKENS}, and choices as many as they need",
        minimum=1,
        **_ANSWER,
    )

    probabilities: bool = option(
        False,
        help="give the probability of each value that an enum, a boolean or the choice of a "
        "union's variant can have, null included, as `options` of its field. Values that begin "
        "alike take more steps",
        **_ANSWER,
    )

    dedupe: bool | None = option(
        None,
        help="decode equal documents of a run only once. On by default, unless values are drawn "
        "at random (--temp), documents share a prompt (stack), or every line must be the "
        "same in every run (deterministic)",
        **_RUN,
    )
    cache: str = option(
        "",
        "--cache",
        metavar="DIR",
        help="keep values in this folder and reuse those already decoded by the same model from "
        "the same document for an unchanged attribute",
        **_RUN,
    )

    n_ctx: int = option(
        0,
        "-c",
        "--ctx-size",
        metavar="N",
        help="KV cells for everything in flight; 0: chosen from the model",
        minimum=0,
        **_ENGINE,
    )
    n_batch: int = option(
        0,
        "-b",
        "--batch-size",
        metavar="N",
        help="maximum number of tokens in one decode call",
        minimum=0,
        tuning=Tuning(512, tried=(256, 512, 1024, 2048)),
        **_ENGINE_SPEED,
    )
    n_ubatch: int = option(
        0,
        "-ub",
        "--ubatch-size",
        metavar="N",
        help="maximum number of tokens in one pass over the weights",
        minimum=0,
        # A pass that is smaller than a call would only save memory.
        tuning=Tuning(512, together_with="n_batch"),
        **_ENGINE_SPEED,
    )
    n_threads: int = option(
        0,
        "-t",
        "--threads",
        metavar="N",
        help="threads for batches of one token; 0: one per core",
        minimum=0,
        maximum=_MAX_THREADS,
        **_ENGINE_SPEED,
    )
    n_threads_batch: int = option(
        0,
        metavar="N",
        help="threads for larger batches, which most are; 0: as --threads",
        minimum=0,
        maximum=_MAX_THREADS,
        **_ENGINE_SPEED,
    )
    n_gpu_layers: int = option(
        -1,
        "-ngl",
        "--gpu-layers",
        metavar="N",
        help="layers on the GPU; -1: all",
        minimum=-1,
        **_MODEL,
    )
    split_mode: SplitMode = option(
        "layer",
        help="how several GPUs share the model: one has all of it (none), each has some layers "
        "(layer), or each has part of every layer's weights (row; tensor, experimental in "
        "llama.cpp)",
        **_MODEL,
    )
    tensor_split: tuple[float, ...] = option(
        (),
        metavar="N0,N1,...",
        help="each GPU's share of the model, such as 3,1; by default, in proportion to free memory",
        **_MODEL_SPEED,
    )
    main_gpu: int = option(
        0,
        metavar="I",
        help="the GPU, counted from 0, that has the model (split_mode none) or intermediate "
        "results (split_mode row)",
        minimum=0,
        needs="split_mode",
        **_MODEL_SPEED,
    )
    flash_attn: FlashAttention = option(
        "auto", "-fa", "--flash-attn", help="llama.cpp's flash attention", **_ENGINE
    )
    cpu_attention: bool = option(
        True, help="on a CPU, use hpd's own flash attention kernel for f16 cells", **_ENGINE
    )
    cpu_products: bool = option(
        True,
        help="on a CPU, use hpd's own kernel for products with weights of type Q4_0, Q5_0, Q8_0 "
        "(AVX-512 only), Q4_K, Q5_K and Q6_K; off, llama.cpp repacks the weights while loading",
        **_MODEL_SPEED,
    )
    cache_type_k: CacheType = option(
        "f16", "-ctk", "--cache-type-k", metavar="TYPE", help="type of the K cells", **_ENGINE
    )
    cache_type_v: CacheType = option(
        "f16", "-ctv", "--cache-type-v", metavar="TYPE", help="type of the V cells", **_ENGINE
    )
    adapters: tuple[tuple[str, float], ...] = option(
        (),
        "--lora",
        metavar="FILE[:SCALE]",
        help="an adapter and its scale; may be repeated",
        **_MODEL,
    )

    temperature: float = option(
        0.0,
        "--temp",
        metavar="T",
        help="temperature; 0: always the most likely token",
        minimum=0.0,
        maximum=100.0,
        **_SAMPLING,
    )
    top_k: int = option(
        40,
        metavar="K",
        help="sample from the K most likely tokens; 0: all",
        minimum=0,
        needs="temperature",
        **_SAMPLING,
    )
    top_p: float = option(
        0.95,
        metavar="P",
        help="sample from the most likely tokens that together reach probability P",
        minimum=0.0,
        maximum=1.0,
        needs="temperature",
        **_SAMPLING,
    )
    min_p: float = option(
        0.05,
        metavar="P",
        help="ignore tokens less likely than P times the most likely one",
        minimum=0.0,
        maximum=1.0,
        needs="temperature",
        **_SAMPLING,
    )
    seed: int = option(
        0,
        "-s",
        "--seed",
        metavar="N",
        help="random seed; each value has its own stream",
        minimum=0,
        maximum=_UINT64,
        **_SAMPLING,
    )

    on_invalid: OnInvalid = option(
        "raise",
        "--on-invalid",
        help="what to do with data that breaks the schema (a required value is missing, or a "
        "value is invalid): report an error of the document, beside its data (raise); report "
        "it only in the field (record); or ask again with the reason, at most twice, and "
        "then raise (retry)",
        **_VALUE,
    )
    on_missing: OnMissing = option(
        "error",
        "--on-missing",
        help="what to do if the document does not state a required value: report an error "
        "(error); ask again without allowing null, and mark the answer `forced` (force); or "
        "leave it null without an error (null)",
        **_VALUE,
    )
    null_threshold: float | None = option(
        None,
        "--null-threshold",
        metavar="P",
        help="values with a confidence below P become null; the raw text is kept. By default P "
        "comes from the calibration, for optional values; without one it is 0.25 for them, or 0 "
        "with --calibration none, an adapter or a model trained for hpd",
        minimum=0.0,
        maximum=1.0,
        **_VALUE,
    )
    calibration: str = option(
        "",
        "--calibration",
        metavar="FILE",
        affects="values",
        target="value",
        help="a file from hpd calibrate: a confidence of 0.9 then means that about 9 of 10 such "
        "values are right. none turns off calibration, including the one in the model's file "
        "(which is never used with an adapter)",
    )
    require_grounding: bool = option(
        False,
        help="values that are not in the document become null; the raw text is kept. Choices and "
        "booleans need not be in the document: they stay, with match none",
        **_VALUE,
    )
    verbatim: bool | None = option(
        None,
        help="restrict numbers, dates, times, e-mail addresses and links to those that the "
        "document states, in any form, and free text in a short document to its words. The "
        "default is set in the model's file (on for the bundled model), else off",
        **_ANSWER,
    )
    on_overflow: OnOverflow = option(
        "error",
        "--on-overflow",
        help="what to do with a document that does not fit the context: report an error (error); "
        "cut it into overlapping chunks and merge their values (chunk); or drop its end "
        "(truncate)",
        **_DOCUMENT,
    )
    chunk_size: int = option(
        0,
        metavar="N",
        help="with --on-overflow chunk, cut every document of more than N tokens into chunks of "
        "at most N; 0: cut only documents that do not fit, into chunks of a suitable size",
        minimum=0,
        needs="on_overflow",
        **_DOCUMENT,
    )
    passes: int = option(
        1,
        metavar="N",
        help="with --on-overflow chunk, read each cut document N times, with different cuts: "
        "later passes add values that are still null and list items from other places",
        minimum=1,
        maximum=_MAX_PASSES,
        needs="on_overflow",
        **_DOCUMENT,
    )
    verbose: bool = option(False, help="show llama.cpp's own log", **_DISPLAY)
    quiet: bool = option(False, "--quiet", help="hide progress bars and the summary", **_DISPLAY)

    def __post_init__(self) -> None:
        """Check all values."""
        for name in OPTIONS:
            object.__setattr__(self, name, _checked_value(name, getattr(self, name)))
        self._check_together()

    def _check_together(self) -> None:
        """Reject options that conflict with others, or have no effect without them."""
        for name, value, other, its_value, reason in _CONFLICTS:
            if self._has(name, value) and self._has(other, its_value):
                raise OptionError(
                    f"{_option_with_value(name, value)} cannot be combined with "
                    f"{_option_with_value(other, its_value)}: "
                    f"{reason}"
                )
        for name in ("chunk_size", "passes"):
            if self._is_set(name) and self.on_overflow != "chunk":
                raise OptionError(
                    f"{option_label(name)} does nothing unless "
                    f"{option_label('on_overflow')} is 'chunk'"
                )
        for name, declared in OPTIONS.items():
            if declared.needs and self._is_set(name) and not self._is_set(declared.needs):
                raise OptionError(
                    f"{option_label(name)} does nothing without {option_label(declared.needs)}"
                )
        if self.n_batch and self.n_ubatch > self.n_batch:
            raise OptionError(
                f"{option_label('n_ubatch')} must not be above {option_label('n_batch')}: "
                f"{self.n_ubatch} tokens in a pass, {self.n_batch} in a call"
            )
        if self.flash_attn == "off" and self.cache_type_v not in _FLOAT_CACHE_TYPES:
            raise OptionError(
                f"{option_label('cache_type_v')} must be one of "
                f"{', '.join(_FLOAT_CACHE_TYPES)} if "
                f"{option_label('flash_attn')} is off, not {self.cache_type_v}"
            )

    @property
    def reuses_values(self) -> bool:
        """Whether equal documents are decoded only once."""
        return self.dedupe is not False and not any(map(self._is_set, _WHY_NOT_REUSED))

    @property
    def gpu_only_flags(self) -> tuple[str, ...]:
        """The flags of options that are set but have no effect without a GPU."""
        names = [name for name in _GPU_OPTIONS if self._is_set(name)]
        if self.n_gpu_layers > 0:
            names.insert(0, "n_gpu_layers")
        return tuple(OPTIONS[name].flag for name in names)

    @property
    def max_in_flight(self) -> int:
        """Maximum number of prompts that are decoded together."""
        return self.in_flight or _MAX_IN_FLIGHT

    @property
    def unset(self) -> tuple[str, ...]:
        """The options of ``TUNABLE`` that are not set."""
        return tuple(name for name in TUNABLE if not self._is_set(name))

    def with_settings(self, settings: Mapping[str, object]) -> Options:
        """Return a copy with new values for some options, by name.

        Raises:
            OptionError: an option is unknown or has an invalid value.
        """
        for name in settings:
            check_option_name(name)
        return self.with_checked_values(
            {name: _checked_value(name, settings[name]) for name in settings}
        )

    def with_checked_values(self, values: Mapping[str, Any]) -> Options:
        """Return a copy with new values, without checking them: they are from ``Option.checked``.

        Raises:
            OptionError: two options conflict.
        """
        if not values:
            return self
        made = object.__new__(Options)
        for name in OPTIONS:
            value = values[name] if name in values else getattr(self, name)
            object.__setattr__(made, name, value)
        made._check_together()
        return made

    def with_defaults(self, tuned: Mapping[str, int] | None = None) -> Options:
        """Return a copy with unset options taken from ``tuned`` or ``TUNABLE``."""
        chosen = {**TUNABLE, **(tuned or {})}
        values = {name: chosen[name] for name in self.unset}
        # A pass cannot be larger than its batch, so an option that is set limits the other one.
        if "n_batch" in values and "n_ubatch" not in values:
            values["n_batch"] = max(values["n_batch"], self.n_ubatch)
        elif "n_ubatch" in values and "n_batch" not in values:
            values["n_ubatch"] = min(values["n_ubatch"], self.n_batch)
        return self.with_checked_values(values)

    def _is_set(self, name: str) -> bool:
        return bool(getattr(self, name) != OPTIONS[name].default)

    def _has(self, name: str, value: object) -> bool:
        return self._is_set(name) if value is _ANY_VALUE else getattr(self, name) == value


OPTIONS: dict[str, Option] = declared_options(Options)
"""The declaration of each option, in the order of the fields."""

TUNABLE: dict[str, int] = {
    name: declared.tuning.default
    for name, declared in OPTIONS.items()
    if declared.tuning is not None
}
"""The options that ``hpd tune`` varies, with their values if neither it nor the user sets them.

They affect the speed, not the values.
"""


_ENGINE_TARGETS: tuple[Target, ...] = ("engine", "model", "sampling")
"""Only options with these targets affect what the engine makes of a prompt's tokens."""


def values_identity(options: Options, *targets: Target) -> dict[str, Any]:
    """Return the options that affect the values of a run, by name.

    Two runs on the same documents with equal identities give the same values: bit for bit with
    ``deterministic``, otherwise except for near ties. Files are identified by name; to compare
    runs, replace the names with fingerprints.

    Args:
        options: the options of the run.
        targets: only options with these targets; none: all.
    """
    wanted = targets or {option.target for option in OPTIONS.values()}
    names = {
        name
        for name, option in OPTIONS.items()
        if option.affects == "values" and option.target in wanted
    }
    if options.on_overflow == "error":
        # A larger context only adds documents that did not fit into a smaller one.
        names.discard("n_ctx")
    identity = {name: getattr(options, name) for name in OPTIONS if name in names}
    return identity | _rounding_identity(options) if options.deterministic else identity


def engine_identity(options: Options) -> dict[str, Any]:
    """Return the options that affect the engine's answer to a prompt that fits into the context.

    Together with the prompt, they identify a value that is cached for later runs. Adapters are left
    out, as they are identified by their files, not their names.
    """
    identity = values_identity(options, *_ENGINE_TARGETS)
    return {name: value for name, value in identity.items() if name not in ("n_ctx", "adapters")}


def speed_identity(options: Options) -> dict[str, Any]:
    """Return the options on which the fastest settings depend, without these settings themselves.

    Texts for the model are left out, like the documents and the schema.
    """
    return {
        name: getattr(options, name)
        for name, option in OPTIONS.items()
        if option.target in ("prompt", "engine", "model")
        if option.tuning is None and not option.is_long_text
    }


def _rounding_identity(options: Options) -> dict[str, Any]:
    """Return the options that affect rounding, with their values on this machine.

    ``in_flight`` is not among them: with ``deterministic``, prompts are decoded one by one.
    """
    filled = options.with_defaults()
    values = {
        name: getattr(filled, name)
        for name, option in OPTIONS.items()
        if option.target == "engine" and name != "in_flight"
    }
    n_threads = options.n_threads or os.cpu_count()
    n_threads_batch = options.n_threads_batch or n_threads
    return {**values, "n_threads": n_threads, "n_threads_batch": n_threads_batch}


def combine_options(options: Options | None, settings: Mapping[str, object]) -> Options:
    """Return ``options``, or the defaults if None, with the settings in place of their values.

    Raises:
        OptionError: ``options`` is not an ``Options``, or a setting is invalid.
    """
    if options is not None and not isinstance(options, Options):
        raise OptionError(f"options must be hpd.Options, not {short_repr(options)}")
    return (options or Options()).with_settings(settings)


def option_label(name: str) -> str:
    """Return an option's names in Python and on the command line, for an error message."""
    option = OPTIONS[name]
    return f"{name} ({option.flag})" if option.flags else name


def _option_with_value(name: str, value: object) -> str:
    """Return an option's names for an error message, with its value if that matters."""
    if value is _ANY_VALUE or value is True:
        return option_label(name)
    return f"{option_label(name)} {'off' if value is False else repr(value)}"


def _checked_value(name: str, value: object) -> Any:
    try:
        return OPTIONS[name].check_value(value)
    except ValueError as error:
        raise OptionError(f"{option_label(name)} {error}") from None


def check_option_name(name: str) -> None:
    """Raise ``OptionError``, with a suggestion, if no option has this name."""
    if name in OPTIONS:
        return
    hint = did_you_mean(name, OPTIONS) or f"there are {', '.join(OPTIONS)}"
    raise OptionError(f"there is no option {short_repr(name)}: {hint}")


class Settings(TypedDict, total=False):
    """The fields of ``Options``, for ``**settings``; a test compares them."""

    method: Method
    layout: Layout
    lists: Lists | None
    instructions: str
    stack: int
    in_flight: int | None
    drafts: bool | None
    draft_model: str
    n_draft: int
    draft_p_min: float
    deterministic: bool
    max_tokens: int
    probabilities: bool
    dedupe: bool | None
    cache: str
    n_ctx: int
    n_batch: int
    n_ubatch: int
    n_threads: int
    n_threads_batch: int
    n_gpu_layers: int
    split_mode: SplitMode
    tensor_split: tuple[float, ...]
    main_gpu: int
    flash_attn: FlashAttention
    cpu_attention: bool
    cpu_products: bool
    cache_type_k: CacheType
    cache_type_v: CacheType
    adapters: tuple[tuple[str, float], ...]
    temperature: float
    top_k: int
    top_p: float
    min_p: float
    seed: int
    on_invalid: OnInvalid
    on_missing: OnMissing
    null_threshold: float | None
    calibration: str
    require_grounding: bool
    verbatim: bool | None
    on_overflow: OnOverflow
    chunk_size: int
    passes: int
    verbose: bool
    quiet: bool


def _as_docstring() -> str:
    """Return the docstring of ``Options``, with all options."""
    lines = [Options.__doc__ or "", "    Options, with their flags on the command line:\n"]
    for name, declared in OPTIONS.items():
        # The help already lists the choices, and says what a switch does.
        bounds = f" ({declared.allowed})" if declared.kind in ("integer", "number") else ""
        text = f"{option_label(name)}: {declared.help}{bounds} [default: {declared.default!r}]"
        lines.append(textwrap.fill(text, 96, initial_indent=" " * 8, subsequent_indent=" " * 12))
    return "\n".join(lines)


Options.__doc__ = _as_docstring()
