"""Generated listings kept aside, as files for ``hpd extract`` and ``hpd eval``.

    PYTHONPATH=python:models python models/recipe/held_out.py FOLDER [--count N]

Every listing is a category of its own, because every one has a schema of its own.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from random import Random

from recipe.examples import make_example

# Training draws its examples from seeds near 20,261,120.
SEED = 990_001


def write(folder: Path, count: int) -> None:
    """Write ``held_out.jsonl`` and ``attributes.json``."""
    rng = Random(SEED)
    folder.mkdir(parents=True, exist_ok=True)
    attributes: dict[str, list[str]] = {}
    with (folder / "held_out.jsonl").open("w", encoding="utf-8") as lines:
        while len(attributes) < count:
            example = make_example(rng)
            plain = all(attribute.type == "string" for attribute in example.schema)
            if not plain or len(example.documents) > 1 or example.shots:
                continue
            number = str(len(attributes) + 1)
            attributes[number] = [attribute.name for attribute in example.schema]
            gold = {name: {value or "n/a": 1} for name, value in example.answers[0].items()}
            row = {
                "id": number,
                "input": example.documents[0],
                "category": number,
                "target_scores": gold,
            }
            print(json.dumps(row, ensure_ascii=False), file=lines)
    (folder / "attributes.json").write_text(json.dumps(attributes, ensure_ascii=False, indent=1))


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=300)
    arguments = parser.parse_args()
    write(arguments.folder, arguments.count)


if __name__ == "__main__":
    main()
