"""Conversion of results to JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar


class JsonDataclass:
    """A dataclass whose JSON object has its fields, or the attributes in ``JSON``."""

    __slots__ = ()
    JSON: ClassVar[Sequence[str]] = ()

    def to_json(self) -> Any:
        names = self.JSON or [each.name for each in fields(self)]  # type: ignore[arg-type]
        return {name: to_plain(getattr(self, name)) for name in names}


def to_plain(value: object) -> Any:
    """Convert a result and everything in it to plain JSON values."""
    if isinstance(value, JsonDataclass):
        return value.to_json()
    if isinstance(value, Mapping):
        return {name: to_plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(inner) for inner in value]
    return value
