"""What benchmarks/gpu.sh measures besides hpd bench, and the page that it writes.

    python -m benchmarks.gpu device
    python -m benchmarks.gpu parity MODEL WORKLOAD -o FILE
    python -m benchmarks.gpu server MODEL WORKLOAD -o FILE --server llama-server --slots 1 16 64
    python -m benchmarks.gpu page RESULTS

device fails if llama.cpp finds no GPU.
WORKLOAD.jsonl and WORKLOAD.schema.json are those of workloads.py. parity counts the values that are
the same with all layers on the GPU and with none; it fails if many differ, as near ties are few.
server measures llama.cpp's server, and vLLM's if it is installed, with several numbers of slots.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.harness.result import Rows, Table
from benchmarks.peers import Kind, measured, rows_of, with_nulls
from benchmarks.programs import Program, Setting, llama_server, vllm
from hpd import Document, Extractor
from hpd.models.hardware import device_summary, devices
from hpd.options import Options
from hpd.schema import load_schemas

_MOST_DIFFERENT = 0.03
"""The largest share of values that near ties explain."""


def workload(prefix: Path, n: int) -> Kind:
    """Return a workload's first documents."""
    schema = json.loads(prefix.with_name(f"{prefix.name}.schema.json").read_text(encoding="utf-8"))
    schemas = load_schemas(with_nulls(schema))
    gold = prefix.with_name(f"{prefix.name}.jsonl")
    return rows_of(prefix.name, gold, schemas, n, 320)


def parity(model: Path, kind: Kind) -> dict[str, Any]:
    """Return how many values are the same on the GPU and without it."""
    documents = [Document(question.text) for question in kind.questions]
    answers = []
    for n_gpu_layers in (-1, 0):
        options = Options(n_gpu_layers=n_gpu_layers, null_threshold=0.0, quiet=True)
        with Extractor(kind.schemas, model, options=options) as extractor:
            answers.append(list(extractor.extract_many(documents, on_error="record")))
    n_values, different, furthest = 0, [], 0.0
    for on_gpu, alone in zip(*answers, strict=True):
        for path, field in alone.fields.items():
            n_values += 1
            other = on_gpu.fields[path]
            if field.value == other.value:
                furthest = max(furthest, abs((field.confidence or 0) - (other.confidence or 0)))
            else:
                values = [[each.value, each.confidence] for each in (other, field)]
                different.append([path, *values])
    return {
        "type": "parity",
        "model": model.name,
        "workload": kind.name,
        "computing_on": device_summary(-1),
        "n_values": n_values,
        "n_different": len(different),
        "furthest_confidence": furthest,
        "different": different,
    }


def served(
    name: str, program: Program, model: Path, kind: Kind, server: Path | None, n_slots: int
) -> dict[str, Any]:
    """Return the row of a server with a number of slots."""
    setting = Setting(model, kind.schemas, 0, kind.n_ctx, kind.max_tokens, n_slots, server)
    row = measured(name, program, setting, kind)
    row.pop("answers", None)
    return {"type": "server", "model": model.name, "workload": kind.name, "slots": n_slots, **row}


# --- the page -------------------------------------------------------------------------------------


def page(results: Path) -> str:
    """Return all results in a folder as Markdown."""
    lines = [
        (path.stem, [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()])
        for path in sorted(results.glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
        if not path.with_name(f"{path.stem}.schema.json").exists()  # a workload
    ]
    heads = ["step", "method", "docs", "docs/s", "ms/doc", "x ar", "x ar-b.", "/ prefill"]
    timed: Rows = [[*heads, "steps", "reused", "wrong"]]
    parities: Rows = [["model", "workload", "on", "values", "different", "furthest confidence"]]
    servers: Rows = [["program", "model", "workload", "slots", "docs/s", "F1", "invalid"]]
    machines = []
    for step, rows in lines:
        for row in rows:
            kind = row.get("type")
            if kind == "environment":
                machines.append(f"{row['computing_on']}; hpd {row['hpd']}; {row['llama_cpp']}")
            elif kind == "summary":
                timed.append([step, *_summary_cells(row)])
            elif kind == "parity":
                names = ("model", "workload", "computing_on", "n_values", "n_different")
                parities.append([*map(row.get, names), f"{row['furthest_confidence']:.4f}"])
            elif kind == "server":
                servers.append(_server_cells(row))
    parts = ["# On a GPU", *dict.fromkeys(machines)]
    for title, table in (
        ("As without the GPU", parities), ("hpd bench", timed), ("Servers", servers),
    ):  # fmt: skip
        if len(table) > 1:
            parts += [f"## {title}", Table("", table).markdown()]
    failed = sorted(path.stem for path in results.glob("*.failed"))
    parts += [f"Failed: {', '.join(failed)}."] if failed else []
    return "\n\n".join(parts) + "\n"


def _summary_cells(row: dict[str, Any]) -> list[Any]:
    ratios = ("speedup_ar", "speedup_ar_batched", "ratio_prefill")
    reused = row.get("reused_graphs")
    return [
        *(f"`{row['method']}`", row["n_documents"], f"{row['documents_per_second']:.1f}"),
        f"{row['ms_per_document']:.1f}",
        *("" if row.get(name) is None else f"{row[name]:.2f}" for name in ratios),
        f"{row['steps']:.1f}",
        "" if reused is None else f"{reused:.0%}",
        row["n_wrong"],
    ]


def _server_cells(row: dict[str, Any]) -> list[Any]:
    cells = [row[name] for name in ("program", "model", "workload", "slots")]
    if "error" in row:
        return [*cells, row["error"].splitlines()[0][:60], "", ""]
    return [*cells, f"{1 / row['seconds']:.1f}", f"{row['right']:.1f}", f"{row['invalid']:.0%}"]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts = parser.add_subparsers(dest="part", required=True)
    for name in ("parity", "server"):
        part = parts.add_parser(name)
        part.add_argument("model", type=Path)
        part.add_argument("workload", type=Path)
        part.add_argument("-o", "--output", type=Path, required=True)
        part.add_argument("--documents", type=int, default=16)
        if name == "server":
            part.add_argument("--server", type=Path)
            part.add_argument("--slots", type=int, nargs="+", default=[1, 16, 64])
    parts.add_parser("device")
    parts.add_parser("page").add_argument("results", type=Path)
    asked = parser.parse_args(arguments)
    if asked.part == "device":
        if found := devices():
            print(", ".join(found))
            return 0
        print("llama.cpp found no GPU", file=sys.stderr)
        return 1
    if asked.part == "page":
        print(page(asked.results), end="")
        return 0
    kind = workload(asked.workload, asked.documents)
    if asked.part == "parity":
        rows = [parity(asked.model, kind)]
        on, n, n_different = (rows[0][k] for k in ("computing_on", "n_values", "n_different"))
        print(f"{n_different} of {n} values differ on {on}")
        good = rows[0]["n_different"] <= _MOST_DIFFERENT * rows[0]["n_values"]
    else:
        programs: dict[str, Program] = {"llama-server": llama_server}
        if shutil.which("vllm"):
            programs["vLLM"] = vllm
        rows = [
            served(name, program, asked.model, kind, asked.server, n)
            for name, program in programs.items()
            for n in asked.slots
        ]
        good = any("error" not in row for row in rows)
    asked.output.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
