"""Measures hpd's time beside other busy processes, relative to its fair share of the machine.

    python benchmarks/busy.py gold.jsonl --schema schema.json --replay gold.jsonl -m model.gguf

The arguments are those of ``hpd bench``, which runs with hpd's spin count and with GNU OpenMP's:
alone, and beside one and two processes that only compute. With a fair share, hpd's threads, one per
core, and the other processes get equal times: 1.00 means that hpd is as fast as with exactly that
share, less that it is slower. Prints a table of medians of the rounds.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from hpd.messages import format_table
from hpd.models.hardware import n_cores

_VARIABLE = "GOMP_SPINCOUNT"
_KINDS: dict[str, dict[str, str]] = {"as hpd sets it": {}, "long spins": {_VARIABLE: "300000"}}
"""Environment variables; long spins are GNU OpenMP's default if each thread has a core."""
_N_BUSY = (0, 1, 2)


def milliseconds(arguments: Sequence[str], variables: dict[str, str]) -> float:
    """Return the milliseconds per document, as the median of the rounds."""
    inherited = {k: v for k, v in os.environ.items() if k not in (_VARIABLE, "OMP_WAIT_POLICY")}
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "figures.jsonl"
        command = [sys.executable, "-m", "hpd.cli", "bench", "--method", "hpd"]
        subprocess.run(
            [*command, *arguments, "-o", str(output)],
            env={**inherited, **variables},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        (row,) = (
            row
            for row in map(json.loads, output.read_text(encoding="utf-8").splitlines())
            if row["type"] == "summary"
        )
    return float(row["ms_per_document"])


@contextlib.contextmanager
def competitors(n: int) -> Iterator[None]:
    """Run ``n`` processes that use a core each."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(n)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def main(arguments: Sequence[str]) -> None:
    times: dict[tuple[int, str], float] = {}
    for n_busy in _N_BUSY:
        with competitors(n_busy):
            for kind, variables in _KINDS.items():
                times[n_busy, kind] = milliseconds(arguments, variables)
    rows = [["busy processes", "spin count", "ms per document", "of the fair share"]]
    for (n_busy, kind), measured in times.items():
        fair = times[0, kind] * (n_cores() + n_busy) / n_cores()
        rows.append([str(n_busy), kind, f"{measured:.1f}", f"{fair / measured:.2f}"])
    print(format_table(rows, n_left=2))


if __name__ == "__main__":
    main(sys.argv[1:])
