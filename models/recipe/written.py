"""Score a model on the written documents (``models/written``), through hpd's public interface.

    python models/recipe/written.py [-m MODEL] [--draw N] [--seed S]

A field is one value of a schema: an attribute, an item of a list, or a part of an item, at its
position. Values are compared as in ``hpd eval``'s normalized form. A superfluous item is one wrong
field. With ``--draw``, the model's answers to N random documents are printed instead of scores.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import hpd
from hpd.evaluation.calibration import reliability
from hpd.evaluation.confidence_fit import ScoredConfidence
from hpd.evaluation.outcomes import Outcome, normalize_value, outcome
from hpd.evaluation.rows import compared_text, gold_values
from hpd.schema import load_schema
from hpd.schema.attributes import Attribute, Schema
from hpd.values.confidence import ANY_KIND

FOLDER = Path(__file__).parents[1] / "written"
CONFIDENT = 0.95


@dataclass(frozen=True)
class Written:
    """A written document with its schema and gold."""

    id: str
    text: str
    schema: str | Schema
    data: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """The kind of document, which is its file."""
        return self.id.partition("/")[0]

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes of the schema."""
        schema = self.schema if isinstance(self.schema, Schema) else load_schema(self.schema)
        return schema.attributes


@dataclass(frozen=True)
class Cell:
    """A field of a document: the right gold values, and the predicted one."""

    path: str
    """The path in the data, as in ``Extraction.fields``."""
    attribute: Attribute
    gold: tuple[Any, ...]
    """Empty if the document does not state it."""
    predicted: Any

    @property
    def outcome(self) -> Outcome:
        """Return the outcome in ``hpd eval``'s normalized form."""
        return outcome(gold_values(self.gold), self.predicted, normalize_value)

    @property
    def is_right(self) -> bool:
        """Whether the value or null is right."""
        return self.outcome in ("vc", "nn")


def read_written(folder: Path = FOLDER) -> list[Written]:
    """Read all written documents, kind by kind."""
    return [
        Written(**json.loads(line))
        for file in sorted(folder.glob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]


def cells(
    attributes: Sequence[Attribute],
    gold: Mapping[str, Any],
    predicted: Mapping[str, Any],
    prefix: str = "",
) -> Iterator[Cell]:
    """Return the fields of a document or item; an empty list is one absent field."""
    for attribute in attributes:
        path = prefix + attribute.name
        expected, answered = gold.get(attribute.name), predicted.get(attribute.name)
        if attribute.item is not None:
            yield from _items(path, attribute, expected or [], answered or [])
        elif attribute.type == "object":
            yield from cells(attribute.attributes, expected or {}, answered or {}, f"{path}.")
        else:
            several = expected if isinstance(expected, list) else [expected]
            values = tuple(value for value in several if value is not None)
            yield Cell(path, attribute, values, answered)


def _items(
    path: str, attribute: Attribute, expected: Sequence[Any], answered: Sequence[Any]
) -> Iterator[Cell]:
    item = attribute.item
    assert item is not None
    if not expected and not answered:
        yield Cell(path, attribute, (), None)
    for index, value in enumerate(expected):
        here = f"{path}[{index}]"
        answer = answered[index] if index < len(answered) else None
        if item.attributes:
            yield from cells(item.attributes, value, answer or {}, f"{here}.")
        else:
            yield Cell(here, item, (value,), answer)
    for index in range(len(expected), len(answered)):
        yield Cell(f"{path}[{index}]", item, (), answered[index])


def order(fields: Sequence[Cell]) -> Counter[str]:
    """Count the predicted values in lists of two or more, and those at their position."""
    lists: dict[str, list[Cell]] = {}
    for cell in fields:
        if "[" in cell.path:
            lists.setdefault(re.sub(r"\[\d+\]", "[]", cell.path), []).append(cell)
    counts: Counter[str] = Counter()
    for column in lists.values():
        golds = tuple(value for cell in column for value in cell.gold)
        if len(golds) > 1:
            stated = [cell for cell in column if replace(cell, gold=golds).outcome == "vc"]
            counts["stated"] += len(stated)
            counts["in place"] += sum(cell.outcome == "vc" for cell in stated)
    return counts


def judged(
    document: Written, fields: Sequence[Cell], extraction: hpd.Extraction[Any]
) -> Iterator[ScoredConfidence]:
    """Return the values and nulls that have a confidence."""

    def answer(path: str, result: Outcome) -> Iterator[ScoredConfidence]:
        details = extraction.fields.get(path)
        if details is not None and details.confidence is not None:
            is_null, is_right = result in ("nn", "vn"), result in ("nn", "vc")
            yield ScoredConfidence(0, ANY_KIND, details.confidence, is_null, is_right)

    for cell in fields:
        if cell.attribute.item is None:
            yield from answer(cell.path, cell.outcome)
    for attribute in document.attributes:
        # The confidence of an empty list is that of its length.
        if attribute.item is not None and not (extraction.data or {}).get(attribute.name):
            yield from answer(attribute.name, "vn" if document.data[attribute.name] else "nn")


@dataclass
class Score:
    """Counts of some documents, and their values and nulls with confidence."""

    counts: Counter[str] = field(default_factory=Counter)
    answers: list[ScoredConfidence] = field(default_factory=list)

    def add(self, other: Score) -> None:
        """Add another score."""
        self.counts += other.counts
        self.answers += other.answers


def scores(extractor: hpd.Extractor[Any], documents: Sequence[Written]) -> dict[str, Score]:
    """Return the score of each kind of document, and of all."""
    by_kind: dict[str, Score] = {}
    every = Score()
    for document in documents:
        (extraction,) = extractor.extract_many(
            [document.text], schema=document.schema, on_error="record"
        )
        fields = list(cells(document.attributes, document.data, extraction.data or {}))
        counts = order(fields)
        counts["documents"] += 1
        counts["fields"] += len(fields)
        counts["right"] += sum(cell.is_right for cell in fields)
        outcomes = Counter(cell.outcome for cell in fields)
        counts["given"] += outcomes["vc"] + outcomes["vw"] + outcomes["nv"]
        counts["given right"] += outcomes["vc"]
        counts["absent"] += outcomes["nv"] + outcomes["nn"]
        counts["invented"] += outcomes["nv"]
        for cell in fields:
            if "[" in cell.path and cell.gold:
                counts["cells"] += 1
                counts["cells right"] += cell.is_right
        score = Score(counts, list(judged(document, fields, extraction)))
        by_kind.setdefault(document.kind, Score()).add(score)
        every.add(score)
    return {**by_kind, "all": every}


def table(by_kind: Mapping[str, Score]) -> str:
    """Return the scores in Markdown, followed by the calibration errors."""
    lines = [
        "| kind | documents | fields right | of the values given, right | absent, but given "
        "| cells of lists right | items of lists in place "
        f"| values at {CONFIDENT} and more right | nulls at {CONFIDENT} and more right |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for kind, score in by_kind.items():
        counts = score.counts
        shares = [
            _share(counts[part], counts[whole])
            for part, whole in (
                ("right", "fields"),
                ("given right", "given"),
                ("invented", "absent"),
                ("cells right", "cells"),
                ("in place", "stated"),
            )
        ]
        for is_null in (False, True):
            sure = [
                answer.is_right
                for answer in score.answers
                if answer.is_null == is_null and answer.confidence >= CONFIDENT
            ]
            shares.append(_share(sum(sure), len(sure)))
        lines.append(f"| {' | '.join([kind, str(counts['documents']), *shares])} |")
    values, nulls = (
        reliability([a for a in by_kind["all"].answers if a.is_null == is_null])
        for is_null in (False, True)
    )
    lines += [
        "",
        f"Expected calibration error: {values.ece:.3f} of {values.n} values, "
        f"{nulls.ece:.3f} of {nulls.n} nulls.",
    ]
    return "\n".join(lines)


def report(settings: Mapping[str, Any], documents: Sequence[Written]) -> str:
    """Return the table of documents, with ``hpd.Extractor``'s settings."""
    with hpd.Extractor("text", **settings) as extractor:
        return table(scores(extractor, documents))


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}% ({part} of {whole})" if whole else "-"


def answers(extractor: hpd.Extractor[Any], document: Written) -> str:
    """Return the model's answers to a document, on a line.

    A wrong one is followed by ``≠`` and the gold, a near tie is preceded by ``~``.
    """
    extraction = extractor.extract(document.text, schema=document.schema)
    parts = []
    for attribute in document.attributes:
        fields = list(cells([attribute], document.data, extraction.data))
        near_tie = any(
            details.near_tie
            for path, details in extraction.fields.items()
            if re.split(r"[.\[]", path)[0] == attribute.name
        )
        if attribute.item is not None and document.data[attribute.name]:
            answer = f"{sum(cell.is_right for cell in fields)} of {len(fields)} right"
        else:
            answer = _shown(extraction.data.get(attribute.name))
            if not fields[0].is_right:
                answer += f" ≠ {_shown(fields[0].gold[0] if fields[0].gold else None)}"
        parts.append(f"{attribute.name}={'~' * near_tie}{answer}")
    return f"{document.id}: {'; '.join(parts)}"


def _shown(value: Any) -> str:
    return "-" if value is None or value == [] else compared_text(value)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-m", "--model", help="a GGUF file or a model's name (default: the box)")
    parser.add_argument("--draw", type=int, metavar="N", help="print the answers to N documents")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (default: 1)")
    asked = parser.parse_args(arguments)
    documents = read_written()
    if asked.draw is not None and not 0 < asked.draw <= len(documents):
        parser.error(f"--draw {asked.draw}: there are {len(documents)} documents")
    settings = {"model": asked.model} if asked.model else {}
    try:
        if asked.draw is None:
            print(report(settings, documents))
            return 0
        with hpd.Extractor("text", **settings) as extractor:
            for document in Random(asked.seed).sample(documents, asked.draw):
                print(answers(extractor, document))
    except hpd.HpdError as error:
        print(f"written: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
