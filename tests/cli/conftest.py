"""Fixtures of the command line's tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import hpd.cli.extract
import hpd.extractor
from fake_extractor import ASKED, FakeExtractor, resolve_model


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[FakeExtractor]]:
    monkeypatch.setattr(hpd.extractor, "Extractor", FakeExtractor)
    monkeypatch.setattr(hpd.cli.extract, "resolve_model", resolve_model)
    FakeExtractor.made.clear()
    ASKED.clear()
    yield FakeExtractor.made
    assert all(extractor.closed for extractor in FakeExtractor.made)


@pytest.fixture
def no_extractor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails if a model would be loaded."""

    def refuse(*_: object, **__: object) -> None:
        pytest.fail("a model was loaded")

    monkeypatch.setattr(hpd.extractor, "Extractor", refuse)


@pytest.fixture
def random_model(tiny_model: Any) -> str:
    """Random weights: the values are nonsense, and everything else is as it will be."""
    return str(tiny_model("qwen3"))
