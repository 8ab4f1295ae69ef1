"""Sequence ids: the lowest free one first, and each comes back empty."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from hpd._core import testing
from strategies import part_of_examples


class SequencePoolMachine(RuleBasedStateMachine):
    """Ids taken and given back, against a set of those that are taken."""

    @initialize(n_seq=st.integers(1, 6))
    def start(self, n_seq):
        self.n_seq = n_seq
        self.pool = testing.SequencePool(n_seq)
        self.taken = set()

    @precondition(lambda self: len(self.taken) < self.n_seq)
    @rule()
    def take(self):
        seq = self.pool.take()
        assert seq == min(set(range(self.n_seq)) - self.taken)
        assert self.pool.take_ops() == []
        self.taken.add(seq)

    @precondition(lambda self: len(self.taken) == self.n_seq)
    @rule()
    def take_one_too_many(self):
        with pytest.raises(RuntimeError, match="no id is free"):
            self.pool.take()

    @rule(seq=st.integers(-1, 7))
    def give_back(self, seq):
        if seq not in self.taken:
            with pytest.raises(RuntimeError, match=f"{seq} was not taken"):
                self.pool.give_back(seq)
            return
        self.pool.give_back(seq)
        assert self.pool.take_ops() == [("drop", seq, -1, 0)]
        self.taken.remove(seq)

    @invariant()
    def is_in_order(self):
        self.pool.check(sorted(self.taken))
        assert self.pool.n_free == self.n_seq - len(self.taken)


TestSequencePool = SequencePoolMachine.TestCase
TestSequencePool.settings = part_of_examples(0.5)
