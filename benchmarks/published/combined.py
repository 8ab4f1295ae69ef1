"""Results made of other results: the speed and the cost of three workloads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from benchmarks.published.result import Finding, Result, Table

SPEED, COST = "speed", "cost"
"""The names of these results."""

_METHODS = {
    "prefill": "read the document, decode nothing (the floor)",
    "hpd": "**hpd**",
    "ar-batched": "one token after the other, many documents at once",
    "ar": "one token after the other",
}
_WORKLOADS = {
    "table-oa-mine": "OA-Mine, titles",
    "table-ae-110k": "AE-110k, titles",
    "table-catalogue": "descriptions of 300 tokens",
}
_DOLLARS_PER_HOUR = 0.10
"""The price of the machine, assumed."""
_MANY = 500_000_000
"""Documents of the paper's section 6."""

Times = Mapping[str, float]
"""Milliseconds a document of each method."""


def combined(results: Mapping[str, Result]) -> dict[str, Result]:
    """The results ``speed`` and ``cost``, if all workloads were measured with one model."""
    models = [results[part].conditions.models for part in _WORKLOADS if part in results]
    if len(models) < len(_WORKLOADS) or any(each != models[0] for each in models):
        return {}
    own, known = (
        [_times(results[part].finding.tables[place]) for part in _WORKLOADS] for place in (0, 1)
    )
    first = results[next(iter(_WORKLOADS))]
    commands = ["python -m benchmarks.tables --data DATA --work WORK"]
    return {
        SPEED: replace(first, part=SPEED, commands=commands, finding=_speed(own, known)),
        COST: replace(first, part=COST, commands=commands, finding=_cost(own, known)),
    }


def _speed(own: Sequence[Times], known: Sequence[Times]) -> Finding:
    """One table of all workloads."""
    table = [["", *_WORKLOADS.values()]]
    table += [[title, *(f"{each[name]:.0f}" for each in own)] for name, title in _METHODS.items()]
    ratios = [each["ar"] / each["hpd"] for each in known]
    faster = f"{min(ratios):.0f} to {max(ratios):.0f}"
    return Finding(
        [Table("Milliseconds a document", table)],
        faster,
        [
            "The answers are the model's own. It was not taught to write whole objects token after "
            "token, and those come out longer; where both write the same, known answers, hpd is "
            f"{faster} times as fast."
        ],
    )


def _cost(own: Sequence[Times], known: Sequence[Times]) -> Finding:
    """The dollars of a thousand documents, and of the paper's 500 million."""
    per_ms = _DOLLARS_PER_HOUR / 3_600_000
    told = []
    for title, mine, same in zip(_WORKLOADS.values(), own, known, strict=True):
        ratio, of_known = (each["ar"] / each["hpd"] for each in (mine, same))
        ar, hpd = (1000 * mine[method] * per_ms for method in ("ar", "hpd"))
        told.append(
            f"{title}: {ratio:.1f} times less than AR ({of_known:.1f} with known answers), "
            f"${hpd:.4f} for 1,000, not ${ar:.4f}"
        )
    many = [f"${_MANY * own[-1][method] * per_ms:,.0f}" for method in ("hpd", "ar")]
    return Finding(
        [],
        f"{'; '.join(told)}; 500 million descriptions {many[0]}, not {many[1]} (assumed: "
        f"${_DOLLARS_PER_HOUR:.2f} an hour)",
    )


def _times(table: Table) -> Times:
    """The times of all methods without further settings, in a table of speed."""
    head, *rows = table.rows
    column = head.index("ms/doc")
    # The first of a kind is the one without further settings.
    return {
        str(row[0]).strip("`").partition(":")[0]: float(str(row[column])) for row in reversed(rows)
    }
