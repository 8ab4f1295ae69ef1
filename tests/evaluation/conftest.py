"""Fixtures of the pages' tests."""

import pytest

from browser import headless_browser
from fake_extractor import fake

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
