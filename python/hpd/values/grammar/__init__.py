"""Constraints on the text of a field: its grammar (GBNF), or the few texts that it can be."""

from hpd.values.grammar.decided import DECIDE_KEY, decided, is_choice
from hpd.values.grammar.rules import (
    Allowed,
    answer_grammar,
    enum_texts,
    holds_closed,
    is_closed,
    literal,
    unconstrained,
    value_grammar,
)

__all__ = [
    "DECIDE_KEY",
    "Allowed",
    "answer_grammar",
    "decided",
    "enum_texts",
    "holds_closed",
    "is_choice",
    "is_closed",
    "literal",
    "unconstrained",
    "value_grammar",
]
