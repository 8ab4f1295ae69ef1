"""Constraints on the text of a field: its grammar (GBNF), or the few texts that it can be."""

from hpd.grammar.rules import (
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
    "Allowed",
    "answer_grammar",
    "enum_texts",
    "holds_closed",
    "is_closed",
    "literal",
    "unconstrained",
    "value_grammar",
]
