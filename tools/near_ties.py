"""Finds differing values of two extractions, and whether they are near ties."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield the names of values that differ in two lines, and whether they are near ties."""
    for name in {**one["data"], **other["data"]}:
        if one["data"].get(name) != other["data"].get(name):
            yield (
                name,
                any(
                    field.get("near_tie")
                    for line in (one, other)
                    for path, field in line.get("fields", {}).items()
                    if re.split(r"[.\[]", path)[0] == name
                ),
            )
