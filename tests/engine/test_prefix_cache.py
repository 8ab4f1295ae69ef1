"""Prefixes as a tree on shared cells: against a list of them, on cells that are a Python list."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from cell_cache import CellCache
from hpd._core import testing
from strategies import part_of_examples

NONE = -1
TEXTS = st.lists(st.integers(0, 1), min_size=1, max_size=7)


@dataclass
class SlowPrefix:
    """The state of one prefix, as the test knows it."""

    seq: int
    tokens: list[int]
    parent: SlowPrefix | None
    is_whole: bool
    ready: bool = False
    n_users: int = 0
    last_used: int = 0


def n_common(a, b):
    return next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )


class PrefixCacheMachine(RuleBasedStateMachine):
    """All that callers may do, in any order; the cells are recounted after every step."""

    @initialize(n_seq=st.integers(2, 9))
    def start(self, n_seq):
        self.n_seq = n_seq
        self.cache = testing.PrefixCache(n_seq)
        self.cells = CellCache(1000, n_seq)
        self.slow = []  # in the order of their making
        self.clock = 0

    # --- what the test keeps -------------------------------------------------------------------

    def of(self, seq):
        return next((p for p in self.slow if p.seq == seq), None)

    def children(self, prefix):
        return [p for p in self.slow if p.parent is prefix]

    def n_standing(self, prefix):
        return prefix.n_users + len(self.children(prefix))

    def idle(self):
        return [p for p in self.slow if self.n_standing(p) == 0]

    def some(self, data, prefixes):
        if not prefixes:
            return None
        return data.draw(st.sampled_from(sorted(prefixes, key=lambda p: p.seq)))

    # --- what callers do -----------------------------------------------------------------------

    @rule(prompt=TEXTS, data=st.data())
    def find(self, prompt, data):
        n_tokens = data.draw(st.integers(1, len(prompt)))
        fitting = [
            p
            for p in self.slow
            if prompt[: len(p.tokens)] == p.tokens
            and (len(p.tokens) <= n_tokens if p.is_whole else len(p.tokens) == n_tokens)
        ]
        longest = max(fitting, key=lambda p: len(p.tokens), default=None)
        assert self.cache.find(prompt, n_tokens) == (longest.seq if longest else NONE)

    @rule(prompt=TEXTS, n_least=st.integers(1, 3), is_read=st.booleans(), data=st.data())
    def add(self, prompt, n_least, is_read, data):
        """As the scheduler does: one id for the prefix, one for what it has in common."""
        n_tokens = data.draw(st.integers(1, len(prompt)))
        if self.cache.find(prompt, n_tokens) != NONE or self.cache.n_free_seqs < 2:
            return
        parent, is_coming = self.cache.find_parent(prompt, n_tokens, n_least)
        self.check_parent(prompt[:n_tokens], n_least, parent, is_coming=is_coming)
        if is_coming:
            return
        seq = self.cache.add(prompt, n_tokens, parent)
        prefix = SlowPrefix(seq, prompt[:n_tokens], self.of(parent), n_tokens == len(prompt))
        self.slow.append(prefix)
        if is_read and (prefix.parent is None or prefix.parent.ready):
            self.read_now(prefix)

    def check_parent(self, tokens, n_least, parent, *, is_coming):
        def n_shared(p):
            return min(n_common(p.tokens, tokens), len(tokens) - 1)

        coming = [n_shared(p) for p in self.slow if not p.ready and self.n_standing(p)]
        there = [n_shared(p) for p in self.slow if p.ready]
        n_coming, n_there = max(coming, default=0), max(there, default=0)
        assert is_coming == (n_coming >= n_least and n_coming > n_there)
        if is_coming or n_there < n_least:
            assert parent == NONE
            return
        if self.of(parent) is None:
            self.note_split(parent)
        found = self.of(parent)
        assert found is not None
        assert found.ready
        assert found.tokens == tokens[:n_there]

    def note_split(self, seq):
        prefixes = self.cache.all()
        (tokens, parent) = next((t, p) for s, t, p, _ in prefixes if s == seq)
        (rest,) = [self.of(s) for s, _, p, _ in prefixes if p == seq]
        assert rest is not None
        assert rest.ready
        assert rest.tokens[: len(tokens)] == tokens
        assert (rest.parent.seq if rest.parent else NONE) == parent
        split = SlowPrefix(seq, tokens, rest.parent, is_whole=False, ready=True)
        split.last_used = self.clock
        rest.parent = split
        self.slow.append(split)

    @rule(data=st.data())
    def read(self, data):
        """One that may be read: what it stands on is there."""
        unread = [p for p in self.slow if not p.ready]
        prefix = self.some(data, [p for p in unread if p.parent is None or p.parent.ready])
        if prefix is None:
            return
        self.read_now(prefix)

    def read_now(self, prefix):
        self.apply_ops()
        n_inherited = len(prefix.parent.tokens) if prefix.parent else 0
        if prefix.parent:
            self.cells.apply("fork", prefix.seq, prefix.parent.seq, n_inherited)
        batch = [(prefix.tokens[i], i, [prefix.seq], False) for i in range(len(prefix.tokens))]
        self.cells.decode(batch[n_inherited:])
        self.cache.set_ready(prefix.seq)
        prefix.ready = True

    @rule(prompt=TEXTS)
    def keep_prompt(self, prompt):
        """A finished request's sequence becomes a prefix, on the one that the request stood on."""
        if self.cache.n_free_seqs == 0:
            return
        standing = [
            p
            for p in self.slow
            if p.ready
            and p.n_users
            and len(p.tokens) < len(prompt)
            and prompt[: len(p.tokens)] == p.tokens
        ]
        parent = standing[0] if standing else None
        self.apply_ops()
        seq = self.cache.take_seq()
        n_inherited = len(parent.tokens) if parent else 0
        if parent:
            self.cells.apply("fork", seq, parent.seq, n_inherited)
            parent.n_users -= 1  # it is the prefix's now
        batch = [(prompt[i], i, [seq], False) for i in range(len(prompt))]
        self.cells.decode(batch[n_inherited:])
        self.cache.adopt(prompt, seq, parent.seq if parent else NONE)
        self.slow.append(SlowPrefix(seq, prompt, parent, is_whole=True, ready=True))

    @rule(data=st.data())
    def use(self, data):
        prefix = self.some(data, self.slow)
        if prefix is None:
            return
        self.cache.use(prefix.seq)
        prefix.n_users += 1

    @rule(data=st.data())
    def leave(self, data):
        prefix = self.some(data, [p for p in self.slow if p.n_users])
        if prefix is None:
            return
        self.cache.leave(prefix.seq)
        prefix.n_users -= 1

    @rule(data=st.data())
    def touch(self, data):
        prefix = self.some(data, self.slow)
        if prefix is None:
            return
        self.cache.touch(prefix.seq)
        self.clock += 1
        prefix.last_used = self.clock

    @rule(data=st.data())
    def drop(self, data):
        prefix = self.some(data, self.slow)
        if prefix is None:
            return
        if self.n_standing(prefix):
            with pytest.raises(RuntimeError, match="still has users"):
                self.cache.drop(prefix.seq)
            return
        self.cache.drop(prefix.seq)
        self.slow.remove(prefix)

    @rule(n_touched_since=st.integers(0, 3))
    def evict(self, n_touched_since):
        oldest = min(self.idle(), key=lambda p: p.last_used, default=None)
        is_stale = oldest is not None and self.clock - oldest.last_used >= n_touched_since
        assert self.cache.evict(n_touched_since) == is_stale
        if oldest is not None and is_stale:
            self.slow.remove(oldest)

    @rule(prompt=TEXTS)
    def forget(self, prompt):
        self.cache.forget(prompt)
        kept = [p for p in self.idle() if p.is_whole and p.tokens == prompt]
        if kept:
            self.slow.remove(kept[0])

    # --- what must always hold -----------------------------------------------------------------

    def apply_ops(self):
        for op in self.cache.take_ops():
            self.cells.apply(*op)

    @invariant()
    def is_in_order(self):
        self.cache.check()
        self.apply_ops()
        assert self.cache.all() == [
            (p.seq, p.tokens, p.parent.seq if p.parent else NONE, p.ready) for p in self.slow
        ]
        assert self.cache.n_idle == len(self.idle())
        held = {seq: self.cells.text(seq) for seq in range(self.n_seq)}
        held = {seq: tokens for seq, tokens in held.items() if tokens}
        assert held == {p.seq: p.tokens for p in self.slow if p.ready}
        assert self.cache.n_ready_cells == len(self.cells.cells)
        assert self.cache.n_cells >= self.cache.n_ready_cells
        assert self.cache.n_free_seqs == self.n_seq - len(self.slow)


TestPrefixCache = PrefixCacheMachine.TestCase
TestPrefixCache.settings = part_of_examples(1.5)
