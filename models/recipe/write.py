"""Documents with schema and gold, a line each, as ``hpd finetune`` reads them.

    PYTHONPATH=python:models python -m recipe.write --rows 1000 > train.jsonl
    PYTHONPATH=python:models python -m recipe.write --seed 7 | hpd finetune - ...

Without ``--rows`` it writes for as long as somebody reads. ``--kept-aside`` writes documents of
wordings that are never trained on.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from itertools import count, islice
from random import Random

from hpd.schema.render import to_json_schema
from recipe.counted_lists import make_list
from recipe.documents.questions import make_documents
from recipe.examples import Example, from_form, from_listing
from recipe.handwritten import make_handwritten
from recipe.listing import make_listing
from recipe.sentences import make_entities, make_message
from recipe.titles import make_title
from recipe.torn_invoices import make_torn_invoice

SOURCES: dict[str, Callable[[Random], Example]] = {
    "handwritten": make_handwritten,
    "documents": lambda rng: Example(*make_documents(rng)),
    "listings": lambda rng: from_listing(make_listing(rng), rng),
    "titles": make_title,
    "entities": make_entities,
    "messages": make_message,
    "invoices": make_torn_invoice,
    "lists": make_list,
    "forms": from_form,
}
SHARES = {
    "handwritten": 60, "documents": 14, "listings": 8, "titles": 5, "entities": 4, "messages": 3,
    "invoices": 3, "lists": 2, "forms": 1,
}  # fmt: skip
"""Of a hundred documents."""


def make_example(rng: Random, kept_aside: bool = False) -> Example:
    """An example of the mix; ``kept_aside``: one that is never trained on."""
    while True:
        if kept_aside:
            example = Example(*make_documents(rng, kept_aside=True))
        else:
            source = rng.choices(tuple(SHARES), tuple(SHARES.values()))[0]
            example = SOURCES[source](rng)
        # Now and then the text decides nothing.
        if example.schema.attributes:
            return example


def line(example: Example) -> str:
    """One line of JSON."""
    (text,), (answer,) = example.documents, example.answers
    # In gold a list holds alternatives, unless the attribute is a list itself.
    row = {"text": text, "schema": to_json_schema(example.schema), "gold": answer}
    return json.dumps(row, ensure_ascii=False)


def main() -> None:
    """Write the lines."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, help="how many; else without end")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kept-aside", action="store_true")
    arguments = parser.parse_args()
    rng = Random(arguments.seed)
    try:
        for _ in islice(count(), arguments.rows):
            print(line(make_example(rng, arguments.kept_aside)))
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read has had enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
