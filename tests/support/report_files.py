"""Made-up extractions with their gold, for pages that show them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CHOICES: dict[str, tuple[str | None, ...]] = {
    "Brand": ("Diesel", "Nordvik", "Kestrel", "Ünal", "Marlow", "Óskar"),
    "Product Type": ("Sneaker", "Coat", "Lamp", "Tent", "Kettle"),
    "Color": ("Black", "Dark Green", "Red", "Navy Blue"),
    "Size": ("10 M US", "XL", "42", None),
    "Material": ("Wool", "Leather", "Cotton", None),
    "Gender": ("Men's", "Women's", None),
    "Weight": ("2.5 kg", None, None),
    "Pack": (None,),
}
CATEGORIES = ("Shoes", "Home", "Outdoor")
FILLER = "Made for long walks in all weathers, with a lining that breathes. "


def made_extractions(n: int, n_characters: int, seed: int = 0) -> Iterator[dict[str, Any]]:
    """Lines as ``hpd extract --with-text`` writes them, each with its gold in ``gold``.

    Some values are wrong, some stand nowhere, every 400th document failed, every 7th begins with
    an emoji, whose two UTF-16 units are one character.
    """
    chance = random.Random(seed)
    for number in range(1, n + 1):
        gold = {name: chance.choice(choices) for name, choices in CHOICES.items()}
        text = "\N{GRINNING FACE} " * (number % 7 == 0) + " ".join(filter(None, gold.values()))
        text = f"{text}. {FILLER * (n_characters // len(FILLER) + 1)}"[:n_characters]
        line = {"text": text, "input": {"category": chance.choice(CATEGORIES), "price": number}}
        if number % 400 == 0:
            error = {"type": "ContextOverflowError", "message": "5000 tokens, room for 4096"}
            yield {"id": f"p{number}", "error": error, **line, "gold": gold}
            continue
        data: dict[str, str | None] = {}
        fields: dict[str, dict[str, Any]] = {}
        for name, value in gold.items():
            confidence = max(0.01, 1 - abs(chance.gauss(0, 0.2)))
            if chance.random() > confidence + 0.1:
                value = chance.choice((None, "Beige", value))
            data[name] = value
            fields[name] = {"confidence": round(confidence, 4)}
            if value is not None:
                start = text.find(value)
                place = {"start": start, "end": start + len(value), "match": "exact"}
                fields[name] |= place if start >= 0 else {"match": "none"}
        yield {"id": f"p{number}", "data": data, "fields": fields, **line, "gold": gold}


def write_made(folder: Path, n: int, n_characters: int) -> tuple[Path, Path]:
    """A file of extractions and one of gold for them."""
    made, gold = folder / "made.jsonl", folder / "gold.jsonl"
    with made.open("w", encoding="utf-8") as lines, gold.open("w", encoding="utf-8") as golds:
        for line in made_extractions(n, n_characters):
            own = {
                "id": line["id"],
                "category": line["input"]["category"],
                "gold": line.pop("gold"),
            }
            lines.write(json.dumps(line, ensure_ascii=False) + "\n")
            golds.write(json.dumps(own, ensure_ascii=False) + "\n")
    return made, gold


def gold_line(
    id: str | None,  # noqa: A002
    text: str | None,
    gold: dict[str, Any],
    category: str | None = None,
) -> str:
    """A line of gold as the page of a report saves it."""
    line = {"id": id, "category": category, "text": text, "gold": gold}
    known = {name: value for name, value in line.items() if value is not None}
    return json.dumps(known, ensure_ascii=False, separators=(",", ":")) + "\n"
