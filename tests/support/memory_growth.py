"""Resident memory of an extractor and of a server: after few documents, and after many.

Each is measured in a process of its own, as what one run has freed another one may take. Linux
only.
"""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from http import HTTPStatus
from pathlib import Path
from typing import Any

from hpd.extractor import Extractor
from hpd.files.inputs import InputReader
from hpd.serving.dispatcher import MAX_PLANS
from pdf_files import locked_pdf, pdf_of
from server_process import serving

SCHEMA = "brand, model_number, color"
# The values of the latest documents are kept on purpose.
RUNS: dict[str, tuple[str, dict[str, Any]]] = {
    "without drafts": (SCHEMA, {"dedupe": False, "drafts": False}),
    "with drafts": (SCHEMA, {"dedupe": False, "drafts": True}),
    "with after": (f"{SCHEMA}, line after model_number", {"dedupe": False, "drafts": True}),
}
_N_WARM = 10  # extractors, before those that are compared
_N_SCHEMAS = 3 * MAX_PLANS  # of the server's requests
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


def of_pdf_files(folder: Path, few: int, many: int) -> tuple[float, float]:
    """The memory after few PDF files were read and extracted, and after many.

    Every tenth is broken, and every tenth is locked.
    """
    for n in range(many):
        data = pdf_of(*(f"Nordvik lamp {n}, page {page}" for page in range(5)))
        data = {0: data[: len(data) // 3], 5: locked_pdf(data)}.get(n % 10, data)
        (folder / f"{n:05}.pdf").write_bytes(data)
    before = 0.0
    n_failed = 0
    with Extractor(SCHEMA) as extractor, InputReader([str(folder)]) as reader:
        for n_read, record in enumerate(reader, start=1):
            if record.error is None:
                extractor.extract(record.text)
            n_failed += record.error is not None
            if n_read == few:
                before = resident()
    if n_failed != many // 5:
        raise RuntimeError(f"{n_failed} of {many} files failed")
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
