"""The places of one value in a document."""

from hpd.values.grounding import Grounder


def ground(value, document, *, fuzzy=True):
    """The best place of a value; None if the document does not hold it."""
    return Grounder(document).best_span(value, fuzzy=fuzzy)


def best_spans(value, document, *, fuzzy=True):
    """All places of a value that match as well as the best one, from left to right."""
    return Grounder(document).best_spans(value, fuzzy=fuzzy)
