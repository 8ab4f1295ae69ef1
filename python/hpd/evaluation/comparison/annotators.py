"""The agreement of annotators: Cohen's kappa for two of them, Krippendorff's alpha for more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Literal

from hpd.evaluation.comparison.judgements import Judgement, Verdict, latest
from hpd.evaluation.kappa import cohen_kappa, krippendorff_alpha

Measure = Literal["Cohen's kappa", "Krippendorff's alpha"]


@dataclass(frozen=True, slots=True)
class AnnotatorAgreement:
    """The agreement of all annotators on what two or more of them judged."""

    measure: Measure
    value: float | None
    """None where it is not defined: every verdict is the same one."""
    raw: float
    """The share of pairs of verdicts on the same thing that are equal."""
    n_shared: int
    """Documents, each with its pair of systems, that two annotators or more judged."""
    n_annotators: int

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        return asdict(self)


def annotator_agreement(
    judgements: Iterable[Judgement], systems: Sequence[str]
) -> AnnotatorAgreement | None:
    """The agreement of those who judged; None if no two judged the same."""
    verdicts: dict[tuple[str, frozenset[str]], dict[str, Verdict]] = {}
    for each in latest(judgements):
        if each.left in systems and each.right in systems:
            first = min((each.left, each.right), key=systems.index)
            item = verdicts.setdefault(each.about[1:], {})
            item[each.annotator] = each.verdict_on(first)
    shared = [item for item in verdicts.values() if len(item) >= 2]
    if not shared:
        return None
    annotators = sorted({name for item in shared for name in item})
    pairs = [pair for item in shared for pair in combinations(item.values(), 2)]
    raw = sum(one == other for one, other in pairs) / len(pairs)
    if len(annotators) == 2:
        one, other = annotators
        value = cohen_kappa([(item[one], item[other]) for item in shared])
        return AnnotatorAgreement("Cohen's kappa", value, raw, len(shared), 2)
    value = krippendorff_alpha([list(item.values()) for item in shared])
    return AnnotatorAgreement("Krippendorff's alpha", value, raw, len(shared), len(annotators))
