"""One image of an evaluation: F1 by attribute, reliability, precision against coverage.

Needs matplotlib (the extra ``plot``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hpd.evaluation.calibration import Calibration, CoveragePoint
from hpd.evaluation.outcomes import FieldOutcome
from hpd.evaluation.scores import DEFAULT_RESAMPLING, INTERVAL_LEVEL, Resampling, count_outcomes
from hpd.evaluation.statistics import evaluation_intervals

N_ATTRIBUTES = 30

_COLORS = ("#0b6e99", "#d9730d")


def plot_evaluation(
    path: str | Path,
    files: Mapping[str, Sequence[FieldOutcome]],
    n_rows: int,
    calibration: Calibration | None = None,
    coverage: Sequence[CoveragePoint] = (),
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> None:
    """Draw the image; the format is the extension's (``.svg``, ``.png``, ``.pdf``).

    ``files`` has the exact outcomes of one file or of two, by the name to show. The calibration and
    the coverage are those of the first file, if it has confidences.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    # Makes output reproducible.
    with mpl.rc_context({"svg.hashsalt": "hpd"}):
        own = next(iter(files.values()))
        gold = Counter(f.cell[1] for f in own if f.is_named and f.outcome in ("vn", "vc", "vw"))
        # Those with the most gold values first.
        shown = dict(gold.most_common(N_ATTRIBUTES))
        side_panels = ["reliability"] * (calibration is not None) + ["coverage"] * bool(coverage)
        height = 1.6 + 0.26 * len(shown) * (1 + 0.4 * (len(files) - 1))
        figure = Figure(
            figsize=(10.5 if side_panels else 6.0, max(4.2 * len(side_panels), height, 2.5)),
            layout="constrained",
        )
        panels: dict[str, Any] = figure.subplot_mosaic(
            [["attributes", panel] for panel in side_panels] or [["attributes"]],
            width_ratios=[5, 4] if side_panels else None,
        )
        _plot_attributes(panels["attributes"], files, shown, n_rows, resampling)
        if calibration is not None:
            _plot_reliability(panels["reliability"], calibration)
        if coverage:
            _plot_coverage(panels["coverage"], coverage)
        metadata = {"Date": None} if str(path).lower().endswith(".svg") else None
        figure.savefig(path, dpi=150, metadata=metadata)


def _plot_attributes(
    axes: Any,
    files: Mapping[str, Sequence[FieldOutcome]],
    shown: Mapping[str, int],
    n_rows: int,
    resampling: Resampling,
) -> None:
    for index, (label, fields) in enumerate(files.items()):
        merged = [
            replace(field, cell=("", field.cell[1]))
            for field in fields
            if field.is_named and field.cell[1] in shown
        ]
        score = count_outcomes(merged).plain
        bounds = evaluation_intervals(merged, n_rows, resampling).plain
        f1 = [score.cells["", name].f1 for name in shown]
        around = [bounds.cells["", name]["f1"] for name in shown]
        # Rounded scores may be slightly outside the interval of unrounded ones.
        low = [max(0.0, x - each.low) for x, each in zip(f1, around, strict=True)]
        high = [max(0.0, each.high - x) for x, each in zip(f1, around, strict=True)]
        offset = 0.18 * (2 * index - len(files) + 1)
        axes.errorbar(
            f1, [i + offset for i in range(len(shown))], xerr=[low, high], fmt="o", markersize=4,
            color=_COLORS[index], elinewidth=1, capsize=2, label=label,
        )  # fmt: skip
    axes.set_yticks(range(len(shown)), [f"{name} ({n_gold})" for name, n_gold in shown.items()])
    axes.invert_yaxis()
    axes.set(
        xlabel=f"F1 with {INTERVAL_LEVEL:.0%} interval; in brackets: gold values", xlim=(-2, 102)
    )
    axes.grid(axis="x", color="0.9")
    if len(files) > 1:
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(files))


def _plot_reliability(axes: Any, calibration: Calibration) -> None:
    axes.plot([0, 1], [0, 1], color="gray", linestyle=":")
    state = "calibrated" if calibration.is_counterpart_calibrated else "uncalibrated"
    kinds = calibration.by_kind.items()
    for color, (name, (kind, counterpart)) in zip(_COLORS, kinds, strict=True):
        if not kind.n:
            continue
        for shown, label, style in (
            (counterpart, f"{name}, {state}: error", {"linestyle": "--", "linewidth": 1}),
            (kind, f"{name}: {kind.n}, error", {"marker": "o"}),
        ):
            points = ([b.confidence for b in shown.bins], [b.accuracy for b in shown.bins])
            axes.plot(*points, color=color, label=f"{label} {shown.ece:.3f}", **style)
    axes.set(xlabel="confidence", ylabel="accuracy", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.legend(loc="upper left")


def _plot_coverage(axes: Any, coverage: Sequence[CoveragePoint]) -> None:
    axes.plot(
        [point.coverage for point in coverage],
        [point.precision for point in coverage],
        color=_COLORS[0],
    )
    axes.set(
        xlabel="coverage: share of values kept, the most likely first", ylabel="precision",
        xlim=(0, 1), ylim=(0, 1.02), aspect="equal",
    )  # fmt: skip
    axes.grid(color="0.9")
