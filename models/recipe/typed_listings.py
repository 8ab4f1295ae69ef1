"""Listings with types, as users ask about them: some attributes become enums, booleans or numbers.

They are for the calibration. Whether a choice is stated differs from one listing to the next, and a
box that decides its choices must tell by their confidence.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from typing import Any

from hpd.schema.attributes import Attribute, Schema
from recipe.examples import Example
from recipe.held_out import listings

N_KNOWN = 400
"""The listings whose values are the other choices."""

LONGEST = 24
"""The characters of the longest value that becomes a choice."""

CLAIMS = (
    *("waterproof", "wireless", "rechargeable", "foldable", "vegan", "dishwasher safe"),
    *("hypoallergenic", "made to order", "antibacterial", "machine washable"),
)
"""Claims that a boolean asks for, in the words of a listing."""

_MEASURE = re.compile(r"(?:[£$€]|USD |EUR |GBP )?(\d+(?:\.\d+)?)(?:[ -]?[A-Za-z\"' .]*)?")


@dataclass(frozen=True)
class Known:
    """The values that an attribute has in many listings."""

    values: Sequence[str]

    @property
    def is_measured(self) -> bool:
        """Whether most of them are a number with a unit."""
        return 2 * sum(_number(value) is not None for value in self.values) > len(self.values)


def typed_listings(rng: Random) -> Iterator[Example]:
    """Held-out listings, of whose attributes some are enums or numbers, with one choice more.

    A choice of an enum is the gold value, or else a value from other listings that this one does
    not hold; the choice more is one of those, or a boolean. What a listing does not state is null.
    """
    values: dict[str, set[str]] = defaultdict(set)
    for example in islice(listings(rng), N_KNOWN):
        for name, value in example.answers[0].items():
            if value and len(value) <= LONGEST:
                values[name].add(value)
    known = {name: Known(sorted(each)) for name, each in values.items() if len(each) > 4}
    for example in listings(rng):
        yield _typed(example, known, rng)


def _typed(example: Example, known: dict[str, Known], rng: Random) -> Example:
    text, gold = example.documents[0], dict(example.answers[0])
    attributes = list(example.schema)
    for place, attribute in enumerate(attributes):
        name = attribute.name
        if name not in known or rng.random() > 1 / 3:
            continue
        if known[name].is_measured:
            number = None if gold[name] is None else _number(gold[name])
            if number is not None or gold[name] is None:
                attributes[place] = Attribute(name, "number")
                gold[name] = number
        else:
            attributes[place] = _enum(name, gold[name], text, known, rng)
    if rng.random() < 1 / 2:
        name = rng.choice([name for name in known if name not in gold])
        attributes.append(_enum(name, None, text, known, rng))
        gold[name] = None
    else:
        claim = rng.choice(CLAIMS)
        if rng.random() < 1 / 2:
            text = f"{text}, {claim}"
        name = claim.replace(" ", "_")
        attributes.append(Attribute(name, "boolean"))
        gold[name] = True if claim in text else None
    return replace(example, schema=Schema(tuple(attributes)), documents=[text], answers=[gold])


def _enum(
    name: str, gold: str | None, text: str, known: dict[str, Known], rng: Random
) -> Attribute:
    """An enum with the gold value; a plain text if that is too long for a choice."""
    low = text.lower()
    others = [value for value in known[name].values if value.lower() not in low]
    choices = rng.sample(others, min(len(others), rng.randint(2, 4)))
    if len(choices) < 2 or len(gold or "") > LONGEST:
        return Attribute(name)
    if gold is not None:
        choices.insert(rng.randint(0, len(choices)), gold)
    return Attribute(name, "enum", choices=tuple(choices))


def _number(text: str) -> Any:
    found = _MEASURE.fullmatch(text)
    return float(found[1]) if found else None
