"""The model in the box behind llama-cpp-python's own server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.llama_cpp_server import llama_cpp_server

BOX = Path(__file__).resolve().parents[3] / "models" / "hpd-box.gguf"


@pytest.fixture(scope="session")
def box_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    for package in (
        "fastapi",
        "pydantic_settings",
        "sse_starlette",
        "starlette_context",
        "uvicorn",
    ):
        pytest.importorskip(package)
    with llama_cpp_server(BOX, tmp_path_factory.mktemp("server") / "log.txt") as url:
        yield url
