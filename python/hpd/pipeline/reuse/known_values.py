"""The values that are known of a document, by all that they depend on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Protocol

from hpd.pipeline.reuse.decoded import Decoded, Raw


class Table(Protocol):
    """The place where values are kept."""

    def values_of(self, document: str) -> dict[str, Decoded]:
        """The known values of a document, by question."""

    def store(self, document: str, values: Mapping[str, Decoded]) -> None:
        """Keep values of a document, beside those that are kept already."""

    def close(self) -> None:
        """Let go of memory and files."""


class Reuse:
    """The use of a table under certain settings.

    Args:
        table: the values by document and question.
        context: all that a value depends on besides its document and its question.
        by_field: whether a value is known whatever else the schema asks. The instruction names all
            attributes of a schema, so that strictly a value may depend on those.
    """

    def __init__(self, table: Table, context: Sequence[str] = (), *, by_field: bool) -> None:
        self.by_field = by_field
        self._table = table
        self._context = tuple(context)

    def within(self, context: str) -> Reuse:
        """The same for what depends on something more."""
        return Reuse(self._table, (*self._context, context), by_field=self.by_field)

    def known_values(self, text: str) -> KnownValues:
        """The values of a document."""
        return KnownValues(self._table, fingerprint(*self._context, text))

    def close(self) -> None:
        """Close the table."""
        self._table.close()


class KnownValues:
    """The values of one document: those that are known, and those that come to be."""

    def __init__(self, table: Table, document: str) -> None:
        self._table = table
        self._document = document
        self._known = table.values_of(document)
        self._new: dict[str, Decoded] = {}

    def find(self, question: str) -> Decoded | None:
        """The value that answers a question."""
        return self._known.get(question)

    def add(self, question: str, value: Raw) -> None:
        """Note the answer of a question, to be kept with the others at the end."""
        self._new[question] = Decoded.of(value)

    def store(self) -> None:
        """Keep what was noted: the document is finished."""
        if self._new:
            self._table.store(self._document, self._new)


def fingerprint(*parts: str) -> str:
    """32 hexadecimal digits that no other parts have."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        # Without its length, a part could end where another one begins.
        digest.update(len(encoded).to_bytes(8, "little") + encoded)
    return digest.hexdigest()
