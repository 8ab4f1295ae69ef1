"""From a schema to its fields, and from their raw texts back to typed, nested data."""

from hpd.values.answers import RawValue, answer_leaf, split_answer
from hpd.values.assembly import Assembled, assemble, is_empty
from hpd.values.leaves import (
    MAX_ITEMS,
    Leaf,
    count_attribute,
    item_fields,
    leaf_fields,
    waves,
)
from hpd.values.parsing import Parsed, absent, check_value, confidence, parse_value

__all__ = [
    "MAX_ITEMS",
    "Assembled",
    "Leaf",
    "Parsed",
    "RawValue",
    "absent",
    "answer_leaf",
    "assemble",
    "check_value",
    "confidence",
    "count_attribute",
    "is_empty",
    "item_fields",
    "leaf_fields",
    "parse_value",
    "split_answer",
    "waves",
]
