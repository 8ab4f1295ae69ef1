"""Attributes of a category, proposed by a model that sees its documents (paper, figure 10)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final, TypeVar

from rapidfuzz import fuzz

from hpd.errors import SchemaError
from hpd.files.reader import Record
from hpd.schema import check
from hpd.schema.attributes import Attribute, Schema, Type
from hpd.show.page import render_text


@dataclass(frozen=True, slots=True)
class Sample:
    """Documents of one category that are shown to the model together."""

    category: str
    texts: tuple[str, ...]


def draw_samples(
    records: Iterable[Record], *, n_samples: int, size: int, seed: int = 0
) -> Iterator[Sample]:
    """The samples of each category, in the order in which the categories appear.

    Documents are drawn without replacement, in one pass; a category with fewer than
    ``n_samples * size`` of them has fewer samples, and the last one may be smaller.

    Raises:
        InputError: a record cannot be read.
    """
    for category, texts in _drawn(records, n_samples * size, Random(seed)).items():
        for start in range(0, len(texts), size):
            yield Sample(category, tuple(texts[start : start + size]))


def _drawn(records: Iterable[Record], n: int, chance: Random) -> Mapping[str, list[str]]:
    """So many texts of each category at most: reservoirs (Vitter's algorithm R), then shuffled."""
    reservoirs: dict[str, list[str]] = {}
    n_seen: dict[str, int] = {}
    for record in records:
        if record.error is not None:
            raise record.error
        category = record.category or ""
        texts = reservoirs.setdefault(category, [])
        n_seen[category] = n_seen.get(category, 0) + 1
        if len(texts) < n:
            texts.append(record.text)
            continue
        slot = chance.randrange(n_seen[category])
        if slot < n:
            texts[slot] = record.text
    for texts in reservoirs.values():
        chance.shuffle(texts)
    return reservoirs


_TEMPLATES = Path(__file__).parent / "templates"

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


def proposal_prompt(k: int) -> str:
    """The system's text: the task, for ``k`` attributes at most."""
    return render_text(_TEMPLATES / "discover_rules.jinja", k=k)


def proposal_schema(k: int) -> Schema:
    """The schema of an answer: one list of ``k`` attributes at most."""
    proposal = Attribute(
        "attribute",
        "object",
        nullable=False,
        required=True,
        forbids_null=True,
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
    return render_text(_TEMPLATES / "discover_sample.jinja", texts=texts).rstrip("\n")


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
    return Attribute(name, type, nullable=False, required=True, forbids_null=True, **more)


_T = TypeVar("_T")

_SAME_NAME_RATIO = 90
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
    positions: list[int] = field(default_factory=list)
    """The rank of each proposal in its sample, from 0."""

    @property
    def rank(self) -> tuple[float, float]:
        """The smaller, the higher the attribute stands."""
        return -len(self.samples), sum(self.positions) / len(self.positions)


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
        for index, proposal in enumerate(proposals):
            own = next(
                (each for each in joined if _are_alike(each.proposals[0], proposal)), Cluster()
            )
            if not own.proposals:
                joined.append(own)
            own.proposals.append(proposal)
            own.samples.add(number)
            own.positions.append(index)
    return joined


def _are_alike(one: Proposal, other: Proposal) -> bool:
    ours, theirs = _words(one.name), _words(other.name)
    if fuzz.ratio(" ".join(sorted(ours)), " ".join(sorted(theirs))) >= _SAME_NAME_RATIO:
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
