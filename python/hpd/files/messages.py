"""Names of things in messages: of values, lists, and the operating system's errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

_N_NAMES_SHOWN = 12


def kind(value: object) -> str:
    """A value's kind in words, such as ``an object``."""
    if value is None:
        return "null"
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    return f"the {type(value).__name__} {value!r}"


def listed(every: Iterable[str]) -> str:
    """Names separated by commas, the first dozen of them."""
    shown = [repr(name) for name in every]
    if len(shown) > _N_NAMES_SHOWN:
        shown[_N_NAMES_SHOWN:] = [f"and {len(shown) - _N_NAMES_SHOWN} more"]
    return ", ".join(shown) or "none at all"


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Lets an error say which file could not be written: a full disk does not tell."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


def reason(error: OSError) -> str:
    """The text of an error, without its number and path."""
    return error.strerror or str(error)
