"""Processors that are kept awake: by loops that give way, and only as long as the command runs."""

import multiprocessing
import os
import sys
import time

from benchmarks import awake


def test_each_processor_has_a_loop_of_the_lowest_priority():
    if not awake.IS_POSSIBLE:
        assert awake.main([sys.executable, "-c", ""]) == 2
        return
    before = set(multiprocessing.active_children())
    with awake.processors_awake():
        loops = set(multiprocessing.active_children()) - before
        ids = [loop.pid for loop in loops if loop.pid is not None]
        end = time.monotonic() + 120
        while any(os.sched_getscheduler(id_) != os.SCHED_IDLE for id_ in ids):
            assert time.monotonic() < end
            time.sleep(0.05)
        processors = [os.sched_getaffinity(id_) for id_ in ids]
        assert sorted(n for (n,) in processors) == sorted(os.sched_getaffinity(0))
    assert not any(loop.is_alive() for loop in loops)


def test_the_command_knows_of_it_and_its_exit_code_is_returned():
    code = f"import os, sys; sys.exit(7 if os.environ.get({awake.AWAKE!r}) else 1)"
    assert awake.main([sys.executable, "-c", code]) == (7 if awake.IS_POSSIBLE else 2)


def test_without_a_command_it_says_how_it_is_used():
    assert awake.main([]) == 2
    assert awake.main(["--help"]) == 2
