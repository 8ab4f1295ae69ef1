"""Ids that come more than once."""

from __future__ import annotations

from array import array


class RepeatedIds:
    """Counts the records whose id an earlier one has, at eight bytes a record."""

    def __init__(self) -> None:
        self._hashes: array[int] = array("q")

    def add(self, record_id: str) -> None:
        """Note the id of the next record."""
        self._hashes.append(hash(record_id))

    def notice(self) -> str | None:
        """The number of repeated ids and the first of them, in words; None: all are different."""
        import numpy as np  # a command's arguments are read without it

        hashes = np.asarray(self._hashes)
        _, firsts, group = np.unique(hashes, return_index=True, return_inverse=True)
        repeated = np.flatnonzero(firsts[group] != np.arange(len(hashes)))
        if not len(repeated):
            return None
        place = int(repeated[0])
        who = "document has" if len(repeated) == 1 else "documents have"
        return (
            f"{len(repeated)} {who} the id of an earlier one: document {place + 1} is the first, "
            f"with that of document {int(firsts[group[place]]) + 1}"
        )
