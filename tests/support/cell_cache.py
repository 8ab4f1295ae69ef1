"""KV cells as llama.cpp keeps them, slow and obvious."""


class CellCache:
    """Cells, each with a position, a token, and the sequences it is in.

    It refuses what llama.cpp refuses, and what hpd's context refuses.
    """

    def __init__(self, n_cells, n_seq, *, shares_tokens=True):
        self.n_cells = n_cells
        self.n_seq = n_seq
        self.shares_tokens = shares_tokens
        self.cells = []

    def text(self, seq):
        """The tokens that a sequence holds, in order."""
        held = sorted((position, token) for position, token, seqs in self.cells if seq in seqs)
        assert [position for position, _ in held] == list(range(len(held)))
        return [token for _, token in held]

    def apply(self, kind, seq, source, position):
        """One of the scheduler's operations."""
        if kind == "fork":
            assert not self.text(seq), "fork into a sequence that has cells"
            held = len(self.text(source))
            assert held >= position if self.shares_tokens else held == position
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

    def next_batch(self, scheduler):
        """The batch that a scheduler plans, its rows, and what each of them sees."""
        ops, batch, rows = scheduler.plan()
        for op in ops:
            self.apply(*op)
        return batch, rows, self.decode(batch)

    def decode(self, batch):
        """Add the batch; what each output token sees, itself included."""
        for token, position, seqs, _ in batch:
            assert len(set(seqs)) == len(seqs)
            assert self.shares_tokens or len(seqs) == 1
            assert all(0 <= seq < self.n_seq for seq in seqs)
            texts = [self.text(seq) for seq in seqs]
            assert all(text == texts[0] for text in texts), "coupled sequences have diverged"
            assert len(texts[0]) == position
            self.cells.append((position, token, set(seqs)))
        assert len(self.cells) <= self.n_cells
        return [self.text(seqs[0])[: position + 1] for _, position, seqs, output in batch if output]
