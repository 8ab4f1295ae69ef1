"""Memory of a server does not grow with its requests."""

import os

import pytest

for package in ("fastapi", "uvicorn", "httptools", "prometheus_client"):
    pytest.importorskip(package)

from memory_growth import of_server

N_FEW, N_MANY = (200, 20_000) if "HPD_NIGHTLY" in os.environ else (2, 4)
GROWTH = 1.02 if "HPD_NIGHTLY" in os.environ else 2.0


def test_memory_after_many_requests():
    before, after = of_server(N_FEW, N_MANY)
    assert after <= GROWTH * before
