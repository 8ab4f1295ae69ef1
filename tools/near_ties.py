"""Values that differ between two extractions of a document, and whether they are near ties."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """The names of the values that differ in two lines, and whether a line marks a near tie."""
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
