"""A disk that is full after so many bytes of each file; no rights are needed for that."""

from contextlib import contextmanager

import pytest

resource = pytest.importorskip("resource", reason="file sizes cannot be limited")


@contextmanager
def file_size_limit(n_bytes):
    """No file of this process may be longer than so many bytes: EFBIG, as Python ignores SIGXFSZ.

    As on a full disk, what fits of a write is written.
    """
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
