"""Writes a made-up catalogue of descriptions, with half of the attributes absent.

    python benchmarks/workloads.py --tokens 300 --documents 64 catalogue-300
    hpd bench catalogue-300.jsonl --schema catalogue-300.schema.json --replay catalogue-300.jsonl

Like the paper's product descriptions of Amazon Reviews, they state values somewhere in running
text, most of which is about other things. The same seed gives the same files.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

CHARACTERS_PER_TOKEN = 3.5
"""Approximate, for these texts; with a larger vocabulary, it is higher."""

_CATALOGUE = json.loads(Path(__file__).with_name("catalogue.json").read_text(encoding="utf-8"))
_ATTRIBUTES: dict[str, dict[str, Any]] = _CATALOGUE["attributes"]
"""The values of each attribute, and a sentence that states one."""
_FILLERS: list[str] = _CATALOGUE["fillers"]


def attribute_names(n: int) -> list[str]:
    """Return ``n`` attributes; if there are too few, they are repeated with a number."""
    names = list(_ATTRIBUTES)
    rounds = range(1, n // len(names) + 2)
    return [name if r == 1 else f"{name} {r}" for r in rounds for name in names][:n]


def description(
    rng: random.Random, names: list[str], n_characters: int
) -> tuple[str, dict[str, str | None]]:
    """Return a description and its values; half of the attributes are absent.

    If the text is too short for all values, it states as many as fit.
    """
    present = rng.sample(names, (len(names) + 1) // 2)
    gold: dict[str, str | None] = dict.fromkeys(names)
    sentences: list[str] = []
    n_known = 0
    for name in present:
        attribute = _ATTRIBUTES[name.rstrip(" 0123456789")]
        value = rng.choice(attribute["values"])
        stated = attribute["sentence"].format(value)
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
    parser.add_argument("--tokens", type=int, default=300, help="approximate length of each")
    parser.add_argument("--attributes", type=int, default=len(_ATTRIBUTES))
    parser.add_argument("--documents", type=int, default=128)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    rng = random.Random(options.seed)
    names = attribute_names(options.attributes)
    n_characters = round(options.tokens * CHARACTERS_PER_TOKEN)
    with open(f"{options.output}.jsonl", "w", encoding="utf-8") as file:
        for number in range(1, options.documents + 1):
            text, gold = description(rng, names, n_characters)
            row = {"id": str(number), "text": text, "gold": gold}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    Path(f"{options.output}.schema.json").write_text(json.dumps(schema, indent=1) + "\n")


if __name__ == "__main__":
    main()
