"""Documents that are equal to one that is under way."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hpd.documents import Document
from hpd.results import Extraction, Usage

N_WAITING = 256
"""The most documents that wait: they must not all be read only because they are equal."""


class Twins:
    """Documents that wait for an equal one, and then have its extraction, or its error.

    Args:
        n_most: how many may wait; the others are decoded.
    """

    def __init__(self, n_most: int = N_WAITING) -> None:
        self._n_most = n_most
        self._n_waiting = 0
        self._places: dict[tuple[str | None, str], int] = {}
        self._waiting: dict[int, list[tuple[int, Document]]] = {}
        """Those that wait, by the place of the one that is under way."""
        self._contents: dict[int, tuple[str | None, str]] = {}

    def add(self, place: int, document: Document) -> bool:
        """Whether a document is to wait; otherwise others may wait for it."""
        content = (document.category, document.text)
        first = self._places.get(content)
        if first is None:
            self._places[content] = place
            self._contents[place] = content
            return False
        if self._n_waiting >= self._n_most:
            return False
        self._n_waiting += 1
        self._waiting.setdefault(first, []).append((place, document))
        return True

    def of(self, place: int, extraction: Extraction[Any]) -> Iterator[tuple[int, Extraction[Any]]]:
        """The extractions of the documents that waited for one, with their places."""
        content = self._contents.pop(place, None)
        if content is not None:
            del self._places[content]
        for other, document in self._waiting.pop(place, ()):
            self._n_waiting -= 1
            usage = Usage(reused_values=len(extraction.fields))
            data = copy.deepcopy(extraction.data)  # which is the user's to change
            yield other, replace(extraction, id=document.id, data=data, usage=usage)
