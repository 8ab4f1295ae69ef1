"""Values made from the entries of word lists: ``@fruit @spice`` becomes ``Peach Ginger``."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from recipe import lists, makeup
from recipe.category import Category
from recipe.lists import words

Generator = Callable[[Random], str]


def _one_of(entries: tuple[str, ...]) -> Generator:
    return lambda rng: rng.choice(entries)


def _gender(rng: Random) -> str:
    return rng.choice(lists.GENDERS_OWN if rng.random() < 0.6 else lists.GENDERS)


def _number(rng: Random) -> str:
    return str(
        rng.choice(
            (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 30, 50, rng.randint(2, 99), rng.randint(2, 150))
        )
    )


def _person(rng: Random) -> str:
    return f"{rng.choice(makeup.GIVEN)} {rng.choice(makeup.SURNAMES)}"


def _book_title(rng: Random) -> str:
    noun = rng.choice(
        (
            "Garden",
            "River",
            "Secret",
            "House",
            "Winter",
            "Daughter",
            "Shadow",
            "Light",
            "Road",
            "King",
            "Sea",
            "Stars",
            "City",
            "Song",
            "Storm",
            "Island",
            "Letter",
            "Silence",
            "Mountain",
            "Bread",
            "Guide",
        )
    )
    pattern = rng.choice(
        (
            "The {a} {n}",
            "{n} of {p}",
            "The {n} of {p}",
            "A {n} in {c}",
            "{a} {n}",
            "The Last {n}",
            "{p}'s {n}",
            "Beyond the {n}",
            "The Art of {n}",
            "{n} and {n2}",
        )
    )
    return pattern.format(
        a=rng.choice(lists.COLORS),
        n=noun,
        p=rng.choice(makeup.GIVEN),
        c=rng.choice(lists.SEASONS[:5]),
        n2=rng.choice(("Ash", "Fire", "Bone", "Glass", "Honey", "Dust")),
    )


def _year(rng: Random) -> str:
    return str(rng.randint(1965, 2026))


def _price(rng: Random) -> str:
    whole = rng.choice((rng.randint(1, 99), rng.randint(100, 2500)))
    number = f"{whole}.{rng.choice(('99', '00', '50', '95', '49'))}"
    return (
        rng.choice(("$", "$", "€", "£", "USD ", "EUR ")) + number
        if rng.random() < 0.85
        else number.replace(".", ",") + " €"
    )


def _warranty(rng: Random) -> str:
    return rng.choice(
        (
            "1 year",
            "2 years",
            "1-Year",
            "90 days",
            "5 Year",
            "lifetime",
            "Lifetime",
            "30-day",
            "3 Year Limited",
            "12 months",
            "24-month",
            "two years",
            "10 Year",
        )
    )


def _net(rng: Random) -> str:
    kind = rng.random()
    if kind < 0.45:
        return makeup.weight(rng)
    return makeup.volume(rng) if kind < 0.7 else makeup.count(rng)


GENERATORS: dict[str, Generator] = {
    "fruit": _one_of(lists.FRUITS),
    "spice": _one_of(lists.SPICES),
    "flower": _one_of(lists.FLOWERS),
    "claim": _one_of(lists.CLAIMS),
    "country": _one_of(lists.COUNTRIES),
    "container": makeup.container,
    "weight": makeup.weight,
    "volume": makeup.volume,
    "count": makeup.count,
    "n": _number,
    "dosage": makeup.dosage,
    "age": _one_of(lists.AGES),
    "gender": _gender,
    "color": makeup.color,
    "material": makeup.material,
    "style": _one_of(lists.STYLES),
    "pattern": _one_of(lists.PATTERNS),
    "feature": _one_of(lists.FEATURES),
    "season": _one_of(lists.SEASONS),
    "sport": _one_of(lists.SPORTS),
    "product": makeup.product_name,
    "brand": makeup.brand,
    "clothes_size": makeup.clothes_size,
    "shoe_size": makeup.shoe_size,
    "dimensions": makeup.dimensions,
    "length": makeup.length,
    "capacity": makeup.capacity,
    "storage": makeup.storage,
    "power": _one_of(lists.POWER),
    "voltage": makeup.voltage,
    "wattage": makeup.wattage,
    "loads": makeup.loads,
    "supply": makeup.supply,
    "spf": makeup.spf,
    "shape": _one_of(lists.SHAPES),
    "pack": makeup.pack,
    "person": _person,
    "bookt": _book_title,
    "year": _year,
    "model_number": makeup.model_number,
    "price": _price,
    "upc": makeup.upc,
    "warranty": _warranty,
    "use": _one_of(lists.PLACES_OF_USE),
    "net": _net,
    "line": makeup.product_name,
    "model_name": makeup.product_name,
    "width": makeup.length,
    "height": makeup.length,
    "depth": makeup.length,
    "seller": makeup.brand,
}

_CALL = re.compile("@(" + "|".join(sorted(GENERATORS, key=len, reverse=True)) + ")")


def fill(entry: str, rng: Random) -> str:
    """An entry with every ``@word`` replaced by a value that is made up."""
    return _CALL.sub(lambda match: GENERATORS[match.group(1)](rng), entry)


# Keys whose words no list has in full, so some of their values go beyond the lists.
_OPEN = frozenset(
    words(
        """flavor|scent|type|variety|form|claim|benefit|feature|style|mask|uses|
        key_ingredient|pattern|hair|skin|roast|item|theme|finish|material|color|optical|machine|
        compat|diet|closure|cap"""
    )
)


def _stretched(text: str, rng: Random) -> str:
    """A value with one more word, which may be made up."""
    word = makeup.quality(rng) if rng.random() < 0.3 else rng.choice(lists.QUALITIES)
    if rng.random() < 0.2 and " " in text:
        return f"{word} {text.split(' ', 1)[1]}"
    return f"{word} {text}"


def value(category: Category, key: str, rng: Random) -> str:
    """A value of a key, from the category's own list, or else from the key's generator."""
    entries = category.values.get(key)
    text = fill(rng.choice(entries), rng) if entries else GENERATORS[key](rng)
    return _stretched(text, rng) if key in _OPEN and rng.random() < 0.09 else text
