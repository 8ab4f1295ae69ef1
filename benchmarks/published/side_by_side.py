"""The tables of docs/performance.md: hpd's methods, with grammars too, and other programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from benchmarks.peers import cells
from benchmarks.published.part import Part
from benchmarks.published.result import Cell, Finding, Table
from benchmarks.published.workbench import (
    DataSet,
    MissingInputError,
    Workbench,
    read_rows,
)

_HEAD = ("method", "docs", "ms/doc", "x `ar`", "x `ar-batched`", "/ `prefill`", "steps", "rows")


def side_by_side(
    bench: Workbench,
    name: str,
    n_documents: int,
    n_alone: int,
    in_flight: tuple[int, ...],
    with_llama_cpp: bool,
) -> Finding:
    """All methods on one workload.

    ``n_alone`` documents are enough for methods that have one in flight; ``in_flight`` are the
    numbers of them that ``ar-batched`` tries; ``with_llama_cpp``: some methods are timed with
    llama.cpp's own attention as well.
    """
    model = bench.speed_model()
    n, n_alone = bench.count(n_documents), bench.count(n_alone)
    data = _workload(bench, name, n)
    batched = f"ar-batched:in_flight={'|'.join(map(str, in_flight))}"
    methods = ["prefill", f"ar:documents={n_alone}", batched, "hpd", "hpd:drafts=off"]
    size = ["--limit", str(n), *bench.rounds(3)]
    asked = [part for method in methods for part in ("--method", method)]
    _, found = bench.bench(f"table-{name}", data, *asked, *size, "--grammar", model=model)
    rows: list[list[Cell]] = [[*_HEAD, "accepted"]]
    rows += [_cells(row) for row in _finished(found)]
    tables = [Table(f"{data.title}: medians", rows)]
    if with_llama_cpp:
        fastest = next(row for row in _finished(found) if row["kind"] == "ar-batched")
        batched = f"ar-batched:cpu_attention=off,in_flight={fastest['settings']['in_flight']}"
        methods = ["prefill:cpu_attention=off", batched, "hpd:cpu_attention=off"]
        asked = [part for method in methods for part in ("--method", method)]
        _, others = bench.bench(f"table-{name}-llama-cpp", data, *asked, *size, model=model)
        rows = [list(_HEAD), *(_cells(row)[: len(_HEAD)] for row in _finished(others))]
        tables.append(Table("The same with llama.cpp's own attention, in a run of its own", rows))
    own = next(row for row in found if row["method"] == "hpd")
    return Finding(
        tables,
        f"{data.title}: `hpd` takes {own['ms_per_document']:.0f} ms a document, `ar` "
        f"{own['speedup_ar']:.1f} times and `ar-batched` {own['speedup_ar_batched']:.1f} times as "
        f"long; {own['ratio_prefill']:.2f} times the floor",
    )


def _workload(bench: Workbench, name: str, n: int) -> DataSet:
    if name == "mixed":
        return _mixed(bench)
    if name == "catalogue":
        return bench.catalogue("catalogue-300", n + 2, "--tokens", "300")
    return bench.data_set(name)


def _mixed(bench: Workbench) -> DataSet:
    """Titles of all categories of two data sets, taking turns."""
    parts = bench.data_sets("oa-mine", "ae-110k")
    if len(parts) < 2:
        raise MissingInputError("needs --data FOLDER with both oa-mine and ae-110k")
    folder = bench.folder("mixed")
    schemas: dict[str, Any] = {}
    lines: list[list[str]] = []
    for data in parts:
        schemas |= json.loads(data.schema.read_text(encoding="utf-8"))
        rows = map(json.loads, data.gold.read_text(encoding="utf-8").splitlines())
        lines.append([json.dumps({**row, "id": f"{data.name} {row['id']}"}) for row in rows])
    gold, schema = folder / "gold.jsonl", folder / "schema.json"
    schema.write_text(json.dumps(schemas), encoding="utf-8")
    taken = [line for pair in zip(*lines, strict=False) for line in pair]
    gold.write_text("".join(f"{line}\n" for line in taken), encoding="utf-8")
    return DataSet("mixed categories", gold, schema)


def _finished(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The methods that were timed in every round; of several settings that is the fastest."""
    n_rounds = max(row["n_rounds"] for row in rows)
    return [row for row in rows if row["n_rounds"] == n_rounds]


def _cells(row: Mapping[str, Any]) -> list[Cell]:
    ratios = [row[name] for name in ("speedup_ar", "speedup_ar_batched", "ratio_prefill")]
    return [
        f"`{row['method']}`",
        row["n_documents"],
        f"{row['ms_per_document']:.0f}",
        *("" if ratio is None else f"{ratio:.2f}" for ratio in ratios),
        f"{row['steps']:.1f}",
        f"{row['rows']:.1f}",
        "" if row["acceptance"] is None else f"{row['acceptance']:.0%}",
    ]


def peers(bench: Workbench) -> Finding:
    """Other programs with the same file, which write answers of their own."""
    data = bench.data_set("oa-mine")
    output = bench.folder("bench") / "peers.jsonl"
    command = ["-m", "benchmarks.peers", str(data.gold), "--schema", str(data.schema)]
    command += ["-m", str(bench.using(bench.model)), "--limit", str(bench.count(24))]
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
        [Table("Each program once, after a warm-up", cells(rows))],
        f"{best}, the fastest of the others, takes {others[best] / times['hpd']:.1f} times as long "
        f"as hpd; hpd's own method ar {times['hpd, method ar'] / times['hpd']:.1f} times",
    )


def parts() -> list[Part]:
    """A part for each workload, and one for other programs."""
    every = {
        "oa-mine": ("OA-Mine titles", 50, 32, 4, (16, 32), True),
        "ae-110k": ("AE-110k titles", 30, 24, 4, (12, 24), False),
        "mixed": ("Titles of mixed categories", 35, 24, 4, (12, 24), False),
        "catalogue": ("Descriptions of 300 tokens", 30, 12, 2, (6, 12), False),
    }
    return [
        Part(
            f"table-{name}",
            title,
            minutes,
            partial(
                side_by_side,
                name=name,
                n_documents=n,
                n_alone=alone,
                in_flight=in_flight,
                with_llama_cpp=with_llama_cpp,
            ),
        )
        for name, (title, minutes, n, alone, in_flight, with_llama_cpp) in every.items()
    ] + [Part("peers", "Other programs with the same file, OA-Mine titles", 15, peers)]
