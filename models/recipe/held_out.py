"""Generated documents kept aside, as files for ``hpd extract`` and ``hpd eval``.

    PYTHONPATH=python:models python models/recipe/held_out.py FOLDER [--kind KIND] [--count N]

``listings``: plain text attributes, and a schema for each document. ``documents``: those with
handwritten wordings, and questions of all types. ``stacks``: four documents in a row share a
schema, for ``--stack``. The schema of a document is that of its category.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from hpd.schema.render import to_json_schema
from recipe.documents.questions import make_documents
from recipe.examples import Example, make_example, same_schema
from recipe.vocab import CATEGORIES

# Training draws its examples from seeds near 20,261,120.
SEED = 990_001
N_STACKED = 4


def listings(rng: Random) -> Iterator[Example]:
    """Examples of the training mix with one document and plain text attributes only."""
    while True:
        example = make_example(rng)
        plain = all(attribute.type == "string" for attribute in example.schema)
        if plain and len(example.documents) == 1 and not example.shots:
            yield example


def documents(rng: Random) -> Iterator[Example]:
    """Documents of all kinds, of wordings that are not trained on."""
    while True:
        yield Example(*make_documents(rng, kept_aside=True))


def stacks(rng: Random) -> Iterator[Example]:
    """Examples in stacks: several listings with one schema."""
    while True:
        schema, found, answers = same_schema(rng.choice(CATEGORIES), rng, N_STACKED)
        if schema.attributes:
            yield Example(schema, [listing.text for listing in found], answers)


KINDS = {"listings": listings, "documents": documents, "stacks": stacks}


def write(folder: Path, kind: str, count: int) -> None:
    """Write ``held_out.jsonl`` and ``attributes.json``."""
    folder.mkdir(parents=True, exist_ok=True)
    schemas: dict[str, Any] = {}
    examples = KINDS[kind](Random(SEED))
    with (folder / "held_out.jsonl").open("w", encoding="utf-8") as lines:
        n_written = 0
        while n_written < count:
            example = next(examples)
            category = str(len(schemas) + 1)
            names = [attribute.name for attribute in example.schema]
            schemas[category] = names if kind != "documents" else to_json_schema(example.schema)
            for text, answer in zip(example.documents, example.answers, strict=True):
                n_written += 1
                # In gold a list holds alternatives, so an array stands alone in a list of one.
                gold = {name: None if value is None else [value] for name, value in answer.items()}
                row = {"id": n_written, "text": text, "category": category, "gold": gold}
                print(json.dumps(row, ensure_ascii=False), file=lines)
    (folder / "attributes.json").write_text(json.dumps(schemas, ensure_ascii=False, indent=1))


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kind", choices=KINDS, default="listings")
    parser.add_argument("--count", type=int, default=300)
    arguments = parser.parse_args()
    write(arguments.folder, arguments.kind, arguments.count)


if __name__ == "__main__":
    main()
