"""Declares an option on a dataclass field, and checks its values."""

from __future__ import annotations

import math
import os
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, TypeGuard, TypeVar, Union, get_args, get_origin, get_type_hints

from hpd.messages import short_repr
from hpd.surrogates import is_unicode

T = TypeVar("T")
Affects = Literal["values", "speed", "display"]
"""What an option affects: the extracted values; only the speed, except for rounding; or only the
display."""
Target = Literal["engine", "model", "sampling", "prompt", "answer", "value", "document", "run"]
"""What an option configures: a struct of the engine; the prompt; the allowed answers; how they
become values; how long documents are handled; or the whole run."""
OptionKind = Literal["switch", "integer", "number", "choice", "text", "adapters", "shares"]

_METADATA = "option"
_SWITCH_VALUES = {"on": True, "off": False, "true": True, "false": False}
_MAX_SCALE = 1e38  # the engine stores scales in 32 bits
_MAX_INTEGER = 2**31 - 1
_KINDS: dict[object, OptionKind] = {
    bool: "switch",
    int: "integer",
    float: "number",
    str: "text",
    tuple[tuple[str, float], ...]: "adapters",
    tuple[float, ...]: "shares",
}


@dataclass(frozen=True, slots=True)
class Tuning:
    """The declaration of an option that ``hpd tune`` may set.

    Args:
        default: the value if neither the user nor ``hpd tune`` has set one.
        tried: the values to try; empty if the option only follows another one.
        together_with: the option that gets the same value while this one is tuned.
    """

    default: int
    tried: tuple[int, ...] = ()
    together_with: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """The declaration of an option."""

    flags: tuple[str, ...]
    """Its flags, such as ``-c`` and ``--ctx-size``; without any it is set with ``--set``."""
    help: str
    """One or two sentences, without the default."""
    affects: Affects
    target: Target
    native_name: str = ""
    """Its name in the engine's struct, if different."""
    metavar: str = ""
    minimum: float = -math.inf
    maximum: float = math.inf
    """The bounds of a number; by default, a whole number has 32 bits."""
    needs: str = ""
    """The option that must be set for this one to have an effect."""
    is_long_text: bool = False
    """Whether it is text for the model, for which the command line accepts ``@FILE``."""
    per_call: bool = False
    """Whether it can be set for a single call: it does not configure the engine or name a file."""
    tuning: Tuning | None = None
    # From the dataclass field:
    name: str = ""
    kind: OptionKind = "text"
    choices: tuple[str, ...] = ()
    default: Any = None
    may_be_none: bool = False

    @property
    def flag(self) -> str:
        """The flag that sets it on the command line, without the value."""
        return next((flag for flag in self.flags if flag.startswith("--")), f"--set {self.name}")

    @property
    def allowed(self) -> str:
        """Its allowed values, in words."""
        if self.kind == "switch":
            return "True or False"
        if self.kind == "choice":
            return f"one of {', '.join(self.choices)}"
        if self.kind == "text":
            return "text"
        if self.kind == "adapters":
            return "pairs of a file and a scale"
        if self.kind == "shares":
            return "numbers of at least 0, not all of them 0, separated by commas"
        return f"a {'whole ' if self.kind == 'integer' else ''}number{self._bounds()}"

    def check_value(self, value: object) -> Any:
        """Check a value, and convert it to the form that ``Options`` has.

        Raises:
            ValueError: its type is wrong, or it is out of bounds; the message continues a sentence
                that begins with the option's name.
        """
        if value is None and self.may_be_none:
            return None
        try:
            return self._convert(value)
        except ValueError:
            raise self._type_error(value) from None

    def parse(self, text: str) -> Any:
        """Parse a value, as on the command line and in a method of ``hpd bench``.

        Raises:
            ValueError: the option cannot have this value; the message is as in ``check_value``.
        """
        value: object = _read_text_file(text[1:]) if self.is_long_text and text[:1] == "@" else text
        if self.kind == "switch":
            if text not in _SWITCH_VALUES:
                raise ValueError(f"must be on or off, not {short_repr(text)}")
            value = _SWITCH_VALUES[text]
        # In Python, an empty text means that the option is not set.
        if self.kind == "text" and not text:
            raise self._type_error(text)
        try:
            if self.kind == "integer":
                value = int(text)
            elif self.kind == "number":
                value = float(text)
            elif self.kind == "shares":
                value = tuple(float(part) for part in text.split(","))
        except ValueError:
            raise self._type_error(text) from None
        return self.check_value(value)

    def _type_error(self, value: object) -> ValueError:
        return ValueError(f"must be {self.allowed}, not {short_repr(value)}")

    def _convert(self, value: object) -> object:
        if self.kind == "switch":
            if isinstance(value, bool):
                return value
        elif self.kind == "choice":
            if isinstance(value, str) and value in self.choices:
                return value
        elif self.is_long_text:
            if isinstance(value, str):
                return _check_prose(value)
        elif self.kind == "text":
            if isinstance(value, str | os.PathLike):
                return _check_text(value)
        elif self.kind == "adapters":
            return _check_adapters(value)
        elif self.kind == "shares":
            return _check_shares(value)
        # Also rejects NaN.
        elif _is_number(value) and self.minimum <= value <= self.maximum:
            if self.kind == "number":
                return float(value)
            if isinstance(value, Integral):
                return int(value)
        raise ValueError

    def _bounds(self) -> str:
        # Whole numbers in full, not as 4.3e+09.
        low, high = (
            str(bound) if isinstance(bound, int) else f"{bound:g}"
            for bound in (self.minimum, self.maximum)
        )
        return f" from {low} to {high}"


def option(default: T, *flags: str, **declared: Any) -> T:
    """Return a dataclass field for an option; ``declared`` are the fields of ``Option``."""
    made: T = field(default=default, metadata={_METADATA: Option(flags=flags, **declared)})
    return made


def declared_options(cls: Any) -> dict[str, Option]:
    """Return the options that a dataclass declares, by name."""
    hints = get_type_hints(cls)
    return {
        f.name: _complete_option(f.metadata[_METADATA], f.name, f.default, hints)
        for f in fields(cls)
    }


def _complete_option(declared: Option, name: str, default: Any, hints: Mapping[str, Any]) -> Option:
    hint, may_be_none = _strip_none(hints[name])
    choices = get_args(hint) if get_origin(hint) is Literal else ()
    kind = "choice" if choices else _KINDS[hint]
    is_unbounded = kind == "integer" and declared.maximum == math.inf
    return replace(
        declared,
        name=name,
        default=default,
        native_name=declared.native_name or name,
        kind=kind,
        maximum=_MAX_INTEGER if is_unbounded else declared.maximum,
        choices=choices,
        may_be_none=may_be_none,
    )


def _strip_none(hint: Any) -> tuple[Any, bool]:
    """Remove ``| None`` from a type; also return whether it was there."""
    if get_origin(hint) not in (Union, types.UnionType):
        return hint, False
    (inner,) = (part for part in get_args(hint) if part is not type(None))
    return inner, True


def _check_text(value: str | os.PathLike[Any]) -> str:
    text = os.fspath(value)
    if not isinstance(text, str) or "\0" in text:
        raise ValueError
    return text


def _check_prose(value: str) -> str:
    if not is_unicode(value):
        raise ValueError
    return _check_text(value)


def _read_text_file(path: str) -> str:
    """Return the text of a file, stripped."""
    try:
        text = Path(os.path.expanduser(path)).read_text(encoding="utf-8-sig").strip()
        problem = "" if text else "it holds no text"
    except OSError as error:
        problem = str(error.strerror)
    except ValueError:
        problem = "it is not UTF-8"
    if problem:
        raise ValueError(f"must be text, or @ and a file that holds it, not '@{path}': {problem}")
    return text


def _check_adapters(value: object) -> tuple[tuple[str, float], ...]:
    if not _is_sequence(value):
        raise ValueError
    return tuple(_check_adapter(pair) for pair in value)


def _check_adapter(pair: object) -> tuple[str, float]:
    if not _is_sequence(pair) or len(pair) != 2:
        raise ValueError
    path, scale = pair
    if not isinstance(path, str | os.PathLike) or not _is_number(scale):
        raise ValueError
    if not abs(scale) <= _MAX_SCALE:
        raise ValueError
    return _check_text(path), float(scale)


def _check_shares(value: object) -> tuple[float, ...]:
    if not _is_sequence(value):
        raise ValueError
    # Also rejects NaN; the engine stores shares in 32 bits.
    if not all(_is_number(share) and 0 <= share <= _MAX_SCALE for share in value):
        raise ValueError
    shares = tuple(float(share) for share in value if _is_number(share))
    if shares and not any(shares):
        raise ValueError
    return shares


def _is_sequence(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _is_number(value: object) -> TypeGuard[float]:
    # A bool is also a Real, but not meant as a number.
    return isinstance(value, Real) and not isinstance(value, bool)
