"""Formats the figures of ``hpd eval --json`` as cells of tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hpd.evaluation.commands.eval_figures import p_text

Evaluated = Mapping[str, Any]
"""The output of ``hpd eval --json``."""


def f1(evaluated: Evaluated, scope: str = "plain") -> float:
    """Return exact micro F1 in percent."""
    return float(evaluated[scope]["micro"]["f1"])


def both(evaluated: Evaluated) -> str:
    """Return exact micro F1, with strict F1 in brackets."""
    return f"{f1(evaluated):.1f} ({f1(evaluated, 'strict'):.1f})"


def difference(evaluated: Evaluated, scope: str = "plain", form: str = "exact") -> list[str]:
    """Return F1 of the other file and of this one, their difference, its interval, and p."""
    found = evaluated["versus"]["differences"][form][scope]["micro"]["f1"]
    low, high = found["interval"]
    return [
        f"{found['second']:.2f}",
        f"{found['first']:.2f}",
        f"{found['difference']:+.2f}",
        f"{low:+.2f} to {high:+.2f}",
        p_text(found["p_value"]),
    ]


def agreement(evaluated: Evaluated) -> list[str]:
    """Return the number of fields and how many are the same; then the same for filled fields."""
    shares = evaluated["versus"]["agreement"]
    return [
        str(shares["n_fields"]),
        f"{shares['same']:.2f}%",
        f"{shares['same_normalized']:.2f}%",
        str(shares["n_filled"]),
        f"{shares['filled_same']:.2f}%",
        f"{shares['filled_same_normalized']:.2f}%",
    ]


def per_document(evaluated: Evaluated, count: str) -> float:
    """Return a count of the usage (``steps``, ``prompt_tokens``, ...) per document."""
    usage = evaluated["throughput"]
    return float(usage[count] / usage["n_documents"])
