"""Labelled documents, streamed from their source, as training rows.

Labels are gold values beside the document, or the output of ``hpd extract`` for the same documents
with a larger model (distillation) or with the model itself (self-supervision). Documents are
shuffled within a buffer of a few thousand, so a file with gold values need not fit into memory.
"""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, Literal

from hpd.documents import Document
from hpd.errors import InputError, SchemaError
from hpd.evaluation.matching import match_rows
from hpd.evaluation.rows import GOLD_FIELDS, Example, gold_values, load_predictions
from hpd.files.reader import RecordReader
from hpd.pipeline.recent import RecentlyUsed
from hpd.prompt.questions import UNKNOWN, Leaf, Question, known_answer
from hpd.prompt.text import Lists, answer_text, complete_value, to_answer, written_value
from hpd.schema import load_schema
from hpd.schema.attributes import Attribute, Schema
from hpd.schema.schemas import Schemas
from hpd.training.rows import (
    AnswerWalk,
    KeyedMask,
    Prompter,
    TrainingPrompt,
    TrainingRow,
    TrainingVocabulary,
    training_row,
)
from hpd.values.parsing import check_value

OnUnnamed = Literal["null", "skip"]
"""What to do with an attribute that a document's label does not name: train on null, or skip it."""

RowForm = KeyedMask | Literal["ar"]
"""What a row trains: fields under a mask, or the whole answer, autoregressively."""

N_SHUFFLED = 4096
"""Size of the shuffle buffer, in documents."""
_N_READ_AHEAD = 64
_N_PROMPTERS = 256


@dataclass(frozen=True, slots=True)
class TrainingSource:
    """A file of documents, or a stream (``-``), and the names of its fields."""

    path: Path
    text_field: Sequence[str] | None = None
    id_field: str | None = None
    category_field: str | None = None

    @property
    def is_stream(self) -> bool:
        """Whether it can be read only once."""
        return str(self.path) == "-" or (self.path.exists() and not self.path.is_file())

    def records(self) -> Iterator[Document]:
        """Yield the records; raise ``InputError`` for one that cannot be read."""
        source = "-" if str(self.path) == "-" else self.path
        reader = RecordReader(
            source,
            format="jsonl" if self.is_stream else None,
            text_field=self.text_field,
            id_field=self.id_field,
            category_field=self.category_field,
        )
        with reader:
            for record in reader:
                if record.error is not None:
                    raise record.error
                yield record


@dataclass(frozen=True, slots=True)
class LabelledDocument:
    """A document and its answer; attributes missing from the answer are not trained on."""

    text: str
    schema: Schema
    answer: Mapping[str, Any]


def schema_of(schemas: Schemas | None, record: Document, where: str) -> Schema:
    """Return a document's schema: its own, its category's or the common one."""
    inline = record.row.get("schema")
    if inline is not None and (schemas is None or schemas.single is None):
        try:
            return _read_schema(inline if isinstance(inline, str) else json.dumps(inline))
        except SchemaError as error:
            raise InputError(f"{where}: schema: {str(error).removeprefix('schema, ')}") from error
    if schemas is None:
        raise InputError(f"{where}: no schema: give one with --schema, or in the line")
    category = record.category
    if category not in schemas:
        what = "no category" if category is None else f"category {category!r}"
        raise InputError(f"{where}: {what}: the schema has {', '.join(schemas.categories)}")
    return schemas.for_category(category)


def document_schemas(
    schemas: Schemas | None, source: TrainingSource, records: Sequence[Document]
) -> list[Schema]:
    """Return each document's schema."""
    return [schema_of(schemas, record, f"{source.path}:{record.line}") for record in records]


# Equal texts give the same object, by which documents are grouped.
_read_schema = lru_cache(maxsize=256)(load_schema)


def gold_labels(
    source: TrainingSource, schemas: Schemas | None, unnamed: OnUnnamed = "null"
) -> Iterator[LabelledDocument]:
    """Yield documents with the gold values in their ``target_scores``, ``gold`` or ``data``."""
    for record in source.records():
        where = f"{source.path}:{record.line}"
        schema = schema_of(schemas, record, where)
        candidates = (record.row.get(name) for name in GOLD_FIELDS)
        gold = next((values for values in candidates if isinstance(values, Mapping)), None)
        if gold is None:
            raise InputError(f"{where}: no gold values: looked for {', '.join(GOLD_FIELDS)}")
        is_scores = gold is record.row.get("target_scores")
        answer: dict[str, Any] = {}
        for attribute in schema:
            if attribute.name in gold:
                given = gold[attribute.name]
                answer[attribute.name] = _gold_value(given, attribute, where, is_scores=is_scores)
            elif unnamed == "null":
                answer[attribute.name] = None
        yield LabelledDocument(record.text, schema, answer)


def teacher_labels(
    source: TrainingSource, labels: Path, schemas: Schemas | None, unnamed: OnUnnamed = "null"
) -> list[LabelledDocument]:
    """Return documents with the output of ``hpd extract`` as labels, except those that failed."""
    records = list(source.records())
    examples = [Example(record.id, record.text, record.category or "") for record in records]
    predictions = match_rows(examples, load_predictions(labels)).data
    return label(records, document_schemas(schemas, source, records), predictions, unnamed)


def label(
    records: Sequence[Document],
    schemas: Sequence[Schema],
    predictions: Sequence[Mapping[str, Any] | None],
    unnamed: OnUnnamed,
) -> list[LabelledDocument]:
    """Return documents with their predictions as labels, except those without a prediction."""
    labelled = []
    for record, schema, data in zip(records, schemas, predictions, strict=True):
        if data is None:
            continue
        names = [a.name for a in schema if a.name in data or unnamed == "null"]
        answer = {name: data.get(name) for name in names}
        labelled.append(LabelledDocument(record.text, schema, answer))
    if not labelled:
        raise InputError("no document has a label")
    return labelled


@dataclass(slots=True)
class RowMaker:
    """Makes training rows of labelled documents."""

    vocabulary: TrainingVocabulary
    max_tokens: int
    """Longer values are cut, except lists that are written as a whole."""
    instructions: str = ""
    lists: Lists = "numbers"
    """How the rows of lists are asked for."""
    _prompters: RecentlyUsed[tuple[str, KeyedMask], Prompter] = field(
        default_factory=lambda: RecentlyUsed(_N_PROMPTERS), init=False
    )

    def row(
        self,
        documents: Sequence[LabelledDocument],
        form: RowForm,
        max_row: int | None = None,
        rng: Random | None = None,
    ) -> TrainingRow | None:
        """Return the row of one document or a stack; None if there is nothing to train on.

        Args:
            documents: several are stacked.
            form: the form of the row.
            max_row: maximum tokens in a row. A longer row with the mask ``branch`` leaves out
                fields of later waves, such as cells of a long table, as no other field depends on
                them. None: no field is left out.
            rng: chooses the fields to leave out; None: the last ones.
        """
        if form == "ar":
            return self.answer(documents)
        return self.fields(documents, form, max_row, rng)

    def fields(
        self,
        documents: Sequence[LabelledDocument],
        mask: KeyedMask = "branch",
        max_row: int | None = None,
        rng: Random | None = None,
    ) -> TrainingRow | None:
        """Return a row with all fields of one document or a stack; None if all are unknown."""
        schema = documents[0].schema
        prompter = self._prompter(schema, mask)
        answers = [to_answer(schema, document.answer) for document in documents]
        fields: list[tuple[Question, Any]] = []
        n_first = 0
        walk = AnswerWalk(schema, prompter.layout, len(documents), self.lists)
        while walk.questions:
            wave = [(q, _value_to_train(answers[q.document], q.leaf)) for q in walk.questions]
            # A key whose value is unknown is left out, unless later keys of a skeleton contain it.
            keeps_unknown = prompter.layout == "skeleton" and walk.is_first
            fields += [(q, value) for q, value in wave if keeps_unknown or value is not UNKNOWN]
            if walk.is_first:
                n_first = len(fields)
            walk.take([None if value is UNKNOWN else written_value(value) for _, value in wave])
        if all(value is UNKNOWN for _, value in fields):
            return None
        texts = [document.text for document in documents]
        prompt = prompter.fields(texts, [question.key for question, _ in fields], n_first)
        values = [None if value is UNKNOWN else self._value(q, value) for q, value in fields]
        max_tokens = self.max_tokens
        if mask != "paper":  # Its gaps have a fixed length.
            max_tokens = max(max_tokens, *(len(value) for value in values if value is not None))
        if max_row is not None and prompt.mask == "branch":
            kept = _fields_that_fit(prompt, values, n_first, max_row, rng)
            prompt = replace(prompt, keys=[prompt.keys[i] for i in kept])
            values = [values[i] for i in kept]
        return training_row(prompt, values, max_tokens)

    def answer(self, documents: Sequence[LabelledDocument]) -> TrainingRow | None:
        """Return a row with the whole answer, as autoregressive decoding writes it."""
        answers = [
            {a.name: complete_value(a, d.answer[a.name]) for a in d.schema if a.name in d.answer}
            for d in documents
        ]
        whole = answers[0]
        if len(answers) > 1:
            whole = {str(number): answer for number, answer in enumerate(answers, start=1)}
        tokens = [*self.vocabulary.tokenize_inside(answer_text(whole)), self.vocabulary.eos]
        keys = self._prompter(documents[0].schema, "branch").answer(
            [document.text for document in documents]
        )
        return training_row(keys, [tokens], len(tokens))

    def _prompter(self, schema: Schema, mask: KeyedMask) -> Prompter:
        return self._prompters.get_or_make(
            (schema.key, mask),
            lambda: Prompter(self.vocabulary, schema, mask, self.instructions),
        )

    def _value(self, question: Question, value: Any) -> list[int]:
        tokens = self.vocabulary.tokenize_inside(written_value(value))
        return tokens if question.leaf.written is not None else tokens[: self.max_tokens]


@dataclass(slots=True)
class RowStream:
    """The rows of documents in training order, epoch after epoch.

    Rows are numbered, so that a run can be resumed after any of them; the same seed gives the same
    order.

    Args:
        documents: reads all documents from the first one.
        maker: makes their rows.
        forms: the forms of rows and their weights.
        stack: documents per prompt.
        max_row: maximum number of tokens. Longer rows leave out fields of later waves; if they are
            still longer, they are skipped and counted in ``n_skipped``. ``n_longest`` is the length
            of the longest row that was not skipped.
        seed: seed of the order and of the forms.
        is_read_once: there is only one epoch, and a resumed run gets new documents, so it skips
            no rows.
    """

    documents: Callable[[], Iterable[LabelledDocument]]
    maker: RowMaker
    forms: Mapping[RowForm, float]
    stack: int = 1
    max_row: int = 4096
    seed: int = 0
    is_read_once: bool = False
    n_skipped: int = field(default=0, init=False)
    n_longest: int = field(default=0, init=False)

    def per_epoch(self) -> int:
        """Return the rows per epoch, including skipped ones; reads all documents."""
        return sum(1 for _ in self._groups(0))

    def rows(self, n_done: int = 0) -> Iterator[tuple[int, TrainingRow]]:
        """Yield the rows after the first ``n_done``, each with its number, from 1."""
        number = n_done if self.is_read_once else 0
        epoch = 0
        while True:
            n_before = number
            for group, form in self._groups(epoch):
                number += 1
                row = self._row(number, group, form) if number > n_done else None
                if row is not None:
                    yield number, row
            epoch += 1
            if self.is_read_once or number == n_before:
                return

    def _groups(self, epoch: int) -> Iterator[tuple[list[LabelledDocument], RowForm]]:
        """Yield the documents of each row, and its form."""
        rng = Random(f"{self.seed}/{epoch}")
        names: list[RowForm] = list(self.forms)
        weights = [self.forms[name] for name in names]
        waiting: dict[tuple[RowForm, str], list[LabelledDocument]] = {}
        for document in _shuffle(self.documents(), rng):
            form = rng.choices(names, weights)[0]
            group = waiting.setdefault((form, document.schema.key), [])
            group.append(document)
            if len(group) == self.stack:
                yield waiting.pop((form, document.schema.key)), form
        for (form, _), group in waiting.items():
            yield group, form

    def _row(
        self, number: int, group: Sequence[LabelledDocument], form: RowForm
    ) -> TrainingRow | None:
        rng = Random(f"{self.seed}/row {number}")
        row = self.maker.row(group, form, self.max_row, rng)
        if row is not None and len(row) > self.max_row:
            self.n_skipped += 1
            return None
        self.n_longest = max(self.n_longest, 0 if row is None else len(row))
        return row


def _shuffle(documents: Iterable[LabelledDocument], rng: Random) -> Iterator[LabelledDocument]:
    """Yield the documents in random order, shuffled within a buffer."""
    buffer: list[LabelledDocument] = []
    for document in documents:
        buffer.append(document)
        if len(buffer) == N_SHUFFLED:
            i = rng.randrange(N_SHUFFLED)
            buffer[i], buffer[-1] = buffer[-1], buffer[i]
            yield buffer.pop()
    rng.shuffle(buffer)
    yield from buffer


@contextmanager
def read_ahead(
    rows: Iterator[tuple[int, TrainingRow]],
) -> Iterator[Iterator[tuple[int, TrainingRow]]]:
    """Make the rows in another thread while the network computes."""
    waiting: queue.Queue[Any] = queue.Queue(_N_READ_AHEAD)
    stopped = threading.Event()

    def put(item: Any) -> None:
        while not stopped.is_set():
            with suppress(queue.Full):
                waiting.put(item, timeout=0.1)
                break

    def read() -> None:
        try:
            for row in rows:
                put(row)
                if stopped.is_set():
                    return
            put(None)
        except BaseException as error:
            put(error)

    def received() -> Iterator[tuple[int, TrainingRow]]:
        while (item := waiting.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    try:
        yield received()
    finally:
        stopped.set()


def _fields_that_fit(
    prompt: TrainingPrompt,
    values: Sequence[Sequence[int] | None],
    n_first: int,
    max_row: int,
    rng: Random | None,
) -> list[int]:
    """Return the indexes of the first wave's fields and of as many others as fit into a row."""
    # The last token of a value is only a target.
    lengths = [
        len(key) + max(0, len(value or ()) - 1)
        for key, value in zip(prompt.keys, values, strict=True)
    ]
    n_left = max_row - len(prompt.tokens) - sum(lengths[:n_first])
    later = list(range(n_first, len(lengths)))
    if rng is not None and sum(lengths[n_first:]) > n_left:
        rng.shuffle(later)
    kept = list(range(n_first))
    for i in later:
        if lengths[i] > n_left:
            break
        n_left -= lengths[i]
        kept.append(i)
    return sorted(kept)


def _value_to_train(answer: Mapping[str, Any], leaf: Leaf) -> Any:
    """Return the value of a leaf; ``UNKNOWN`` if that or a value shown in its key is not known."""
    if any(path[0] not in answer for path in leaf.after):
        return UNKNOWN
    return known_answer(answer, leaf)


def _gold_value(given: Any, attribute: Attribute, where: str, *, is_scores: bool) -> Any:
    """Return the value to train on from gold values, several of which may be accepted."""
    if not is_scores and attribute.type in ("object", "array"):
        return given
    values = gold_values(given)
    if values is None:
        return None
    kind = attribute.item or Attribute("item") if attribute.type == "array" else attribute
    checked = []
    for value in values:
        parsed = check_value(value, kind)
        if parsed.error is not None:
            raise InputError(f"{where}: the gold value of {attribute.name}: {parsed.error}")
        checked.append(parsed.value)
    return checked if attribute.type == "array" else checked[0]
