"""Servers in processes of their own, and requests to them: for tests and measurements."""

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
from pathlib import Path
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
    with listening("-m", "hpd.cli", "serve", "--port", "0", *arguments) as server:
        yield server


# The server has no flag against llama.cpp's crash on processors with AMX (docs/gpu.md).
_LLAMA_CPP_SERVER = """
from hpd.models.hardware import use_amx
from llama_cpp.server.__main__ import main

use_amx()
main()
"""


@contextlib.contextmanager
def llama_cpp_server(model: Path, *, n_ctx: int = 2048, n_threads: int = 1) -> Iterator[str]:
    """llama-cpp-python's own server of OpenAI's protocol, with a model; gives its base URL."""
    settings = {"model": model, "host": "127.0.0.1", "port": 0, "n_ctx": n_ctx}
    settings |= {"n_threads": n_threads, "n_threads_batch": n_threads}
    asked = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
    with listening("-c", _LLAMA_CPP_SERVER, *asked) as server:
        yield f"{server.url}/v1"


@contextlib.contextmanager
def listening(*arguments: str) -> Iterator[Server]:
    """Run a server in another Python, and wait until it says where it listens."""
    process = subprocess.Popen(
        [sys.executable, *arguments], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    server = Server(process)
    is_listening = threading.Event()

    def read() -> None:
        assert process.stderr is not None
        for line in process.stderr:
            server.said.append(line.rstrip("\n"))
            if found := re.search(r"(?:listening|running) on http://127\.0\.0\.1:(\d+)", line):
                server.port = int(found[1])
                is_listening.set()
        is_listening.set()

    reader = threading.Thread(target=read)
    reader.start()
    try:
        is_listening.wait(SECONDS)
        if not server.port:
            raise RuntimeError("\n".join(["the server does not listen:", *server.said]))
        yield server
    finally:
        process.kill()
        process.wait()
        reader.join()
        assert process.stderr is not None
        process.stderr.close()
