"""The question to a model for attributes, and the proposals that it answers with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hpd.evaluation.discovery.samples import Sample
from hpd.prompt.templates import render_text
from hpd.schema.attributes import Attribute, Schema, Type

_FOLDER = Path(__file__).parent

N_CHARACTERS = 2000
"""The part of a long document that is shown: attributes are stated early."""

N_VALUES = 6
"""Typical values of one attribute, at most."""

TYPES: Final[Mapping[str, Type]] = {
    "text": "string",
    "whole number": "integer",
    "number": "number",
    "yes or no": "boolean",
    "date": "date",
}
"""The words for types, which any model knows."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """One attribute that was proposed for one sample."""

    name: str
    description: str = ""
    type: Type = "string"
    values: tuple[str, ...] = ()


def proposal_rules(k: int) -> str:
    """The system's text: the task, for ``k`` attributes at most."""
    return render_text(_FOLDER / "rules.jinja", k=k)


def proposal_schema(k: int) -> Schema:
    """The schema of an answer: one list of ``k`` attributes at most."""
    proposal = Attribute(
        "attribute",
        "object",
        nullable=False,
        required=True,
        always_answered=True,
        attributes=(
            _part("name"),
            _part("description"),
            _part("type", "enum", choices=tuple(TYPES)),
            _part("values", "array", item=_part("value"), min_items=1, max_items=N_VALUES),
        ),
    )
    return Schema((_part("attributes", "array", item=proposal, min_items=1, max_items=k),))


def sample_text(sample: Sample) -> str:
    """The documents of a sample, numbered."""
    texts = [text[:N_CHARACTERS] for text in sample.texts]
    return render_text(_FOLDER / "sample.jinja", texts=texts).rstrip("\n")


def read_proposals(data: Mapping[str, Any] | None) -> Iterator[Proposal]:
    """The proposals in an answer; what has no name is passed over."""
    for each in (data or {}).get("attributes") or []:
        name = " ".join(str((each or {}).get("name") or "").split())
        if not name:
            continue
        values = [" ".join(str(value).split()) for value in each.get("values") or []]
        yield Proposal(
            name,
            str(each.get("description") or "").strip(),
            TYPES.get(str(each.get("type")), "string"),
            tuple(value for value in values if value),
        )


def _part(name: str, type: Type = "string", **more: Any) -> Attribute:  # noqa: A002
    return Attribute(name, type, nullable=False, required=True, always_answered=True, **more)
