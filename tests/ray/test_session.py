"""The connection to Ray, with a stand-in for it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from hpd.errors import HpdError
from hpd.ray import cluster


def stand_in(monkeypatch: pytest.MonkeyPatch, faults: list[Exception | None]) -> list[str]:
    """Have ``ray.init`` raise one fault after the other; the addresses that it is given."""
    addresses = []

    def init(address: str, **_: Any) -> None:
        addresses.append(address)
        fault = faults.pop(0)
        if fault is not None:
            raise fault

    ray = SimpleNamespace(init=init, is_initialized=lambda: False)
    monkeypatch.setattr(cluster, "ray_module", lambda: ray)
    return addresses


def test_a_machine_in_no_cluster_starts_one(monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = stand_in(monkeypatch, [ConnectionError("none"), None])
    assert cluster.connect(None)
    assert addresses == [cluster.ANY, cluster.HERE]


def test_a_cluster_that_does_not_start_is_told_with_a_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stand_in(monkeypatch, [Exception("The current node timed out during startup.")])
    with pytest.raises(HpdError, match=r"cannot be started .* timed out .* Try again"):
        cluster.connect(cluster.HERE)


def test_a_cluster_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = stand_in(monkeypatch, [ConnectionError("refused")])
    with pytest.raises(HpdError, match=r"reached at 10\.0\.0\.1:6379: refused"):
        cluster.connect("10.0.0.1:6379")
    assert addresses == ["10.0.0.1:6379"]
