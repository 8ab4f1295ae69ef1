"""Documents of one category, gathered into the stacks that share a prompt."""

from __future__ import annotations

from collections.abc import Iterator

from hpd.documents import Document
from hpd.pipeline.job import Placed
from hpd.prompt import may_share_prompt


class Stacks:
    """Stacks of documents that are not full yet, by category.

    A document that could be read as several of them (``may_share_prompt``) goes alone.

    Args:
        size: the number of documents in one prompt (paper, section 4.3.5).
        patience: the number of documents after which an incomplete stack goes, so that a rare
            category does not wait for ever.
    """

    def __init__(self, size: int, patience: int) -> None:
        self._size = size
        self._patience = patience
        self._open: dict[str | None, list[Placed]] = {}

    def add(self, place: int, document: Document) -> Iterator[list[Placed]]:
        """Put a document into the stack of its category; returns the stacks that are ready."""
        if self._size > 1 and not may_share_prompt(document.text):
            yield [(place, document)]
            return
        stack = self._open.setdefault(document.category, [])
        stack.append((place, document))
        late = [c for c, waiting in self._open.items() if place - waiting[0][0] >= self._patience]
        full = [document.category] if len(stack) >= self._size else []
        for category in dict.fromkeys([*late, *full]):
            yield self._open.pop(category)

    def rest(self) -> Iterator[list[Placed]]:
        """The stacks that are left when no more documents follow."""
        while self._open:
            yield self._open.pop(next(iter(self._open)))
