"""How messages name things."""

from __future__ import annotations

from collections.abc import Iterable

_N_NAMES_SHOWN = 12


def kind(value: object) -> str:
    """What a value is, in words."""
    if value is None:
        return "null"
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    return f"the {type(value).__name__} {value!r}"


def listed(every: Iterable[str]) -> str:
    """Names in a row; not too many."""
    shown = [repr(name) for name in every]
    if len(shown) > _N_NAMES_SHOWN:
        shown[_N_NAMES_SHOWN:] = [f"and {len(shown) - _N_NAMES_SHOWN} more"]
    return ", ".join(shown) or "none at all"


def reason(error: OSError) -> str:
    """What went wrong, without the number and the path."""
    return error.strerror or str(error)
