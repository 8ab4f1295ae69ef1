"""Grounding: the place of a value in its document, and the values that a document states."""

from hpd.values.grounding.search import (
    FUZZY_THRESHOLD,
    Grounder,
    Span,
    ground,
    ground_all,
)
from hpd.values.grounding.stated import STATED_KEY, Stated, is_held

__all__ = [
    "FUZZY_THRESHOLD",
    "STATED_KEY",
    "Grounder",
    "Span",
    "Stated",
    "ground",
    "ground_all",
    "is_held",
]
