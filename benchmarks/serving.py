"""Compares ``hpd serve`` with the command line and with another server.

    hpd serve --schema schema.json --set dedupe=off --on-invalid record &
    python -m benchmarks.serving listings.jsonl --schema schema.json --limit 300

All read the same documents with the same model: first ``hpd extract``, whose rate is that in its
summary; then the server at ``--url``, with each number of clients, each of which has its own
connection and sends a document once the previous one is answered; then a server with OpenAI's API
at ``--peer-url``, such as llama-cpp-python's, which is asked for the same attributes in JSON mode
with a grammar made from the schema. The clients run in a separate process, and compete with the
server for the processor, as on any single machine.

Counts the values that differ between the server and the command, and how many of them are not near
ties. Prints Markdown.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from benchmarks.harness.result import Table
from benchmarks.peers import prompt
from hpd.evaluation.endpoint import response_schema
from hpd.files.reader import Record, RecordReader
from hpd.models.hardware import n_cores, processor
from hpd.models.model_files import resolve_model
from hpd.schema import Schemas, load_schemas
from tools.near_ties import differences

_N_WARM_UP = 8


@dataclass(frozen=True)
class Timing:
    """The answers to the requests of some clients, and how long they took."""

    seconds: float
    """From the first request to the last answer."""
    latencies: list[float]
    """In seconds, by request."""
    replies: list[Any]
    """The bodies of the answers, by request."""

    @property
    def rate(self) -> float:
        """Documents per second."""
        return len(self.replies) / self.seconds


def ask(address: str, bodies: Sequence[bytes], n_clients: int) -> Timing:
    """Send all requests from clients in a separate process."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context) as other:
        return other.submit(_ask_here, address, bodies, n_clients).result()


def _ask_here(address: str, bodies: Sequence[bytes], n_clients: int) -> Timing:
    return asyncio.run(_ask(address, bodies, n_clients))


async def _ask(address: str, bodies: Sequence[bytes], n_clients: int) -> Timing:
    url = urlsplit(address)
    host, port = url.hostname or "", url.port or 80
    latencies = [0.0] * len(bodies)
    replies: list[bytes] = [b""] * len(bodies)
    left = iter(range(len(bodies)))

    async def client() -> None:
        reader, writer = await asyncio.open_connection(host, port)
        for i in left:
            start = time.perf_counter()
            head = (
                f"POST {url.path} HTTP/1.1\r\nHost: {host}:{port}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(bodies[i])}\r\n\r\n"
            )
            writer.write(head.encode() + bodies[i])
            replies[i] = await _reply(reader)
            latencies[i] = time.perf_counter() - start
        writer.close()
        await writer.wait_closed()

    start = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(n_clients)))
    return Timing(time.perf_counter() - start, latencies, [json.loads(each) for each in replies])


async def _reply(reader: asyncio.StreamReader) -> bytes:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = re.search(rb"\r\ncontent-length: *(\d+)", head)
    body = await reader.readexactly(int(length[1]) if length else 0)
    if not head.startswith(b"http/1.1 200"):
        raise RuntimeError(f"{head.decode()}{body.decode()}")
    return body


def command_line(
    records: Sequence[Record], options: argparse.Namespace
) -> tuple[float, list[dict[str, Any]]]:
    """Run ``hpd extract``; return the documents per second in its summary, and its lines."""
    rows = [{"id": i, **_row(record)} for i, record in enumerate(records)]
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder) / "in.jsonl", Path(folder) / "out.jsonl"
        source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        command = [sys.executable, "-m", "hpd.cli", "extract", str(source), "-o", str(output)]
        command += ["--schema", options.schema, *_model(options), "--on-invalid", "record"]
        command += ["--set", "dedupe=off"]
        if any(record.category for record in records):
            command += ["--category-field", "category"]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        rate = re.search(r"([\d.e+]+) a second", done.stderr)
        if rate is None:
            raise RuntimeError(f"no rate in: {done.stderr}")
        lines = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    return float(rate[1]), sorted(lines, key=lambda line: int(line["id"]))


def _completion(record: Record, schemas: Schemas) -> dict[str, Any]:
    """Return a document's request to a server that decodes one token after another."""
    schema = schemas.for_category(record.category)
    return {
        "messages": prompt(schema, record.text),
        "response_format": {"type": "json_object", "schema": response_schema(schema)},
        "temperature": 0,
        "max_tokens": 512,
    }


def _row(record: Record) -> dict[str, Any]:
    return {"text": record.text, **({"category": record.category} if record.category else {})}


def _model(options: argparse.Namespace) -> list[str]:
    threads = ["-t", str(options.threads)] if options.threads else []
    return [*(["-m", options.model] if options.model else []), *threads]


def _cells(name: str, n_clients: int, timing: Timing, rate: float) -> list[str]:
    percentiles = np.percentile(timing.latencies, (50, 90, 99))
    figures = [f"{timing.rate:.1f}", f"{timing.rate / rate:.2f}"]
    return [name, str(n_clients), *figures, *(f"{1000 * seconds:.0f}" for seconds in percentiles)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print a table; return 1 if a value that is not a near tie differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("input", metavar="FILE", help="records, as for hpd extract")
    parser.add_argument("--schema", required=True, metavar="S", help="as for hpd extract")
    parser.add_argument("--text-field", action="append", metavar="F")
    parser.add_argument("--category-field", metavar="F")
    parser.add_argument("-m", "--model", metavar="FILE", help="[default: the bundled model]")
    parser.add_argument("-t", "--threads", type=int, default=0, metavar="N")
    parser.add_argument("--limit", type=int, metavar="N", help="the first N documents")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8, 32, 64], metavar="N")
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="address of hpd serve")
    parser.add_argument("--peer-url", metavar="URL", help="address of another server, up to /v1")
    parser.add_argument("--peer", type=int, default=64, metavar="N", help="documents to send to it")
    options = parser.parse_args(arguments)
    reader = RecordReader(
        Path(options.input), text_field=options.text_field, category_field=options.category_field
    )
    with reader:
        records = list(islice(reader, options.limit))
    threads = options.threads or n_cores()
    model = resolve_model(options.model)
    print(f"{len(records)} documents, `{model.name}`, {processor()}, {threads} threads\n")
    rate, lines = command_line(records, options)
    heads = ["", "clients", "documents/s", "of the command line's", "p50, ms", "p90", "p99"]
    rows = [heads, ["hpd extract", "", f"{rate:.1f}", "1.00", "", "", ""]]
    differing: list[bool] = []
    bodies = [json.dumps(_row(record)).encode() for record in records]
    ask(f"{options.url}/extract", bodies[:_N_WARM_UP], 1)
    for n_clients in options.clients:
        timing = ask(f"{options.url}/extract", bodies, n_clients)
        rows.append(_cells("hpd serve", n_clients, timing, rate))
        for line, reply in zip(lines, timing.replies, strict=True):
            differing += [is_tie for _, is_tie in differences(line, reply)]
    if options.peer_url:
        address, schemas = f"{options.peer_url}/chat/completions", load_schemas(options.schema)
        asked = [_completion(record, schemas) for record in records[: options.peer]]
        bodies = [json.dumps(each).encode() for each in asked]
        ask(address, bodies[:1], 1)
        for n_clients in options.clients[:2]:
            timing = ask(address, bodies, n_clients)
            rows.append(_cells("the other server, JSON grammar", n_clients, timing, rate))
    print(Table("", rows).markdown())
    n_wrong = differing.count(False)
    print(f"{len(differing)} values differ, {n_wrong} of them not near ties", file=sys.stderr)
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
