"""Agreement beyond what chance would give: 1 is full agreement, 0 as much as by chance.

Cohen's kappa is for two annotators (Cohen, "A Coefficient of Agreement for Nominal Scales", 1960).
Krippendorff's alpha for nominal data is for any number of them, and does not mind that not
everybody judged everything (Krippendorff, "Content Analysis", 2004, chapter 11).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence


def cohen_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """The kappa of two annotators' verdicts on the same items; None if all are the same one."""
    n = len(pairs)
    observed = sum(one == other for one, other in pairs) / n
    first, second = (Counter(verdicts) for verdicts in zip(*pairs, strict=True))
    expected = sum(first[verdict] * second[verdict] for verdict in first) / n**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def krippendorff_alpha(items: Sequence[Sequence[str]]) -> float | None:
    """The alpha of nominal verdicts, item by item; None if all of them are the same one.

    An item with a single verdict says nothing of agreement, and is left out.
    """
    coincidences: defaultdict[tuple[str, str], float] = defaultdict(float)
    for item in items:
        if len(item) >= 2:
            for i, one in enumerate(item):
                for j, other in enumerate(item):
                    if i != j:
                        coincidences[one, other] += 1 / (len(item) - 1)
    return _alpha(coincidences)


def _alpha(coincidences: Mapping[tuple[str, str], float]) -> float | None:
    totals: defaultdict[str, float] = defaultdict(float)
    for (one, _), n in coincidences.items():
        totals[one] += n
    n_all = sum(totals.values())
    observed = sum(n for (one, other), n in coincidences.items() if one != other)
    expected = sum(
        totals[one] * totals[other] for one in totals for other in totals if one != other
    )
    return None if expected == 0 else 1 - (n_all - 1) * observed / expected
