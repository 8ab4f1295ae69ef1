"""The scheduler alone: a cache that is a Python dict stands for llama.cpp."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd import _core_testing, _native
from strategies import part_of_examples


class Cache:
    """KV cells as llama.cpp keeps them: each has a position, a token, and the sequences it is in.

    Slow and obvious. It refuses what llama.cpp refuses, and what the context refuses.
    """

    def __init__(self, n_cells: int, n_seq: int, *, couples: bool) -> None:
        self.n_cells = n_cells
        self.n_seq = n_seq
        self.couples = couples
        self.cells: list[tuple[int, int, set[int]]] = []

    def text(self, seq: int) -> list[int]:
        """The tokens that a sequence holds, in order."""
        held = sorted((position, token) for position, token, seqs in self.cells if seq in seqs)
        assert [position for position, _ in held] == list(range(len(held)))
        return [token for _, token in held]

    def apply(self, kind: str, seq: int, source: int, position: int) -> None:
        if kind == "fork":
            assert not self.text(seq), "fork into a sequence that has cells"
            held = len(self.text(source))
            assert held >= position if self.couples else held == position
            for at, _, seqs in self.cells:
                if source in seqs and at < position:
                    seqs.add(seq)
        elif kind == "drop":
            for _, _, seqs in self.cells:
                seqs.discard(seq)
        else:
            for at, _, seqs in self.cells:
                if at >= position:
                    seqs.discard(seq)
        self.cells = [cell for cell in self.cells if cell[2]]

    def decode(self, batch: list[tuple[int, int, list[int], bool]]) -> list[list[int]]:
        """Add the batch; what each output token sees, itself included."""
        for token, position, seqs, _ in batch:
            assert len(set(seqs)) == len(seqs)
            assert self.couples or len(seqs) == 1
            assert all(0 <= seq < self.n_seq for seq in seqs)
            texts = [self.text(seq) for seq in seqs]
            assert all(text == texts[0] for text in texts), "coupled sequences have diverged"
            assert len(texts[0]) == position
            self.cells.append((position, token, set(seqs)))
        assert len(self.cells) <= self.n_cells
        return [self.text(seqs[0])[: position + 1] for _, position, seqs, output in batch if output]


@st.composite
def workloads(draw: st.DrawFn) -> dict[str, object]:
    n_cells = draw(st.integers(24, 120))
    documents = draw(
        st.lists(st.lists(st.integers(4, 9), min_size=2, max_size=10), min_size=1, max_size=4)
    )
    instructions = draw(
        st.lists(st.lists(st.integers(0, 2), max_size=6), min_size=1, max_size=4, unique_by=tuple)
    )
    requests = []
    for _ in range(draw(st.integers(1, 8))):
        instruction = draw(st.sampled_from(instructions))
        document = draw(st.sampled_from(documents))
        n_fields = draw(st.integers(1, 6))
        keys = [draw(st.lists(st.integers(10, 12), max_size=4)) for _ in range(n_fields)]
        lengths = [draw(st.integers(1, 5)) for _ in range(n_fields)]
        # Asked later of a document that may have been kept: all of the prompt is cached.
        n_cached = len(instruction) + (len(document) if draw(st.booleans()) else 0)
        requests.append((instruction, document, keys, lengths, n_cached, draw(st.booleans())))
    return {
        "n_cells": n_cells,
        "n_seq": draw(st.integers(3, 20)),
        "n_batch": draw(st.integers(1, 40)),
        "n_in_flight": draw(st.integers(1, 6)),
        "couples": draw(st.booleans()),
        "n_value_batch": draw(st.integers(0, 12)),
        "n_busy_cells": draw(st.sampled_from([0, 10, 30, 1000])),
        "n_common_least": draw(st.integers(1, 4)),
        "requests": requests,
        "restart_at": draw(st.sets(st.integers(0, 30), max_size=2)),
        "cancel_at": draw(
            st.dictionaries(st.integers(0, 30), st.sets(st.integers(0, 7)), max_size=3)
        ),
    }


@part_of_examples(3)
@given(workloads())
def test_every_value_sees_its_prompt_its_key_and_itself(workload: dict) -> None:
    names = ("n_seq", "n_cells", "n_batch", "n_value_batch", "n_in_flight", "n_busy_cells")
    limits = {name: workload[name] for name in (*names, "n_common_least", "couples")}
    scheduler = _core_testing.Scheduler(**limits)
    cache = Cache(workload["n_cells"], workload["n_seq"], couples=workload["couples"])
    waiting = list(enumerate(workload["requests"]))
    done: dict[int, _native.Result] = {}
    cancelled: set[int] = set()
    written: dict[tuple[int, int], list[int]] = {}
    next_token, n_submitted = 100, 0
    for step in range(10_000):
        while waiting and scheduler.wants_request:
            i, (instruction, document, keys, _, n_cached, keep) = waiting.pop(0)
            n_submitted = i + 1
            fields = [_native.Field(key, max_tokens=5) for key in keys]
            prompt = instruction + document
            scheduler.submit(i, prompt, fields, n_cached=n_cached, keep_prompt=keep)
        if step in workload["cancel_at"]:
            ids = workload["cancel_at"][step]
            scheduler.cancel(ids)
            cancelled |= {i for i in ids if i < n_submitted and i not in done}
        for result in scheduler.take_finished():
            assert result.id not in done
            assert result.id not in cancelled
            done[result.id] = result
            if result.id % 2:
                instruction, document, *_ = workload["requests"][result.id]
                scheduler.forget_prompt(instruction + document)
        if scheduler.idle and not waiting:
            break
        ops, batch, rows = scheduler.plan()
        if not batch:
            continue
        for op in ops:
            cache.apply(*op)
        assert len(batch) <= workload["n_batch"]
        seen = cache.decode(batch)
        if step in workload["restart_at"]:
            cache.cells.clear()
            scheduler.restart(False)
            continue
        assert scheduler.n_cells_used == len(cache.cells)
        tokens, last = [], []
        fed = {seq for _, _, seqs, _ in batch for seq in seqs}
        assert fed
        for row, i, f in rows:
            assert i not in cancelled
            instruction, document, keys, lengths, *_ = workload["requests"][i]
            opening = instruction + document + keys[f]
            # A value that was given back to make room begins anew.
            if seen[row] == opening:
                written[i, f] = []
            assert seen[row] == opening + written[i, f]
            next_token += 1
            written[i, f].append(next_token)
            tokens.append(next_token)
            last.append(len(written[i, f]) == lengths[f])
        scheduler.commit(tokens, last)
    else:
        pytest.fail("the scheduler does not come to an end")
    assert sorted(done.keys() | cancelled) == list(range(len(workload["requests"])))
    for i, (instruction, document, keys, lengths, *_) in enumerate(workload["requests"]):
        if i in cancelled:
            continue
        least = len(instruction) + len(document) + max(len(key) + 5 for key in keys)
        assert bool(done[i].error) == (least > workload["n_cells"])
        if not done[i].error:
            assert [len(value.tokens) for value in done[i].values] == lengths
            assert [list(value.tokens) for value in done[i].values] == [
                written[i, f] for f in range(len(keys))
            ]


def test_an_instruction_in_use_is_not_evicted_for_another() -> None:
    """Categories take turns; each instruction is read once although cells are short at times."""
    scheduler = _core_testing.Scheduler(
        n_seq=40, n_cells=200, n_batch=64, n_in_flight=4, couples=True
    )
    cache = Cache(200, 40, couples=True)
    n_instruction_tokens = 0
    for i in range(60):
        instruction = [i % 3] * 20
        fields = [_native.Field([10], max_tokens=5)] * 3
        scheduler.submit(i, [*instruction, 5, 6], fields, n_cached=20)
    while not scheduler.idle:
        ops, batch, rows = scheduler.plan()
        for op in ops:
            cache.apply(*op)
        cache.decode(batch)
        n_instruction_tokens += sum(token < 3 for token, *_ in batch)
        scheduler.commit([7] * len(rows), [True] * len(rows))
    assert n_instruction_tokens == 60
    assert scheduler.n_preempted == 0


@pytest.mark.parametrize("n_common", [3, 40])
def test_what_instructions_have_in_common_is_read_once(n_common: int) -> None:
    """The rules before the attributes of three schemas; too few common tokens are not worth it."""
    scheduler = _core_testing.Scheduler(
        n_seq=99, n_cells=900, n_batch=64, n_in_flight=9, couples=True
    )
    cache = Cache(900, 99, couples=True)
    for i in range(30):
        instruction = [1] * n_common + [2 + i % 3] * 20
        prompt = [*instruction, 50 + i, 6]
        fields = [_native.Field([10], max_tokens=5)] * 3
        scheduler.submit(i, prompt, fields, n_cached=len(instruction))
    n_common_read = 0
    while not scheduler.idle:
        ops, batch, rows = scheduler.plan()
        for op in ops:
            cache.apply(*op)
        seen = cache.decode(batch)
        for row, i, _ in rows:
            assert seen[row] == [1] * n_common + [2 + i % 3] * 20 + [50 + i, 6, 10]
        n_common_read += sum(token == 1 for token, *_ in batch)
        scheduler.commit([7] * len(rows), [True] * len(rows))
    assert n_common_read == (n_common if n_common > 16 else 3 * n_common)


@pytest.mark.parametrize(("n_busy_cells", "n_together"), [(0, 1), (23, 1), (28, 2), (43, 3)])
def test_fewer_requests_run_together_where_they_fill_the_busy_cells(
    n_busy_cells: int, n_together: int
) -> None:
    """The instruction, which they share, does not count; a request alone always runs."""
    scheduler = _core_testing.Scheduler(
        n_seq=99, n_cells=900, n_batch=64, n_in_flight=9, couples=True, n_busy_cells=n_busy_cells
    )
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


def test_values_apart_come_in_full_batches() -> None:
    """No batch of documents holds a value, and values wait until they fill half a batch."""
    n_value_batch = 8
    scheduler = _core_testing.Scheduler(
        n_seq=99, n_cells=900, n_batch=32, n_in_flight=9, couples=True, n_value_batch=n_value_batch
    )
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


def test_steps_are_shared_by_the_values_of_all_documents_in_flight() -> None:
    """Of those about to be read, too: what a guess is worth does not depend on who comes first."""
    scheduler = _core_testing.Scheduler(
        n_seq=99, n_cells=900, n_batch=64, n_in_flight=2, couples=True
    )
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
def test_what_a_cancelled_request_held_is_free_at_once(n_steps: int) -> None:
    """Its sequences, its cells and the prompt that was kept for it; the instruction stays."""
    scheduler = _core_testing.Scheduler(n_seq=8, n_cells=90, n_batch=8, n_in_flight=2, couples=True)
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


def test_cancelling_a_finished_request_lets_go_of_its_prompt() -> None:
    scheduler = _core_testing.Scheduler(
        n_seq=8, n_cells=90, n_batch=64, n_in_flight=2, couples=True
    )
    scheduler.submit(0, [1, 2, 3, 4], [_native.Field([10])], keep_prompt=True)
    _, _, rows = scheduler.plan()
    scheduler.commit([7] * len(rows), [True] * len(rows))
    assert scheduler.n_cells_used == 4
    scheduler.cancel({0})
    assert scheduler.n_cells_used == 0
    assert not scheduler.take_finished()
