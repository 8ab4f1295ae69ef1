"""Measures the cost of a batch by its tokens, rows of logits, and visible and idle cells.

    python -m benchmarks.costs -m model.gguf [-fa off ...]

Prints a Markdown table. Each line is the median of several batches, each decoded on its own. The
tokens are arbitrary, as only the shape of a batch matters for its cost. Below the table are the
costs of a token in a full batch, after an instruction, and of a row, which `hpd bench` also uses.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from hpd.bench.measure import measure_prices
from hpd.cli.arguments import add_option_argument, options_of
from hpd.models.settings import engine_options, load_model
from hpd.options import OPTIONS
from tools import testing_module

if TYPE_CHECKING:
    from hpd import _core_testing

_SETTABLE = (
    *("n_ctx", "n_batch", "n_ubatch", "n_threads", "n_threads_batch", "n_gpu_layers"),
    *("flash_attn", "cpu_attention", "cache_type_k", "cache_type_v"),
)
_READ = 256  # tokens at a time while the cells are filled
_OTHERS, _PROMPT, _FIRST = 0, 1, 2  # sequences: idle cells, the instruction, the first document


@dataclass(frozen=True)
class Case:
    """A batch, with the same number of tokens for each document, and the cells in the cache."""

    what: str
    per_document: int
    n_documents: int = 1
    n_seen: int = 0  # cells of each document
    n_shared: int = 0  # cells that all documents begin with
    n_others: int = 0  # cells that no token sees
    rows: bool = False
    one_sequence: bool = True  # True: a text; False: values, each in its own sequence

    @property
    def n_tokens(self) -> int:
        """Tokens in the batch."""
        return self.per_document * self.n_documents


CASES = [
    *(Case("a text that is read", n) for n in (1, 8, 16, 32, 63, 64, 128, 256, 512)),
    Case("the same, a row of logits for each token", 63, rows=True),
    *(Case("a text after another", n, n_seen=200) for n in (63, 64, 128)),
    *(Case("a text after another", n, n_seen=1000) for n in (63, 64, 128)),
    *(Case("the same beside idle cells", n, n_seen=200, n_others=3000) for n in (63, 64, 128)),
    *(
        Case("values of one document", n, 1, 400, rows=True, one_sequence=False)
        for n in (12, 48, 64)
    ),
    *(
        Case("values of many documents", 4, n, 280, 120, rows=True, one_sequence=False)
        for n in (3, 12, 16)
    ),
]


def measure(case: Case, context: _core_testing.Context, repeats: int) -> float:
    """Return the median seconds of a batch."""
    context.clear()

    def read(seq: int, begin: int, end: int) -> None:
        for at in range(begin, end, _READ):
            span = range(at, min(at + _READ, end))
            context.decode([(100 + i % 900, i, [seq], False) for i in span])

    read(_OTHERS, 0, case.n_others)
    read(_PROMPT, 0, case.n_shared)
    begin = case.n_shared + case.n_seen
    for i in range(case.n_documents):
        if case.n_shared:
            context.fork(_PROMPT, _FIRST + i, case.n_shared)
        read(_FIRST + i, case.n_shared, begin)
    times = []
    for _ in range(repeats):
        batch, made = [], []
        for i in range(case.n_documents):
            for k in range(case.per_document):
                if not case.one_sequence or k == 0:
                    made.append(_FIRST + case.n_documents + len(made))
                    if begin:
                        context.fork(_FIRST + i, made[-1], begin)
                position = begin + (k if case.one_sequence else 0)
                batch.append((100 + k % 900, position, [made[-1]], case.rows))
        start = time.perf_counter()
        context.decode(batch)
        if case.rows:
            context.rows()  # waits for the logits
        times.append(time.perf_counter() - start)
        for seq in made:
            context.drop(seq)
    return median(times)


def main() -> None:
    testing_module.provide()
    from hpd import _core_testing

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-m", "--model", required=True)
    parser.add_argument("--repeats", type=int, default=5)
    for name in _SETTABLE:
        add_option_argument(parser, OPTIONS[name])
    arguments = parser.parse_args()
    options = options_of(arguments)
    model = load_model(Path(arguments.model), options)
    context = _core_testing.Context(model, engine_options(options))
    print("| batch | tokens | cells each sees | other cells | ms | ms per token |")
    print("|---|---:|---:|---:|---:|---:|")
    for case in CASES:
        seconds = measure(case, context, arguments.repeats)
        n_seen = case.n_shared + case.n_seen
        n_others = case.n_others + (case.n_documents - 1) * case.n_seen
        print(
            f"| {case.what} | {case.n_tokens} | {n_seen} | {n_others} "
            f"| {1000 * seconds:.0f} | {1000 * seconds / case.n_tokens:.2f} |",
            flush=True,
        )
    prices = [measure_prices(model, engine_options(options)) for _ in range(arguments.repeats)]
    token, row = (1000 * median(getattr(p, name) for p in prices) for name in ("token", "row"))
    print(f"\nA token in a full batch costs {token:.2f} ms, a row {row:.2f} ms.")


if __name__ == "__main__":
    main()
