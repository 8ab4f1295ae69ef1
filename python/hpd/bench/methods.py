"""Methods by name, such as ``hpd:layout=skeleton,stack=4``."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Literal

from hpd.options import OPTIONS, Options

MethodKind = Literal["prefill", "ar", "ar-batched", "hpd"]
KINDS: tuple[MethodKind, ...] = ("prefill", "ar", "ar-batched", "hpd")

_AR_IN_FLIGHT = (4, 8, 16, 32)
_DOCUMENTS = "documents"
_GRAMMAR = "grammar"
# The command sets the options of the model and of messages, and the kind sets ``method``.
# ``dedupe`` and ``cache`` are excluded, as every document must be decoded each time.
_SETTINGS = tuple(
    name
    for name, option in OPTIONS.items()
    if option.target != "model" and option.affects != "display"
    if name not in ("method", "dedupe", "cache")
)

SWEEPS: dict[str, tuple[str, ...]] = {
    "layout": ("hpd:layout=branch", "hpd:layout=skeleton", "hpd:layout=label"),
    "stack": tuple(f"hpd:stack={n}" for n in (1, 2, 4, 8, 16)),
    "in-flight": tuple(f"hpd:in_flight={n}" for n in (1, 2, 4, 8, 16, 32, 64)),
    "drafts": ("hpd:drafts=on", "hpd:drafts=off"),
    "deterministic": ("hpd", "hpd:deterministic=on"),
    "figure-4": tuple(
        f"hpd:stack={stack},in_flight={n}" for stack in (1, 2, 4, 8, 16) for n in (1, 2, 4, 8, 16)
    ),
}
"""Lists of methods that answer one question each."""


@dataclass(frozen=True, slots=True)
class BenchMethod:
    """One method to time: its kind, and all its settings."""

    name: str
    """The name as given, but with only one value for each setting."""
    kind: MethodKind
    options: Options
    n_documents: int | None = None
    """Number of documents to time, evenly spread; None for all of them."""
    grammar: bool = False
    """Whether replayed values are checked against their grammars."""


@dataclass(frozen=True, slots=True)
class Contest:
    """Methods, often just one, of which only the fastest is kept after the first round."""

    name: str
    methods: tuple[BenchMethod, ...]

    def with_grammar(self) -> Contest | None:
        """Return the methods with grammars; None if they have them already, or no values."""
        if any(method.kind == "prefill" for method in self.methods):
            return None
        if all(method.grammar for method in self.methods):
            return None
        methods = (replace(m, name=_name_with_grammar(m.name), grammar=True) for m in self.methods)
        return Contest(_name_with_grammar(self.name), tuple(methods))


def parse_contest(text: str, base: Options | None = None) -> Contest:
    """Parse ``KIND[:SETTING=VALUE[|VALUE...][,...]]``.

    Settings are those of ``Options`` and two more: ``documents``, the number of documents for a
    slow method whose documents do not share batches, and ``grammar`` (on or off, the default),
    whether replayed values are checked against their grammars.

    ``ar`` decodes one object token by token, ``hpd`` all fields at once; ``prefill`` reads what
    ``hpd`` reads and generates nothing. Unless ``base`` sets it, ``ar`` has one document in flight,
    and ``ar-batched`` the best number; both are without drafts by default.

    Raises:
        ValueError: the kind or setting is unknown, or the value is invalid.
    """
    base = base or Options()
    name, _, settings = text.partition(":")
    if name not in KINDS:
        raise ValueError(f"{text}: unknown method {name!r}; known: {', '.join(KINDS)}")
    kind = next(k for k in KINDS if k == name)
    choices: dict[str, list[str]] = {}
    for setting in filter(None, settings.split(",")):
        name, values = _parse_choices(setting, text)
        if name in choices:
            raise ValueError(f"{text}: {name} is given twice; to try several values: {name}=1|2")
        choices[name] = values
    if kind == "ar-batched" and base.in_flight is None and "in_flight" not in choices:
        choices = {"in_flight": [str(n) for n in _AR_IN_FLIGHT], **choices}
    if kind == "prefill" and "max_tokens" in choices:
        raise ValueError(f"{text}: prefill generates nothing, so there is no max_tokens")
    methods = []
    for chosen in itertools.product(*choices.values()):
        texts = dict(zip(choices, chosen, strict=True))
        name = f"{kind}:" + ",".join(f"{k}={v}" for k, v in texts.items())
        try:
            n_documents = _parse_count(texts.pop(_DOCUMENTS, None))
            grammar = _parse_switch(texts.pop(_GRAMMAR, "off"))
            given = {k: _parse_value(k, v) for k, v in texts.items()}
            # Without tuned settings, so that a method has the settings in its name.
            options = base.with_settings({**_settings_of(kind, base), **given}).with_defaults()
        except ValueError as error:
            raise ValueError(f"{text}: {error}") from None
        methods.append(BenchMethod(name.removesuffix(":"), kind, options, n_documents, grammar))
    return Contest(text, tuple(methods))


def _settings_of(kind: MethodKind, base: Options) -> dict[str, object]:
    """Return the settings of a kind, unless the base sets them."""
    if kind == "prefill":
        return {"method": "hpd", "max_tokens": 1}
    if kind == "hpd":
        return {"method": "hpd"}
    # The layout has no meaning if the model writes all keys itself.
    settings: dict[str, object] = {"method": "ar", "layout": "branch"}
    if base.in_flight is None:
        settings["in_flight"] = 1
    if base.drafts is None:
        settings["drafts"] = False
    return settings


def _name_with_grammar(name: str) -> str:
    return f"{name}{',' if ':' in name else ':'}{_GRAMMAR}=on"


def _parse_choices(setting: str, text: str) -> tuple[str, list[str]]:
    name, equals, values = setting.partition("=")
    name = name.strip().replace("-", "_")
    if not equals or name not in (*_SETTINGS, _DOCUMENTS, _GRAMMAR):
        known = ", ".join((*_SETTINGS, _DOCUMENTS, _GRAMMAR))
        raise ValueError(f"{text}: {setting!r} is not a setting of a method; known: {known}")
    return name, [value.strip() for value in values.split("|")]


def _parse_count(value: str | None) -> int | None:
    if value is None:
        return None
    if not value.isdecimal() or int(value) < 1:
        raise ValueError(f"documents must be a number from 1, not {value!r}")
    return int(value)


def _parse_switch(value: str) -> bool:
    if value not in ("on", "off"):
        raise ValueError(f"{_GRAMMAR} must be on or off, not {value!r}")
    return value == "on"


def _parse_value(name: str, value: str) -> object:
    try:
        return OPTIONS[name].parse(value)
    except ValueError as error:
        raise ValueError(f"{name} {error}") from None
