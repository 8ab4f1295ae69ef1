"""Waiting for what another thread or process does."""

import time

SECONDS = 300.0
"""The longest wait for anything, on a machine however busy."""


def until(condition):
    """Wait until a condition holds."""
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)
