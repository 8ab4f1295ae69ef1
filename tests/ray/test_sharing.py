"""The share of each worker in the machines of a cluster."""

from __future__ import annotations

import pytest

from hpd.errors import InputError, OptionError
from hpd.ray.cluster import Machine, Share, check_address, machines, share

LAPTOP = [Machine(2)]
SERVER = [Machine(64)]
GPUS = [Machine(48, 8), Machine(48, 8), Machine(4)]


@pytest.mark.parametrize(
    ("cluster", "n_workers", "n_gpus", "expected"),
    [
        (SERVER, None, None, Share(1, 64, 63, 0)),
        (SERVER, 4, None, Share(4, 16, 15, 0)),
        (SERVER * 3, None, None, Share(3, 64, 63, 0)),
        (SERVER * 3, 4, None, Share(4, 32, 31, 0)),
        ([Machine(16), Machine(64)], 5, None, Share(5, 16, 15, 0)),
        (GPUS, None, None, Share(16, 6, 5, 1)),
        (GPUS, None, 0.5, Share(32, 3, 2, 0.5)),
        (GPUS, None, 0, Share(3, 24, 23, 0)),
        (LAPTOP, 2, None, Share(2, 1, 0.5, 0)),
        (LAPTOP, 8, None, Share(8, 1, 0.125, 0)),
        ([Machine(0), Machine(8)], None, None, Share(1, 8, 7, 0)),
    ],
)
def test_the_cores_are_divided_so_that_every_worker_fits(
    cluster: list[Machine], n_workers: int | None, n_gpus: float | None, expected: Share
) -> None:
    part = share(cluster, n_workers, n_gpus)
    assert part == expected
    # Something is left for tasks that read and write.
    assert part.n_cpus * part.n_workers < sum(machine.n_cpus for machine in cluster)


@pytest.mark.parametrize(("cluster", "n_gpus"), [(LAPTOP, 1), (GPUS, 16), ([Machine(0)], None)])
def test_what_no_machine_has_is_refused(cluster: list[Machine], n_gpus: float | None) -> None:
    with pytest.raises(OptionError, match="no machine"):
        share(cluster, 1, n_gpus)


def test_machines_that_are_gone_do_not_count() -> None:
    nodes = [
        {"Alive": True, "Resources": {"CPU": 8.0, "GPU": 1.0, "memory": 1.0}},
        {"Alive": False, "Resources": {"CPU": 8.0}},
        {"Alive": True, "Resources": {"memory": 1.0}},
    ]
    assert machines(nodes) == [Machine(8, 1), Machine(0)]


@pytest.mark.parametrize("text", ["local", "auto", "10.0.0.1:6379", "head.example.org:6379"])
def test_addresses_of_ray(text: str) -> None:
    assert check_address(text) == text


@pytest.mark.parametrize("text", ["in.jsonl", "mails/", "ray://head:10001", "head"])
def test_what_is_no_address_may_be_an_input(text: str) -> None:
    with pytest.raises(InputError, match="before --ray"):
        check_address(text)
