"""Grounding: the place of a value in its document, as character offsets."""

from hpd.grounding.search import (
    FUZZY_THRESHOLD,
    Grounder,
    Span,
    ground,
    ground_all,
)

__all__ = ["FUZZY_THRESHOLD", "Grounder", "Span", "ground", "ground_all"]
