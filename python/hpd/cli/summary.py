"""The summary of a run of ``hpd extract``: one line for a person."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hpd.results import Extraction


class Summary:
    """Counts what was written, and says it."""

    def __init__(self) -> None:
        self.n_written = 0
        self.failures: Counter[str] = Counter()
        self.seconds = 0.0
        self._n_values = 0
        self._n_nulls = 0
        self._n_nulled = 0
        self._n_near_ties = 0
        self._n_reused = 0
        self._n_retried = 0
        self._n_empty = 0

    def add_values(self, extraction: Extraction[Any], has_text: bool = True) -> None:
        """Count the values of an extraction, and whether its document has no text at all."""
        self._n_empty += not has_text
        self._n_values += len(extraction.fields)
        self._n_nulls += sum(field.value is None for field in extraction.fields.values())
        self._n_nulled += sum(field.nulled for field in extraction.fields.values())
        self._n_near_ties += extraction.n_near_ties
        if extraction.usage is not None:
            self._n_reused += extraction.usage.reused_values
        self._n_retried += sum(bool(field.refused) for field in extraction.fields.values())

    def add_line(self, failed: str | None) -> None:
        """Count a line that is written; ``failed`` is the type of its error, if it is one."""
        self.n_written += 1
        if failed is not None:
            self.failures[failed] += 1

    def text(self, *, n_kept: int, n_failed_kept: int) -> str:
        """The summary.

        Args:
            n_kept: the documents that an earlier run finished.
            n_failed_kept: those of them that failed.
        """
        parts = [f"{self.n_written} document{'s' * (self.n_written != 1)}"]
        if n_kept:
            parts[0] += f" ({n_kept} more were done before)"
        if self.seconds > 0 and self.n_written:
            parts.append(f"{self.n_written / self.seconds:.3g} a second")
        if self._n_values:
            parts.append(f"{self._n_nulls / self._n_values:.0%} of the values are null")
            if self._n_nulled:
                parts[-1] += f" ({self._n_nulled} that were doubtful: raw has their text)"
        if self._n_empty:
            parts.append(f"{self._n_empty} without text")
        if self._n_near_ties:
            parts.append(f"{self._n_near_ties} near tie{'s' * (self._n_near_ties != 1)}")
        if self._n_reused:
            parts.append(f"{self._n_reused} values were decoded before")
        if self._n_retried:
            parts.append(f"{self._n_retried} value{'s' * (self._n_retried != 1)} asked again")
        for kind, n in sorted(self.failures.items()):
            parts.append(f"{n} failed ({kind})")
        if n_failed_kept:
            parts.append(f"{n_failed_kept} had failed before")
        text = ", ".join(parts)
        return f"{text}: their lines say why" if self.failures else text
