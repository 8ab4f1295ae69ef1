"""Check all documents or some: ``python -m recipe.handwritten.check [FILE ...]``."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hpd.schema.attributes import Attribute
from hpd.values.parsing import check_value
from recipe.handwritten import FOLDER, Handwritten, HandwrittenError, read_file

_STANDARD_FORM = re.compile(r"[A-Z]{3}|[0-9:T-]+")
"""Codes of currencies, dates and times."""


def problems_of(document: Handwritten) -> Iterator[str]:
    """Yield the problems of a document's answers."""
    text = " ".join(document.text.split())
    for question in document.questions:
        attribute = question.attributes[0]
        for gold in question.golds:
            for problem in _problems(attribute, gold, text):
                yield f"{document.name}: {attribute.name}: {problem}"


def _problems(attribute: Attribute, gold: Any, text: str) -> Iterator[str]:
    if gold is None:
        return
    if attribute.type == "array":
        assert attribute.item is not None
        for item in gold:
            yield from _problems(attribute.item, item, text)
    elif attribute.type == "object":
        names = {each.name for each in attribute.attributes}
        if set(gold) != names:
            yield f"it has {sorted(gold)}, not {sorted(names)}"
        for each in attribute.attributes:
            yield from _problems(each, gold.get(each.name), text)
    elif (found := check_value(gold, attribute)).error is not None:
        yield f"{gold!r}: {found.error}"
    elif attribute.type == "date-time" and found.value != gold:
        yield f"{gold!r}: write {found.value!r}"
    elif attribute.type == "string" and " ".join(gold.split()) not in text:
        # A value in another form than the text's needs a description.
        if attribute.description or _STANDARD_FORM.fullmatch(gold):
            return
        yield f"{gold!r} is not in the text"


def main() -> int:
    """Run the program; return its exit code."""
    files = [Path(each) for each in sys.argv[1:]] or sorted(FOLDER.glob("*.txt"))
    n_wrong = 0
    names: Counter[str] = Counter()
    for file in files:
        try:
            documents = list(read_file(file))
        except HandwrittenError as error:
            print(error)
            n_wrong += 1
            continue
        n_questions = n_absent = 0
        for document in documents:
            names[document.name] += 1
            golds = [question.golds[0] for question in document.questions]
            n_questions += len(golds)
            n_absent += sum(gold in (None, []) for gold in golds)
            for problem in problems_of(document):
                print(problem)
                n_wrong += 1
        print(f"{file.name}: {len(documents)} documents, {n_questions} questions, "
              f"{n_absent} of them absent")  # fmt: skip
    for name, n in names.items():
        if n > 1:
            print(f"{name} is there {n} times")
            n_wrong += 1
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
