"""Attributes of a category, proposed by a model that reads its documents (paper, figure 10)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from statistics import mean, mode
from typing import Any, Final

from rapidfuzz import fuzz

from hpd.documents import Document
from hpd.errors import SchemaError
from hpd.schema import check
from hpd.schema.attributes import Attribute, Schema, Type
from hpd.show.page import render_text


@dataclass(frozen=True, slots=True)
class Sample:
    """Documents of one category, shown to the model together."""

    category: str
    texts: tuple[str, ...]


def draw_samples(
    records: Iterable[Document], *, n_samples: int, size: int, seed: int = 0
) -> Iterator[Sample]:
    """Yield the samples of each category, in order of appearance.

    Documents are drawn without replacement, in one pass; a category with fewer than
    ``n_samples * size`` documents has fewer samples, and the last may be smaller.

    Raises ``InputError`` if a record cannot be read.
    """
    # Reservoir sampling (algorithm R).
    chance = Random(seed)
    drawn: dict[str, list[str]] = {}
    n_seen: Counter[str] = Counter()
    for record in records:
        if record.error is not None:
            raise record.error
        category = record.category or ""
        texts = drawn.setdefault(category, [])
        n_seen[category] += 1
        if len(texts) < n_samples * size:
            texts.append(record.text)
            continue
        slot = chance.randrange(n_seen[category])
        if slot < n_samples * size:
            texts[slot] = record.text
    for category, texts in drawn.items():
        chance.shuffle(texts)
        for start in range(0, len(texts), size):
            yield Sample(category, tuple(texts[start : start + size]))


_TEMPLATES = Path(__file__).parent / "templates"

N_CHARACTERS = 2000
"""Characters shown of a document: attributes are usually stated early."""

N_VALUES = 6

TYPE_OF_WORDS: Final[Mapping[str, Type]] = {
    "text": "string",
    "whole number": "integer",
    "number": "number",
    "yes or no": "boolean",
    "date": "date",
}
"""Common words for types."""

_PATTERNS = {"integer": r"[-+]?\d+", "number": r"[-+]?\d+(\.\d+)?", "date": r"\d{4}-\d\d-\d\d"}
"""What typical values of a type look like; numbers with units are not numbers."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """An attribute proposed for one sample."""

    name: str
    description: str = ""
    type: Type = "string"
    values: tuple[str, ...] = ()


def proposal_prompt(k: int) -> str:
    """Return the system prompt, for at most ``k`` attributes."""
    return render_text(_TEMPLATES / "discover_rules.jinja", k=k)


def proposal_schema(k: int) -> Schema:
    """Return the schema of an answer: a list of at most ``k`` attributes."""
    part = partial(Attribute, nullable=False, required=True, forbids_null=True)
    parts = (
        part("name"),
        part("description"),
        part("type", "enum", choices=tuple(TYPE_OF_WORDS)),
        part("values", "array", item=part("value"), min_items=1, max_items=N_VALUES),
    )
    proposal = part("attribute", "object", attributes=parts)
    return Schema((part("attributes", "array", item=proposal, min_items=1, max_items=k),))


def sample_text(sample: Sample) -> str:
    """Return the numbered documents of a sample."""
    texts = [text[:N_CHARACTERS] for text in sample.texts]
    return render_text(_TEMPLATES / "discover_sample.jinja", texts=texts).rstrip("\n")


def read_proposals(data: Mapping[str, Any] | None) -> Iterator[Proposal]:
    """Yield the proposals in an answer that have a name."""
    for each in (data or {}).get("attributes") or []:
        name = " ".join(str((each or {}).get("name") or "").split())
        if not name:
            continue
        values = [" ".join(str(value).split()) for value in each.get("values") or []]
        yield Proposal(
            name,
            str(each.get("description") or "").strip(),
            TYPE_OF_WORDS.get(str(each.get("type")), "string"),
            tuple(value for value in values if value),
        )


_SAME_NAME_RATIO = 90
"""Similarity, in percent, from which two names count as spellings of the same one: Color and Colour
have 91, Brand and Band 89."""

RankedProposal = tuple[Proposal, int, int]
"""A proposal, its sample, and its rank there."""


def merged_schema(samples: Sequence[Iterable[Proposal]], k: int, title: str = "") -> Schema:
    """Return a schema of the ``k`` best attributes, without those whose names cannot be used."""
    attributes: list[Attribute] = []
    # Attributes of more samples come first, then those named earlier.
    for cluster in sorted(
        cluster_proposals(samples),
        key=lambda own: (-len({sample for _, sample, _ in own}), mean(rank for *_, rank in own)),
    ):
        attribute = _merge_cluster([proposal for proposal, *_ in cluster])
        try:
            check(Schema((*attributes, attribute)))
        except SchemaError:
            continue
        attributes.append(attribute)
    return Schema(tuple(attributes[:k]), title)


def cluster_proposals(samples: Sequence[Iterable[Proposal]]) -> list[list[RankedProposal]]:
    """Cluster proposals for the same attribute, in order of appearance."""
    joined: list[list[RankedProposal]] = []
    for sample, proposals in enumerate(samples):
        for rank, proposal in enumerate(proposals):
            cluster = next((each for each in joined if _are_alike(each[0][0], proposal)), None)
            if cluster is None:
                joined.append(cluster := [])
            cluster.append((proposal, sample, rank))
    return joined


def _are_alike(one: Proposal, other: Proposal) -> bool:
    ours, theirs = _name_words(one.name), _name_words(other.name)
    if fuzz.ratio(" ".join(sorted(ours)), " ".join(sorted(theirs))) >= _SAME_NAME_RATIO:
        return True
    if not (ours <= theirs or theirs <= ours):
        return False
    our_values, their_values = ({v.casefold() for v in each.values} for each in (one, other))
    n_fewer = min(len(our_values), len(their_values))
    return n_fewer > 0 and 2 * len(our_values & their_values) >= n_fewer


def _name_words(name: str) -> frozenset[str]:
    # Words of more than three letters lose a final s.
    return frozenset(re.findall(r"\w+", re.sub(r"(?<=\w{3})s\b", "", name.casefold())))


def _merge_cluster(proposals: Sequence[Proposal]) -> Attribute:
    """Return a cluster's attribute, with its most frequent name, type and values."""
    every = [value for proposal in proposals for value in proposal.values]
    spelling = {value.casefold(): value for value in reversed(every)}
    frequent = Counter(value.casefold() for value in every).most_common(N_VALUES)
    values = tuple(spelling[folded] for folded, _ in frequent)
    kind = mode(proposal.type for proposal in proposals)
    pattern = _PATTERNS.get(kind, r"[\s\S]*")
    return Attribute(
        mode(proposal.name for proposal in proposals),
        kind if all(re.fullmatch(pattern, value) for value in values) else "string",
        description=next((each.description for each in proposals if each.description), ""),
        examples=values,
    )
