"""The small model behind llama-cpp-python's own server."""

import pytest

from small_model import small_model
from tools.llama_cpp_server import llama_cpp_server


@pytest.fixture(scope="session")
def api_url(tmp_path_factory):
    for package in (
        "fastapi",
        "pydantic_settings",
        "sse_starlette",
        "starlette_context",
        "uvicorn",
    ):
        pytest.importorskip(package)
    with llama_cpp_server(small_model(), tmp_path_factory.mktemp("server") / "log.txt") as url:
        yield url
