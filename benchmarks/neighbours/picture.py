"""The picture of what waits for what: after which pass each token of one answer is final.

    python -m benchmarks.neighbours --data DATA --part passes
    python -m benchmarks.neighbours.picture benchmarks/results/passes.json docs/neighbours.svg

The values stand beside each other. One token a pass is a stair over all of them, ways that guess
are flatter stairs, and HPD begins every value in the first pass.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

from benchmarks.neighbours.decoding import AR, WAYS, Decoding, Found, titles, with_one_thread
from benchmarks.published.result import Finding, Result, Table
from benchmarks.published.workbench import Workbench

HPD = "HPD"


def chained(values: Sequence[Sequence[int]]) -> list[int]:
    """The passes of values that are written one after another, each behind the last pass before."""
    starts = accumulate((each[-1] for each in values), initial=0)
    return [start + n for start, each in zip(starts, values, strict=False) for n in each]


def together(values: Sequence[Sequence[int]]) -> list[int]:
    """The passes of values that all begin in the first one."""
    return [n for each in values for n in each]


def passes(bench: Workbench) -> Finding:
    """The ways that can be compared token by token, on the first title."""
    schemas, (example,) = titles(bench, 1)
    with_one_thread(bench)
    decoding = Decoding(bench, schemas, whole=False)
    for name in WAYS:
        decoding.run(name, [example], Found())
    final = decoding.final
    decoding.close()
    lines = {name: chained(values) for name, values in final.items()}
    lines[HPD] = together(final[AR])
    rows = [["way", "the pass after which each token is final"]]
    rows += [[name, " ".join(map(str, line))] for name, line in lines.items()]
    return Finding(
        [Table("The values of one title of OA-Mine, beside each other", rows)],
        ", ".join(f"{name}: {max(line)} passes" for name, line in lines.items()),
    )


def plot(source: Path, output: Path) -> None:
    """Draw a result."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    (table,) = Result.load(source).finding.tables
    figure, axes = plt.subplots(figsize=(6, 3), constrained_layout=True)
    for place, (name, line) in enumerate(table.rows[1:]):
        steps = [int(n) for n in str(line).split()]
        # Lines that run together show beneath each other.
        width = len(table.rows) - 1 - place
        axes.plot(range(1, len(steps) + 1), steps, linewidth=width, label=str(name))
    axes.set_xlabel("tokens of all values of one title")
    axes.set_ylabel("final after pass")
    axes.legend(fontsize=8)
    # The same picture of the same result, byte for byte.
    matplotlib.rcParams.update({"svg.hashsalt": "hpd", "svg.fonttype": "none"})
    figure.savefig(output, metadata={"Date": None} if output.suffix == ".svg" else None)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("result", type=Path)
    parser.add_argument("output", type=Path, help="an image: .svg, .png or .pdf")
    asked = parser.parse_args(arguments)
    plot(asked.result, asked.output)


if __name__ == "__main__":
    main()
