"""The settings for drawing documents, for intervals and p-values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

LEVEL: Final = 0.95
"""The share of samples within an interval."""


@dataclass(frozen=True, slots=True)
class Resampling:
    """The settings that a reader must know to get the same intervals and p-values again."""

    n: int = 2000
    """Samples of the bootstrap, and exchanges of the randomization test."""
    seed: int = 0

    def to_json(self) -> dict[str, Any]:
        """The settings, and the method."""
        return {
            "method": "percentile bootstrap over documents",
            "level": LEVEL,
            "n_resamples": self.n,
            "seed": self.seed,
        }


USUAL: Final = Resampling()
