"""Questions that even a careful reader could not answer, and that are therefore not asked.

A listing is made from its values, so its generator knows the meaning of each word. A reader has
only the text, and cannot tell which of two product types is meant, whether a made-up word is the
brand or the model, or whether "Oak" is the colour or the material. Such keys are `unclear`.
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

# Patterns of all that the generators of `recipe.values` can write. Names, codes, titles have none.
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

# Made-up words, whose meaning only their order and their surroundings show.
NAMES = ("brand", "line", "model_name")
_CODES = (*NAMES, "model_number", "title", "author", "publisher", "seller")
_SEPARATED = re.compile(r"[,|()\n]| - ")


@cache
def _pattern(entries: tuple[str, ...]) -> re.Pattern[str] | None:
    """A pattern that finds every value that a list could give, the longest first."""
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
    """The spans of words in a text that could be a value of a key."""
    entries = category.values.get(key, ())
    # A key without a list in this category may have one in others.
    if key in ("gender", "age", "color") or not entries:
        entries = (*entries, *(f"@{name}" for name in _ALIASES.get(key, (key,))))
    pattern = _pattern(entries)
    if pattern is not None:
        yield from (match.span() for match in pattern.finditer(text))


def spans_of(value: str, text: str) -> list[Span]:
    """The spans at which a text has a value as whole words."""
    return [match.span() for match in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", text)]


def _within(inner: Span, outers: list[Span]) -> bool:
    return any(start <= inner[0] and inner[1] <= end for start, end in outers)


def unclear(
    category: Category, headline: str, rest: str, gold: Mapping[str, str], keys: list[str]
) -> frozenset[str]:
    """Those of ``keys`` whose answer the text does not decide.

    In ``headline`` values stand without names, in ``rest`` every value has its name.
    """
    said = {key for key, value in gold.items() if spans_of(value, rest)}
    spans = {key: spans_of(value, headline) for key, value in gold.items()}
    undecided = _unclear_names(headline, spans, said)
    for key in ("compat", "vehicle"):
        # "Fits Zorvex P24" has a brand and a model, but not those of the goods.
        known = list(candidates(category, key, headline))
        if key not in said and any(span not in known for span in spans.get(key, ())):
            undecided |= {"brand", "model_name", "model_number"}
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
            # A part of another value ("Leather" in "Leather Belt") answers if nothing better does.
            elsewhere = _within(span, others) and span not in others
            foreign = _within(span, others) and key not in category.values
            if not foreign and not (elsewhere and own):
                undecided.add(key)
                break
    return frozenset(undecided)


def _unclear_names(headline: str, spans: Mapping[str, list[Span]], said: set[str]) -> set[str]:
    """The names that could be another of their kind.

    A lone name is the brand; of two the first one is, or the one after "by".
    """
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
    undecided = set()
    for (span, key), (after, other) in pairwise(placed):
        # No mark says where the one ends and the other begins.
        if not headline[span[1] : after[0]].strip():
            undecided |= {key, other}
    for span, key in placed:
        # The brand before "Baby Shampoo" could be "Zorvex" or "Zorvex Baby".
        following = re.match(r"[ ]([\w&.]+)", headline[span[1] :])
        alone = all(start != span[1] + 1 for (start, _), _ in placed)
        if alone and following and following[1].lower() in makeup.NAME_ENDS:
            undecided.add(key)
    return undecided


def is_headlong(headline: str) -> bool:
    """Whether words follow each other without a mark between them."""
    return not _SEPARATED.search(headline)
