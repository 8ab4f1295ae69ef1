"""Names the limits that are checked after decoding."""

from __future__ import annotations

from hpd.schema.attributes import Attribute
from hpd.schema.scalars import FORMATS
from hpd.values.grammar import _FORMAT_RULES, _pattern_is_supported

_LIMITS = {
    "minimum": "minimum",
    "maximum": "maximum",
    "exclusive_minimum": "exclusiveMinimum",
    "exclusive_maximum": "exclusiveMaximum",
    "multiple_of": "multipleOf",
    "min_length": "minLength",
    "max_length": "maxLength",
}


def unconstrained(attribute: Attribute) -> list[str]:
    """Return the limits of a scalar that are checked after decoding, not by its grammar."""
    limits = [keyword for name, keyword in _LIMITS.items() if getattr(attribute, name) is not None]
    if attribute.type == "integer":
        limits.append("whole number")
    if attribute.type in ("date", "date-time"):
        limits.append("calendar")
    if attribute.pattern is not None and not _pattern_is_supported(attribute.pattern):
        limits.append("pattern")
    if attribute.format is not None and (
        attribute.pattern is not None
        or attribute.format not in FORMATS
        or attribute.format in _FORMAT_RULES
    ):
        limits.append("format")
    return limits
