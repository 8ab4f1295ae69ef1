"""Resident memory of an extractor: after few documents, after many, and after it was closed.

``python -m tools.memory`` reads made-up documents with the model in the box, each with values of
its own. It compares the memory after ``--few`` documents with that after ``--many``: without
drafts, with drafts, and with attributes that come ``after`` others, each in a process of its own,
as what one run has freed another one may take. Then it opens and closes extractors. It prints what
it measured, and exits with 1 if memory grew by more than ``--percent``. ``--run`` does one of them.
With ``--server`` it measures ``hpd serve`` instead, with more schemas than that keeps. Linux only.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from http import HTTPStatus
from pathlib import Path
from typing import Any

from hpd.extractor import Extractor
from hpd.serving.dispatcher import N_KEPT
from tools.server_process import serving

SCHEMA = "brand, model_number, color"
# The values of the latest documents are kept on purpose.
RUNS: dict[str, tuple[str, dict[str, Any]]] = {
    "without drafts": (SCHEMA, {"dedupe": False, "drafts": False}),
    "with drafts": (SCHEMA, {"dedupe": False, "drafts": True}),
    "with after": (f"{SCHEMA}, line after model_number", {"dedupe": False, "drafts": True}),
}
EXTRACTORS = "extractors"
_N_WARM = 10  # extractors, before those that are compared
_N_SCHEMAS = 3 * N_KEPT  # of the server's requests
_MB = 1 << 20


def resident() -> float:
    """The megabytes that this process has in memory now."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("/proc/self/status has no VmRSS")


def documents(n: int) -> Iterator[str]:
    """Documents, no two of which have the same values."""
    for i in range(n):
        number = (i * 7919) % 1_000_003
        yield f"Nordvik{number % 997} lamp, model number K{number}-{i}, color {number:x}"


def of_documents(run: str, few: int, many: int) -> tuple[float, float]:
    """The memory after few documents, and after many of the same run."""
    schema, options = RUNS[run]
    before = 0.0
    with Extractor(schema, **options) as extractor:
        for n_done, _ in enumerate(extractor.extract_many(documents(many)), start=1):
            if n_done == few:
                before = resident()
        return before, resident()


def of_extractors(n: int) -> tuple[float, float]:
    """The memory after a few extractors were opened and closed, and after many."""
    before = 0.0
    for n_closed in range(1, n + _N_WARM + 1):
        with Extractor(SCHEMA) as extractor:
            extractor.extract("Nordvik lamp")
        if n_closed == _N_WARM:
            gc.collect()
            before = resident()
    gc.collect()
    return before, resident()


def of_server(few: int, many: int) -> tuple[float, float]:
    """The memory of a server after few requests, and after many, with schemas that take turns."""
    before = 0.0
    with serving("--set", "dedupe=off") as server:  # which keeps values on purpose
        for n_done, text in enumerate(documents(many), start=1):
            schema = f"{SCHEMA}, detail_{n_done % _N_SCHEMAS}"
            reply = server.post("/extract", {"text": text, "schema": schema})
            if reply.status != HTTPStatus.OK:
                raise RuntimeError(reply.body.decode())
            if n_done == few:
                before = server.metric("process_resident_memory_bytes")
        after = server.metric("process_resident_memory_bytes")
        return before / _MB, after / _MB


def in_new_process(measure: Callable[..., tuple[float, float]], *given: Any) -> tuple[float, float]:
    """A measurement where nothing was done before."""
    spawning = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawning) as process:
        return process.submit(measure, *given).result()


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print it, and return 1 if something grew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--few", type=int, default=200, metavar="N")
    parser.add_argument("--many", type=int, default=20_000, metavar="N")
    parser.add_argument("--extractors", type=int, default=200, metavar="N")
    parser.add_argument("--percent", type=float, default=2.0, metavar="P")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--run", choices=[*RUNS, EXTRACTORS], help="measure nothing else")
    only.add_argument("--server", action="store_true", help="measure hpd serve")
    given = parser.parse_args(arguments)
    has_grown = False

    def compare(name: str, before: float, after: float) -> None:
        nonlocal has_grown
        percent = 100 * (after / before - 1)
        has_grown |= percent > given.percent
        print(f"{name}: {before:.1f} and {after:.1f} MB, {percent:+.1f}%", flush=True)

    if given.server:
        memory = of_server(given.few, given.many)
        compare(f"{given.few} and {given.many} requests to hpd serve", *memory)
    else:
        for run in RUNS:
            if given.run in (None, run):
                memory = in_new_process(of_documents, run, given.few, given.many)
                compare(f"{given.few} and {given.many} documents {run}", *memory)
        if given.run in (None, EXTRACTORS):
            memory = in_new_process(of_extractors, given.extractors)
            compare(f"{_N_WARM} and {_N_WARM + given.extractors} extractors", *memory)
    print(f"VERDICT: {'memory grew' if has_grown else 'all is well'}")
    return 1 if has_grown else 0


if __name__ == "__main__":
    sys.exit(main())
