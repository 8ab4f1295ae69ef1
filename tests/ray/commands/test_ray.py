"""The flags of ``hpd extract --ray``, without a cluster."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from hpd.cli import main
from jsonl import write_texts


@pytest.fixture
def has_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray seems to be installed, or not."""
    monkeypatch.setattr("hpd.cli.common.find_spec", lambda name: object())


def refused(source: Path, *arguments: str) -> int:
    return main(["extract", str(source), "--schema", "a", *arguments])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ray", "more.jsonl"], "'more.jsonl' is no address of Ray"),
        (["--ray-workers", "2"], "--ray-workers does nothing without --ray"),
        (["--ray-gpus", "1"], "--ray-gpus does nothing without --ray"),
        (["--ray", "--ray-workers", "0"], "0 is below 1"),
        (["--ray", "--deterministic"], "needs --threads"),
    ],
)
def test_what_cannot_be_honoured_is_refused(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    has_ray: None,
    no_extractor: None,
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert refused(write_texts(tmp_path / "in.jsonl", "a"), *arguments) == 2
    assert message in capfd.readouterr().err


def test_without_ray_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    real = importlib.util.find_spec
    without = lambda name: None if name == "ray" else real(name)  # noqa: E731
    monkeypatch.setattr("hpd.cli.common.find_spec", without)
    assert refused(write_texts(tmp_path / "in.jsonl", "a"), "--ray") == 2
    assert "pip install 'hpd-cpp[ray]'" in capfd.readouterr().err
