"""The places of one value in a document."""

from hpd.values.places import Grounder


def ground(value, document, *, fuzzy=True):
    """The best place of a value; None if the document does not hold it."""
    return Grounder(document).ground(value, fuzzy=fuzzy)


def ground_all(value, document, *, fuzzy=True):
    """All places of a value that match as well as the best one, from left to right."""
    return Grounder(document).ground_all(value, fuzzy=fuzzy)
