"""The report as one file of HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hpd.evaluation.calibration import Calibration
from hpd.evaluation.report.documents import ReportedDocument
from hpd.evaluation.report.payload import attribute_slots, payload
from hpd.evaluation.report.summary import LOW_CONFIDENCE, summarize
from hpd.evaluation.scores import Evaluation
from hpd.pages.colors import color_classes
from hpd.pages.page import render_page

_TEMPLATE = Path(__file__).with_name("report.html")


@dataclass(frozen=True, slots=True)
class AgainstGold:
    """The scores and the calibration of a file of extractions."""

    evaluation: Evaluation
    calibration: Calibration | None
    """None if no confidences are known."""


def report_page(
    documents: Sequence[ReportedDocument],
    *,
    title: str,
    source: str,
    against_gold: AgainstGold | None = None,
    notices: Sequence[str] = (),
) -> str:
    """A self-contained page that shows some documents and what they add up to.

    Args:
        documents: what is shown.
        title: its heading.
        source: where the extractions are from, in small print.
        against_gold: scores and calibration, if there is gold.
        notices: what a reader should know before trusting the figures.
    """
    slots = attribute_slots(documents)
    return render_page(
        _TEMPLATE,
        data=payload(documents, slots, has_gold=against_gold is not None),
        title=title,
        source=source,
        summary=summarize(documents),
        against_gold=against_gold,
        notices=notices,
        low_confidence=LOW_CONFIDENCE,
        colors={name: color_classes(slot) for name, slot in slots.items()},
        has_categories=len({document.category for document in documents}) > 1,
    )
