"""The flags of ``hpd extract --ray``, the connection, and the shares of workers."""

import importlib.util
from types import SimpleNamespace

import pytest

from hpd.cli import main
from hpd.errors import HpdError, InputError, OptionError
from hpd.ray import cluster
from hpd.ray.cluster import WorkerResources, check_address, worker_resources
from jsonl import write_texts


def stand_in(monkeypatch, faults):
    """Have ``ray.init`` raise one fault after the other; the addresses that it is given."""
    addresses = []

    def init(address, **_):
        addresses.append(address)
        fault = faults.pop(0)
        if fault is not None:
            raise fault

    ray = SimpleNamespace(init=init, is_initialized=lambda: False)
    monkeypatch.setattr(cluster, "ray_module", lambda: ray)
    return addresses


def test_a_machine_in_no_cluster_starts_one(monkeypatch):
    addresses = stand_in(monkeypatch, [ConnectionError("none"), None])
    assert cluster.connect(None)
    assert addresses == [cluster.AUTO, cluster.LOCAL]


def test_a_cluster_that_does_not_start_is_told_with_a_remedy(monkeypatch):
    stand_in(monkeypatch, [Exception("The current node timed out during startup.")])
    with pytest.raises(HpdError, match=r"cannot be started .* timed out .* Try again"):
        cluster.connect(cluster.LOCAL)


def test_a_cluster_that_is_not_there_is_told(monkeypatch):
    addresses = stand_in(monkeypatch, [ConnectionError("refused")])
    with pytest.raises(HpdError, match=r"reached at 10\.0\.0\.1:6379: refused"):
        cluster.connect("10.0.0.1:6379")
    assert addresses == ["10.0.0.1:6379"]


def machine(n_cpus, n_gpus=0):
    return {"Alive": True, "Resources": {"CPU": float(n_cpus), "GPU": n_gpus, "memory": 1.0}}


LAPTOP = [machine(2)]
SERVER = [machine(64)]
GPUS = [machine(48, 8), machine(48, 8), machine(4)]


@pytest.mark.parametrize(
    ("cluster", "n_workers", "n_gpus", "expected"),
    [
        (SERVER, None, None, WorkerResources(1, 64, 63, 0)),
        (SERVER, 4, None, WorkerResources(4, 16, 15, 0)),
        (SERVER * 3, None, None, WorkerResources(3, 64, 63, 0)),
        (SERVER * 3, 4, None, WorkerResources(4, 32, 31, 0)),
        ([machine(16), machine(64)], 5, None, WorkerResources(5, 16, 15, 0)),
        (GPUS, None, None, WorkerResources(16, 6, 5, 1)),
        (GPUS, None, 0.5, WorkerResources(32, 3, 2, 0.5)),
        (GPUS, None, 0, WorkerResources(3, 24, 23, 0)),
        (LAPTOP, 2, None, WorkerResources(2, 1, 0.5, 0)),
        (LAPTOP, 8, None, WorkerResources(8, 1, 0.125, 0)),
        ([machine(0), machine(8)], None, None, WorkerResources(1, 8, 7, 0)),
    ],
)
def test_the_cores_are_divided_so_that_every_worker_fits(cluster, n_workers, n_gpus, expected):
    share = worker_resources(cluster, n_workers, n_gpus)
    assert share == expected
    # Something is left for tasks that read and write.
    assert share.n_cpus * share.n_workers < sum(each["Resources"]["CPU"] for each in cluster)


@pytest.mark.parametrize(("cluster", "n_gpus"), [(LAPTOP, 1), (GPUS, 16), ([machine(0)], None)])
def test_what_no_machine_has_is_refused(cluster, n_gpus):
    with pytest.raises(OptionError, match="no machine"):
        worker_resources(cluster, 1, n_gpus)


def test_machines_that_are_gone_do_not_count():
    gone = {"Alive": False, "Resources": {"CPU": 8.0}}
    without_cores = {"Alive": True, "Resources": {"memory": 1.0}}
    assert worker_resources([machine(8, 1), gone, without_cores]) == WorkerResources(1, 8, 7, 1)


@pytest.mark.parametrize("text", ["local", "auto", "10.0.0.1:6379", "head.example.org:6379"])
def test_addresses_of_ray(text):
    assert check_address(text) == text


@pytest.mark.parametrize("text", ["in.jsonl", "mails/", "ray://head:10001", "head"])
def test_what_is_no_address_may_be_an_input(text):
    with pytest.raises(InputError, match="before --ray"):
        check_address(text)


@pytest.fixture
def has_ray(monkeypatch):
    """Ray seems to be installed, or not."""
    monkeypatch.setattr("hpd.extras.find_spec", lambda name: object())


@pytest.fixture
def no_extractor(monkeypatch):
    """Fails if a model would be loaded."""
    monkeypatch.setattr(
        "hpd.extractor.Extractor.from_plan", lambda *_, **__: pytest.fail("a model was loaded")
    )


def refused(source, *arguments):
    return main(["extract", str(source), "--schema", "a", *arguments])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ray", "more.jsonl"], "'more.jsonl' is not an address of Ray"),
        (["--ray-workers", "2"], "--ray-workers does nothing without --ray"),
        (["--ray-gpus", "1"], "--ray-gpus does nothing without --ray"),
        (["--ray", "--ray-workers", "0"], "0 is below 1"),
        (["--ray", "--set", "deterministic=on"], "needs --threads"),
    ],
)
def test_what_cannot_be_honoured_is_refused(
    arguments, message, tmp_path, has_ray, no_extractor, capfd
):
    assert refused(write_texts(tmp_path / "in.jsonl", "a"), *arguments) == 2
    assert message in capfd.readouterr().err


def test_without_ray_the_extra_is_named(tmp_path, monkeypatch, capfd):
    real = importlib.util.find_spec
    without = lambda name: None if name == "ray" else real(name)  # noqa: E731
    monkeypatch.setattr("hpd.extras.find_spec", without)
    assert refused(write_texts(tmp_path / "in.jsonl", "a"), "--ray") == 2
    assert "pip install 'hpd-cpp[ray]'" in capfd.readouterr().err
