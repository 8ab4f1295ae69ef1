"""What a grammar leaves to the check after decoding."""

from __future__ import annotations

from hpd.schema.attributes import Attribute
from hpd.schema.scalars import FORMATS
from hpd.values.grammar import _OF_FORMAT, MAX_REPETITION, _pattern_is_supported


def unconstrained(attribute: Attribute) -> list[str]:
    """The limits of a scalar that its grammar leaves to the check after decoding."""
    left = []
    if attribute.type == "string":
        if attribute.pattern is not None:
            if not _pattern_is_supported(attribute.pattern):
                left.append("pattern")
            elif attribute.min_length is not None or attribute.max_length is not None:
                left.append("length")
        elif max(attribute.min_length or 0, attribute.max_length or 0) > MAX_REPETITION:
            left.append("length")
        if attribute.format is not None and (
            attribute.pattern is not None
            or attribute.format not in FORMATS
            or attribute.format in _OF_FORMAT
        ):
            left.append("format")
    elif attribute.type in ("date", "date-time"):
        left.append("calendar")
    elif attribute.type in ("integer", "number"):
        if attribute.multiple_of is not None:
            left.append("multipleOf")
        if attribute.type == "number" and (
            attribute.exclusive_minimum is not None or attribute.exclusive_maximum is not None
        ):
            left.append("exclusive bounds")
    return left
