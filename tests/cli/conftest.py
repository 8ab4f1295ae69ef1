"""Fixtures of the command line's tests."""

import pytest

import hpd.extractor
from fake_extractor import fake

__all__ = ["fake"]


@pytest.fixture
def no_extractor(monkeypatch):
    """Fails if a model would be loaded."""

    def refuse(*_, **__):
        pytest.fail("a model was loaded")

    monkeypatch.setattr(hpd.extractor.Extractor, "from_plan", refuse)


@pytest.fixture
def random_model(tiny_model):
    """Random weights: the values are nonsense, and everything else is as it will be."""
    return str(tiny_model("qwen3"))
