"""The agreement of a judge with gold: how often both say the same of a value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpd.evaluation.judging.verdicts import RIGHT, VERDICT_OF_OUTCOME, VERDICTS, Judged, Verdict
from hpd.evaluation.kappa import cohen_kappa
from hpd.evaluation.outcomes import Form, outcome
from hpd.evaluation.rows import Example, Prediction

Pair = tuple[Verdict, Verdict]
"""The judge's verdict, and that of gold."""


@dataclass(frozen=True, slots=True)
class GoldAgreement:
    """The verdicts of a judge against those that gold gives."""

    confusion: Mapping[Pair, int]
    """The number of values by the judge's verdict and gold's."""
    kappa: float | None
    """Cohen's kappa of the five verdicts; None where it is not defined."""
    kappa_right: float | None
    """The same, of right (correct, correct null) against not right.

    Whether a value is null decides between most verdicts, and judge and gold both see that, so the
    kappa of five is easily high. This one is not."""

    @property
    def n(self) -> int:
        """The values that both have judged."""
        return sum(self.confusion.values())

    @property
    def n_equal(self) -> int:
        """Those with the same verdict."""
        return sum(n for (ours, gold), n in self.confusion.items() if ours == gold)

    @property
    def n_equally_right(self) -> int:
        """Those that both call right, or neither."""
        return sum(
            n for (ours, gold), n in self.confusion.items() if (ours in RIGHT) == (gold in RIGHT)
        )

    def to_json(self) -> dict[str, Any]:
        """Everything, ready for ``json.dumps``; the outer keys of the matrix are the judge's."""
        return {
            "n": self.n,
            "n_equal": self.n_equal,
            "kappa": self.kappa,
            "n_equally_right": self.n_equally_right,
            "kappa_right": self.kappa_right,
            "confusion": {
                ours: {gold: self.confusion.get((ours, gold), 0) for gold in VERDICTS}
                for ours in VERDICTS
            },
        }


def gold_agreement(
    judged: Iterable[Judged],
    predictions: Sequence[Prediction],
    examples: Sequence[Example | None],
    form: Form | None = None,
) -> GoldAgreement | None:
    """The agreement on all values of which gold says something; None if there are none.

    Args:
        judged: the judge's verdicts.
        predictions: the values that were judged.
        examples: the gold of each prediction, None where there is none.
        form: evens out values before they are compared with gold.
    """
    pairs: list[Pair] = []
    for each in judged:
        example = examples[each.row]
        if example is None or each.attribute not in example.gold:
            continue
        value = (predictions[each.row].data or {}).get(each.attribute)
        of_gold = VERDICT_OF_OUTCOME[outcome(example.gold[each.attribute], value, form)]
        pairs.append((each.verdict, of_gold))
    if not pairs:
        return None
    rights = [(str(ours in RIGHT), str(gold in RIGHT)) for ours, gold in pairs]
    return GoldAgreement(Counter(pairs), cohen_kappa(pairs), cohen_kappa(rights))
