"""The training of the box in miniature: one tokenizer for all its tests, a folder for each."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def tokenizer_folder(tmp_path_factory):
    """A folder with a tokenizer of few texts."""
    from small_box import tokenizer_in  # which needs what only the tests with all extras have

    return tokenizer_in(tmp_path_factory.mktemp("tokenizer"))


@pytest.fixture
def folder(tmp_path, tokenizer_folder, monkeypatch):
    """A folder to train in, with small models and batches."""
    from small_box import small_folder

    return small_folder(tmp_path, tokenizer_folder, monkeypatch)
