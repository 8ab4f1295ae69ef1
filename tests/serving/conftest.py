"""Plans without a model, and a server with the small model."""

import pytest

from hpd.options import Options
from request_plans import plans_with
from server_process import serving


@pytest.fixture
def plans():
    """Plans of an extractor with the usual options."""
    return plans_with(Options())


@pytest.fixture(scope="package")
def server():
    """A server with the small model, which decodes what comes again once more."""
    for package in ("fastapi", "uvicorn", "httptools", "prometheus_client"):
        pytest.importorskip(package)
    with serving("-t", "1", "--set", "dedupe=off") as server:
        yield server
