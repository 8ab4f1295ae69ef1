"""Wins, ties and losses of each pair of systems, and a score for each system.

The score is the paper's (W + T) / (T + L), "normalized to 0-100" (figure 8). The paper does not
say how; the ratio r itself ranges from 0 to infinity. Here it is 100 r / (1 + r), that is
100 (W + T) / (W + 2 T + L): 0 if every judgement is a loss, 100 if every one is a win, and 50 for
equally many wins and losses. If there are only two systems, their scores add up to 100.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import Any

import numpy as np

from hpd.evaluation.comparison import PAIR_VERDICTS, Judgement, PairVerdict, latest_judgements
from hpd.evaluation.json_form import JsonDataclass
from hpd.evaluation.scores import DEFAULT_RESAMPLING, Resampling
from hpd.evaluation.statistics import Array, Interval, bootstrap, cohen_kappa, krippendorff_alpha


@dataclass(frozen=True, slots=True)
class WinTally(JsonDataclass):
    """Wins, ties and losses; without a judgement, there is neither a score nor an interval."""

    JSON = ("wins", "ties", "losses", "score", "interval")

    wins: int = 0
    ties: int = 0
    losses: int = 0
    interval: Interval | None = field(default=None, compare=False)

    @property
    def score(self) -> float | None:
        """The score, from 0 to 100, rounded."""
        score = float(tally_scores(np.array([self.wins, self.ties, self.losses], float)))
        return None if np.isnan(score) else round(score, 2)


@dataclass(frozen=True, slots=True)
class ComparisonMatrix(JsonDataclass):
    JSON = ("n_documents", "n_judgements", "systems", "pairs", "resampling")

    systems: Mapping[str, WinTally]
    """Each system's tally against all others."""
    against: Mapping[tuple[str, str], WinTally]
    """The first system's tally against the second, for each ordered pair."""
    n_documents: int
    n_judgements: int
    """Latest judgements: a changed one counts once."""
    resampling: Resampling

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """A row for each ordered pair."""
        return [
            {"system": one, "against": other, **tally.members()}
            for (one, other), tally in self.against.items()
        ]


def tally_matrix(
    judgements: Iterable[Judgement],
    systems: Sequence[str],
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> ComparisonMatrix:
    """Count judgements, ignoring those of other systems.

    Intervals are bootstrapped over documents, as judgements of the same document are not
    independent.
    """
    counted = latest_judgements(judgements, systems)
    rows = {own_id: row for row, own_id in enumerate(dict.fromkeys(j.id for j in counted))}
    # (documents, systems, the systems that they are compared with, verdicts)
    ones = np.zeros((len(rows), len(systems), len(systems), len(PAIR_VERDICTS)))
    for each in counted:
        for one, other in permutations((each.left, each.right)):
            verdict = PAIR_VERDICTS.index(each.verdict_on(one))
            ones[rows[each.id], systems.index(one), systems.index(other), verdict] += 1
    width = ones.size // max(1, len(rows))
    drawn = bootstrap(lambda weights: np.tensordot(weights, ones, 1), len(rows), width, resampling)

    def tally(one: int, others: Sequence[int]) -> WinTally:
        wins, ties, losses = (int(n) for n in ones[:, one, others].sum(axis=(0, 1)))
        scores = tally_scores(drawn[:, one, others].sum(axis=1))
        return WinTally(wins, ties, losses, Interval.of_known(scores))

    numbers = range(len(systems))
    return ComparisonMatrix(
        {name: tally(i, numbers) for i, name in enumerate(systems)},
        {(systems[i], systems[j]): tally(i, [j]) for i, j in permutations(numbers, 2)},
        len(rows),
        len(counted),
        resampling,
    )


def tally_scores(counts: Array) -> Array:
    """Return the scores of (..., verdicts) counts, NaN without judgements."""
    wins, ties, losses = (counts[..., i] for i in range(len(PAIR_VERDICTS)))
    with np.errstate(invalid="ignore"):
        return np.asarray(100 * (wins + ties) / (wins + 2 * ties + losses))


@dataclass(frozen=True, slots=True)
class AnnotatorAgreement(JsonDataclass):
    """The agreement of annotators on documents that several of them judged."""

    measure: str
    """Cohen's kappa or Krippendorff's alpha."""
    value: float | None
    """None if undefined, because all verdicts are the same."""
    raw: float
    """The share of equal verdicts among pairs of verdicts on the same document."""
    n_shared: int
    """Documents, each with a pair of systems, that at least two annotators judged."""
    n_annotators: int


def annotator_agreement(
    judgements: Iterable[Judgement], systems: Sequence[str]
) -> AnnotatorAgreement | None:
    """Return the annotators' agreement; None if no two judged the same document."""
    verdicts: dict[tuple[str, frozenset[str]], dict[str, PairVerdict]] = {}
    for each in latest_judgements(judgements, systems):
        first = min((each.left, each.right), key=systems.index)
        verdicts.setdefault(each.key[1:], {})[each.annotator] = each.verdict_on(first)
    shared = [item for item in verdicts.values() if len(item) >= 2]
    if not shared:
        return None
    annotators = sorted({name for item in shared for name in item})
    pairs = [pair for item in shared for pair in combinations(item.values(), 2)]
    raw = sum(one == other for one, other in pairs) / len(pairs)
    if len(annotators) == 2:
        one, other = annotators
        measure, value = "Cohen's kappa", cohen_kappa([(item[one], item[other]) for item in shared])
    else:
        measure = "Krippendorff's alpha"
        value = krippendorff_alpha([list(item.values()) for item in shared])
    return AnnotatorAgreement(measure, value, raw, len(shared), len(annotators))
