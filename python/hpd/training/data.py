"""Labelled documents, from whoever labelled them, and the rows that teach them.

Labels are gold values beside the document, or lines that ``hpd extract`` wrote for the same
documents with a larger model (distillation) or with the model itself (self-supervision).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from hpd import prompt
from hpd.errors import InputError
from hpd.evaluation.matching import match_rows
from hpd.evaluation.outcomes import gold_values
from hpd.evaluation.rows import Example, load_predictions
from hpd.prompt.tokens import Vocabulary
from hpd.records import Record, RecordReader
from hpd.schema.attributes import Attribute, Schema
from hpd.training.masks import Mask
from hpd.training.prompter import Prompter
from hpd.training.rows import TrainingRow, training_row
from hpd.values import check_value

Unnamed = Literal["null", "skip"]
"""What an attribute is taught to be in a document whose label does not name it."""

Schemas = Schema | Mapping[str, Schema]


@dataclass(frozen=True, slots=True)
class Source:
    """A file of documents, and which of its fields are what."""

    path: Path
    text_field: Sequence[str] | None = None
    id_field: str | None = None
    category_field: str | None = None

    def records(self) -> list[Record]:
        """All of them; one that cannot be read raises ``InputError``."""
        reader = RecordReader(
            self.path,
            text_field=self.text_field,
            id_field=self.id_field,
            category_field=self.category_field,
        )
        with reader:
            records = list(reader)
        for record in records:
            if record.error is not None:
                raise record.error
        return records


@dataclass(frozen=True, slots=True)
class Labelled:
    """A document and the answer to be taught; attributes that it lacks are not taught."""

    text: str
    schema: Schema
    answer: Mapping[str, Any]


def schema_of(schemas: Schemas, category: str | None, where: str) -> Schema:
    """The schema of a document."""
    if isinstance(schemas, Schema):
        return schemas
    if category is None or category not in schemas:
        what = "no category" if category is None else f"category {category!r}"
        raise InputError(f"{where}: {what}: the schema has {', '.join(schemas)}")
    return schemas[category]


def gold_labels(source: Source, schemas: Schemas, unnamed: Unnamed = "null") -> list[Labelled]:
    """Documents with the values beside them, in ``target_scores``, ``gold`` or ``data``."""
    labelled = []
    for record in source.records():
        where = f"{source.path}:{record.line}"
        schema = schema_of(schemas, record.category, where)
        fields = ("target_scores", "gold", "data")
        gold = next((record.raw[n] for n in fields if isinstance(record.raw.get(n), Mapping)), None)
        if gold is None:
            raise InputError(f"{where}: no gold values: looked for {', '.join(fields)}")
        is_scores = gold is record.raw.get("target_scores")
        answer: dict[str, Any] = {}
        for attribute in schema:
            if attribute.name in gold:
                given = gold[attribute.name]
                answer[attribute.name] = _gold(given, attribute, where, is_scores=is_scores)
            elif unnamed == "null":
                answer[attribute.name] = None
        labelled.append(Labelled(record.text, schema, answer))
    return labelled


def teacher_labels(
    source: Source, labels: Path, schemas: Schemas, unnamed: Unnamed = "null"
) -> list[Labelled]:
    """Documents with the values that ``hpd extract`` found; those that failed are left out."""
    records = source.records()
    examples = [Example(record.id, record.text, record.category or "") for record in records]
    predictions = match_rows(examples, load_predictions(labels)).data
    schemas_of = [
        schema_of(schemas, record.category, f"{source.path}:{record.line}") for record in records
    ]
    return label(records, schemas_of, predictions, unnamed)


def label(
    records: Sequence[Record],
    schemas: Sequence[Schema],
    predictions: Sequence[Mapping[str, Any] | None],
    unnamed: Unnamed = "null",
) -> list[Labelled]:
    """Documents with what was predicted for them; those without a prediction are left out."""
    labelled = []
    for record, schema, data in zip(records, schemas, predictions, strict=True):
        if data is None:
            continue
        names = [a.name for a in schema if a.name in data or unnamed == "null"]
        answer = {name: data.get(name) for name in names}
        labelled.append(Labelled(record.text, schema, answer))
    if not labelled:
        raise InputError("no document has a label")
    return labelled


def answer_fields(schema: Schema, answer: Mapping[str, Any]) -> list[tuple[prompt.Path, Any]]:
    """Every field of an answer: its path and its value, counts of arrays included."""
    return [
        field
        for attribute in schema
        if attribute.name in answer
        for field in _fields(attribute, (attribute.name,), answer[attribute.name])
    ]


class RowMaker:
    """Labelled documents as rows."""

    def __init__(self, vocabulary: Vocabulary, eos: int, mask: Mask, max_tokens: int) -> None:
        self._vocabulary = vocabulary
        self._eos = eos
        self._mask: Mask = mask
        self._max_tokens = max_tokens
        self._prompters: dict[int, Prompter] = {}

    def fields(self, documents: Sequence[Labelled]) -> TrainingRow | None:
        """All fields of one document, or of a stack; None if there is nothing to teach."""
        found = []
        for place, document in zip(_places(len(documents)), documents, strict=True):
            for path, value in answer_fields(document.schema, document.answer):
                found.append(((*place, *path), value))
        if not found:
            return None
        texts = [document.text for document in documents]
        keys = self._prompter(documents[0].schema).fields(texts, [path for path, _ in found])
        return training_row(keys, [self._value(value) for _, value in found], self._max_tokens)

    def answer(self, documents: Sequence[Labelled]) -> TrainingRow | None:
        """The whole answer of one document, or of a stack, as autoregression writes it."""
        answers = [
            {a.name: _whole(a, d.answer[a.name]) for a in d.schema if a.name in d.answer}
            for d in documents
        ]
        whole = answers[0]
        if len(answers) > 1:
            whole = {str(number): answer for number, answer in enumerate(answers, start=1)}
        tokens = [*self._vocabulary.tokenize(prompt.answer_text(whole)), self._eos]
        keys = self._prompter(documents[0].schema).answer([document.text for document in documents])
        return training_row(keys, [tokens], len(tokens))

    def _prompter(self, schema: Schema) -> Prompter:
        if id(schema) not in self._prompters:
            self._prompters[id(schema)] = Prompter(self._vocabulary, schema, self._mask)
        return self._prompters[id(schema)]

    def _value(self, value: Any) -> list[int]:
        tokens = self._vocabulary.tokenize(" " + json.dumps(value, ensure_ascii=False))
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            # A number ends where something else begins, so that has to be taught too.
            tokens = [*tokens, *self._vocabulary.tokenize(",")]
        return tokens


def make_rows(
    documents: Iterable[Labelled],
    maker: RowMaker,
    *,
    whole_answer: bool = False,
    stack: int = 1,
    max_row: int = 4096,
) -> tuple[list[TrainingRow], int]:
    """The rows of all documents, and how many of those were longer than ``max_row`` tokens."""
    rows = []
    n_long = 0
    for _, group in groupby(documents, key=lambda document: id(document.schema)):
        same = list(group)
        for start in range(0, len(same), stack):
            some = same[start : start + stack]
            row = maker.answer(some) if whole_answer else maker.fields(some)
            if row is None:
                continue
            if len(row) > max_row:
                n_long += 1
            else:
                rows.append(row)
    return rows, n_long


def _places(n_stacked: int) -> list[prompt.Path]:
    return [()] if n_stacked == 1 else [(str(number),) for number in range(1, n_stacked + 1)]


def _fields(attribute: Attribute, path: prompt.Path, value: Any) -> list[tuple[prompt.Path, Any]]:
    if attribute.type == "object":
        inner = value if isinstance(value, Mapping) else {}
        return [
            field
            for child in attribute.attributes
            for field in _fields(child, (*path, child.name), inner.get(child.name))
        ]
    if attribute.type == "array":
        item = attribute.item or Attribute("item")
        items = _items(value)
        found: list[tuple[prompt.Path, Any]] = [((*path, prompt.COUNT_KEY), len(items))]
        for number, part in enumerate(items, start=1):
            found += _fields(item, (*path, str(number)), part)
        return found
    return [(path, value)]


def _whole(attribute: Attribute, value: Any) -> Any:
    """A value with every part that the schema names."""
    if attribute.type == "object":
        inner = value if isinstance(value, Mapping) else {}
        return {child.name: _whole(child, inner.get(child.name)) for child in attribute.attributes}
    if attribute.type == "array":
        item = attribute.item or Attribute("item")
        return [_whole(item, part) for part in _items(value)]
    return value


def _items(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _gold(given: Any, attribute: Attribute, where: str, *, is_scores: bool) -> Any:
    """The value to teach, of all those that count as right."""
    if not is_scores and attribute.type in ("object", "array"):
        return given
    values = gold_values(given)
    if values is None:
        return None
    kind = attribute.item or Attribute("item") if attribute.type == "array" else attribute
    taught = []
    for value in values:
        parsed = check_value(value, kind)
        if parsed.error is not None:
            raise InputError(f"{where}: the gold value of {attribute.name}: {parsed.error}")
        taught.append(parsed.value)
    return taught if attribute.type == "array" else taught[0]
