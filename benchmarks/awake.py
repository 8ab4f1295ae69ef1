"""Run a command on processors that are kept awake, so that its times can be compared.

    python -m benchmarks.awake python -m benchmarks.tables --data DATA --work WORK

A processor of a virtual machine that has nothing to do for a moment goes back to its host, and
comes again when that pleases. Methods with many short steps wait for it at each of them, and look
slower than they are. So each processor gets a loop of the lowest priority (SCHED_IDLE), which gives
way at once to everything else. Linux only.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

AWAKE = "HPD_BENCHMARKS_AWAKE"
"""Tells the command, in its environment, that the processors are kept awake."""

IS_POSSIBLE = hasattr(os, "SCHED_IDLE")
"""Whether this system has a priority that gives way at once."""


@contextmanager
def processors_awake() -> Iterator[None]:
    """Keeps every processor of this process from sleeping."""
    processors = os.sched_getaffinity(0)
    spawn = multiprocessing.get_context("spawn")  # a fork would copy whatever uses this
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
        print("this system has no priority (SCHED_IDLE) that gives way at once", file=sys.stderr)
        return 2
    with processors_awake():
        return subprocess.run(command, env={**os.environ, AWAKE: "1"}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
