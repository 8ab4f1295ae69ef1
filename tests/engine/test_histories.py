"""The values that attributes had: against counts of their beginnings, and bounded."""

from collections import OrderedDict

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from hpd._core import testing
from strategies import part_of_examples


class SlowHistory:
    """One attribute's values, as how often each beginning of one was reached."""

    def __init__(self):
        self.n_reached = {(): 0}
        self.likeliest = {}

    def nexts(self, beginning):
        n = len(beginning) + 1
        return [other for other in self.n_reached if other[:-1] == beginning and len(other) == n]

    def guess(self, beginning):
        if beginning not in self.likeliest:
            return -1, 0.0
        token = self.likeliest[beginning]
        if not self.nexts((*beginning, token)):
            return -1, 0.0
        n = sum(self.n_reached[other] for other in self.nexts(beginning))
        return token, self.n_reached[(*beginning, token)] / (n + 1)


class HistoriesMachine(RuleBasedStateMachine):
    """Any sequence of learning and asking."""

    @initialize(n_histories_max=st.integers(1, 4), n_nodes_max=st.integers(4, 60))
    def start(self, n_histories_max, n_nodes_max):
        self.n_histories_max, self.n_nodes_max = n_histories_max, n_nodes_max
        self.histories = testing.Histories(n_histories_max=n_histories_max, n_nodes_max=n_nodes_max)
        self.slow = OrderedDict()

    def make_room(self):
        while len(self.slow) > 1 and (
            len(self.slow) > self.n_histories_max
            or sum(len(history.n_reached) for history in self.slow.values()) > self.n_nodes_max
        ):
            self.slow.popitem(last=False)

    @rule(attribute=st.integers(0, 5), value=st.lists(st.integers(0, 2), max_size=6))
    def learn(self, attribute, value):
        self.histories.learn(attribute, value)
        history = self.slow.setdefault(attribute, SlowHistory())
        self.slow.move_to_end(attribute)
        self.make_room()
        for end in range(1, len(value) + 1):
            before, here = tuple(value[: end - 1]), tuple(value[:end])
            if here not in history.n_reached:
                if len(history.n_reached) >= self.n_nodes_max // 4:
                    return
                history.n_reached[here] = 0
                self.make_room()
            history.n_reached[here] += 1
            best = history.likeliest.get(before)
            if best is None or history.n_reached[here] > history.n_reached[(*before, best)]:
                history.likeliest[before] = value[end - 1]

    @rule(attribute=st.integers(0, 5), beginning=st.lists(st.integers(0, 2), max_size=4))
    def guess(self, attribute, beginning):
        token, p = self.histories.guess(attribute, beginning)
        want = (-1, 0.0)
        if attribute in self.slow:
            self.slow.move_to_end(attribute)
            want = self.slow[attribute].guess(tuple(beginning))
        assert (token, p) == (want[0], pytest.approx(want[1]))

    @invariant()
    def is_in_order(self):
        self.histories.check()
        assert self.histories.n_histories == len(self.slow)
        n_nodes = sum(len(history.n_reached) for history in self.slow.values())
        assert self.histories.n_nodes == n_nodes


TestHistories = HistoriesMachine.TestCase
TestHistories.settings = part_of_examples(1)
