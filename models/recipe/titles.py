"""Titles of shops: brands of several words, model numbers, and words that only look like a value.

The titles of `recipe.listing` are made from categories; these are made from parts in any order,
with what misleads: a colour in a brand, what the goods fit, what they are used on.
"""

from __future__ import annotations

import re
from functools import cache
from random import Random
from typing import Any

from hpd.schema.attributes import Attribute, Schema
from recipe import lists, makeup
from recipe.examples import Example
from recipe.names import NAMES, restyle
from recipe.values import GENERATORS, fill
from recipe.vocab import CATEGORIES

_DECOYS = (
    "for {brand} {model_number}", "fits {brand} {line}", "compatible with {brand} {model_number}",
    "Replacement for {brand} {model_number}, {model_number2}", "works with {brand} and {brand2}",
    "for {material} and {material2} surfaces", "{material} Cleaner included", "for {color} hair",
    "with {color} gift box", "with {material} pouch", "for {gender} and kids gift",
    "not for {size} beds", "as seen in {city} stores", "with free {type2}",
    "(replaces {model_number})",
    "from {city}", "for {age} {type2}", "similar to {brand}", "{number} sold",
    "ships in {number} days",
    "Gold Series", "Silver Edition", "Black Friday Deal", "Orange Label", "Green Choice", "Red Dot",
    "Blue Line", "Rose Collection", "Best Seller 2024", "new 2023", "Top quality", "hot sale",
    "wholesale", "dropshipping", "free shipping", "gift idea", "limited", "brand new", "in stock",
)  # fmt: skip
_CITY = ("London", "New York", "Paris", "Tokyo", "Milan", "Chicago", "Berlin")
_LEAD = ("New", "2024 New", "Genuine", "Original", "Hot", "NEW!", "Sale:", "1pc", "Professional",
         "Authentic", "Premium", "Classic", "The", "Official")  # fmt: skip
_GENERAL = ("color", "material", "size", "gender", "pack", "country", "season", "feature", "age",
            "style", "pattern", "weight", "dimensions", "condition", "flavor", "scent", "volume",
            "count", "power", "voltage", "warranty", "upc", "price", "shape", "length")  # fmt: skip


@cache
def _goods() -> list[tuple[str, str]]:
    """A category's name and each of its types."""
    return [(c.name, entry) for c in CATEGORIES for entry in c.values.get("type", ())]


def _long_brand(rng: Random) -> str:
    if rng.random() < 0.45:
        return makeup.brand(rng)
    brand = " ".join(makeup.brand(rng) for _ in range(rng.choice((1, 1, 1, 2))))
    if len(brand.split()) < 2:
        brand += " " + rng.choice((makeup.name(rng), *makeup.CONTAINERS[:6], *lists.COLORS[:8]))
    return " ".join(brand.split()[:4])


def make_title(rng: Random) -> Example:
    """One title, what it states, and what it does not though it may look so."""
    while True:
        example = _make_title(rng)
        if example is not None:
            return example


def _make_title(rng: Random) -> Example | None:
    by_name = {c.name: c for c in CATEGORIES}
    category_name, entry = rng.choice(_goods())
    category = by_name[category_name]
    gold: dict[str, str] = {"type": fill(entry, rng)}
    if rng.random() < 0.75:
        gold["brand"] = _long_brand(rng)
    if rng.random() < 0.35:
        gold["model_number"] = makeup.model_number(rng)
    if rng.random() < 0.25 and "brand" in gold:
        gold["line"] = makeup.product_name(rng)
    own = [key for key in category.values if key not in gold and key != "item"]
    keys = rng.sample(own, min(len(own), rng.choice((0, 1, 1, 2, 2, 3, 4))))
    # What is not of the category is rare: no tea is made of steel, but some is sold in boxes.
    keys += [
        key
        for key in rng.sample(("color", "size", "pack", "net", "gender", "material"), 6)
        if rng.random() < (0.22 if key in category.values else 0.06) and key not in keys
    ]
    for key in keys:
        if key in gold or not (key in category.values or key in GENERATORS):
            continue
        entries = category.values.get(key)
        gold[key] = fill(rng.choice(entries), rng) if entries else GENERATORS[key](rng)
    text = _composed(gold, rng)
    kind = rng.random()
    change = str.upper if kind < 0.03 else str.lower if kind < 0.07 else str
    text = change(text)
    gold = {key: change(value) for key, value in gold.items()}
    for value in gold.values():
        # Each value stands once, on its own, so that nobody can take another for it.
        if len(re.findall(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE)) != 1:
            return None
    return _ask(text, gold, category, rng)


def _composed(gold: dict[str, str], rng: Random) -> str:
    front = [gold[key] for key in ("brand", "line", "model_number") if key in gold]
    if "line" in gold:
        front[0] += rng.choice((",", " -", ":", "\u2122", "\u00ae"))
    if "model_number" in gold and rng.random() < 0.4:
        front.remove(gold["model_number"])
    late = [] if "model_number" not in gold or gold["model_number"] in front else [
        rng.choice(("{}", "{}", "({})", "Model {}", "No. {}", "Item {}")).format(
            gold["model_number"])]  # fmt: skip
    rest = [value for key, value in gold.items()
            if key not in ("brand", "line", "model_number", "type")]  # fmt: skip
    rng.shuffle(rest)
    cut = rng.randint(0, min(2, len(rest)))
    before, after = rest[:cut], rest[cut:] + late
    rng.shuffle(after)
    decoys = [_decoy(rng) for _ in range(rng.choice((0, 0, 1, 1, 2)))]
    for one in decoys:
        after.insert(rng.randint(0, len(after)), one)
    joint = rng.choice((", ", ", ", " - ", " ", " ", " | ", "; "))
    if "brand" in gold and rng.random() < 0.15:
        # The brand stands behind.
        front = front[1:]
        after.append(rng.choice(("by {}", "by {}", "from {}", "{}", "- {}")).format(gold["brand"]))
    if front and before and rng.random() < 0.2:
        head = " ".join([*before, *front, gold["type"]])
    else:
        # Without a mark nobody can tell where a brand that ends with a colour ends.
        words_follow = bool(before) and before[0][:1].isalpha() and _ends_with_color(front)
        mark = rng.choice((", ", " - ") if words_follow else (" ", " ", " ", " - ", ", "))
        mark = mark if front else ""
        head = " ".join(front) + mark + " ".join([*before, gold["type"]])
    if rng.random() < 0.12:
        head = f"{rng.choice(_LEAD)} {head}"
    return (head + joint + joint.join(after)) if after else head


def _ends_with_color(front: list[str]) -> bool:
    return any(front[-1].endswith(color) for color in lists.COLORS) if front else False


def _decoy(rng: Random) -> str:
    made = {
        "brand": makeup.brand, "brand2": makeup.brand, "line": makeup.product_name,
        "model_number": makeup.model_number, "model_number2": makeup.model_number,
    }  # fmt: skip
    values: dict[str, str] = {key: make(rng) for key, make in made.items()}
    values |= {
        "material": rng.choice(lists.MATERIALS), "material2": rng.choice(lists.MATERIALS),
        "color": rng.choice(lists.COLORS), "gender": rng.choice(("women", "men", "girls")),
        "size": rng.choice(("Queen", "King", "Twin")), "city": rng.choice(_CITY),
        "age": rng.choice(("toddler", "adult", "senior")),
        "type2": rng.choice(("cleaning cloth", "spare bag", "manual", "sticker", "cable")),
        "number": str(rng.randint(2, 900)),
    }  # fmt: skip
    return rng.choice(_DECOYS).format(**values)


def _name(category: Any, key: str, rng: Random) -> str:
    own = category.names.get(key, ())
    if own and rng.random() < 0.5:
        return str(rng.choice(own))
    return rng.choice(NAMES.get(key, own or (key.replace("_", " ").capitalize(),)))


def _ask(text: str, gold: dict[str, str], category: Any, rng: Random) -> Example | None:
    keys = [key for key in gold if rng.random() < 0.85]
    for key in ("brand", "model_number"):
        # What looks present is asked for more often than anything else.
        if key not in gold and rng.random() < 0.5 and not (key == "brand" and "line" in gold):
            keys.append(key)
    low = text.lower()
    pool = [key for key in (*category.values, *_GENERAL) if key not in gold]
    for key in rng.sample(pool, min(len(pool), rng.choice((1, 2, 3, 4, 6)))):
        values = category.values.get(key, ())
        shown = any(len(v) > 2 and "@" not in v and v.lower() in low for v in values)
        # Whether a decoy states a colour nobody can tell, unless a brand's or a deal's name has it.
        if not shown and key not in keys and not _confusable(key, gold):
            keys.append(key)
    rng.shuffle(keys)
    style = rng.random() if rng.random() < 0.35 else None
    attributes, answer = [], {}
    taken = {name.lower() for key in gold for name in (*NAMES.get(key, ()),
                                                       *category.names.get(key, ()))}  # fmt: skip
    for key in keys:
        name = _name(category, key, rng)
        if key not in gold and name.lower() in taken:
            continue
        name = name if style is None else restyle(name, Random(style))
        if name in answer:
            continue
        attributes.append(Attribute(name))
        answer[name] = gold.get(key)
    if not attributes:
        return None
    return Example(Schema(tuple(attributes)), [text], [answer])


_ALIKE = (
    {"size", "dimensions", "length", "width", "height", "depth", "clothes_size", "shoe_size",
     "capacity", "net", "weight", "volume", "storage"},
    {"pack", "count", "pieces", "sheets", "net", "supply", "loads", "n"},
    {"feature", "claim", "benefit", "style", "form", "finish", "closure", "uses", "use", "sport",
     "theme", "item", "variety", "diet", "compat", "key_ingredient", "hair", "skin", "machine"},
    {"flavor", "scent", "variety", "key_ingredient"},
    {"gender", "age"}, {"color", "finish", "material", "pattern"},
    {"line", "model_name", "model_number", "brand", "seller"},
)  # fmt: skip


def _confusable(key: str, gold: dict[str, str]) -> bool:
    return any(key in group and group & gold.keys() for group in _ALIKE)
