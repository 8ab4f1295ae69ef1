"""Labelled documents, from whoever labelled them, and the rows that teach them.

Labels are gold values beside the document, or lines that ``hpd extract`` wrote for the same
documents with a larger model (distillation) or with the model itself (self-supervision).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from hpd import prompt
from hpd.errors import InputError
from hpd.evaluation.matching import match_rows
from hpd.evaluation.outcomes import gold_values
from hpd.evaluation.rows import Example, load_predictions
from hpd.files import Record, RecordReader
from hpd.prompt import DocumentTurn
from hpd.prompt.questions import UNKNOWN, Leaf, Question, answer_at
from hpd.schema.attributes import Attribute, Schema
from hpd.training.interview import Interview
from hpd.training.prompter import KeyedMask, Prompter
from hpd.training.rows import TrainingRow, training_row
from hpd.training.stacks import stacks
from hpd.training.vocabulary import CheckpointVocabulary
from hpd.values import Parsed, check_value, parse_value

Unnamed = Literal["null", "skip"]
"""The meaning of an attribute that a document's label does not name: null, or not taught."""

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


class RowMaker:
    """Labelled documents as rows."""

    def __init__(
        self,
        vocabulary: CheckpointVocabulary,
        eos: int,
        mask: KeyedMask,
        max_tokens: int,
        instructions: str = "",
        document_turn: DocumentTurn = "user",
    ) -> None:
        self._vocabulary = vocabulary
        self._eos = eos
        self._mask: KeyedMask = mask
        self._max_tokens = max_tokens
        self._instructions = instructions
        self._document_turn: DocumentTurn = document_turn
        self._prompters: dict[int, Prompter] = {}

    def fields(self, documents: Sequence[Labelled]) -> TrainingRow | None:
        """All fields of one document, or of a stack; None if there is nothing to teach."""
        prompter = self._prompter(documents[0].schema)
        asked: list[tuple[Question, Any]] = []
        n_first = 0
        interview = Interview(documents[0].schema, prompter.layout, len(documents))
        while interview.questions:
            wave = [(q, _known(documents[q.document].answer, q.leaf)) for q in interview.questions]
            if interview.is_first:
                # Nothing is taught of what is not known, but the next keys of a skeleton show it.
                shows_all = prompter.layout == "skeleton"
                asked = [(q, value) for q, value in wave if shows_all or value is not UNKNOWN]
                n_first = len(asked)
            else:
                asked += [(q, value) for q, value in wave if value is not UNKNOWN]
            interview.take([_said(q, value) for q, value in wave])
        if all(value is UNKNOWN for _, value in asked):
            return None
        texts = [document.text for document in documents]
        fields = prompter.fields(texts, [question.key for question, _ in asked], n_first)
        values = [None if value is UNKNOWN else self._value(value) for _, value in asked]
        return training_row(fields, values, self._max_tokens)

    def answer(self, documents: Sequence[Labelled]) -> TrainingRow | None:
        """The whole answer of one document, or of a stack, as autoregression writes it."""
        answers = [
            {a.name: _whole(a, d.answer[a.name]) for a in d.schema if a.name in d.answer}
            for d in documents
        ]
        whole = answers[0]
        if len(answers) > 1:
            whole = {str(number): answer for number, answer in enumerate(answers, start=1)}
        tokens = [*self._vocabulary.tokenize_inside(prompt.answer_text(whole)), self._eos]
        keys = self._prompter(documents[0].schema).answer([document.text for document in documents])
        return training_row(keys, [tokens], len(tokens))

    def _prompter(self, schema: Schema) -> Prompter:
        if id(schema) not in self._prompters:
            self._prompters[id(schema)] = Prompter(
                self._vocabulary, schema, self._mask, self._instructions, self._document_turn
            )
        return self._prompters[id(schema)]

    def _value(self, value: Any) -> list[int]:
        return self._vocabulary.tokenize_inside(prompt.value_text(value))


def make_rows(
    documents: Sequence[Labelled],
    maker: RowMaker,
    *,
    whole_answer: bool = False,
    stack: int = 1,
    max_row: int = 4096,
) -> tuple[list[TrainingRow], int]:
    """The rows of all documents, and how many of those were longer than ``max_row`` tokens."""
    rows = []
    n_long = 0
    for places in stacks([id(document.schema) for document in documents], stack):
        group = [documents[place] for place in places]
        row = maker.answer(group) if whole_answer else maker.fields(group)
        if row is None:
            continue
        if len(row) > max_row:
            n_long += 1
        else:
            rows.append(row)
    return rows, n_long


def _known(answer: Mapping[str, Any], leaf: Leaf) -> Any:
    """The value of a leaf, or ``UNKNOWN`` where it or a value that its key shows is not known."""
    if any(path[0] not in answer for path in (leaf.path, *leaf.after)):
        return UNKNOWN
    return answer_at(answer, leaf.path)


def _said(question: Question, value: Any) -> Parsed:
    """The value as decoding takes it in when the model says it."""
    if value is UNKNOWN:
        return Parsed()
    return parse_value(prompt.value_text(value), question.leaf.attribute)


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
