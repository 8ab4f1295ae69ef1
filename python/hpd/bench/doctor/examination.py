"""All checks in their order; what cannot be tried because of an earlier one is left out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hpd.bench.doctor import decoding, installation, machine
from hpd.bench.doctor.checks import Check


def examine(model: Path | None = None) -> Iterator[Check]:
    """Every check as soon as it is done.

    Args:
        model: the file of a model to try as well; None: only the one in the box.
    """
    engine = installation.check_engine()
    yield engine
    if engine.state == "broken":
        yield machine.check_memory()
        yield machine.check_cache()
        return
    yield installation.check_library()
    yield installation.check_processor()
    yield installation.check_gpu()
    yield machine.check_memory()
    yield machine.check_cache()
    yield machine.check_amx()
    yield from decoding.check_self_test()
    if model is not None:
        yield from decoding.check_model(model)
