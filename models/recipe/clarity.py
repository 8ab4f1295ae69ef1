"""What a careful reader could not decide, and is therefore not asked.

A listing is made from its values, so its generator knows which word was meant as what. A reader
has only the text: of two product types, of a made-up word that could be the brand or the model, of
"Oak" where colour and material are asked, nobody could tell. Such keys are `unclear`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise

from recipe import lists, makeup
from recipe.category import Category
from recipe.lists import words

Span = tuple[int, int]

_NUMBER = r"\d*[.,]?\d+(?: \d/\d|/\d)?"
_MASS = r"(?:oz\.?|ounces?|lbs?|pounds?|g|grams?|kg)"
_VOLUME = r"(?:fl\.? ?oz\.?|fluid ounces?|oz\.?|ounces?|ml|l|liters?|gallons?|quarts?|pints?)"
_LENGTH = r"(?:inch|inches|in\.?|\"|cm|mm|m|ft|feet|')"
_PACK = (
    r"(?:(?:pack|set|case|box|lot) of \d+|\d+[ -]?(?:packs?|pk|pcs(?:/lot)?|pairs|bottles|boxes|"
    r"bags)|(?:twin|value|multi|family|single|variety|bulk|duo|double|triple) pack)"
)

# What the generators of `recipe.values` can write, as patterns. Names, codes and titles have none.
_SHAPES: dict[str, str] = {
    "n": r"\d+",
    "weight": rf"{_NUMBER}[ -]?{_MASS}",
    "volume": rf"{_NUMBER}[ -]?{_VOLUME}",
    "length": rf"{_NUMBER}[ -]?{_LENGTH}",
    "dimensions": rf"{_NUMBER}\"?(?: ?[xX*] ?| by ){_NUMBER}",
    "capacity": rf"{_NUMBER}[ -]?(?:{_VOLUME}|cups?|qt|cu\. ft\.|lbs)",
    "count": r"\d+[ -]?(?:count|ct|pieces?|pcs?|servings|sheets|wipes|units)",
    "pack": _PACK,
    "supply": r"\d+[ -](?:days? supply|servings|month supply)",
    "loads": r"\d+[ -](?:wash |total )?loads?",
    "dosage": r"[\d,]+[ -]?(?:mg|mcg|iu|billion cfu)",
    "storage": r"\d+ ?[gt]b",
    "voltage": r"\d[\d.-]*[ -]?(?:v|volts?)",
    "wattage": r"\d+[ -]?(?:w|watts?)",
    "spf": r"spf[ -]?\d+",
    "price": r"(?:[$€£]|usd |eur )\d+[.,]\d\d",
    "upc": r"\d{12,13}",
    "warranty": r"\d+[ -](?:years?|days?|months?)",
    "year": r"(?:19|20)\d\d",
    "shoe_size": r"\d+(?:\.5)?",
    "clothes_size": r"x*-?(?:small|large)|medium|[2-5]?x?x?[sml]|(?:one|plus|free) size",
}
_LISTED: dict[str, tuple[str, ...]] = {
    "fruit": lists.FRUITS,
    "spice": lists.SPICES,
    "flower": lists.FLOWERS,
    "claim": lists.CLAIMS,
    "country": lists.COUNTRIES,
    "container": makeup.CONTAINERS,
    "age": lists.AGES,
    "gender": (
        *lists.GENDERS_OWN,
        *lists.GENDERS,
        *words(
            "Hombre|Mujer|Femme|Homme|Herren|Damen|Feminino|Masculino|Kad\u0131n|Lads|Him|Her|Womans"
        ),
    ),
    "color": lists.COLORS,
    "material": lists.MATERIALS,
    "style": lists.STYLES,
    "pattern": lists.PATTERNS,
    "feature": lists.FEATURES,
    "season": lists.SEASONS,
    "sport": lists.SPORTS,
    "shape": lists.SHAPES,
    "power": lists.POWER,
    "use": lists.PLACES_OF_USE,
}
_ALIASES = {"net": ("weight", "volume", "count"), "width": ("length",), "height": ("length",)}
_ALIASES["depth"] = ("length",)
_CALL = re.compile("@(" + "|".join(sorted((*_SHAPES, *_LISTED), key=len, reverse=True)) + ")")

# Made-up words; only their order and their surroundings say what they name.
NAMES = ("brand", "line", "model_name")
_CODES = (*NAMES, "model_number", "title", "author", "publisher", "seller")
_SEPARATED = re.compile(r"[,|()\n]| - ")


@cache
def _pattern(entries: tuple[str, ...]) -> re.Pattern[str] | None:
    """What finds every value that could be drawn from a list, the longest first."""
    parts = []
    for entry in sorted(entries, key=len, reverse=True):
        pieces = _CALL.split(entry)
        if any("@" in literal for literal in pieces[::2]):
            continue
        pieces[::2] = map(re.escape, pieces[::2])
        pieces[1::2] = map(_alternatives, pieces[1::2])
        parts.append("".join(pieces))
    if not parts:
        return None
    return re.compile(rf"(?<![\w])(?:{'|'.join(parts)})(?![\w])", re.IGNORECASE)


def _alternatives(generator: str) -> str:
    if generator in _SHAPES:
        return f"(?:{_SHAPES[generator]})"
    listed = sorted(_LISTED[generator], key=len, reverse=True)
    return f"(?:{'|'.join(map(re.escape, listed))})"


def candidates(category: Category, key: str, text: str) -> Iterator[Span]:
    """Where a text has words that could be a value of a key."""
    entries = category.values.get(key, ())
    # What has no list of its own here is still known from elsewhere.
    if key in ("gender", "age", "color") or not entries:
        entries = (*entries, *(f"@{name}" for name in _ALIASES.get(key, (key,))))
    pattern = _pattern(entries)
    if pattern is not None:
        yield from (match.span() for match in pattern.finditer(text))


def spans_of(value: str, text: str) -> list[Span]:
    """Where a text has a value as words of their own."""
    return [match.span() for match in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", text)]


def _within(inner: Span, outers: list[Span]) -> bool:
    return any(start <= inner[0] and inner[1] <= end for start, end in outers)


def unclear(
    category: Category, headline: str, rest: str, gold: Mapping[str, str], keys: list[str]
) -> frozenset[str]:
    """Those of ``keys`` whose answer the text does not decide.

    ``headline`` has values without their names, ``rest`` says of every value what it is.
    """
    said = {key for key, value in gold.items() if spans_of(value, rest)}
    spans = {key: spans_of(value, headline) for key, value in gold.items()}
    found = _unclear_names(headline, gold, spans, said)
    for key in ("compat", "vehicle"):
        # "Fits Zorvex P24" names a brand and a model that are not those of the goods.
        known = list(candidates(category, key, headline))
        if key not in said and any(span not in known for span in spans.get(key, ())):
            found |= {"brand", "model_name", "model_number"}
    names = [span for key in _CODES for span in spans.get(key, ())]
    for key in keys:
        if key in said or key in _CODES:
            continue
        own = spans.get(key, [])
        others = [
            span
            for other, places in spans.items()
            if other != key and other not in _CODES
            for span in places
        ]
        for span in candidates(category, key, headline):
            if _within(span, own) or _within(span, names):
                continue
            # Part of another value: "Leather" in "Leather Belt" answers, if nothing better does.
            elsewhere = _within(span, others) and span not in others
            foreign = _within(span, others) and key not in category.values
            if not foreign and not (elsewhere and own):
                found.add(key)
                break
    return frozenset(found)


def _unclear_names(
    headline: str, gold: Mapping[str, str], spans: Mapping[str, list[Span]], said: set[str]
) -> set[str]:
    """A lone name is the brand; of two the first is, or the one after "by"."""
    placed = sorted((spans[key][0], key) for key in NAMES if spans.get(key) and key not in said)
    if not placed:
        return set()
    order = [key for _, key in placed]
    if "brand" not in order:
        return set() if "brand" in said and len(order) == 1 else {*order, "brand", *NAMES[1:]}
    brand = next(span for span, key in placed if key == "brand")
    by = re.search(r"\bby $", headline[: brand[0]], re.IGNORECASE)
    if (order[0] != "brand" and not by) or len(order) > 2:
        return set(NAMES)
    found = set()
    for (span, key), (after, other) in pairwise(placed):
        if not headline[span[1] : after[0]].strip() and not _one_split(gold[key], gold[other]):
            found |= {key, other}
    for span, key in placed:
        # "Zorvex" before "Baby Shampoo" could as well be "Zorvex Baby".
        following = re.match(r"[ ]([\w&.]+)", headline[span[1] :])
        alone = all(start != span[1] + 1 for (start, _), _ in placed)
        if alone and following and following[1].lower() in makeup.NAME_ENDS:
            found.add(key)
    return found


def _one_split(brand: str, line: str) -> bool:
    """Whether a brand and a name behind it can be parted in one place only."""
    parts = (brand + " " + line).split()
    return (
        sum(_like_a_brand(parts[:at]) and _like_a_name(parts[at:]) for at in range(1, len(parts)))
        == 1
    )


def _known(word: str) -> bool:
    return word.lower() in makeup.NAME_WORDS


def _like_a_brand(parts: list[str]) -> bool:
    lowered = [part.lower() for part in parts]
    if len(parts) == 1:
        return not _known(parts[0]) and not any(char.isdigit() for char in parts[0])
    if lowered[0] in ("dr.", "st.", "the", "mr.", "la", "le", "el"):
        return len(parts) == 2
    if "&" in lowered:
        return len(parts) == 3 or lowered[-2:] in (["&", "sons"], ["&", "co"])
    if lowered[0] in makeup.GIVEN_WORDS:
        return len(parts) == 2 and lowered[1] in makeup.SURNAME_WORDS
    return len(parts) == 2 and lowered[1] in makeup.NAME_ENDS


def _like_a_name(parts: list[str]) -> bool:
    marks = {mark.lower() for mark in makeup.MARKS}
    if len(parts) > 1 and parts[-1].lower() in marks:
        parts = parts[:-1]
    if len(parts) == 1:
        return True
    lowered = [part.lower() for part in parts]
    return len(parts) == 2 and lowered[0] in makeup.NAME_STARTS and lowered[1] in makeup.NAME_ENDS


def is_headlong(headline: str) -> bool:
    """Whether words stand in a row without a mark between them."""
    return not _SEPARATED.search(headline)
