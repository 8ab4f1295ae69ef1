"""A lock on a file that dies with its process."""

from __future__ import annotations

import sys
from typing import BinaryIO


def lock(file: BinaryIO) -> bool:
    """Lock an open file for this process alone; False if another process has it.

    The lock is the system's own: it goes when the file is closed or the process ends, however
    that happens, so no stale lock is ever left behind.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
