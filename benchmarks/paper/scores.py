"""The figures of ``hpd eval --json`` as cells of tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hpd.evaluation.commands.eval_figures import p_text

Evaluated = Mapping[str, Any]
"""The output of ``hpd eval --json``."""


def f1(evaluated: Evaluated, scope: str = "plain") -> float:
    """Exact micro F1 in percent."""
    return float(evaluated[scope]["micro"]["f1"])


def both(evaluated: Evaluated) -> str:
    """Exact micro F1, and in brackets the strict one."""
    return f"{f1(evaluated):.1f} ({f1(evaluated, 'strict'):.1f})"


def difference(evaluated: Evaluated, scope: str = "plain", form: str = "exact") -> list[str]:
    """F1 of the other file and of this one, their difference, its interval, and p."""
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
    """Fields, and the shares of those on which both files agree; then of those with a value."""
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
    """A count of the usage (``steps``, ``prompt_tokens``, ...) for each document."""
    usage = evaluated["throughput"]
    return float(usage[count] / usage["n_documents"])
