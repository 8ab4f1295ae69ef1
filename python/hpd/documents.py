"""The documents that go in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Document:
    """A text to extract from; ``id`` is carried through, ``category`` chooses the schema."""

    text: str
    id: Any = None
    category: str | None = None
