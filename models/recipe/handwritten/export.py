"""Write all documents as lines of JSON, each with its schema and its right answers.

    PYTHONPATH=python:models python -m recipe.handwritten.export > handwritten.jsonl

The split of a line is ``train``, or ``test`` for those that the bundled model never saw. Of several
names of a question the first one is asked; where several answers are right, the gold value lists
them.
"""

from __future__ import annotations

import json
from typing import Any

from hpd.schema import to_json_schema
from recipe.handwritten import Handwritten, documents


def line_of(document: Handwritten) -> dict[str, Any]:
    """Return a document as ``hpd eval`` and ``hpd finetune`` read it."""
    schema = to_json_schema(document.schema)
    schema.pop("$schema")
    return {
        "id": document.name,
        "text": document.text,
        "schema": schema,
        "gold": document.answer,
    }


def main() -> None:
    """Write the documents."""
    for document in documents():
        split = "test" if document.is_kept_aside else "train"
        print(json.dumps({**line_of(document), "split": split}, ensure_ascii=False))


if __name__ == "__main__":
    main()
