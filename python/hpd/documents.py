"""The documents that go in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Literal


@dataclass(frozen=True, slots=True)
class Document:
    """A text to extract from; ``id`` is carried through, ``category`` chooses the schema."""

    text: str
    id: Any = None
    category: str | None = None


class _Mark(Enum):
    NOT_YET = "not yet"


NotYet = Literal[_Mark.NOT_YET]
NOT_YET: Final = _Mark.NOT_YET
"""A source of documents may give this in place of one: there is none now, and more may come.

What is in flight then goes on alone, stacks that are not full included, and what is finished is
handed out; without it, a source that keeps its reader waiting keeps everything waiting. The source
is asked again at once, so it should wait for a moment itself.
"""
