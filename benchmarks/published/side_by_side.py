"""The tables of docs/performance.md: hpd's methods on the model in the box, and other programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from benchmarks.peers import cells
from benchmarks.published.part import Part
from benchmarks.published.result import Cell, Finding, Table
from benchmarks.published.workbench import DataSet, Workbench, read_rows

_HEAD = (
    "method", "docs", "ms/doc", "x `ar`", "x `ar-batched`", "/ `prefill`", "tokens", "host ms",
    "differ",
)  # fmt: skip
_NOTE = (
    "The first table has the model's own answers, of so many tokens each, which differ from those "
    "of `hpd` in so many documents; in the second all methods write the known answers, without "
    "grammars and with them."
)


def side_by_side(bench: Workbench, name: str) -> Finding:
    """All methods on one workload; of several settings of one the fastest's."""
    n, _, in_flight = WORKLOADS[name]
    n = bench.count(n)
    data, alone = workload(bench, name, n), _alone(bench, name)
    batched = f"ar-batched:in_flight={'|'.join(map(str, in_flight))}"
    methods = ["prefill", alone, batched, "hpd", "hpd:drafts=off"]
    asked = [part for method in methods for part in ("--method", method)]
    limit = ["--limit", str(n)]
    _, rows = bench.bench(f"table-{name}", data, *asked, *limit, *bench.rounds(3))
    n_rounds = max(row["n_rounds"] for row in rows)
    found = [row for row in rows if row["n_rounds"] == n_rounds]
    known = ["--method", alone, "--method", "hpd", "--grammar", *limit, *bench.rounds(1)]
    _, replayed = bench.bench(f"table-{name}-known", data, *known, replay=True)
    own = next(row for row in found if row["method"] == "hpd")
    return Finding(
        [
            Table(f"{data.title}: medians", [_HEAD, *map(_cells, found)]),
            Table("Known answers", [_HEAD[:-1], *(_cells(row)[:-1] for row in replayed)]),
        ],
        f"{data.title}: `hpd` takes {own['ms_per_document']:.0f} ms a document, `ar` "
        f"{own['speedup_ar']:.1f} times and `ar-batched` {own['speedup_ar_batched']:.1f} times as "
        f"long; {own['ratio_prefill']:.2f} times the floor",
        [_NOTE],
    )


def workload(bench: Workbench, name: str, n: int) -> DataSet:
    """At least so many documents, and two to warm up with."""
    if name == "catalogue":
        return bench.catalogue("catalogue-300", n + 2, "--tokens", "300")
    return bench.data_set(name)


WORKLOADS = {
    "oa-mine": (32, 4, (16, 32)),
    "ae-110k": (24, 4, (12, 24)),
    "catalogue": (12, 2, (6, 12)),
}
"""The documents of a workload; as many as are enough for methods that have one in flight; and the
numbers in flight that ``ar-batched`` tries."""


def _alone(bench: Workbench, name: str) -> str:
    return f"ar:documents={bench.count(WORKLOADS[name][1])}"


def _cells(row: Mapping[str, Any]) -> list[Cell]:
    ratios = [row[name] for name in ("speedup_ar", "speedup_ar_batched", "ratio_prefill")]
    return [
        f"`{row['method']}`",
        row["n_documents"],
        f"{row['ms_per_document']:.0f}",
        *("" if ratio is None else f"{ratio:.2f}" for ratio in ratios),
        "" if row["kind"] == "prefill" else f"{row['completion_tokens']:.1f}",
        f"{row['host_ms']:.1f}",
        row["n_different"],
    ]


def peers(bench: Workbench) -> Finding:
    """Other programs with the same file, which write answers of their own."""
    data = bench.data_set("oa-mine")
    output = bench.folder("bench") / "peers.jsonl"
    command = ["-m", "benchmarks.peers", str(data.gold), "--schema", str(data.schema)]
    n = bench.count(16)
    command += ["-m", str(bench.using(bench.model)), "--limit", str(n)]
    command += [*bench.threads(), "-o", str(output)]
    if bench.server is not None:
        command += ["--server", str(bench.server)]
    if bench.again:
        output.unlink(missing_ok=True)
    rows = read_rows(bench.make(output, command))
    times = {row["peer"]: row["ms_per_document"] for row in rows if "error" not in row}
    others = {name: time for name, time in times.items() if "hpd" not in name and "(" not in name}
    best = min(others, key=lambda name: others[name])
    return Finding(
        [Table(f"{n} titles, once by each program after a warm-up", cells(rows))],
        f"{best}, the fastest of the others, takes {others[best] / times['hpd']:.1f} times as long "
        f"as hpd; hpd's own method ar {times['hpd, method ar'] / times['hpd']:.1f} times",
    )


_TITLES = {
    "oa-mine": "OA-Mine titles",
    "ae-110k": "AE-110k titles",
    "catalogue": "Descriptions of 300 tokens",
}
PARTS: Sequence[Part] = (
    *(Part(f"table-{name}", title, 4, partial(side_by_side, name=name))
      for name, title in _TITLES.items()),
    Part("peers", "Other programs with the same file, OA-Mine titles", 15, peers),
)  # fmt: skip
