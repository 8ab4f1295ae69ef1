"""Conversion of results to JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar


class JsonDataclass:
    """A dataclass whose JSON object has its fields, or the attributes in ``JSON``."""

    __slots__ = ()
    JSON: ClassVar[Sequence[str]] = ()

    def members(self) -> dict[str, Any]:
        """Return what is in the JSON object; the values may be results too."""
        names = self.JSON or [each.name for each in fields(self)]  # type: ignore[arg-type]
        return {name: getattr(self, name) for name in names}


def to_plain(value: object) -> Any:
    """Convert a result and everything in it to plain JSON values."""
    if isinstance(value, JsonDataclass):
        value = value.members()
    if isinstance(value, Mapping):
        return {name: to_plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(inner) for inner in value]
    return value


def json_text(result: object, indent: int | None = None) -> str:
    """Write a result as JSON."""
    return json.dumps(to_plain(result), ensure_ascii=False, indent=indent)
