"""Whether the documents of a run are what the model in the box was made for."""

from __future__ import annotations

import math
from collections.abc import Iterator

from hpd.errors import ContextOverflowError
from hpd.results import Extraction

LEAST_MEAN = 0.6
"""The mean confidence (the geometric one, over all fields of a run) below which documents are of an
unknown kind. docs/reliability.md says how it was chosen."""

_LEAST_CONFIDENCE = 1e-3
"""Confidences below this count as this, so that no single field decides."""
_N_LEAST = 3
"""Fewer fields say nothing."""


class Fitness:
    """Gathers the model's own confidence, and documents that were too long."""

    def __init__(self) -> None:
        self._n_fields = 0
        self._log_sum = 0.0
        self._n_long = 0

    def add(self, extraction: Extraction[object]) -> None:
        """Take an extraction into account."""
        is_cut = extraction.truncated_at is not None
        is_chunked = extraction.usage is not None and extraction.usage.n_chunks > 1
        error = None if extraction.error is None else extraction.error.type
        self._n_long += is_cut or is_chunked or error == ContextOverflowError.__name__
        for field in extraction.fields.values():
            own = field.confidence if field.uncalibrated is None else field.uncalibrated
            if own is not None:
                self._n_fields += 1
                self._log_sum += math.log(max(own, _LEAST_CONFIDENCE))

    @property
    def mean(self) -> float | None:
        """The mean confidence of all fields; None if there are too few."""
        if self._n_fields < _N_LEAST:
            return None
        return math.exp(self._log_sum / self._n_fields)

    def notices(self) -> Iterator[str]:
        """The documents that do not suit the model in the box, in one line."""
        parts = []
        if self._n_long:
            documents = "document is" if self._n_long == 1 else "documents are"
            parts.append(f"{self._n_long} {documents} longer than it was trained for")
        mean = self.mean
        if mean is not None and mean < LEAST_MEAN:
            parts.append(
                f"it was probably not made for such documents (its mean confidence is {mean:.2f})"
            )
        if parts:
            yield f"the model in the box: {', and '.join(parts)}; -m names another model"
