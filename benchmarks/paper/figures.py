"""Draws the figures of the pages from the results: ``python -m benchmarks.paper.figures``.

docs/figure-4.svg is the paper's figure 4; docs/neighbours.svg shows the pass after which each token
of one title's values is final.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks.harness.result import Result, load_results
from benchmarks.harness.workbench import RESULTS
from tools.docs import ROOT


def figure_4(result: Result) -> Figure:
    """Draw throughput by prompts in flight, a line for each number of documents in a prompt."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    (_, *heads), *rows = result.finding.tables[0].rows
    in_flight = [int(str(head).split()[0]) for head in heads]
    for name, *ratios in rows:
        style = {"marker": "o"} if isinstance(name, int) else {"color": "grey", "linestyle": "--"}
        label = f"stack {name}" if isinstance(name, int) else name
        axes.plot(in_flight, [float(str(each)) for each in ratios], label=label, **style)
    axes.axhline(1, color="grey", linewidth=1)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    axes.set(xlabel="prompts in flight", ylabel="documents/s relative to best batched AR")
    figure.legend(fontsize=8, ncols=4, loc="outside upper center")
    return figure


def neighbours(result: Result) -> Figure:
    """Draw the pass after which each token is final; guessed tokens make the lines flatter."""
    figure = Figure(figsize=(6, 3), layout="constrained")
    axes = figure.subplots()
    _, *rows = result.finding.tables[0].rows
    for index, (name, line) in enumerate(rows):
        steps = [int(n) for n in str(line).split()]
        # Thinner lines on top, so that overlapping lines stay visible.
        axes.plot(range(1, len(steps) + 1), steps, linewidth=len(rows) - index, label=str(name))
    axes.set_title("After which pass each token of one title's values is final")
    axes.set(xlabel="tokens of all values of one title", ylabel="final after pass")
    axes.legend(fontsize=8)
    return figure


FIGURES = {"figure-4": (figure_4, "figure-4.svg"), "passes": (neighbours, "neighbours.svg")}
"""By part: the function that draws its result, and the file in docs/."""

_DARK = "@media (prefers-color-scheme: dark){svg{filter: invert(1) hue-rotate(180deg)}}"
"""Light lines on a dark page where the reader's browser asks for it."""


def main(folder: Path = ROOT / "docs") -> None:
    # The same result gives the same file, byte for byte.
    with mpl.rc_context({"svg.hashsalt": "hpd", "svg.fonttype": "none"}):
        measured = load_results(RESULTS)
        for part, (draw, name) in FIGURES.items():
            file = folder / name
            draw(measured[part]).savefig(file, metadata={"Date": None})
            drawn = file.read_text(encoding="utf-8")
            file.write_text(drawn.replace("</style>", f"{_DARK}</style>", 1), encoding="utf-8")


if __name__ == "__main__":
    main()
