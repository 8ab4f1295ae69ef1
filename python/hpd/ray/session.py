"""The connection to Ray."""

from __future__ import annotations

import logging
import os
import re
import warnings
from typing import Any, Final

from hpd.errors import HpdError, InputError
from hpd.version import install_command

HERE: Final = "local"
"""The address of a cluster that is this machine alone, and ends with the process."""
ANY: Final = "auto"
"""The address of the cluster that this machine is in."""

_ADDRESS = re.compile(r"local|auto|[\w.-]+:\d+|\[[\da-fA-F:]+\]:\d+")
_OBJECT_STORE_BYTES: Final = 256 << 20
"""Enough for what is under way: texts and values only, as models are read from their files."""


def ray_module() -> Any:
    """Ray with its data sets; ``InputError`` if it is not installed."""
    try:
        import ray.data

        import ray
    except ImportError as error:
        raise InputError(f"this needs Ray: run `{install_command('ray')}`") from error
    return ray


def check_address(text: str) -> str:
    """An address as it is given.

    Raises:
        InputError: it is none, which may be the name of an input.
    """
    if not _ADDRESS.fullmatch(text):
        raise InputError(
            f"{text!r} is no address of Ray (local, auto, host:port); if it is an input, put it "
            "before --ray"
        )
    return text


def connect(address: str | None) -> bool:
    """Connect this process to Ray, unless it is connected; whether that was done now.

    Args:
        address: of the cluster; None for the one that this machine is in, or, if it is in none,
            for a new one on this machine.

    Raises:
        HpdError: there is no such cluster, or a new one cannot be started.
    """
    ray = ray_module()
    if ray.is_initialized():
        return False
    # What workers print would be mixed with results.
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # advice on coming versions of Ray
        try:
            if address != HERE:
                ray.init(address or ANY, **quiet)
                return True
        except (ConnectionError, ValueError, RuntimeError) as error:
            if address is not None:
                raise HpdError(f"no Ray cluster can be reached at {address}: {error}") from error
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            ray.init(
                HERE,
                include_dashboard=False,
                object_store_memory=_OBJECT_STORE_BYTES,
                **quiet,
            )
        except Exception as error:  # a bare one where its processes are too slow to start
            raise HpdError(
                f"Ray cannot be started on this machine: {error} Try again when the machine is "
                "less busy; `ray stop --force` ends what is left of an earlier one"
            ) from error
    return True
