"""Everything that one call of ``hpd eval`` computes."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hpd.cli.common import UsageError
from hpd.evaluation.assessment import Assessment, Versus, assess, versus
from hpd.evaluation.calibration import Calibration, answers, calibrate
from hpd.evaluation.commands.eval.inputs import Inputs
from hpd.evaluation.coverage import CoveragePoint, coverage_curve
from hpd.evaluation.resampling import Resampling
from hpd.evaluation.throughput import Throughput, throughput


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one file, and of two; None where the files do not tell."""

    inputs: Inputs
    resampling: Resampling
    assessment: Assessment | None
    """None without gold values."""
    calibration: Calibration | None
    """None if the lines state no confidences."""
    coverage: Sequence[CoveragePoint]
    throughput: Throughput | None
    """None if the lines do not say what they cost."""
    versus: Versus | None
    """None without a second file."""

    def named_scores(self) -> dict[str, float]:
        """Every score that may have a threshold."""
        parts = (self.assessment, self.versus)
        return {
            name: score
            for part in parts
            if part is not None
            for name, score in part.named_scores().items()
        }

    def to_json(self) -> dict[str, Any]:
        """Everything, ready for ``json.dumps``."""
        inputs = self.inputs
        result: dict[str, Any] = {
            "n_rows": len(inputs.examples),
            "n_missing": len(inputs.first.matching.missing),
            "n_failed": inputs.first.n_failed,
            "matching": inputs.first.matching.to_json(),
        }
        if self.assessment is not None:
            result |= self.assessment.to_json()
        if self.calibration is not None:
            result["calibration"] = self.calibration.to_json()
            result["coverage"] = [point.to_json() for point in self.coverage]
        if self.throughput is not None:
            result["throughput"] = self.throughput.to_json()
        if self.versus is not None and inputs.second is not None:
            result["versus"] = {
                "first": inputs.first.name,
                "second": inputs.second.name,
                "second_matching": inputs.second.matching.to_json(),
                **self.versus.to_json(),
            }
        result["scores"] = self.named_scores()
        return {**result, "resampling": self.resampling.to_json()}


def compute(inputs: Inputs, arguments: argparse.Namespace) -> Figures:
    """Compute what the files tell; refuse what was asked for by name and they do not."""
    resampling = Resampling(arguments.resamples, arguments.seed)
    examples, first = inputs.examples, inputs.first
    assessment = calibration = comparison = None
    coverage: list[CoveragePoint] = []
    if inputs.has_gold:
        assessment = assess(examples, first.data, inputs.attributes, resampling)
        if stated := answers(examples, first.matching.predictions):
            calibration, coverage = calibrate(stated), coverage_curve(stated)
        elif arguments.calibration:
            raise UsageError(f"{first.name} states no confidences of these attributes")
    if inputs.second is not None:
        comparison = versus(examples, first.data, inputs.second.data, inputs.attributes, resampling)
    lines = [row for row in first.matching.predictions if row is not None]
    cost = throughput(lines, arguments.wall_seconds, arguments.price_per_hour)
    if cost is None and (arguments.wall_seconds or arguments.price_per_hour):
        raise UsageError(f"the lines of {first.name} have no usage, so their cost is not known")
    return Figures(inputs, resampling, assessment, calibration, coverage, cost, comparison)
