"""Torch for tiny models."""

from importlib.util import find_spec

import pytest


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """Tiny matrices gain nothing from threads, and lose much where cores are busy."""
    if find_spec("torch") is None:  # Then these tests skip themselves.
        yield
        return
    import torch

    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(n_threads)
