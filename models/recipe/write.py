"""Write the handwritten documents as training rows for ``hpd finetune``.

    PYTHONPATH=python:models python -m recipe.write --rows 1000 > train.jsonl
    PYTHONPATH=python:models python -m recipe.write --seed 7 | hpd finetune - ...

Without ``--rows`` it writes until the reader closes the pipe: all documents in random order,
repeatedly, each time with different questions and names. Those of the kinds that a small model
finds hardest tend to come first, so a short run sees a larger share of them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from random import Random
from typing import Any
from unicodedata import is_normalized, normalize

from hpd.schema.attributes import Attribute, Schema
from hpd.schema.render import to_json_schema
from recipe.codes import code_row
from recipe.handwritten import Handwritten, Question, taught
from recipe.lists import Lists
from recipe.short import Row, short_row
from recipe.spaceless import spaceless_row
from recipe.words import Words

WEIGHTS = {
    "entities": 16,
    "entities_more": 16,
    "people_and_facts": 6,
    "messages_and_news": 6,
    "tables_long": 10,
    "rows_torn": 8,
    "statements_and_reports": 10,
    "tables_as_printed": 10,
    "invoices_and_tables": 10,
    "rows_and_items": 10,
    "invoices_issuers": 6,
    "letterheads_and_numbers": 3,
    "nothing_there": 3,
    "offers_technical": 12,
    "product_pages": 12,
    "titles_clothes_and_gear": 3,
    "titles_fashion_sports": 7,
    "titles_household": 3,
    "titles_marketplace": 7,
    "titles_pantry_and_care": 3,
    "titles_with_models": 3,
}
"""How much likelier a document of these files is to come next than one of the others."""
ROWS_WEIGHT = 4
"""How much likelier a document with a list of objects is to come next."""


def rows(seed: int) -> Iterator[Row]:
    """Yield rows endlessly, of all documents for training."""
    rng = Random(seed)
    every = taught()
    words = Words(document.text for document in every)
    lists = Lists(every, words)
    while True:
        # A random order without repetition, in which a weight is the relative chance to be next.
        for document in sorted(every, key=lambda document: rng.expovariate(weight(document))):
            yield row(document, rng)
            if rng.random() < 0.4 and (short := short_row(rng.choice(every), rng, words)):
                yield decomposed(short) if rng.random() < 0.5 else short
            if rng.random() < 0.25:
                yield code_row(rng)
            if rng.random() < 0.15:
                yield spaceless_row(rng)
            if rng.random() < 0.3:
                yield lists.row(rng)


def weight(document: Handwritten) -> float:
    """Return how much likelier a document is to come next than an ordinary one."""
    has_rows = any(
        question.kind.item is not None and question.kind.item.type == "object" and question.golds[0]
        for question in document.questions
    )
    return WEIGHTS.get(document.file, 1) * (ROWS_WEIGHT if has_rows else 1)


def decomposed(made: Row) -> Row:
    """Return a row with the accents of its text apart from their letters, if it has any."""
    text, schema, answer = made
    is_apart = is_normalized("NFD", text) or not is_normalized("NFC", text)
    if is_apart or any(attribute.choices for attribute in schema.attributes):
        return made
    values = json.loads(normalize("NFD", json.dumps(list(answer.values()), ensure_ascii=False)))
    return normalize("NFD", text), schema, dict(zip(answer, values, strict=True))


def row(document: Handwritten, rng: Random) -> Row:
    """Return a document with some or all of its questions, under any of their names."""
    questions: Sequence[Question] = document.questions
    if rng.random() < 0.5:
        n_asked = rng.randint(min(3, len(questions)), len(questions))
        questions = rng.sample(questions, n_asked)
    if rng.random() < 0.1:
        # More of what the document does not state.
        fewer = [each for each in questions if each.golds[0] is None or rng.random() < 0.5]
        questions = fewer or questions
    style = rng.random() if rng.random() < 0.5 else None
    asked: dict[str, Attribute] = {}
    answer: dict[str, Any] = {}
    for question in questions:
        attribute = rng.choice(question.attributes)
        is_copied = str(question.golds[0]) in document.text
        # A value in another form than the text's needs a description.
        if attribute.description and is_copied and rng.random() < 0.2:
            attribute = replace(attribute, description="")
        if style is not None:
            attribute = replace(attribute, name=restyle(attribute.name, Random(style)))
        if attribute.name not in asked:
            asked[attribute.name] = attribute
            answer[attribute.name] = question.golds[0]
    return document.text, Schema(tuple(asked.values())), answer


def restyle(name: str, rng: Random) -> str:
    """Return the name, sometimes in a style of programs and tables."""
    kind = rng.random()
    if kind < 0.72:
        return name
    if kind < 0.82:
        return name.lower()
    plain = "".join(char if char.isalnum() else " " for char in name).split()
    if kind < 0.93:
        return "_".join(plain).lower()
    if kind < 0.96:
        return plain[0].lower() + "".join(part.capitalize() for part in plain[1:])
    return name.title() if kind < 0.985 else name.upper()


def line(made: Row) -> str:
    """Return a row as a line of JSON."""
    text, schema, answer = made
    row = {"text": text, "schema": to_json_schema(schema), "gold": answer}
    return json.dumps(row, ensure_ascii=False)


def main() -> None:
    """Write the rows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, help="how many; else without end")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    try:
        for made in islice(rows(arguments.seed), arguments.rows):
            print(line(made))
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader closed the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
