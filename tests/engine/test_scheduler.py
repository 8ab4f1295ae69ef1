"""The scheduler alone: a cache that is a Python dict stands for llama.cpp."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from cell_cache import CellCache
from hpd import _native
from hpd._core import testing
from strategies import part_of_examples

INSTRUCTIONS = st.lists(st.integers(0, 2), max_size=6)
DOCUMENTS = st.lists(st.integers(4, 9), min_size=2, max_size=10)
KEYS = st.lists(st.integers(10, 12), max_size=4)
MAX_TOKENS = 5
LONG = 4
"""How many times longer the values of a long request may be."""


@dataclass
class Submitted:
    """A request, and the tokens that the test has chosen for each of its fields so far."""

    prompt: list[int]
    keys: list[list[int]]
    max_tokens: int
    lengths: list[int]
    values: list[list[int]]


class SchedulerMachine(RuleBasedStateMachine):
    """All that the engine may do with a scheduler, in any order.

    Every row of every batch must see its prompt, its key and its own value, and nothing else; in
    the end every request is finished that was not cancelled.
    """

    @initialize(
        n_seq=st.integers(3, 20),
        n_cells=st.integers(24, 120),
        n_batch=st.integers(1, 5) | st.integers(1, 40),
        n_value_batch=st.integers(0, 12),
        n_in_flight=st.integers(1, 6),
        n_busy_cells=st.sampled_from([0, 10, 30, 1000]),
        n_common_least=st.integers(1, 4),
        shares_tokens=st.booleans(),
        instructions=st.lists(INSTRUCTIONS, min_size=1, max_size=4),
        documents=st.lists(DOCUMENTS, min_size=1, max_size=4),
    )
    def start(self, n_seq, n_cells, n_batch, shares_tokens, instructions, documents, **limits):
        self.scheduler = testing.Scheduler(
            n_seq=n_seq, n_cells=n_cells, n_batch=n_batch, shares_tokens=shares_tokens, **limits
        )
        self.cache = CellCache(n_cells, n_seq, shares_tokens=shares_tokens)
        self.n_batch = n_batch
        self.instructions, self.documents = instructions, documents
        self.submitted = []
        self.open = set()
        self.n_tokens = 100
        self.is_shrunk = False

    @rule(
        data=st.data(),
        fields=st.lists(st.tuples(KEYS, st.integers(1, MAX_TOKENS)), min_size=1, max_size=6),
        prompt_is_cached=st.booleans(),
        keep_prompt=st.booleans(),
        times=st.sampled_from([1, LONG]),
    )
    def submit(self, data, fields, prompt_is_cached, keep_prompt, times):
        """Perhaps of a document that was asked before, and kept."""
        instruction = data.draw(st.sampled_from(self.instructions))
        prompt = instruction + data.draw(st.sampled_from(self.documents))
        keys = [key for key, _ in fields]
        lengths = [length * times for _, length in fields]
        max_tokens = MAX_TOKENS * times
        number = len(self.submitted)
        self.submitted.append(Submitted(prompt, keys, max_tokens, lengths, [[] for _ in fields]))
        self.open.add(number)
        self.scheduler.submit(
            number,
            prompt,
            [_native.Field(key, max_tokens=max_tokens) for key in keys],
            n_cached=len(prompt) if prompt_is_cached else len(instruction),
            keep_prompt=keep_prompt,
        )

    @rule(n=st.integers(1, 8))
    def steps(self, n):
        for _ in range(n):
            self.step()

    @rule(shrink=st.booleans())
    def lose_a_batch(self, shrink):
        """As when a decode is ended in the middle, or finds the cache full."""
        self.fill()
        self.cache.cells.clear()
        self.is_shrunk |= shrink
        self.scheduler.restart(shrink)

    @rule(data=st.data())
    def cancel(self, data):
        """Waiting, running, sent back, finished or unknown."""
        ids = data.draw(st.sets(st.integers(0, len(self.submitted)), max_size=3))
        self.scheduler.cancel(ids)
        self.open -= ids

    @rule()
    def take_finished(self):
        for result in self.scheduler.take_finished():
            assert result.id in self.open, "it was taken before, or cancelled"
            self.open.remove(result.id)
            request = self.submitted[result.id]
            n_field = max(len(key) for key in request.keys) + request.max_tokens
            if len(request.prompt) + n_field > self.cache.n_cells:
                assert "over the context" in result.error
            elif result.error:
                assert self.is_shrunk
                assert "the context is full" in result.error
            else:
                assert [list(value.tokens) for value in result.values] == request.values
                assert [len(tokens) for tokens in request.values] == request.lengths

    @rule(data=st.data())
    def forget_prompt(self, data):
        instruction = data.draw(st.sampled_from(self.instructions))
        self.scheduler.forget_prompt(instruction + data.draw(st.sampled_from(self.documents)))

    @invariant()
    def books_are_right(self):
        if hasattr(self, "scheduler"):
            self.scheduler.check()

    def fill(self):
        """The next batch, in the cells; what its rows see, and whose they are."""
        batch, rows, seen = self.cache.next_batch(self.scheduler)
        assert len(batch) <= self.n_batch
        assert bool(batch) != self.scheduler.idle
        if batch:
            assert self.scheduler.n_cells_used == len(self.cache.cells)
        return seen, rows

    def step(self):
        seen, rows = self.fill()
        tokens, last = [], []
        for row, number, f in rows:
            assert number in self.open
            request = self.submitted[number]
            opening = request.prompt + request.keys[f]
            # A value that was given back to make room begins again.
            if seen[row] == opening:
                request.values[f] = []
            assert seen[row] == opening + request.values[f]
            self.n_tokens += 1
            request.values[f].append(self.n_tokens)
            tokens.append(self.n_tokens)
            last.append(len(request.values[f]) == request.lengths[f])
        self.scheduler.commit(tokens, last)

    def teardown(self):
        if not hasattr(self, "scheduler"):
            return
        for _ in range(10_000):
            if self.scheduler.idle:
                break
            self.step()
        assert self.scheduler.idle, "it does not come to an end"
        self.take_finished()
        assert not self.open


TestScheduler = SchedulerMachine.TestCase
TestScheduler.settings = part_of_examples(2)


def scheduler_of(**limits):
    """A scheduler with room for everything, but for the limits that are given."""
    roomy = {"n_seq": 99, "n_cells": 900, "n_batch": 64, "n_in_flight": 9, "shares_tokens": True}
    return testing.Scheduler(**{**roomy, **limits})


def test_an_instruction_in_use_is_not_evicted_for_another():
    """Categories take turns; each instruction is read once although cells are short at times."""
    scheduler = scheduler_of(n_seq=40, n_cells=200, n_in_flight=4)
    cache = CellCache(200, 40, shares_tokens=True)
    n_instruction_tokens = 0
    for i in range(60):
        instruction = [i % 3] * 20
        fields = [_native.Field([10], max_tokens=5)] * 3
        scheduler.submit(i, [*instruction, 5, 6], fields, n_cached=20)
    while not scheduler.idle:
        batch, rows, _ = cache.next_batch(scheduler)
        n_instruction_tokens += sum(token < 3 for token, *_ in batch)
        scheduler.commit([7] * len(rows), [True] * len(rows))
    assert n_instruction_tokens == 60
    assert scheduler.n_preempted == 0


@pytest.mark.parametrize("n_common", [3, 40])
def test_what_instructions_have_in_common_is_read_once(n_common):
    """The rules before the attributes of three schemas; too few common tokens are not worth it."""
    scheduler = scheduler_of()
    cache = CellCache(900, 99, shares_tokens=True)
    for i in range(30):
        instruction = [1] * n_common + [2 + i % 3] * 20
        prompt = [*instruction, 50 + i, 6]
        fields = [_native.Field([10], max_tokens=5)] * 3
        scheduler.submit(i, prompt, fields, n_cached=len(instruction))
    n_common_read = 0
    while not scheduler.idle:
        batch, rows, seen = cache.next_batch(scheduler)
        for row, i, _ in rows:
            assert seen[row] == [1] * n_common + [2 + i % 3] * 20 + [50 + i, 6, 10]
        n_common_read += sum(token == 1 for token, *_ in batch)
        scheduler.commit([7] * len(rows), [True] * len(rows))
    assert n_common_read == (n_common if n_common > 16 else 3 * n_common)


@pytest.mark.parametrize(("n_busy_cells", "n_together"), [(0, 1), (23, 1), (28, 2), (43, 3)])
def test_fewer_requests_run_together_where_they_fill_the_busy_cells(n_busy_cells, n_together):
    """The instruction, which they share, does not count; a request alone always runs."""
    scheduler = scheduler_of(n_busy_cells=n_busy_cells)
    instruction = list(range(100, 120))
    for i in range(7):
        document = [i] * 12
        fields = [_native.Field([50], max_tokens=9)]
        scheduler.submit(i, instruction + document, fields, n_cached=len(instruction))
    seen_alive = set()
    n_left = dict.fromkeys(range(7), 3)
    while not scheduler.idle:
        _, _, rows = scheduler.plan()
        seen_alive.add(len(rows))
        for _, i, _ in rows:
            n_left[i] -= 1
        scheduler.commit([7] * len(rows), [n_left[i] == 0 for _, i, _ in rows])
        scheduler.take_finished()
    assert max(seen_alive) == n_together
    assert all(left == 0 for left in n_left.values())


def test_values_apart_come_in_full_batches():
    """No batch of documents holds a value, and values wait until they fill half a batch."""
    n_value_batch = 8
    scheduler = scheduler_of(n_batch=32, n_value_batch=n_value_batch)
    n_left = {}
    for i in range(24):
        scheduler.submit(i, [1, 2, 3, 4, 5, 6, 7], [_native.Field([10], max_tokens=9)] * 2)
    sizes = []
    while not scheduler.idle:
        _, batch, rows = scheduler.plan()
        n_read = sum(token != 7000 for token, *_ in batch)
        if n_read < len(batch):
            assert len(batch) <= n_value_batch
            sizes.append(len(batch))
        last = []
        for _, i, f in rows:
            n_left[i, f] = n_left.get((i, f), 6) - 1
            last.append(n_left[i, f] == 0)
        scheduler.commit([7000] * len(rows), last)
    assert sizes[:-6]
    assert min(sizes[:-6]) >= n_value_batch // 2
    assert all(left == 0 for left in n_left.values())


def test_steps_are_shared_by_the_values_of_all_documents_in_flight():
    """Of those about to be read, too: what a guess is worth does not depend on who comes first."""
    scheduler = scheduler_of(n_in_flight=2)
    for i in range(3):
        scheduler.submit(i, [1, 2, 3], [_native.Field([10 + f], max_tokens=5) for f in range(4)])
    shared = []
    while not scheduler.idle:
        shared.append(scheduler.n_in_step)
        _, _, rows = scheduler.plan()
        # Three values of each document end with their first token, the last with its second.
        scheduler.commit([7] * len(rows), [f < 3 or len(shared) > 1 for _, _, f in rows])
        scheduler.take_finished()
    assert shared == [4 + 4, 1 + 1, 4]


@pytest.mark.parametrize("n_steps", [0, 1, 2, 9], ids="cancelled after {} steps".format)
def test_what_a_cancelled_request_held_is_free_at_once(n_steps):
    """Its sequences, its cells and the prompt that was kept for it; the instruction stays."""
    scheduler = scheduler_of(n_seq=8, n_cells=90, n_batch=8, n_in_flight=2)
    instruction, document = [1] * 9, [2] * 7
    prompt = instruction + document
    first, later = [[_native.Field([key], max_tokens=5)] * 3 for key in (10, 11)]
    scheduler.submit(0, prompt, first, n_cached=len(instruction), keep_prompt=True)
    while not scheduler.idle:
        _, _, rows = scheduler.plan()
        scheduler.commit([7] * len(rows), [True] * len(rows))
    assert scheduler.n_cells_used == len(prompt)
    scheduler.take_finished()

    scheduler.submit(1, prompt, later, n_cached=len(prompt))
    for _ in range(n_steps):
        _, _, rows = scheduler.plan()
        scheduler.commit([7] * len(rows), [n_steps == 9] * len(rows))
        if scheduler.idle:
            break
    scheduler.cancel({1})
    assert scheduler.idle
    assert not scheduler.take_finished()
    assert scheduler.n_cells_used == len(instruction)


def test_an_instruction_that_was_half_read_is_read_again():
    """The request that was reading it is cancelled; another one begins with the same."""
    scheduler = scheduler_of(n_seq=8, n_cells=90, n_batch=4, n_in_flight=2)
    cache = CellCache(90, 8)
    for number in range(2):
        fields = [_native.Field([10], max_tokens=5)]
        scheduler.submit(number, [1] * 9 + [2, 3], fields, n_cached=9)
    n_steps = 0
    while not scheduler.idle:
        _, rows, _ = cache.next_batch(scheduler)
        assert scheduler.n_cells_used == len(cache.cells)
        scheduler.commit([7] * len(rows), [True] * len(rows))
        if n_steps == 0:
            scheduler.cancel({0})
            assert scheduler.n_cells_used == 0
        n_steps += 1
    assert [result.id for result in scheduler.take_finished()] == [1]


def test_cancelling_a_finished_request_lets_go_of_its_prompt():
    scheduler = scheduler_of(n_seq=8, n_cells=90, n_in_flight=2)
    scheduler.submit(0, [1, 2, 3, 4], [_native.Field([10])], keep_prompt=True)
    _, _, rows = scheduler.plan()
    scheduler.commit([7] * len(rows), [True] * len(rows))
    assert scheduler.n_cells_used == 4
    scheduler.cancel({0})
    assert scheduler.n_cells_used == 0
    assert not scheduler.take_finished()


def test_after_a_full_cache_half_as_many_run_and_then_one_more_at_a_time():
    """One more each time that as many are finished as run; never more than at first."""
    scheduler = scheduler_of(n_in_flight=8)
    for i in range(60):
        scheduler.submit(i, [1, 2, 3], [_native.Field([10], max_tokens=5)])

    def n_planned():
        """The requests in the next batch, which it finishes."""
        _, _, rows = scheduler.plan()
        scheduler.commit([7] * len(rows), [True] * len(rows))
        return len(rows)

    assert n_planned() == 8
    scheduler.plan()
    scheduler.restart(shrink=True)
    assert [n_planned() for _ in range(6)] == [4, 5, 6, 7, 8, 8]
    scheduler.plan()
    scheduler.restart(shrink=False)
    assert n_planned() == 8


def test_planning_ends_even_where_nothing_can_be_read():
    """A request that had to go is not started again for the same batch, to go once more."""
    scheduler = scheduler_of(n_seq=9, n_cells=90, n_in_flight=2)
    for number in range(2):
        fields = [_native.Field([10 + f], max_tokens=5) for f in range(2)]
        scheduler.submit(number, [1] * 5 + [2, 3], fields)
    scheduler.plan()
    scheduler.empty_requests()
    with pytest.raises(RuntimeError, match="nothing can be decoded"):
        scheduler.plan()


@pytest.mark.parametrize("n_tokens", [5, 40, 60])
def test_fields_that_may_not_all_fit_start_together_until_cells_run_short(n_tokens):
    """Each of three lists may fill the context, but few do."""
    scheduler = scheduler_of(n_cells=80)
    cache = CellCache(80, 99, shares_tokens=True)
    fields = [_native.Field([20 + f], max_tokens=60) for f in range(3)]
    scheduler.submit(0, [1] * 10, fields)
    values = [[], [], []]
    n_together = []
    while not scheduler.idle:
        _, rows, seen = cache.next_batch(scheduler)
        for row, _, f in rows:
            if seen[row] == [1] * 10 + [20 + f]:
                values[f] = []
            values[f].append(30 + len(values[f]))
        n_together.append(len(rows))
        scheduler.commit(
            [values[f][-1] for _, _, f in rows], [len(values[f]) == n_tokens for _, _, f in rows]
        )
        scheduler.check()
    (result,) = scheduler.take_finished()
    assert [list(value.tokens) for value in result.values] == values
    assert n_together[0] == 3
    # Once cells ran short, only those are started that can run to their end: one after the other.
    assert len(n_together) == (n_tokens if n_tokens == 5 else 3 * n_tokens)
