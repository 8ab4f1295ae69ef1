"""The spans of one value in a document."""

from hpd.values.grounding import Grounder


def best_span(value, document, *, fuzzy=True):
    """Return the best span of a value, or None if the document does not have it."""
    return Grounder(document).best_span(value, fuzzy=fuzzy)


def best_spans(value, document, *, fuzzy=True):
    """Return all spans that match as well as the best one, from left to right."""
    return Grounder(document).best_spans(value, fuzzy=fuzzy)
