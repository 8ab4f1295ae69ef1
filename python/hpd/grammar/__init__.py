"""Grammars (GBNF) for what a field may say, and the texts of those that say one of a few."""

from hpd.grammar.rules import (
    answer_grammar,
    enum_texts,
    literal,
    unconstrained,
    value_grammar,
)

__all__ = ["answer_grammar", "enum_texts", "literal", "unconstrained", "value_grammar"]
