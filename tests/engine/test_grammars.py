"""The grammars that an engine remembers: once each, and never more than there may be."""

import pytest

from decoding import open_model
from hpd._core import testing


def test_the_grammars_that_are_remembered_are_bounded(tiny_model):
    constraints = testing.Constraints(open_model(tiny_model("qwen3")), n_grammars_max=3)
    counts = []
    for text in ("a", "a", "b", "c", "d", "a", "d"):
        constraints.make(f'root ::= "{text}"')
        counts.append(constraints.n_grammars)
    assert counts == [1, 1, 2, 3, 1, 2, 2]


def test_a_grammar_that_cannot_be_read_is_not_remembered(tiny_model):
    constraints = testing.Constraints(open_model(tiny_model("qwen3")), n_grammars_max=3)
    with pytest.raises(ValueError, match="cannot read the grammar"):
        constraints.make("root ::= nobody")
    assert constraints.n_grammars == 0
