"""Plot what `hpd bench -o` wrote, like figure 4 of the paper: speed-up over documents in flight.

    hpd bench ... --method ar-batched --sweep figure-4 -o figures.jsonl
    python benchmarks/plot.py figures.jsonl docs/figure-4.svg

There is one line for each number of documents in a stack. The yardstick is the best batched
autoregressive setting or, if that was not measured, autoregression with one document at a time.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any


def read_summary(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The environment of a run, and the row of each method."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    summary = [row for row in rows if row["type"] == "summary"]
    if not summary:
        raise ValueError(f"{path}: no summary: was it written by hpd bench -o?")
    return rows[0], summary


def curves(
    summary: list[dict[str, Any]], ratio: str
) -> dict[tuple[str, int], list[tuple[int, float]]]:
    """Pairs of documents in flight and speed-up, by layout and stack.

    Methods whose number in flight was chosen by hpd are left out.
    """
    lines: dict[tuple[str, int], list[tuple[int, float]]] = defaultdict(list)
    for row in summary:
        settings = row["settings"]
        if row["kind"] == "hpd" and row[ratio] is not None and settings["in_flight"]:
            lines[settings["layout"], settings["stack"]].append((settings["in_flight"], row[ratio]))
    return {key: sorted(points) for key, points in sorted(lines.items())}


def plot(path: Path, output: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    environment, summary = read_summary(path)
    has_batched = any(row["kind"] == "ar-batched" for row in summary)
    ratio = "speedup_ar_batched" if has_batched else "speedup_ar"
    figure, axes = plt.subplots(figsize=(6, 4), constrained_layout=True)
    for (layout, stack), points in curves(summary, ratio).items():
        label = f"stack {stack}" if layout == "branch" else f"{layout}, stack {stack}"
        axes.plot(*zip(*points, strict=True), marker="o", label=label)
    axes.axhline(1, color="grey", linewidth=1)
    floor = next((row for row in summary if row["kind"] == "prefill"), None)
    if floor is not None and floor[ratio] is not None:
        axes.axhline(floor[ratio], color="grey", linestyle="--", linewidth=1, label="prefill only")
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    axes.set_xlabel("prompts in flight")
    against = "best batched AR" if has_batched else "AR, one at a time"
    axes.set_ylabel(f"documents/s relative to {against}")
    axes.set_title(f"{environment['workload']}: {environment['model_description']}", fontsize=10)
    axes.legend(fontsize=8)
    figure.savefig(output)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("figures", type=Path, help="JSON lines of hpd bench")
    parser.add_argument("output", type=Path, help="an image: .svg, .png or .pdf")
    options = parser.parse_args(arguments)
    try:
        plot(options.figures, options.output)
    except (OSError, ValueError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
