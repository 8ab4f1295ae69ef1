"""Values: raw texts parsed into typed values, and these put together to nested data."""

from hpd.values.answers import RawValue, answer_leaf, split_answer
from hpd.values.assembly import Assembled, assemble, bare_data, is_empty
from hpd.values.parsing import (
    ABSENT,
    LACKING,
    Parsed,
    absent,
    check_value,
    joint_probability,
    parse_cut,
    parse_value,
    python_type,
    typed_value,
)

__all__ = [
    "ABSENT",
    "LACKING",
    "Assembled",
    "Parsed",
    "RawValue",
    "absent",
    "answer_leaf",
    "assemble",
    "bare_data",
    "check_value",
    "is_empty",
    "joint_probability",
    "parse_cut",
    "parse_value",
    "python_type",
    "split_answer",
    "typed_value",
]
