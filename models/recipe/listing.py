"""One listing: a text as a shop would write it, and the values that a careful reader would copy."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from recipe import prose
from recipe.category import Category
from recipe.clarity import is_headlong, unclear
from recipe.lists import FILLERS, PRAISE, words
from recipe.names import CONFUSABLE
from recipe.noise import disturb, separators
from recipe.values import GENERATORS, value
from recipe.vocab import CATEGORIES, GOODS

_WEIGHTS = tuple(accumulate(sum(map(len, c.values.values())) for c in CATEGORIES))
_SLOT = re.compile(r"\{(\w+)\}")
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_MARK = "\x01{}\x02"
_MARKED = re.compile("\x01(\\w+)\x02")
# The break between a headline, in which values have no names, and text that names them.
_FOLD = "\x03"
# Keys of which a value can follow "for" or "with" in a title.
_FOR = frozenset(words("use|compat|gender|age|sport|season|skin|hair|uses|vehicle|machine"))
_WITH = frozenset(words("feature|key_ingredient|closure|connect|memory|storage|cap"))
# Keys of which a sentence writes the values in small letters.
_SMALL = ("color", "type", "material", "condition")
_P_TITLE = 0.57
_P_PLAIN = 0.3  # the share of titles of a few words, as somebody types who tries an extraction


@dataclass
class Listing:
    """A document, its category and the gold values by key (all found in the text as they are).

    In ``headline`` values stand without a name, ``rest`` names them; ``lost`` are the keys of which
    the text has no more than a piece of the value.
    """

    category: Category
    text: str
    gold: dict[str, str]
    kind: str
    headline: str
    rest: str
    lost: frozenset[str]

    def unclear(self, keys: list[str]) -> frozenset[str]:
        """The ones of ``keys`` for which even a careful reader would have no answer."""
        undecided = self.lost | unclear(self.category, self.headline, self.rest, self.gold, keys)
        # A title has "Women's", keywords have "Women"; without commas a text could be either.
        gender = self.gold.get("gender", "").replace("\u2019", "'").replace("&#39;", "'").lower()
        if self.kind != "soup" and gender.endswith(("'s", "s'")) and is_headlong(self.headline):
            undecided |= {"gender"}
        return undecided


def make_listing(rng: Random, category: Category | None = None, p_upper: float = 0.04) -> Listing:
    """A listing of a category, or of one drawn at random; all in capitals with odds ``p_upper``."""
    plain = category is None and rng.random() < _P_PLAIN
    if category is None:
        # Categories with more words to learn are drawn more often.
        category = GOODS if plain else rng.choices(CATEGORIES, cum_weights=_WEIGHTS)[0]
    gold: dict[str, str] = {}
    kind = rng.uniform(0, _P_TITLE) if plain else rng.random()
    if kind < _P_TITLE:
        text, style = _title(category, gold, rng), "title"
    elif kind < 0.84:
        text, style = _soup(category, gold, rng), "soup"
    elif kind < 0.96:
        text, style = _page(category, gold, rng), "page"
    else:
        text, style = _sheet(category, gold, rng), "sheet"
    if plain and rng.random() < 0.5:
        text, gold = _in_small_letters(text, gold, rng)
    text, stated = disturb(text, gold, rng, p_upper)
    headline, _, rest = text.partition(_FOLD)
    text = text.replace(_FOLD, "")
    stated = {key: part for key, part in stated.items() if part in text}
    lost = frozenset(gold.keys() - stated.keys())
    return Listing(category, text, stated, style, headline, rest, lost)


def _draw(category: Category, key: str, gold: dict[str, str], rng: Random) -> str | None:
    """Draw a value for a key that the listing lacks; None if its words stand there already."""
    if key in gold or not (key in category.values or key in GENERATORS):
        return None
    text = value(category, key, rng)
    lowered = text.lower()
    if any(lowered in other.lower() or other.lower() in lowered for other in gold.values()):
        return None
    gold[key] = text
    return text


def _draw_alone(category: Category, key: str, gold: dict[str, str], rng: Random) -> str | None:
    """Draw a value, unless the listing has words of its kind, with which it could be confused."""
    if any(key in group and group & gold.keys() for group in CONFUSABLE):
        return None
    return _draw(category, key, gold, rng)


def _title(category: Category, gold: dict[str, str], rng: Random) -> str:
    pattern = rng.choice(category.titles)
    pattern = _OPTIONAL.sub(lambda match: match.group(1) if rng.random() < 0.55 else "", pattern)
    # A sentence needs all its parts.
    dropout = 0.0 if pattern.endswith(".") else rng.choice((0.0, 0.0, 0.08, 0.2))
    shown: dict[str, str] = {}

    def place(match: re.Match[str]) -> str:
        key = match.group(1)
        if (key != "type" and rng.random() < dropout) or (
            text := _draw(category, key, gold, rng)
        ) is None:
            return ""
        shown[key] = text
        return _MARK.format(key)

    skeleton = _SLOT.sub(place, pattern)
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
        key = rng.choice((*category.values, "color", "pack", "model_number", "use", "line"))
        if (text := _draw_alone(category, key, gold, rng)) is not None:
            shown[key] = text
            joints = [", {}", " - {}", " {}", " ({})", ", {}", " | {}"]
            joints += [" for {}"] * 3 * (key in _FOR) + [" with {}"] * 3 * (key in _WITH)
            skeleton += rng.choice(joints).format(_MARK.format(key))
    if rng.random() < 0.12:
        skeleton += rng.choice((", ", " - ", " ", " ")) + prose.aside(rng)
    skeleton = separators(skeleton, rng)
    if rng.random() < 0.08:
        # A word that is the value of no key.
        skeleton = skeleton.replace(" \x01", f" {rng.choice(PRAISE)} \x01", 1)
    return _MARKED.sub(lambda match: shown[match.group(1)], skeleton)


def _in_small_letters(text: str, gold: dict[str, str], rng: Random) -> tuple[str, dict[str, str]]:
    """Write goods and their looks as a sentence does: ``Zorvex anvil, red``."""
    for key in _SMALL:
        if key in gold and rng.random() < 0.8:
            lowered = gold[key].lower()
            text, gold = text.replace(gold[key], lowered), gold | {key: lowered}
    return text, gold


def _soup(category: Category, gold: dict[str, str], rng: Random) -> str:
    """Keywords in a row, as sellers write for search engines."""
    keys = [key for key in category.values if key not in ("type", "upc")]
    if rng.random() < 0.3:
        keys.append("model_number")
    chosen = rng.sample(keys, min(len(keys), rng.randint(2, 6)))
    pieces = [text for key in chosen if (text := _draw_alone(category, key, gold, rng)) is not None]
    kind = _draw(category, "type", gold, rng)
    pieces += [kind] if kind else []
    pieces += rng.sample(FILLERS, rng.randint(0, 4))
    pieces += rng.sample(PRAISE, rng.choice((0, 0, 1, 2, 3)))
    if rng.random() < 0.3:
        pieces.append(prose.foreign(rng))
    rng.shuffle(pieces)
    if rng.random() < 0.5 and kind:
        pieces.remove(kind)
        pieces.append(kind)
    if rng.random() < 0.45 and (brand := _draw(category, "brand", gold, rng)) is not None:
        pieces.insert(0 if rng.random() < 0.75 else rng.randint(0, len(pieces)), brand)
    _shorten_gender(pieces, gold, rng)
    return " ".join(pieces)


def _shorten_gender(pieces: list[str], gold: dict[str, str], rng: Random) -> None:
    """Write the gender as keywords do: as a plain word, now and then with another behind it."""
    gender = gold.get("gender")
    if gender in pieces and gender in ("Men", "Women", "Boys", "Girls") and rng.random() < 0.4:
        other = rng.choice(("Women", "Kids", "Girls") if gender != "Women" else ("Men", "Girls"))
        joint = rng.choice((" ", " ", "/", " And ", " & ", " and "))
        pieces[pieces.index(gender)] = f"{gender}{joint}{other}"
    elif gender and gender.endswith(("'s", "s'")):
        gold["gender"] = gender.removesuffix("'s").removesuffix("'")
    elif gender in ("Mens", "Womens"):
        gold["gender"] = gender.removesuffix("s")


def _page(category: Category, gold: dict[str, str], rng: Random) -> str:
    """A title with bullet points or sentences below it."""
    title = _title(category, gold, rng) if rng.random() < 0.75 else _soup(category, gold, rng)
    keys = [
        key
        for key in (
            *category.values,
            "warranty",
            "upc",
            "price",
            "model_number",
            "weight",
            "dimensions",
        )
        if key not in gold
    ]
    rng.shuffle(keys)
    said = []
    for key in keys[: rng.randint(1, 6)]:
        if (text := _draw(category, key, gold, rng)) is not None:
            said.append(prose.sentence(key, text, rng))
    said += [prose.filler(rng) for _ in range(rng.randint(0, 3))]
    for key in rng.sample(sorted(gold), min(len(gold), rng.choice((0, 0, 1, 2)))):
        if key in ("brand", "type", "color"):
            said.append(prose.sentence(key, gold[key], rng))
    rng.shuffle(said)
    return title + _FOLD + prose.below(said, rng)


def _sheet(category: Category, gold: dict[str, str], rng: Random) -> str:
    """A table of names and values."""
    keys = ["brand", *category.values, "model_number", "price", "upc"]
    rng.shuffle(keys)
    lines = []
    joint = rng.choice((": ", ": ", " - ", ":", " = ", "\t", " | "))
    for key in keys[: rng.randint(4, 10)]:
        text = _draw(category, key, gold, rng)
        if text is not None:
            lines.append(prose.label(key, category, rng) + joint + text)
    joined = rng.choice(("\n", "\n", "; ", " | ", "\n- "))
    if rng.random() < 0.5 and (text := _draw(category, "type", gold, rng)) is not None:
        return text + _FOLD + joined + joined.join(lines)
    return _FOLD + joined.join(lines)
