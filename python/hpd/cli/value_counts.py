"""The values in an output of ``hpd extract``, counted from its lines."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(slots=True)
class ValueCounts:
    """Numbers of values in the lines that have any."""

    n_values: int = 0
    n_nulls: int = 0
    n_near_ties: int = 0

    def add(self, line: bytes) -> None:
        """Count the values of a line; one that cannot be read has none."""
        try:
            row = json.loads(line)
            data, fields = row.get("data"), row.get("fields") or {}
            n_near_ties = sum(bool(field.get("near_tie")) for field in fields.values())
        except (ValueError, AttributeError, RecursionError):
            return
        if data is None:
            return
        self.n_values += len(fields)
        self.n_nulls += sum(_is_null(data, path) for path in fields)
        self.n_near_ties += n_near_ties


def count_values(path: Path) -> ValueCounts:
    """The counts of a whole file; the beginning of a line, as a killed process leaves it, is none.

    Raises:
        OSError: it cannot be read.
    """
    counts = ValueCounts()
    with open(path, "rb") as file:
        for line in file:
            counts.add(line)
    return counts


def _is_null(data: Any, path: str) -> bool:
    """Whether the value at a dotted path (``maker.city``, ``tags[1]``) is null, or within one."""
    while path and data is not None:
        if isinstance(data, list):
            index, _, path = path.removeprefix("[").partition("]")
            if not index.isdecimal() or int(index) >= len(data):
                return True
            data = data[int(index)]
        elif isinstance(data, dict):
            # A name may have dots in it, so the longest one that fits is taken.
            names = [name for name in data if re.match(rf"{re.escape(name)}(?:[.\[]|$)", path)]
            if not names:
                return True
            name = max(names, key=len)
            data, path = data[name], path[len(name) :]
        else:
            return False
        path = path.removeprefix(".")
    return data is None
