"""What confidence is worth: confidence beside accuracy, and what a threshold would do.

A value is right where the metric counts it as such (``hpd.evaluation.outcomes``). Nulls are
counted apart: ``null_threshold`` is about values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hpd.evaluation.outcomes import Outcome, outcome
from hpd.evaluation.rows import Example
from hpd.evaluation.scores import Counts

N_BINS = 10
THRESHOLDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


@dataclass(frozen=True, slots=True)
class Answer:
    """One field: how sure the model was, and what became of it."""

    confidence: float
    outcome: Outcome

    @property
    def is_value(self) -> bool:
        """Whether there is a value; else a null."""
        return self.outcome in ("vc", "vw", "nv")

    @property
    def is_right(self) -> bool:
        """Whether the value, or the null, is right."""
        return self.outcome in ("vc", "nn")


@dataclass(frozen=True, slots=True)
class Bin:
    """The answers with a confidence between two bounds."""

    low: float
    high: float
    n: int
    confidence: float
    """Their mean confidence."""
    accuracy: float
    """The share of them that is right; of a good model, the same."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """Answers binned by confidence."""

    bins: tuple[Bin, ...]
    """Those that hold anything, the lowest first."""
    n: int
    ece: float
    """Expected calibration error: how far confidence and accuracy are apart, on average."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """What values less likely than a threshold, made null, leave of the scores."""

    threshold: float
    counts: Counts


@dataclass(frozen=True, slots=True)
class Calibration:
    """The reliability of values and of nulls, and the thresholds to choose from."""

    values: Reliability
    nulls: Reliability
    thresholds: tuple[Threshold, ...]

    def to_json(self) -> dict[str, Any]:
        """Everything, ready for ``json.dumps``."""
        return {
            "values": asdict(self.values),
            "nulls": asdict(self.nulls),
            "thresholds": [
                {"threshold": row.threshold, **row.counts.to_json()} for row in self.thresholds
            ],
        }


def answers(
    examples: Sequence[Example],
    predictions: Sequence[Mapping[str, Any] | None],
    confidences: Sequence[Mapping[str, float] | None],
) -> list[Answer]:
    """The fields that have both a gold value (or none, told) and a confidence."""
    found = []
    for example, data, sure in zip(examples, predictions, confidences, strict=True):
        for attribute, gold in example.gold.items():
            confidence = (sure or {}).get(attribute)
            if data is not None and confidence is not None:
                found.append(Answer(confidence, outcome(gold, data.get(attribute))))
    return found


def calibrate(found: Sequence[Answer], n_bins: int = N_BINS) -> Calibration:
    """Bins, errors and thresholds of some answers."""
    return Calibration(
        reliability([answer for answer in found if answer.is_value], n_bins),
        reliability([answer for answer in found if not answer.is_value], n_bins),
        tuple(Threshold(bound, _counts(found, bound)) for bound in THRESHOLDS),
    )


def reliability(found: Sequence[Answer], n_bins: int = N_BINS) -> Reliability:
    """Answers in ``n_bins`` bins of equal width."""
    members: dict[int, list[Answer]] = {}
    for answer in found:
        index = min(int(answer.confidence * n_bins), n_bins - 1)
        members.setdefault(index, []).append(answer)
    bins = tuple(
        Bin(
            index / n_bins,
            (index + 1) / n_bins,
            len(held),
            sum(answer.confidence for answer in held) / len(held),
            sum(answer.is_right for answer in held) / len(held),
        )
        for index, held in sorted(members.items())
    )
    error = sum(b.n * abs(b.confidence - b.accuracy) for b in bins)
    return Reliability(bins, len(found), error / len(found) if found else 0.0)


def plot(calibration: Calibration, path: str | Path) -> None:
    """A reliability diagram as an image; needs matplotlib (the extra ``plot``)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 5), layout="constrained")
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color="gray", linestyle=":", label="perfect")
    for name, kind in (("values", calibration.values), ("nulls", calibration.nulls)):
        if kind.n:
            axes.plot(
                [b.confidence for b in kind.bins],
                [b.accuracy for b in kind.bins],
                marker="o",
                label=f"{name}: {kind.n}, error {kind.ece:.3f}",
            )
    axes.set(xlabel="confidence", ylabel="accuracy", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.legend(loc="upper left")
    figure.savefig(path, dpi=150)


def _counts(found: Iterable[Answer], threshold: float) -> Counts:
    n = {"nn": 0, "nv": 0, "vn": 0, "vc": 0, "vw": 0}
    for answer in found:
        name: str = answer.outcome
        if answer.is_value and answer.confidence < threshold:
            name = "nn" if name == "nv" else "vn"
        n[name] += 1
    return Counts(**n)
