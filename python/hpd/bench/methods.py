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
# All methods have the model and the messages of the command; its kind says a method's ``method``.
# Every document is decoded each time, or there would be nothing to measure.
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
    """The name that was asked for; where it has several values for a setting, with one of them."""
    kind: MethodKind
    options: Options
    n_documents: int | None = None
    """The number of documents to time, spread over all of them; None: every one."""
    grammar: bool = False
    """Whether replayed values are held against their grammars, too."""

    @property
    def fills_batches(self) -> bool:
        """Whether its batches can be full, so that its time can be held against a bill."""
        return self.kind in ("hpd", "prefill")


@dataclass(frozen=True, slots=True)
class Contest:
    """Methods of which the first round keeps the fastest; mostly there is only one."""

    name: str
    methods: tuple[BenchMethod, ...]

    def with_grammar(self) -> Contest | None:
        """The same methods with grammars; None if they have them, or write no values."""
        if any(method.kind == "prefill" for method in self.methods):
            return None
        if all(method.grammar for method in self.methods):
            return None
        methods = (replace(m, name=_extended(m.name), grammar=True) for m in self.methods)
        return Contest(_extended(self.name), tuple(methods))


def parse_contest(text: str, base: Options | None = None) -> Contest:
    """Parse ``KIND[:SETTING=VALUE[|VALUE...][,...]]``.

    Settings are those of ``Options``; ``documents``: how many are enough for a method that is
    slow and whose documents do not share batches; and ``grammar`` (on or off): whether replayed
    values are checked against their grammars as other values are, which is off by default.

    ``ar`` and ``hpd`` decode one object token by token and all fields at once; ``prefill`` reads
    what ``hpd`` reads and generates nothing; ``ar`` has one document in flight, and ``ar-batched``
    its best number of them, if ``base`` does not say how many; both are without drafts unless these
    are asked for.

    Raises:
        ValueError: there is no such kind or setting, or it cannot have that value.
    """
    base = base or Options()
    name, _, settings = text.partition(":")
    if name not in KINDS:
        raise ValueError(f"{text}: no method {name!r}; there are {', '.join(KINDS)}")
    kind = next(k for k in KINDS if k == name)
    choices: dict[str, list[str]] = {}
    for setting in filter(None, settings.split(",")):
        name, values = _choices(setting, text)
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
            n_documents = _count(texts.pop(_DOCUMENTS, None))
            grammar = _switch(texts.pop(_GRAMMAR, "off"))
            said = {k: _parsed(k, v) for k, v in texts.items()}
            # Not as tuned: figures tell of the settings that their names say.
            options = base.with_settings({**_settings_of(kind, base), **said}).with_defaults()
        except ValueError as error:
            raise ValueError(f"{text}: {error}") from None
        methods.append(BenchMethod(name.removesuffix(":"), kind, options, n_documents, grammar))
    return Contest(text, tuple(methods))


def _settings_of(kind: MethodKind, base: Options) -> dict[str, object]:
    """The settings that make a kind, where the base does not say them."""
    if kind == "prefill":
        return {"method": "hpd", "max_tokens": 1}
    if kind == "hpd":
        return {"method": "hpd"}
    # Which keys a field sees is no question where the model writes all keys itself.
    settings: dict[str, object] = {"method": "ar", "layout": "branch"}
    if base.in_flight is None:
        settings["in_flight"] = 1
    if base.drafts is None:
        settings["drafts"] = False
    return settings


def _extended(name: str) -> str:
    return f"{name}{',' if ':' in name else ':'}{_GRAMMAR}=on"


def _choices(setting: str, text: str) -> tuple[str, list[str]]:
    name, equals, values = setting.partition("=")
    name = name.strip().replace("-", "_")
    if not equals or name not in (*_SETTINGS, _DOCUMENTS, _GRAMMAR):
        known = ", ".join((*_SETTINGS, _DOCUMENTS, _GRAMMAR))
        raise ValueError(f"{text}: {setting!r} is no setting of a method; there are {known}")
    return name, [value.strip() for value in values.split("|")]


def _count(value: str | None) -> int | None:
    if value is None:
        return None
    if not value.isdecimal() or int(value) < 1:
        raise ValueError(f"documents must be a number from 1, not {value!r}")
    return int(value)


def _switch(value: str) -> bool:
    if value not in ("on", "off"):
        raise ValueError(f"{_GRAMMAR} must be on or off, not {value!r}")
    return value == "on"


def _parsed(name: str, value: str) -> object:
    try:
        return OPTIONS[name].parsed(value)
    except ValueError as error:
        raise ValueError(f"{name} {error}") from None
