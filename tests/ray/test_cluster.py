"""A cluster of two workers on this machine, one of which is killed: nothing is lost."""

import json
import re
import sys

import pytest

from command_line import run_hpd, run_python

pytest.importorskip("ray")
pytest.importorskip("pandas")

from jsonl import read_lines, write_lines

TEXTS = [
    "Luma Cotton T-Shirt for Men, White, XL",
    "Nordvik Women's Wool Coat, Dark Green, M",
    "Tavola Frying Pan, 28 cm",
    "Pinecrest Leather Wallet, Brown",
]
DOCUMENTS = [{"id": f"d{i}", "text": f"{TEXTS[i % 4]}, item {i}"} for i in range(60)]
DOCUMENTS[7] = {"id": "d7", "text": "word " * 2000}  # too long for -c 1024
DOCUMENTS[9] = {"id": "d9", "text": "half a \ud83d character"}  # the reader of lines mends it
SCHEMA = "Brand, Color"
OPTIONS = ["-t", "1", "-c", "1024", "--set", "deterministic=on", "--quiet"]

# Each program is a process of its own, so that Ray leaves nothing behind in that of the tests.
# The stand-in for documents kills the first worker when so many have been read.
KILLING = """
import json, os, signal, sys
import hpd.ray.workers as workers
from hpd.cli import main

workers._N_DOCUMENTS = 4
read = workers.batches_of

def killing(documents, n):
    def given():
        for i, document in enumerate(documents):
            if i == 30:
                first = next(iter(made[0]._pool.workers))
                _, process = made[0]._ray.get(first.start.remote())
                os.kill(process, signal.SIGKILL)
            yield document
    return read(given(), n)

made = []

class Noted(workers.RayExtractor):
    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, **settings)
        made.append(self)

workers.batches_of = killing
workers.RayExtractor = Noted
sys.exit(main(sys.argv[1:]))
"""

DATA_SET = """
import json, os, signal, sys, time
import hpd.ray
import ray

def descendants():
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as file:
                    parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
            except OSError:
                pass
    ours = {os.getpid()}
    for _ in range(9):
        ours |= {process for process, parent in parents.items() if parent in ours}
    return ours

def workers():
    for process in descendants():
        try:
            with open(f"/proc/{process}/cmdline") as file:
                if file.read().startswith("ray::MapWorker"):
                    yield process
        except OSError:
            pass

def main():
    ray.init(
        "local", num_cpus=2, object_store_memory=200 << 20, include_dashboard=False,
        log_to_driver=False, logging_level="ERROR",
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    with open(sys.argv[1]) as file:
        dataset = ray.data.from_items([json.loads(line) for line in file]).repartition(20)
    values = hpd.ray.extract(
        dataset, "Brand, Color", column="text", concurrency=2, batch_size=4, n_threads=1,
        n_ctx=1024, deterministic=True, quiet=True,
    )
    rows, killed = [], None
    for row in values.iter_rows():
        rows.append(row)
        if killed is None:
            killed = next(workers())
            os.kill(killed, signal.SIGKILL)
    with open(sys.argv[2], "w") as file:
        json.dump(rows, file)
    ray.shutdown()

main()
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return write_lines(tmp_path_factory.mktemp("in") / "in.jsonl", *DOCUMENTS)


@pytest.fixture(scope="module")
def lines(source):
    """The lines of a run on this machine alone."""
    out = source.with_name("one.jsonl")
    done = run_hpd("extract", source, "--schema", SCHEMA, *OPTIONS, "-o", out)
    assert done.returncode == 3
    return without_seconds(out)


def without_seconds(path):
    lines = read_lines(path)
    for line in lines:
        line.get("usage", {}).pop("seconds", None)
    return lines


def test_the_command_writes_the_same_lines_although_a_worker_is_killed(source, lines, tmp_path):
    out = tmp_path / "out.jsonl"
    command = ["extract", str(source), "--schema", SCHEMA, *OPTIONS]
    done = run_python("-c", KILLING, *command, "--ray", "local", "--ray-workers", "2")
    assert done.returncode == 3, done.stderr
    # Nothing but lines: what Ray says of the worker goes elsewhere.
    out.write_text(done.stdout)
    assert without_seconds(out) == lines
    # Ray's thread writes a message and the end of its line one after the other, so hpd's own may
    # come in between.
    said = re.findall("hpd: .*", done.stderr)
    assert len(said) == 1, done.stderr
    # On a busy machine, the news that it had loaded its model may be lost with it.
    assert re.match(r"hpd: a worker was lost (\(process|while it loaded)", said[0])


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_data_set_gets_the_same_values_although_a_worker_is_killed(source, lines, tmp_path):
    out = tmp_path / "out.json"
    done = run_python("-c", DATA_SET, source, out)
    assert done.returncode == 0, done.stderr
    rows = {row["id"]: row for row in json.loads(out.read_text())}
    assert sorted(rows) == sorted(line["id"] for line in lines)
    assert "Unicode" in rows.pop("d9")["error"]
    for line in (line for line in lines if line["id"] != "d9"):
        row = rows[line["id"]]
        data = line.get("data") or {}
        assert (row["Brand"], row["Color"]) == (data.get("Brand"), data.get("Color"))
        assert bool(row["error"]) == ("error" in line)
