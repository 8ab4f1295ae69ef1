"""The values of the documents of this run, in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping

from hpd.pipeline.reuse.decoded import Decoded

N_TOKENS = 4_000_000
"""The most tokens that are kept, at 16 bytes each."""
N_FIXED = 50
"""The tokens for which a value counts besides its own: Python's objects are large."""


class MemoryTable:
    """Values by document and question, for any number of threads.

    If there are too many, those of the document that was asked for longest ago go, all at once: a
    document is known as a whole or not at all.
    """

    def __init__(self, n_tokens: int = N_TOKENS) -> None:
        self._n_most = n_tokens
        self._n_kept = 0
        self._by_document: OrderedDict[str, dict[str, Decoded]] = OrderedDict()
        self._lock = threading.Lock()

    def values_of(self, document: str) -> dict[str, Decoded]:
        """The known values of a document, by question."""
        with self._lock:
            if document not in self._by_document:
                return {}
            self._by_document.move_to_end(document)
            return dict(self._by_document[document])

    def store(self, document: str, values: Mapping[str, Decoded]) -> None:
        """Keep values of a document, beside those that are kept already."""
        with self._lock:
            known = self._by_document.setdefault(document, {})
            self._by_document.move_to_end(document)
            self._n_kept -= _size(known)
            known.update(values)
            self._n_kept += _size(known)
            while self._n_kept > self._n_most:
                _, forgotten = self._by_document.popitem(last=False)
                self._n_kept -= _size(forgotten)

    def close(self) -> None:
        """Forget everything."""
        with self._lock:
            self._by_document.clear()
            self._n_kept = 0


def _size(values: Mapping[str, Decoded]) -> int:
    return sum(N_FIXED + len(value.tokens) for value in values.values())
