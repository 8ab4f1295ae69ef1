"""The places of one value in a document."""

from __future__ import annotations

from typing import Any

from hpd.values.places import Grounder
from hpd.values.windows import Span


def ground(value: Any, document: str, *, fuzzy: bool = True) -> Span | None:
    """The best place of a value; None if the document does not hold it."""
    return Grounder(document).ground(value, fuzzy=fuzzy)


def ground_all(value: Any, document: str, *, fuzzy: bool = True) -> list[Span]:
    """All places of a value that match as well as the best one, from left to right."""
    return Grounder(document).ground_all(value, fuzzy=fuzzy)
