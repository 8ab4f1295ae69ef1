"""Examples: a schema, documents, and the right answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Any

from hpd.schema.attributes import Attribute, Schema
from recipe.category import Category
from recipe.forms import make_form
from recipe.listing import Listing
from recipe.lists import COLORS
from recipe.names import CONFUSABLE, DESCRIPTIONS, NAMES, restyle
from recipe.values import GENERATORS, value

_EVERYWHERE = (
    "brand",
    "model_number",
    "upc",
    "warranty",
    "price",
    "pack",
    "color",
    "material",
    "size",
    "weight",
    "country",
    "gender",
    "age",
    "voltage",
    "line",
    "net",
    "dimensions",
    "condition",
    "flavor",
    "scent",
    "season",
    "count",
)


@dataclass
class Example:
    """Documents, the schema to fill in for them, and the right answers."""

    schema: Schema
    documents: list[str]
    answers: list[dict[str, Any]]


def from_form(rng: Random) -> Example:
    """A form, and questions about some of its lines."""
    form = make_form(rng)
    order = list(range(len(form.attributes)))
    if rng.random() < 0.5:
        rng.shuffle(order)
    order = order[: rng.randint(min(3, len(order)), len(order))]
    attributes, answer = [], {}
    for index in order:
        attribute = form.attributes[index]
        if attribute.name in answer:
            continue
        attributes.append(attribute)
        gold = form.answer[index]
        answer[attribute.name] = [] if attribute.type == "array" and gold is None else gold
    return Example(Schema(tuple(attributes)), [form.text], [answer])


def from_listing(listing: Listing, rng: Random) -> Example:
    """A listing, and questions about what it states and what it does not."""
    category = listing.category
    # Often much of a listing is not asked for, and must be told apart from the rest.
    asked = rng.choice((0.95, 0.95, 0.6))
    keys = [key for key in listing.gold if rng.random() < asked]
    n_absent = rng.randint(1, max(9 if listing.kind == "soup" else 4, int(1.9 * len(keys))))
    keys += _absent(listing, rng, n_absent)
    unclear = listing.unclear(keys)
    keys = [key for key in keys if key not in unclear]
    rng.shuffle(keys)
    attributes: dict[str, Attribute] = {}
    answer: dict[str, Any] = {}
    styled = rng.random() < 0.4
    style_seed = rng.random()
    described = rng.random() < 0.15
    for key in keys:
        name = _clear_name(category, key, listing, rng)
        if name is None:
            continue
        if styled:
            name = restyle(name, Random(style_seed))
        if name in attributes:
            continue
        attribute, gold = _typed(name, key, listing.gold.get(key), rng)
        if described and key in DESCRIPTIONS and rng.random() < 0.5:
            attribute = replace(attribute, description=rng.choice(DESCRIPTIONS[key]))
        if (
            rng.random() < 0.01
            and (key in category.values or key in GENERATORS)
            and attribute.type == "string"
        ):
            attribute = replace(
                attribute, examples=tuple(value(category, key, rng) for _ in range(2))
            )
        attributes[name], answer[name] = attribute, gold
    names = list(attributes)
    if rng.random() < 0.4:
        names.sort()
    return Example(
        Schema(tuple(attributes[name] for name in names)),
        [listing.text],
        [{name: answer[name] for name in names}],
    )


def _name(category: Category, key: str, rng: Random) -> str:
    own = category.names.get(key, ())
    if key == "type" and not own and rng.random() < 0.25:
        return f"{category.name.split(' & ')[0].rstrip('s')} type"
    if own and rng.random() < 0.7:
        return rng.choice(own)
    return rng.choice(NAMES.get(key, own or (key.replace("_", " ").capitalize(),)))


def _clear_name(category: Category, key: str, listing: Listing, rng: Random) -> str | None:
    """A name for a key that cannot also mean something else in the listing."""
    others = {
        name.lower() for other in listing.gold if other != key for name in _names(category, other)
    }
    for _ in range(4):
        name = _name(category, key, rng)
        if name.lower() not in others:
            return name
    return None


def _names(category: Category, key: str) -> tuple[str, ...]:
    return (*NAMES.get(key, ()), *category.names.get(key, ()))


def _absent(listing: Listing, rng: Random, n_wanted: int) -> list[str]:
    """Keys that the listing does not state, most of them of its own category."""
    present = set(listing.gold)
    taken = {name.lower() for key in present for name in _names(listing.category, key)}
    candidates = [key for key in listing.category.values if key not in present]
    rng.shuffle(candidates)
    others = rng.sample(_EVERYWHERE, 8)
    keys: list[str] = []
    for key in [*candidates[: max(1, int(n_wanted * 0.8))], *others]:
        names = _names(listing.category, key)
        if len(keys) >= n_wanted:
            break
        if key in present or key in keys or any(name.lower() in taken for name in names):
            continue
        if any(key in group and present & group for group in CONFUSABLE):
            continue
        keys.append(key)
    return keys


def _typed(name: str, key: str, gold: str | None, rng: Random) -> tuple[Attribute, Any]:
    """An attribute and its value: mostly plain text, now and then a number, a list or a choice."""
    if key in ("pack", "count", "pieces", "sheets") and rng.random() < 0.05:
        digits = "".join(char for char in gold or "" if char.isdigit())
        if gold is None or digits:
            return Attribute(name, "integer"), int(digits) if gold else None
    if key == "color" and rng.random() < 0.08:
        if gold is not None and rng.random() < 0.6:
            parts = [
                part.strip() for part in gold.replace(" and ", "/").replace(" & ", "/").split("/")
            ]
            return Attribute(name, "array", item=Attribute("item")), parts
        if gold is None or gold in COLORS:
            choices = {*rng.sample(COLORS, rng.randint(2, 6)), *([gold] if gold else [])}
            return Attribute(name, "enum", choices=tuple(sorted(choices))), gold
    if key in ("gender", "waterproof") and rng.random() < 0.08:
        if key == "waterproof":
            return Attribute(name, "boolean"), None if gold is None else True
        lowered = (gold or "").lower()
        for word, choice in (
            ("women", "women"),
            ("lad", "women"),
            ("female", "women"),
            ("woman", "women"),
            ("girl", "girls"),
            ("boy", "boys"),
            ("unisex", "unisex"),
            ("men", "men"),
            ("male", "men"),
            ("man", "men"),
        ):
            if word in lowered or gold is None:
                return Attribute(
                    name, "enum", choices=("men", "women", "boys", "girls", "unisex")
                ), choice if gold else None
    return Attribute(name), gold
