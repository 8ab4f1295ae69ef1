"""Fixtures of the pages' tests."""

import pytest

from fake_extractor import fake
from tools.browser import headless_browser

__all__ = ["fake"]


@pytest.fixture(scope="session")
def _one_browser():
    pytest.importorskip("selenium")
    with headless_browser() as browser:
        yield browser


@pytest.fixture
def browser(_one_browser):
    """A browser in which nothing is left of the test before."""
    yield _one_browser
    _one_browser.run("localStorage.clear()")
