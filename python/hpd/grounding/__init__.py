"""Where in a document a value stands: character offsets in its original text."""

from hpd.grounding.search import (
    FUZZY_THRESHOLD,
    Grounder,
    Span,
    ground,
    ground_all,
)

__all__ = ["FUZZY_THRESHOLD", "Grounder", "Span", "ground", "ground_all"]
