"""Lists: how many there are, which one is the n-th, and that there is none at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from hpd.schema.attributes import Attribute, Schema
from recipe import lists, makeup
from recipe.examples import Example
from recipe.facts import World
from recipe.forms import common
from recipe.lists import words
from recipe.names import restyle


@dataclass(frozen=True)
class _Sort:
    """A sort of thing that texts list: how one is made, what it is called, how a list begins."""

    make: Callable[[Random], str]
    names: tuple[str, ...]
    leads: tuple[str, ...]
    none: tuple[str, ...]


def _sort(make: Callable[[Random], str], names: str, leads: str, none: str) -> _Sort:
    return _Sort(make, tuple(names.split("|")), tuple(leads.split("|")), tuple(none.split("|")))


_STEPS = tuple(
    f"{verb} {what}"
    for verb in ("check", "clean", "remove", "open", "close", "label", "weigh", "order", "replace")
    for what in ("the lid", "the filter", "the cable", "both valves", "the door", "all samples",
                 "the old parts", "the shelf", "the tank", "the forms")
)  # fmt: skip
_FOODS = words(
    """flour|sugar|butter|eggs|milk|salt|yeast|olive oil|onions|garlic|tomatoes|rice|lentils|
    carrots|celery|basil|cream|cheddar|lemons|honey|walnuts|cinnamon|black pepper|soy sauce|
    chickpeas|spinach|potatoes|mushrooms|bacon|chicken thighs|coconut milk|ginger|parsley|oats|
    raisins"""
)
_SORTS = {
    "people": _sort(common.person, "attendees|participants|names|people|guests|team members",
                    "Attendees|Present|Participants|Guests so far|On the team|Members present",
                    "Nobody came.|No attendees.|Guests: none"),
    "items": _sort(lambda rng: common.items(rng, 1)[0],
                   "items|things to buy|products|shopping list|articles|equipment",
                   "To buy|Please order|Shopping|We need|Packing list|Missing",
                   "Nothing to buy.|Items: -|The list is empty."),
    "foods": _sort(lambda rng: rng.choice(_FOODS), "ingredients|ingredient list|what goes in",
                   "Ingredients|You need|For the dough|Mix", "No ingredients given."),
    "steps": _sort(lambda rng: rng.choice(_STEPS), "steps|tasks|to do|action items|todos|actions",
                   "Steps|To do|Actions|Next|Procedure|Before you leave",
                   "No action items.|Nothing to do.|Actions: none"),
    "cities": _sort(lambda rng: common.city(rng), "cities|stops|places visited|destinations|route",
                    "Route|Stops|We went to|Offices in|Tour dates in", "No stops on the way."),
    "skills": _sort(lambda rng: rng.choice(common.SKILLS), "skills|requirements|abilities|knows",
                    "Skills|Requirements|You bring|Good at", "No special skills needed."),
    "emails": _sort(lambda rng: str(World(rng).email()), "emails|recipients|email addresses|cc",
                    "To|Cc|Send to|Recipients", "No recipients."),
    "colors": _sort(lambda rng: rng.choice(lists.COLORS).lower(), "colors|colours|available colors",
                    "Colours|Comes in|Available in|Shades", "One colour only, see picture."),
    "codes": _sort(makeup.model_number, "part numbers|codes|serial numbers|models|article numbers",
                   "Parts|Affected models|Codes|Serials", "No parts were replaced."),
    "companies": _sort(common.company, "companies|suppliers|vendors|bidders|clients",
                       "Bidders|Suppliers|Our clients|Quotes from", "No bids came in."),
    "phones": _sort(common.phone, "phone numbers|numbers|phones", "Call|Phone|Numbers",
                    "No phone."),
}  # fmt: skip
_TALK = (
    "See below.", "Updated this morning.", "More to follow.", "The meeting took an hour.",
    "Please check.", "As agreed on the phone.", "Draft, not final.", "Room 4 was too warm.",
    "Thanks to all.", "Notes by the front desk.", "This replaces the old list.",
)  # fmt: skip
_COUNTED = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def make_list(rng: Random) -> Example:
    """A text with a list or two, and the questions for them and for lists that are not there."""
    keys = rng.sample(list(_SORTS), rng.choice((1, 1, 2, 2, 3)))
    with_counts = rng.random() < 0.3
    blocks, found = [], {}
    for key in keys:
        n = rng.choice((0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, rng.randint(1, 12)))
        values: dict[str, None] = {}
        while len(values) < n:
            values[_SORTS[key].make(rng)] = None
        counted = with_counts and key in ("items", "codes", "foods") and n > 0
        found[key] = [(value, rng.randint(1, 40) if counted else None) for value in values]
        blocks.append(_written(_SORTS[key], found[key], rng))
    for _ in range(rng.choice((0, 0, 1, 2))):
        blocks.insert(rng.randint(0, len(blocks)), rng.choice(_TALK))
    text = rng.choice(("\n", "\n\n", "\n")).join(block for block in blocks if block)
    if not text:
        text = rng.choice(_TALK)
    absent = rng.sample([key for key in _SORTS if key not in keys], rng.choice((0, 0, 1, 2)))
    asked = [*keys, *absent]
    rng.shuffle(asked)
    style = rng.random() if rng.random() < 0.5 else None
    attributes: list[Attribute] = []
    answer: dict[str, Any] = {}
    for key in asked:
        name = rng.choice(_SORTS[key].names)
        name = name if style is None else restyle(name, Random(style))
        values_of = found.get(key, [])
        if name in answer:
            continue
        if values_of and values_of[0][1] is not None and rng.random() < 0.8:
            one, number = rng.choice((("name", "quantity"), ("item", "qty"), ("what", "count")))
            item = Attribute("item", "object", attributes=(
                Attribute(one), Attribute(number, "integer")))  # fmt: skip
            answer[name] = [{one: value, number: count} for value, count in values_of]
        else:
            item = Attribute("item")
            answer[name] = [value for value, _ in values_of]
        attributes.append(Attribute(name, "array", item=item))
        if key in found and rng.random() < 0.15:
            which = rng.choice(("first", "second", "third", "last"))
            place = {"first": 0, "second": 1, "third": 2, "last": -1}[which]
            values_only = [value for value, _ in values_of]
            in_reach = values_only and (place < len(values_only))
            for_one = f"{which} of {name}"
            attributes.append(Attribute(for_one))
            answer[for_one] = values_only[place] if in_reach else None
    return Example(Schema(tuple(attributes)), [text], [answer])


def _written(sort: _Sort, values: list[tuple[str, int | None]], rng: Random) -> str:
    lead = rng.choice(sort.leads)
    if not values:
        return rng.choice(sort.none) if rng.random() < 0.6 else ""
    shape = rng.choice(("{n} x {v}", "{n} {v}", "{v} ({n})", "{v}: {n}", "{v} x{n}"))
    shown = [v if n is None else shape.format(n=n, v=v) for v, n in values]
    kind = rng.random()
    if kind < 0.3:
        joint = rng.choice((" and ", ", and ", " & ", ", ", ", "))
        body = ", ".join(shown[:-1]) + (joint if len(shown) > 1 else "") + shown[-1]
        return lead + rng.choice((": ", " ", ": ")) + body + rng.choice((".", ""))
    if kind < 0.42:
        return lead + ": " + rng.choice(("; ", " / ", " | ", " · ", ", ")).join(shown)
    if kind < 0.85:
        mark = rng.choice(("- ", "* ", "• ", "", "{n}. ", "{n}) ", "[ ] ", "({n}) ", "    "))
        rows = [mark.replace("{n}", str(n)) + one for n, one in enumerate(shown, 1)]
        head = lead + rng.choice((":", "", f" ({len(shown)}):"))
        return "\n".join([head, *rows])
    if len(shown) in range(2, 11) and rng.random() < 0.5:
        return f"{lead} ({_COUNTED[len(shown) - 2]}): " + ", ".join(shown)
    ordinals = ("First", "then", "after that", "next", "also", "and", "later", "furthermore")
    said = [f"{ordinals[min(n, 7)]} {one}" for n, one in enumerate(shown)]
    if len(said) > 1:
        said[-1] = f"finally {shown[-1]}"
    return f"{lead}: " + ", ".join(said) + "."
