"""llama-cpp-python's own server, which speaks OpenAI's protocol: for tests and measurements."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

# The server has no flag against llama.cpp's crash on processors with AMX (docs/gpu.md).
_SERVER = """
from hpd.models.hardware import use_amx
from llama_cpp.server.__main__ import main

use_amx()
main()
"""

_LONGEST_WAIT = 300
"""Seconds until the server must answer, on a machine however busy."""


@contextlib.contextmanager
def llama_cpp_server(
    model: Path, log: Path, *, n_ctx: int = 2048, n_threads: int = 1
) -> Iterator[str]:
    """Serve a model on a free port until the block is left; gives the base URL.

    Args:
        model: the GGUF file.
        log: takes all that the server prints.
        n_ctx: the tokens of its context.
        n_threads: the threads that compute.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/v1"
    arguments = ["--model", str(model), "--host", "127.0.0.1", "--port", str(port)]
    threads = str(n_threads)
    arguments += ["--n_ctx", str(n_ctx), "--n_threads", threads, "--n_threads_batch", threads]
    with log.open("w") as output:
        server = subprocess.Popen(
            [sys.executable, "-c", _SERVER, *arguments], stdout=output, stderr=output
        )
        try:
            _wait_for(f"{url}/models", server, log)
            yield url
        finally:
            server.terminate()
            server.wait()


def _wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + _LONGEST_WAIT
    while time.monotonic() < end:
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(address, timeout=10):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise RuntimeError(f"the server does not answer:\n{log.read_text()}")
