"""The small model behind llama-cpp-python's own server."""

import pytest

from server_process import llama_cpp_server
from small_model import small_model


@pytest.fixture(scope="session")
def api_url():
    for package in (
        "fastapi",
        "pydantic_settings",
        "sse_starlette",
        "starlette_context",
        "uvicorn",
    ):
        pytest.importorskip(package)
    with llama_cpp_server(small_model()) as url:
        yield url
