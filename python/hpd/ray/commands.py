"""The arguments and the extractor of ``hpd extract --ray``; the core finds this module by name."""

from __future__ import annotations

import argparse
from typing import Any

from hpd.cli.arguments import flag_of, integer, number
from hpd.cli.common import UsageError, say
from hpd.errors import InputError
from hpd.extras import require_extra
from hpd.options import Options
from hpd.pipeline.plan import RunPlan
from hpd.ray.cluster import check_address


def add_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("more than one machine")
    group.add_argument(
        "--ray",
        metavar="ADDRESS",
        nargs="?",
        const="",
        help="decode on a Ray cluster: this machine's (or a new one on it), local, or host:port; "
        "must come after INPUT",
    )
    group.add_argument(
        "--ray-workers",
        metavar="N",
        type=integer(1),
        help="processes that load the model [default: one per GPU, or per machine]",
    )
    group.add_argument(
        "--ray-gpus",
        metavar="N",
        type=number(0),
        help="GPUs per worker; fractions are allowed [default: 1 if there is any]",
    )


def check(arguments: argparse.Namespace, options: Options) -> None:
    """Check the arguments for a cluster.

    Raises:
        UsageError: Ray is not installed, the address is malformed, or an argument needs another.
    """
    if arguments.ray is None:
        for name in ("ray_workers", "ray_gpus"):
            if getattr(arguments, name) is not None:
                raise UsageError(f"{flag_of(name)} does nothing without --ray")
        return
    try:
        if arguments.ray:
            check_address(arguments.ray)
    except InputError as error:
        raise UsageError(f"--ray: {error}") from None
    require_extra("hpd extract --ray", "ray", ("ray",))
    if options.deterministic and not options.n_threads:
        raise UsageError(
            "--set deterministic=on with --ray needs --threads: rounding depends on the number of "
            "threads, which may differ between workers"
        )


def open_extractor(arguments: argparse.Namespace, plan: RunPlan) -> Any:
    """Return an extractor that has loaded the model in the workers of a cluster."""
    from hpd.ray.workers import RayExtractor

    return RayExtractor(
        plan,
        address=arguments.ray or None,
        n_workers=arguments.ray_workers,
        n_gpus=arguments.ray_gpus,
        say=say,
    )
