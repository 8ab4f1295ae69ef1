"""``hpd serve`` in a process of its own, and requests to it: for tests and measurements."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

SECONDS = 300
"""The longest wait for anything, on a machine however busy."""


@dataclass(frozen=True)
class Reply:
    """The answer to a request."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body, parsed."""
        return json.loads(self.body)


@dataclass
class Server:
    """A server that listens."""

    process: subprocess.Popen[str]
    said: list[str] = field(default_factory=list)
    """The lines of standard error."""
    port: int = 0

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def connect(self) -> http.client.HTTPConnection:
        """A connection, which is to be closed."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)

    def ask(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> Reply:
        """The answer to one request, by a connection of its own."""
        connection = self.connect()
        try:
            connection.request(method, path, body, dict(headers))
            response = connection.getresponse()
            return Reply(response.status, dict(response.headers), response.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Reply:
        """The answer to a GET."""
        return self.ask("GET", path, headers)

    def post(self, path: str, body: Any, **headers: str) -> Reply:
        """The answer to a POST of JSON, or of bytes as they are."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.ask("POST", path, {"Content-Type": "application/json", **headers}, content)

    def metric(self, name: str) -> float:
        """The sum of a metric over all its labels."""
        text = self.get("/metrics").body.decode()
        found = re.findall(rf"^{name}(?:{{.*}})? (\S+)$", text, re.MULTILINE)
        return sum(map(float, found))

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, and wait for the exit code."""
        self.process.send_signal(number)
        return self.process.wait(SECONDS)


@contextlib.contextmanager
def serving(*arguments: str) -> Iterator[Server]:
    """Serve on a free port until the block is left, with further arguments of ``hpd serve``."""
    process = subprocess.Popen(
        [sys.executable, "-m", "hpd.cli", "serve", "--port", "0", *arguments],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    server = Server(process)
    is_listening = threading.Event()

    def read() -> None:
        assert process.stderr is not None
        for line in process.stderr:
            server.said.append(line.rstrip("\n"))
            if found := re.search(r"listening on http://127\.0\.0\.1:(\d+)", line):
                server.port = int(found[1])
                is_listening.set()
        is_listening.set()

    reader = threading.Thread(target=read)
    reader.start()
    try:
        is_listening.wait(SECONDS)
        if not server.port:
            raise RuntimeError("\n".join(["hpd serve does not listen:", *server.said]))
        yield server
    finally:
        process.kill()
        process.wait()
        reader.join()
        for stream in (process.stderr, process.stdout):
            assert stream is not None
            stream.close()
