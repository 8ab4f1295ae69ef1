"""Measures the tables of docs/performance.md and README, on an idle machine.

    python -m benchmarks.tables --data DATA --work WORK
    python -m benchmarks.tables --data DATA --part table-catalogue -m model.gguf --again
    python -m benchmarks.tables --pages

Each workload is a part, in which hpd's methods take turns: three rounds with the model's own
answers, then one with known answers. The parts speed and cost summarise the three workloads. Other
parts measure other programs (one is llama.cpp's llama-server, named by --server), an encoder, and a
collection of schemas (DATA/schemas.jsonl.xz).
--pages writes the tables into the slots of the pages.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import hpd
from benchmarks.encoder import encoder
from benchmarks.harness import part
from benchmarks.harness.part import Part
from benchmarks.harness.result import Cell, Finding, Table, load_results
from benchmarks.harness.workbench import DataSet, MissingInputError, Workbench
from benchmarks.lists import OPTIONS, WAYS, measured, texts_of
from benchmarks.peers import peers
from benchmarks.schemas import schemas

_HEAD = (
    "method", "docs", "ms/doc", "x `ar`", "x `ar-batched`", "/ `prefill`", "tokens", "host ms",
    "differ",
)  # fmt: skip
_NOTE = (
    "In the first table, the model writes its own answers: `tokens` is their mean length, and "
    "`differ` counts documents whose answer is not that of `hpd`. In the second, all methods write "
    "the known answers, without grammars and with them."
)


def side_by_side(bench: Workbench, name: str) -> Finding:
    """Measure all methods on one workload, each with its fastest settings."""
    n, n_alone, in_flight = WORKLOADS[name]
    n, alone = bench.count(n), f"ar:documents={bench.count(n_alone)}"
    data = workload(bench, name, n)
    batched = f"ar-batched:in_flight={'|'.join(map(str, in_flight))}"
    methods = ["prefill", alone, batched, "hpd", "hpd:drafts=off"]
    rows = bench.bench(f"table-{name}", data, methods, n=n, rounds=3)
    n_rounds = max(row["n_rounds"] for row in rows)
    found = [row for row in rows if row["n_rounds"] == n_rounds]
    known = [alone, "hpd"]
    replayed = bench.bench(f"table-{name}-known", data, known, "--grammar", n=n, replay=True)
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
    """Return a workload with at least ``n`` documents, and two for warm-up."""
    if name == "catalogue":
        return bench.catalogue(n + 2, n_tokens=300)
    return bench.data_set(name)


WORKLOADS = {
    "oa-mine": (32, 4, (16, 32)),
    "ae-110k": (24, 4, (12, 24)),
    "catalogue": (12, 2, (6, 12)),
}
"""The number of documents of each workload, the number for methods with one document in flight, and
the numbers in flight that ``ar-batched`` tries."""


def _cells(row: Mapping[str, Any]) -> list[Cell]:
    ratios = [row[name] for name in ("speedup_ar", "speedup_ar_batched", "ratio_prefill")]
    return [
        *(f"`{row['method']}`", row["n_documents"], f"{row['ms_per_document']:.0f}"),
        *("" if ratio is None else f"{ratio:.2f}" for ratio in ratios),
        "" if row["kind"] == "prefill" else f"{row['completion_tokens']:.1f}",
        *(f"{row['host_ms']:.1f}", row["n_different"]),
    ]


METHODS = {
    "prefill": "read the document, decode nothing (the floor)",
    "hpd": "**hpd**",
    "ar-batched": "one token after the other, many documents at once",
    "ar": "one token after the other",
}
TITLES = {
    "table-oa-mine": "OA-Mine, titles",
    "table-ae-110k": "AE-110k, titles",
    "table-catalogue": "descriptions of 300 tokens",
}
LISTS = (
    ("60 rows, singly", 60, ("order", "sheets"), 2, False),
    ("10 rows, together", 10, ("order", "statement", "guests"), 6, True),
)
"""The lists of the part of that name: title, rows, kinds, texts, and whether all at once."""
DOLLARS_PER_HOUR = 0.10
"""The assumed price of the machine."""
N_MANY = 500_000_000
"""The number of documents in the paper's section 6."""

Times = Mapping[str, float]
"""Milliseconds per document, by method."""


def measured_times(bench: Workbench) -> tuple[list[Times], list[Times]]:
    """Return the times of all workloads, with the model's own answers and with known ones.

    Raises:
        MissingInputError: a workload was not measured, or not with the same model.
    """
    bench.using(bench.model)
    results = load_results(bench.results)
    measured = [results[name] for name in TITLES if name in results]
    models = [result.conditions.models for result in measured]
    if len(measured) < len(TITLES) or any(each != models[0] for each in models):
        raise MissingInputError(f"needs {', '.join(TITLES)}, measured with one model")
    findings = [result.finding for result in measured]
    return [_times(each, 0) for each in findings], [_times(each, 1) for each in findings]


def _times(finding: Finding, table: int) -> Times:
    head, *rows = finding.tables[table].rows
    column = head.index("ms/doc")
    # The first row of a method is the one without settings.
    return {
        str(row[0]).strip("`").partition(":")[0]: float(str(row[column])) for row in reversed(rows)
    }


def speed(bench: Workbench) -> Finding:
    """Return one table of all workloads."""
    own, known = measured_times(bench)
    table = [["", *TITLES.values()]]
    table += [[title, *(f"{each[name]:.0f}" for each in own)] for name, title in METHODS.items()]
    for row, cell in zip(table, _untrained_column(bench), strict=False):
        row.append(cell)
    ratios = [each["ar"] / each["hpd"] for each in known]
    faster = f"{min(ratios):.0f} to {max(ratios):.0f}"
    note = (
        "The model writes its own answers; where both methods write the same known ones, hpd is "
        f"{faster} times as fast."
    )
    return Finding([Table("Milliseconds per document", table)], faster, [note])


def _untrained_column(bench: Workbench) -> list[str]:
    """Return the part untrained as a column; empty unless this kind of machine measured it."""
    results = load_results(bench.results)
    other = results.get("untrained")
    machines = {results[name].conditions.processor for name in TITLES}
    if other is None or machines != {other.conditions.processor}:
        return []
    (model,) = (name.removesuffix(".gguf") for name in other.conditions.models)
    return [f"OA-Mine, {model}", *(str(ms) for _, ms in other.finding.tables[0].rows[1:])]


def untrained(bench: Workbench) -> Finding:
    """Return the times of titles with a model as it comes."""
    found = side_by_side(bench, "oa-mine")
    times = _times(found, 0)
    table = [["", "ms/doc"], *([title, f"{times[name]:.0f}"] for name, title in METHODS.items())]
    return Finding([Table("OA-Mine, titles", table)], found.headline, [])


def cost(bench: Workbench) -> Finding:
    """Return the cost in dollars of 1,000 documents, and of the paper's 500 million."""
    own, known = measured_times(bench)
    per_ms = DOLLARS_PER_HOUR / 3_600_000
    costs = []
    for title, mine, same in zip(TITLES.values(), own, known, strict=True):
        ratio, of_known = (each["ar"] / each["hpd"] for each in (mine, same))
        ar, hpd = (1000 * mine[method] * per_ms for method in ("ar", "hpd"))
        costs.append(
            f"{title}: {ratio:.1f} times less than AR ({of_known:.1f} with known answers), "
            f"${hpd:.4f} for 1,000, not ${ar:.4f}"
        )
    many = [f"${N_MANY * own[-1][method] * per_ms:,.0f}" for method in ("hpd", "ar")]
    return Finding(
        [],
        f"{'; '.join(costs)}; 500 million descriptions {many[0]}, not {many[1]} (assumed: "
        f"${DOLLARS_PER_HOUR:.2f} an hour)",
    )


def lists(bench: Workbench) -> Finding:
    """Return the right cells and times of lists, token by token and as hpd reads them."""
    options = {**OPTIONS, "n_threads": bench.n_threads}
    head = ("right", "seconds", "steps")
    rows: list[list[Cell]] = [
        ["", *(f"AR: {name}" for name in head), *(f"hpd: {name}" for name in head)]
    ]
    ratios = []
    for title, n_rows, kinds, n_texts, together in LISTS:
        texts = texts_of(n_rows, bench.count(n_texts), kinds)
        row: list[Cell] = [title]
        seconds = []
        for way in WAYS:
            model = bench.using(bench.model)
            with hpd.Extractor("text", model, **options, **way) as extractor:
                found = measured(extractor, texts, together=together)
            seconds.append(found.seconds)
            row += [f"{found.share_right:.1%}", f"{found.seconds:.0f}", f"{found.steps:,}"]
        rows.append(row)
        ratios.append(
            f"{seconds[1] / seconds[0]:.2f} for {title} ({row[4]} of cells right, AR {row[1]})"
        )
    return Finding([Table("Lists", rows)], ", ".join(ratios))


PARTS = (
    *(
        Part(f"table-{name}", TITLES[f"table-{name}"], 4, partial(side_by_side, name=name))
        for name in WORKLOADS
    ),
    Part(
        "untrained",
        "OA-Mine titles with a model that was not trained for hpd (-m)",
        12,
        untrained,
    ),
    Part("lists", "Lists with a model that was not trained for hpd (-m)", 8, lists),
    Part("speed", "The three workloads in one table", 0, speed),
    Part("cost", "What they cost", 0, cost),
    Part("schemas", "Schemas of JSONSchemaBench", 10, schemas),
    Part("encoder", "An encoder with the same texts", 4, encoder),
    Part("peers", "Other programs with the same file", 14, peers),
    Part(
        "peers-untrained",
        "The same with a model that was not trained for hpd (-m)",
        20,
        peers,
    ),
)


def main(arguments: Sequence[str] | None = None) -> int:
    return part.run(PARTS, "benchmarks.tables", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
