"""The connection to Ray, and the shares of workers in the machines of a cluster."""

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
"""The address of a cluster that is this machine alone, and ends with the process."""
AUTO: Final = "auto"
"""The address of the cluster that this machine is in."""

_ADDRESS = re.compile(r"local|auto|[\w.-]+:\d+|\[[\da-fA-F:]+\]:\d+")
_OBJECT_STORE_BYTES: Final = 256 << 20
"""Enough for what is under way: texts and values only, as models are read from their files."""


def ray_module() -> Any:
    """Ray with its data sets; ``InputError`` if it is not installed."""
    import_extra("ray.data", "ray", "ray", "hpd.ray")
    import ray

    return ray


def check_address(text: str) -> str:
    """An address as it is given.

    Raises:
        InputError: it is none, which may be the name of an input.
    """
    if not _ADDRESS.fullmatch(text):
        raise InputError(
            f"{text!r} is not an address of Ray (local, auto, host:port); if it is an input, put "
            "it before --ray"
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
            if address != LOCAL:
                ray.init(address or AUTO, **quiet)
                return True
        except (ConnectionError, ValueError, RuntimeError) as error:
            if address is not None:
                raise HpdError(f"no Ray cluster can be reached at {address}: {error}") from error
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            ray.init(
                LOCAL,
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


BATCHES_PER_WORKER: Final = 2
"""The batches that a worker decodes together, so that one goes on while another one ends."""


@dataclass(frozen=True, slots=True)
class Machine:
    """The resources of one machine, as Ray counts them."""

    n_cpus: int
    n_gpus: float = 0


@dataclass(frozen=True, slots=True)
class Share:
    """The part of the machines that each worker has."""

    n_workers: int
    n_threads: int
    """The threads with which each worker computes."""
    n_cpus: float
    """The cores that are reserved for each worker: a little less than it uses, so that there is
    room for the tasks that read and write data, which use little of theirs."""
    n_gpus: float


def machines(nodes: Sequence[Mapping[str, Any]]) -> list[Machine]:
    """The machines among the nodes of a cluster, as ``ray.nodes()`` gives them."""
    alive = [node["Resources"] for node in nodes if node["Alive"]]
    return [Machine(int(each.get("CPU", 0)), each.get("GPU", 0)) for each in alive]


def worker_share(
    cluster: Sequence[Machine], n_workers: int | None = None, n_gpus: float | None = None
) -> Share:
    """The share of each worker.

    Args:
        cluster: the machines.
        n_workers: the workers in all; else one for each GPU (or ``n_gpus``), or each machine.
        n_gpus: GPUs of each worker, which may be a part of one; else one if there is any.

    Raises:
        OptionError: no machine has so many GPUs, or there are no machines.
    """
    most_gpus = max((machine.n_gpus for machine in cluster), default=0)
    if n_gpus is None:
        n_gpus = 1 if most_gpus >= 1 else 0
    if n_gpus > most_gpus:
        raise OptionError(
            f"a worker needs {n_gpus:g} GPUs, but no machine of the cluster has more than "
            f"{most_gpus:g}"
        )
    # A worker on a machine without cores would wait for ever.
    n_cores = [machine.n_cpus for machine in cluster if machine.n_cpus > 0]
    if not n_cores:
        raise OptionError("no machine of the cluster has a core to work with")
    if n_workers is None:
        fitting = sum(math.floor(machine.n_gpus / n_gpus) for machine in cluster) if n_gpus else 0
        n_workers = fitting or len(n_cores)
    n_threads = max(
        (n for n in range(1, max(n_cores) + 1) if sum(c // n for c in n_cores) >= n_workers),
        default=1,
    )
    reserved = n_threads - 1.0 if n_threads > 1 else min(0.5, sum(n_cores) / n_workers / 2)
    return Share(n_workers, n_threads, reserved, n_gpus)
