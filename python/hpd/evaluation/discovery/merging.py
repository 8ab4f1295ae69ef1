"""Proposals for several samples, merged to the attributes of one schema.

Proposals of near duplicates are joined: names of the same words, in whatever order, case or number;
names that differ by a letter or two; and names of which one holds the other's words, if at least
half of their typical values are the same. The more samples an attribute was proposed for, the
higher it stands; then it counts how early the model named it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from rapidfuzz import fuzz

from hpd.errors import SchemaError
from hpd.evaluation.discovery.proposals import N_VALUES, Proposal
from hpd.schema import check
from hpd.schema.attributes import Attribute, Schema, Type

_T = TypeVar("_T")

_SIMILAR = 90
"""The similarity of names, in percent, from which on they are spellings of one: that of Color and
Colour is 91, that of Brand and Band 89."""

_N_PLURAL = 3
"""Words that are longer lose a final s."""


@dataclass(slots=True)
class Cluster:
    """Proposals for the same attribute."""

    proposals: list[Proposal] = field(default_factory=list)
    samples: set[int] = field(default_factory=set)
    """The samples that it was proposed for."""
    places: list[int] = field(default_factory=list)
    """The place of each proposal among those of its sample, from 0."""

    @property
    def rank(self) -> tuple[float, float]:
        """The smaller, the higher the attribute stands."""
        return -len(self.samples), sum(self.places) / len(self.places)


def merged_schema(samples: Sequence[Iterable[Proposal]], k: int, title: str = "") -> Schema:
    """The ``k`` attributes that stand highest; one with a name that no schema can have is left out.

    Args:
        samples: the proposals for each sample.
        k: the most attributes.
        title: the schema's, such as the category.
    """
    attributes: list[Attribute] = []
    for cluster in sorted(clusters(samples), key=lambda cluster: cluster.rank):
        attribute = _attribute(cluster.proposals)
        try:
            check(Schema((*attributes, attribute)))
        except SchemaError:
            continue
        attributes.append(attribute)
    return Schema(tuple(attributes[:k]), title)


def clusters(samples: Sequence[Iterable[Proposal]]) -> list[Cluster]:
    """The proposals, those for the same attribute together, in order of appearance."""
    joined: list[Cluster] = []
    for number, proposals in enumerate(samples):
        for place, proposal in enumerate(proposals):
            own = next(
                (each for each in joined if _are_alike(each.proposals[0], proposal)), Cluster()
            )
            if not own.proposals:
                joined.append(own)
            own.proposals.append(proposal)
            own.samples.add(number)
            own.places.append(place)
    return joined


def _are_alike(one: Proposal, other: Proposal) -> bool:
    ours, theirs = _words(one.name), _words(other.name)
    if fuzz.ratio(" ".join(sorted(ours)), " ".join(sorted(theirs))) >= _SIMILAR:
        return True
    if not (ours <= theirs or theirs <= ours):
        return False
    our_values, their_values = (_folded(each.values) for each in (one, other))
    n_fewer = min(len(our_values), len(their_values))
    return n_fewer > 0 and 2 * len(our_values & their_values) >= n_fewer


def _words(name: str) -> frozenset[str]:
    words = re.findall(r"\w+", name.casefold())
    return frozenset(
        word[:-1] if len(word) > _N_PLURAL and word.endswith("s") else word for word in words
    )


def _folded(values: Iterable[str]) -> frozenset[str]:
    return frozenset(value.casefold() for value in values)


def _attribute(proposals: Sequence[Proposal]) -> Attribute:
    """The attribute of a cluster: what most of its proposals say, or else the first."""
    name = _most_frequent(proposal.name for proposal in proposals)
    descriptions = [proposal.description for proposal in proposals if proposal.description]
    spelling: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for value in (value for proposal in proposals for value in proposal.values):
        spelling.setdefault(value.casefold(), value)
        counts[value.casefold()] += 1
    values = tuple(spelling[folded] for folded, _ in counts.most_common(N_VALUES))
    kind = _most_frequent(proposal.type for proposal in proposals)
    return Attribute(
        name,
        kind if _fits(kind, values) else "string",
        description=descriptions[0] if descriptions else "",
        examples=values,
    )


def _fits(kind: Type, values: Iterable[str]) -> bool:
    """Whether the typical values are of a type: numbers with units are not."""
    patterns = {"integer": r"[-+]?\d+", "number": r"[-+]?\d+(\.\d+)?", "date": r"\d{4}-\d\d-\d\d"}
    pattern = patterns.get(kind)
    return pattern is None or all(re.fullmatch(pattern, value) for value in values)


def _most_frequent(items: Iterable[_T]) -> _T:
    return Counter(items).most_common(1)[0][0]
