"""The cost of a file of predictions: documents a second, tokens, dollars (paper, section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hpd.evaluation.rows import Prediction

_COUNTS = ("prompt_tokens", "cached_tokens", "completion_tokens", "steps")


@dataclass(frozen=True, slots=True)
class Throughput:
    """The sums over the lines that have a usage."""

    n_documents: int
    """The number of lines with a ``usage``."""
    totals: Mapping[str, int]
    """Of ``prompt_tokens``, ``cached_tokens``, ``completion_tokens`` and ``steps``."""
    line_seconds: float
    """The sum of the lines' own times. It is at least as long as the run, because the times of
    documents in flight together overlap."""
    wall_seconds: float | None = None
    """The time of the run, if it was measured."""
    price_per_hour: float | None = None
    """The price of the machine, in dollars."""

    @property
    def is_bound(self) -> bool:
        """Whether the true throughput is this or better, and the true price this or less."""
        return self.wall_seconds is None

    @property
    def documents_per_second(self) -> float | None:
        """By the clock of the run, or by that of the lines; None if there is none."""
        seconds = self.line_seconds if self.wall_seconds is None else self.wall_seconds
        return self.n_documents / seconds if seconds > 0 else None

    @property
    def dollars_per_1000(self) -> float | None:
        """Dollars for a thousand documents at this price and throughput."""
        if self.price_per_hour is None or not self.documents_per_second:
            return None
        return self.price_per_hour / 3600 * 1000 / self.documents_per_second

    def to_json(self) -> dict[str, Any]:
        """Everything, ready for ``json.dumps``."""
        return {
            "n_documents": self.n_documents,
            **self.totals,
            "line_seconds": round(self.line_seconds, 4),
            "wall_seconds": self.wall_seconds,
            "documents_per_second": self.documents_per_second,
            "price_per_hour": self.price_per_hour,
            "dollars_per_1000": self.dollars_per_1000,
            "is_bound": self.is_bound,
        }


def throughput(
    predictions: Iterable[Prediction],
    wall_seconds: float | None = None,
    price_per_hour: float | None = None,
) -> Throughput | None:
    """The throughput of some lines; None if none has a usage."""
    usages = [prediction.usage for prediction in predictions if prediction.usage]
    if not usages:
        return None
    return Throughput(
        len(usages),
        {name: int(sum(_number(usage.get(name)) for usage in usages)) for name in _COUNTS},
        sum(_number(usage.get("seconds")) for usage in usages),
        wall_seconds,
        price_per_hour,
    )


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
