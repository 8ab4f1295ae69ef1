"""Fixtures of the pages' tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fake_extractor import fake
from tools.browser import Browser, headless_browser

__all__ = ["fake"]


@pytest.fixture(scope="session")
def _one_browser() -> Iterator[Browser]:
    pytest.importorskip("selenium")
    with headless_browser() as browser:
        yield browser


@pytest.fixture
def browser(_one_browser: Browser) -> Iterator[Browser]:
    """A browser in which nothing is left of the test before."""
    yield _one_browser
    _one_browser.run("localStorage.clear()")
