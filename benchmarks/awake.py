"""Runs a command with all processors kept awake, so that times are comparable.

    python -m benchmarks.awake python -m benchmarks.tables --data DATA --work WORK

An idle processor of a virtual machine goes back to its host, which may return it late. Methods with
many short steps wait for it at each step, and look slower than they are. So each processor runs a
loop with the lowest priority (SCHED_IDLE), which yields to everything else. Linux only.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

AWAKE = "HPD_BENCHMARKS_AWAKE"
"""Environment variable from which the command knows that processors are kept awake."""

IS_POSSIBLE = hasattr(os, "SCHED_IDLE")
"""Whether this system has an idle priority."""


@contextmanager
def processors_awake() -> Iterator[None]:
    """Keep every processor of this process busy."""
    processors = os.sched_getaffinity(0)
    spawn = multiprocessing.get_context("spawn")  # a fork would copy the whole process
    loops = [spawn.Process(target=_loop, args=(n,), daemon=True) for n in processors]
    for loop in loops:
        loop.start()
    try:
        yield
    finally:
        for loop in loops:
            loop.terminate()
            loop.join()


def _loop(processor: int) -> None:
    os.sched_setaffinity(0, {processor})
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    parent = os.getppid()
    while os.getppid() == parent:
        for _ in range(1_000_000):
            pass


def main(arguments: Sequence[str] | None = None) -> int:
    command = list(sys.argv[1:] if arguments is None else arguments)
    if not command or command[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    if not IS_POSSIBLE:
        print(
            "this system has no SCHED_IDLE, the priority that yields to all others", file=sys.stderr
        )
        return 2
    with processors_awake():
        return subprocess.run(command, env={**os.environ, AWAKE: "1"}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
