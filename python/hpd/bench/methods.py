"""Ways to read the same documents, by name: ``hpd:layout=skeleton,stack=4``."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from hpd.options import TUNABLE, Options

Kind = Literal["prefill", "ar", "ar-batched", "hpd"]
KINDS: tuple[Kind, ...] = ("prefill", "ar", "ar-batched", "hpd")

_AR_IN_FLIGHT = "in_flight=4|8|16|32"
_DOCUMENTS = "documents"
_TYPES = {
    **{
        f.name: type(f.default) for f in fields(Options) if isinstance(f.default, int | str | float)
    },
    **{name: type(default) for name, default in TUNABLE.items()},
}

SWEEPS: dict[str, tuple[str, ...]] = {
    "layout": ("hpd:layout=branch", "hpd:layout=skeleton"),
    "stack": tuple(f"hpd:stack={n}" for n in (1, 2, 4, 8, 16)),
    "in-flight": tuple(f"hpd:in_flight={n}" for n in (1, 2, 4, 8, 16, 32, 64)),
    "drafts": ("hpd:drafts=on", "hpd:drafts=off"),
    "figure-4": tuple(
        f"hpd:stack={stack},in_flight={n}" for stack in (1, 2, 4, 8, 16) for n in (1, 2, 4, 8, 16)
    ),
}
"""Lists of methods that answer one question each."""


@dataclass(frozen=True, slots=True)
class Method:
    """One way: what is done, and all its settings."""

    name: str
    """As it was asked for, with one setting where several were to be tried."""
    kind: Kind
    options: Options
    n_documents: int | None = None
    """So many of the documents only, spread over all."""


@dataclass(frozen=True, slots=True)
class Contest:
    """Methods of which the first round keeps the fastest; mostly there is only one."""

    name: str
    methods: tuple[Method, ...]


def parse_contest(text: str, base: Options | None = None) -> Contest:
    """A contest from ``KIND[:SETTING=VALUE[|VALUE...][,...]]``.

    Settings are those of ``Options``, and ``documents``: how many are enough for a method that is
    slow and whose documents do not share batches. ``ar`` and ``hpd`` decode one object token by
    token and all fields at once; ``prefill`` reads what ``hpd`` reads and generates nothing;
    ``ar-batched`` is ``ar`` at its best number in flight. Both are without drafts unless these
    are asked for.

    Raises:
        ValueError: there is no such kind or setting, or it cannot have that value.
    """
    name, _, settings = text.partition(":")
    if name not in KINDS:
        raise ValueError(f"{text}: no method {name!r}; there are {', '.join(KINDS)}")
    kind = next(k for k in KINDS if k == name)
    if kind == "ar-batched" and "in_flight=" not in settings:
        settings = ",".join(filter(None, (_AR_IN_FLIGHT, settings)))
    choices = [_choices(setting, text) for setting in settings.split(",") if setting]
    # Not as tuned: figures tell of the settings that their names say.
    options = (base or Options()).filled()
    if kind == "ar":
        options = replace(options, in_flight=1)
    if kind == "prefill":
        options = replace(options, max_tokens=1)
    if kind.startswith("ar"):
        options = replace(options, drafts=False, method="ar", layout="branch")
    else:
        options = replace(options, method="hpd")
    methods = []
    for chosen in itertools.product(*choices):
        values = dict(chosen)
        name = f"{kind}:" + ",".join(f"{k}={v}" for k, v in values.items())
        try:
            n_documents = _count(values.pop(_DOCUMENTS, None))
            tried = replace(options, **{k: _convert(k, v) for k, v in values.items()})
        except (TypeError, ValueError) as error:
            raise ValueError(f"{text}: {error}") from None
        methods.append(Method(name.removesuffix(":"), kind, tried, n_documents))
    return Contest(text, tuple(methods))


def parse_settings(texts: Sequence[str], base: Options | None = None) -> Options:
    """Options with ``NAME=VALUE`` settings, for all methods.

    Raises:
        ValueError: there is no such setting, or it cannot have that value.
    """
    options = base or Options()
    for text in texts:
        ((name, value),) = _choices(text, text)
        if name == _DOCUMENTS:
            raise ValueError(f"{text}: only a method can have documents of its own")
        options = replace(options, **{name: _convert(name, value)})
    return options


def _choices(setting: str, text: str) -> list[tuple[str, str]]:
    name, equals, values = setting.partition("=")
    name = name.strip().replace("-", "_")
    if not equals or name not in (*_TYPES, _DOCUMENTS) or name == "method":
        known = ", ".join((*(n for n in _TYPES if n != "method"), _DOCUMENTS))
        raise ValueError(f"{text}: {setting!r} is no setting; there are {known}")
    return [(name, value.strip()) for value in values.split("|")]


def _count(value: str | None) -> int | None:
    if value is None:
        return None
    if not value.isdecimal() or int(value) < 1:
        raise ValueError(f"documents must be a number from 1, not {value!r}")
    return int(value)


def _convert(name: str, value: str) -> Any:
    kind = _TYPES[name]
    if kind is bool:
        if value not in ("on", "off"):
            raise ValueError(f"{name} is on or off, not {value!r}")
        return value == "on"
    try:
        return kind(value)
    except ValueError:
        raise ValueError(f"{name} must be a number, not {value!r}") from None
