"""Fixtures of the command line's tests."""

from __future__ import annotations

from typing import Any

import pytest

import hpd.extractor
from fake_extractor import fake

__all__ = ["fake"]


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
