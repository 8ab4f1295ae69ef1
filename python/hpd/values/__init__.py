"""Values: raw texts parsed into typed values, and these put together to nested data."""

from hpd.values.answers import answer_leaf, split_answer
from hpd.values.assembly import ABSENT, Assembled, assemble, bare_data
from hpd.values.parsing import (
    LACKING,
    Parsed,
    check_value,
    joint_probability,
    parse_cut,
    parse_forced,
    parse_value,
    typed_value,
)

__all__ = [
    "ABSENT",
    "LACKING",
    "Assembled",
    "Parsed",
    "answer_leaf",
    "assemble",
    "bare_data",
    "check_value",
    "joint_probability",
    "parse_cut",
    "parse_forced",
    "parse_value",
    "split_answer",
    "typed_value",
]
