"""Connects to Ray, and divides the machines of a cluster among workers."""

from __future__ import annotations

import logging
import math
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hpd.errors import HpdError, InputError, OptionError
from hpd.extras import import_extra

LOCAL: Final = "local"
"""The address of a new cluster on this machine, which ends with the process."""
AUTO: Final = "auto"
"""The address of the cluster to which this machine belongs."""

_ADDRESS = re.compile(r"local|auto|[\w.-]+:\d+|\[[\da-fA-F:]+\]:\d+")
_OBJECT_STORE_BYTES: Final = 256 << 20
"""Enough for texts and values in flight; models are read from their files."""


def ray_module() -> Any:
    """Import Ray; raise ``MissingPackageError`` if it or its data sets are not installed."""
    import_extra("ray.data", "ray", "ray", "hpd.ray")
    import ray

    return ray


def check_address(text: str) -> str:
    """Return the address.

    Raises:
        InputError: it is malformed; it may be an input that was taken for an address.
    """
    if not _ADDRESS.fullmatch(text):
        raise InputError(
            f"{text!r} is not an address of Ray (local, auto, host:port); if it is an input, put "
            "it before --ray"
        )
    return text


def connect(address: str | None) -> bool:
    """Connect this process to Ray; return False if it was already connected.

    Args:
        address: the address of the cluster; None for the one to which this machine belongs or, if
            there is none, a new one on this machine.

    Raises:
        HpdError: the cluster cannot be reached, or a new one cannot be started.
    """
    ray = ray_module()
    if ray.is_initialized():
        return False
    # The workers' output would be mixed with the results.
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about future versions of Ray
        try:
            if address != LOCAL:
                ray.init(address or AUTO, **quiet)
                return True
        except (ConnectionError, ValueError, RuntimeError) as error:
            if address is not None:
                raise HpdError(f"no Ray cluster can be reached at {address}: {error}") from error
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            ray.init(
                LOCAL, include_dashboard=False, object_store_memory=_OBJECT_STORE_BYTES, **quiet
            )
        except Exception as error:  # Ray raises just this if its processes start too slowly
            raise HpdError(
                f"Ray cannot be started on this machine: {error} Try again when the machine is "
                "less busy; `ray stop --force` ends processes that an earlier one left"
            ) from error
    return True


BATCHES_PER_WORKER: Final = 2
"""Number of batches that a worker decodes together, so that it stays busy while one ends."""


@dataclass(frozen=True, slots=True)
class WorkerResources:
    """The number of workers, and the resources of each."""

    n_workers: int
    n_threads: int
    """Number of threads per worker."""
    n_cpus: float
    """Cores to reserve for each worker: slightly fewer than it uses, which leaves room for tasks
    that read and write data, as these hardly use their cores."""
    n_gpus: float


def worker_resources(
    nodes: Sequence[Mapping[str, Any]], n_workers: int | None = None, n_gpus: float | None = None
) -> WorkerResources:
    """Divide the machines among workers.

    Args:
        nodes: the machines, as ``ray.nodes()`` returns them; those that are gone do not count.
        n_workers: number of workers; default: one per GPU (or per ``n_gpus``), or per machine.
        n_gpus: GPUs per worker, possibly a fraction; default: one if there is any.

    Raises:
        OptionError: no machine has enough GPUs, or any cores.
    """
    alive = [node["Resources"] for node in nodes if node["Alive"]]
    gpus = [each.get("GPU", 0) for each in alive]
    most_gpus = max(gpus, default=0)
    if n_gpus is None:
        n_gpus = 1 if most_gpus >= 1 else 0
    if n_gpus > most_gpus:
        raise OptionError(
            f"a worker needs {n_gpus:g} GPUs, but no machine of the cluster has more than "
            f"{most_gpus:g}"
        )
    # A worker on a machine without cores would wait forever.
    cores = [n_cpus for each in alive if (n_cpus := int(each.get("CPU", 0))) > 0]
    if not cores:
        raise OptionError("no machine of the cluster has any cores")
    if n_workers is None:
        fitting = sum(math.floor(each / n_gpus) for each in gpus) if n_gpus else 0
        n_workers = fitting or len(cores)
    n_threads = max(
        (n for n in range(1, max(cores) + 1) if sum(c // n for c in cores) >= n_workers), default=1
    )
    reserved = n_threads - 1.0 if n_threads > 1 else min(0.5, sum(cores) / n_workers / 2)
    return WorkerResources(n_workers, n_threads, reserved, n_gpus)
