"""The questions that a document is asked: a schema's fields, their keys, and their waves.

Decoding, fine-tuning and validation all take their questions from here, so that a model is taught
and tested on the very keys that it is sent. Pure: no model is needed.
"""

from hpd.prompt.questions.leaves import (
    MAX_ITEMS,
    Leaf,
    count_attribute,
    item_leaves,
    schema_leaves,
)
from hpd.prompt.questions.waves import (
    UNKNOWN,
    Question,
    Refused,
    Waves,
    answer_at,
    replayed_waves,
    stack_places,
)

__all__ = [
    "MAX_ITEMS",
    "UNKNOWN",
    "Leaf",
    "Question",
    "Refused",
    "Waves",
    "answer_at",
    "count_attribute",
    "item_leaves",
    "replayed_waves",
    "schema_leaves",
    "stack_places",
]
