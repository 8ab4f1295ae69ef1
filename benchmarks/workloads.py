"""Write a made-up catalogue: descriptions of a given length, with half of the attributes absent.

    python benchmarks/workloads.py --tokens 300 --documents 64 catalogue-300
    hpd bench catalogue-300.jsonl --schema catalogue-300.schema.json --replay catalogue-300.jsonl

It has the shape of the product descriptions in the paper's Amazon Reviews: a value stands
somewhere in running text, most of which is about other things. The same seed gives the same files.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

CHARACTERS_PER_TOKEN = 3.5
"""In this text, with the vocabulary of make_model.py; a real model's has more."""

_NAMES = [
    "Alder",
    "Bramwell",
    "Corvo",
    "Dunmore",
    "Estrella",
    "Fenwick",
    "Galloway",
    "Harlow",
    "Ivarsen",
    "Juniper",
]
_LINES = [
    "Summit",
    "Harbor",
    "Meadow",
    "Atlas",
    "Pioneer",
    "Lumen",
    "Cascade",
    "Orchard",
    "Sterling",
    "Voyager",
]
_KINDS = [
    "backpack",
    "kettle",
    "lantern",
    "jacket",
    "tent",
    "cooler",
    "grinder",
    "thermos",
    "blanket",
    "organizer",
]
_COLORS = [
    "charcoal grey",
    "forest green",
    "navy",
    "burgundy",
    "sand",
    "off-white",
    "matte black",
    "sky blue",
]
_PLACES = [
    "Portugal",
    "Vietnam",
    "Mexico",
    "Poland",
    "Indonesia",
    "the United States",
    "Japan",
    "Turkey",
]
_MATERIALS = [
    "ripstop nylon",
    "stainless steel",
    "recycled polyester",
    "waxed canvas",
    "anodized aluminum",
    "organic cotton",
    "borosilicate glass",
    "full-grain leather",
]
_USES = [
    "day hikes",
    "weekend camping",
    "daily commuting",
    "long flights",
    "the office",
    "garden parties",
]

# The values of each attribute, and the sentence that states one.
_ATTRIBUTES = {
    "Brand": (_NAMES, "It is made by {}."),
    "Product line": (_LINES, "It belongs to the {} line, now in its third year."),
    "Product type": (_KINDS, "If you have been looking for a {} that lasts, this may be the one."),
    "Color": (_COLORS, "The one pictured comes in {}."),
    "Material": (_MATERIALS, "The body is {}, which ages well and is easy to care for."),
    "Country of origin": (_PLACES, "Every piece is finished by hand in {}."),
    "Weight": ([f"{n / 10} pounds" for n in range(8, 60, 3)], "The whole thing weighs {}."),
    "Capacity": ([f"{n} liters" for n in range(2, 60, 4)], "It holds {} without looking bulky."),
    "Dimensions": (
        [f"{a} x {a - 3} x {a // 2} inches" for a in range(9, 25, 2)],
        "Unpacked it measures {}.",
    ),
    "Warranty": (
        ["2-year limited", "lifetime", "5-year", "90-day"],
        "A {} warranty comes with it, no questions asked.",
    ),
    "Recommended use": (_USES, "Most of our customers take it on {}."),
    "Closure": (
        ["YKK zipper", "roll-top", "magnetic snap", "screw cap"],
        "It shuts with a {} that can be worked with one hand.",
    ),
    "Number of pieces": (["set of 2", "set of 3", "single"], "You get a {} in the box."),
    "Care instructions": (
        ["machine wash cold", "wipe clean", "hand wash only", "dishwasher safe"],
        "For cleaning, remember: {}.",
    ),
    "Model number": (
        [f"{a}{b}-{n}" for a in "KTX" for b in "LRQ" for n in range(110, 990, 97)],
        "The model number on the label is {}.",
    ),
    "Release year": ([str(n) for n in range(2016, 2026)], "It came to the shops in {}."),
}

_FILLERS = (
    "We tested it for months before we put it on the shelf, and it came back nearly new.",
    "Some people will find it a little plain; we think that is what makes it easy to live with.",
    "Shipping takes a few days, and the box is small enough for most parcel lockers.",
    "There is nothing to put together, and no tool is needed at any time.",
    "If something is not as you hoped, write to us and a person will answer.",
    "The edges are rounded, the seams are straight, and nothing rattles when you carry it.",
    "It has been with us on wet mornings and in the back of a crowded car.",
    "Please note that what you see on your screen may look different in daylight.",
    "Our neighbors bought two of them, and then came back for a third as a present.",
    "We keep spare parts for everything that we sell, and we are glad to send them.",
    "It stands on its own, packs flat, and does not mind being forgotten in a corner.",
    "Older versions had a weak spot near the handle, which has been put right since then.",
)


def attribute_names(n: int) -> list[str]:
    """The first ``n`` attributes; if there are too few, they come again with a number."""
    names = list(_ATTRIBUTES)
    rounds = range(1, n // len(names) + 2)
    return [name if r == 1 else f"{name} {r}" for r in rounds for name in names][:n]


def description(
    rng: random.Random, names: list[str], n_characters: int
) -> tuple[str, dict[str, str | None]]:
    """One description and its values; half of the attributes are absent.

    A text that is too short for all values states as many as fit.
    """
    present = rng.sample(names, (len(names) + 1) // 2)
    gold: dict[str, str | None] = dict.fromkeys(names)
    sentences: list[str] = []
    n_known = 0
    for name in present:
        values, sentence = _ATTRIBUTES[name.rstrip(" 0123456789")]
        value = rng.choice(values)
        stated = sentence.format(value)
        if sentences and n_known + len(stated) > n_characters:
            break
        gold[name] = value
        sentences.append(stated)
        n_known += len(stated) + 1
    fillers: list[str] = []
    while n_known + min(map(len, _FILLERS)) < n_characters:
        if not fillers:
            fillers = rng.sample(_FILLERS, len(_FILLERS))
        filler = fillers.pop()
        sentences.append(filler)
        n_known += len(filler) + 1
    rng.shuffle(sentences)
    return " ".join(sentences), gold


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", help="OUTPUT.jsonl and OUTPUT.schema.json are written")
    parser.add_argument("--tokens", type=int, default=300, help="of a description, about")
    parser.add_argument("--attributes", type=int, default=len(_ATTRIBUTES))
    parser.add_argument("--documents", type=int, default=128)
    parser.add_argument("--characters-per-token", type=float, default=CHARACTERS_PER_TOKEN)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    rng = random.Random(options.seed)
    names = attribute_names(options.attributes)
    n_characters = round(options.tokens * options.characters_per_token)
    with open(f"{options.output}.jsonl", "w", encoding="utf-8") as file:
        for number in range(1, options.documents + 1):
            text, gold = description(rng, names, n_characters)
            row = {"id": str(number), "text": text, "gold": gold}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    Path(f"{options.output}.schema.json").write_text(json.dumps(schema, indent=1) + "\n")


if __name__ == "__main__":
    main()
