"""Noise: the changes that clean text suffers on its way into a shop."""

from __future__ import annotations

import re
from random import Random

_TIDY = (
    (re.compile(r"\(\s*[,\-|]*\s*\)"), ""),
    (re.compile(r"\s+([,.;)])"), r"\1"),
    (re.compile(r"\(\s+"), "("),
    (re.compile(r"([,\-|])(?:\s*[,|]|\s+-(?=\s))+"), r"\1"),
    (re.compile(r"\s+(?:for|by|with|of|x|w/|&|and|fits)(?=\s*(?:[,)|]|-\s|$))"), ""),
    (re.compile(r"\s{2,}"), " "),
    (re.compile(r"^[\s,\-|#&]+|[\s,\-|&/#]+$"), ""),
)


def separators(skeleton: str, rng: Random) -> str:
    """The same title with other marks between its parts, and without those of missing parts."""
    for pattern, replacement in _TIDY:
        skeleton = pattern.sub(replacement, skeleton)
    kind = rng.random()
    if kind < 0.06:
        return skeleton.replace(", ", ",")
    if kind < 0.11:
        return skeleton.replace(", ", " - ")
    if kind < 0.15:
        return skeleton.replace(", ", " | ")
    if kind < 0.24:
        return skeleton.replace(", ", " ").replace(" - ", " ")
    if kind < 0.27:
        return skeleton.replace(" - ", ", ")
    return skeleton


def disturb(
    text: str, gold: dict[str, str], rng: Random, p_upper: float
) -> tuple[str, dict[str, str]]:
    """Change casing, entities, marks and ends, alike in the text and in its values."""
    kind = rng.random() - p_upper
    change = None
    if kind < 0:
        change = str.upper
    elif kind < 0.04:
        change = str.lower
    elif kind < 0.06:
        change = lambda part: part.replace("&", "&amp;").replace("'", "&#39;")  # noqa: E731
    elif kind < 0.08:
        change = lambda part: part.replace("'", "\u2019")  # noqa: E731
    if change is not None:
        text, gold = change(text), {key: change(part) for key, part in gold.items()}
    brand = gold.get("brand")
    if brand and rng.random() < 0.05:
        text = text.replace(brand, brand + rng.choice(("®", "™", "(R)", "(TM)")), 1)
    if rng.random() < 0.03:
        text = text[: max(20, int(len(text) * rng.uniform(0.6, 0.95)))]
    if rng.random() < 0.03:
        text = rng.choice((" ", "")) + text + rng.choice((" ", "  ", "\n", "..."))
    return text, gold
