"""One table of hpd and its peers, from the files of `hpd bench -o` and of the scripts here.

    python benchmarks/peers/table.py figures.jsonl python.jsonl server.jsonl

The runs must be of the same workload on the same machine, one right after the other, as they are
not interleaved like the methods of one run. A method that takes one document after another needs
fewer documents.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from hpd.cli.common import table


def read(path: Path) -> list[dict[str, Any]]:
    """The rows of one file that each summarise a method."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [line for line in lines if line["type"] in ("summary", "peer")]
    for row in rows:
        row.setdefault("workload", lines[0].get("workload"))
    return rows


def compare(rows: list[dict[str, Any]]) -> str:
    """The rows from slow to fast, each with its time as a multiple of hpd's."""
    workloads = {str(row["workload"]) for row in rows}
    if len(workloads) > 1:
        raise ValueError(f"these are different workloads: {', '.join(sorted(workloads))}")
    own = [row["ms_per_document"] for row in rows if row.get("kind") == "hpd"]
    cells = [["method", "docs", "docs/s", "ms/doc", "spread", "x hpd"]]
    for row in sorted(rows, key=lambda row: -row["ms_per_document"]):
        cells.append(
            [
                row["method"],
                str(row["n_documents"]),
                f"{row['documents_per_second']:.2f}",
                f"{row['ms_per_document']:.0f}",
                f"{row['spread']:.0%}",
                f"{row['ms_per_document'] / min(own):.2f}" if own else "",
            ]
        )
    return table(cells)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("figures", type=Path, nargs="+", help="JSON lines")
    options = parser.parse_args(arguments)
    try:
        print(compare([row for path in options.figures for row in read(path)]))
    except (OSError, ValueError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
