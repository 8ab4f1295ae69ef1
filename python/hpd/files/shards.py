"""A shard: one of the equal parts of an input that are read by runs of their own.

Of one file, shard 1 of 4 has the records 1, 5, 9 and so on. Where there may be more files, each
begins with a shard that its path decides. So a document that is a file of its own is opened by one
run only; and files that are added to a folder, or that one run cannot read, move no record of
another file into another shard: whenever the runs begin, nothing is done twice or by nobody.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from hpd.errors import InputError
from hpd.files.fingerprint import text_fingerprint

_FORM = re.compile(r"(\d+)/(\d+)")


@dataclass(frozen=True, slots=True)
class Shard:
    """Shard ``number``, from 1, of ``n_shards``."""

    number: int
    n_shards: int

    def has(self, first: int, row: int) -> bool:
        """Whether a record is in this shard.

        Args:
            first: of the file, as ``first_shard`` gives it.
            row: the place of the record in its file, from 0.
        """
        return (row + first) % self.n_shards == self.number - 1

    def count(self, first: int, n_rows: int) -> int:
        """The number of this shard's records in a file of so many."""
        return len(range((self.number - 1 - first) % self.n_shards, n_rows, self.n_shards))

    def __str__(self) -> str:
        return f"{self.number}/{self.n_shards}"


def first_shard(path: str, *, is_only: bool) -> int:
    """The number, before it is divided by that of the shards, of the shard with the first record.

    Args:
        path: of the file, which must be the same for all runs.
        is_only: whether there can be no other file.
    """
    # A checksum such as CRC-32 would bring many of a.txt, b.txt, c.txt into one shard.
    return 0 if is_only else int(text_fingerprint(os.path.abspath(path)), 16)


def parse_shard(text: str) -> Shard:
    """The shard that a text such as ``2/8`` names.

    Raises:
        InputError: it names none.
    """
    match = _FORM.fullmatch(text)
    if match is None:
        raise InputError(f"{text!r} is no shard: 2/8 is the second of eight")
    number, n_shards = int(match[1]), int(match[2])
    if not 1 <= number <= n_shards:
        raise InputError(f"there is no shard {text}: they are numbered from 1 to N")
    return Shard(number, n_shards)
