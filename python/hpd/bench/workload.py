"""The documents of a benchmark with their schemas, or made-up ones."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpd.documents import Document
from hpd.errors import InputError
from hpd.evaluation.rows import GOLD_NULL
from hpd.files.reader import RecordReader
from hpd.prompt.text import complete_value
from hpd.schema import load_schemas
from hpd.schema.attributes import Schema
from hpd.schema.schemas import Schemas

_ANSWERS = ("target_scores", "gold", "data")


@dataclass(frozen=True, slots=True)
class WorkloadDocument:
    """A document, and the answer to replay, if any."""

    id: str
    text: str
    category: str | None
    answer: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Workload:
    """Documents to time, and others of the same categories for warm-up."""

    name: str
    schemas: Schemas
    items: tuple[WorkloadDocument, ...]
    warm_up: tuple[WorkloadDocument, ...]
    is_replay: bool


def load_workload(
    source: str | Path,
    schemas: Schemas,
    replay: str | Path | None = None,
    *,
    limit: int | None = None,
    text_field: Sequence[str] | None = None,
    id_field: str | None = None,
    category_field: str | None = None,
) -> Workload:
    """Read documents and answers.

    Args:
        source: the documents, in any format that ``hpd extract`` reads.
        schemas: the documents' schemas.
        replay: rows with the answers (``target_scores``, ``gold`` or ``data``), by id.
        limit: maximum number of documents, spread evenly over the file.
        text_field: the fields with the text.
        id_field: the field with the id.
        category_field: the field with the category (else ``category`` if schemas need one).

    Raises:
        InputError: a file cannot be read, or a document has no answer or no schema.
    """
    with RecordReader(
        source,
        text_field=text_field,
        id_field=id_field,
        category_field=category_field or ("category" if schemas.single is None else None),
    ) as reader:
        records = list(reader)
        name = reader.name
    answers = None if replay is None else _load_answers(replay, id_field)
    items = []
    for record in records:
        if record.error is not None:
            raise record.error
        items.append(_make_item(record, name, schemas, answers))
    if not items:
        raise InputError(f"{name}: no documents")
    timed = [items[i] for i in spread(len(items), limit)]
    warm_up = tuple(_choose_warm_up(timed, items))
    return Workload(Path(name).stem, schemas, tuple(timed), warm_up, replay is not None)


def spread(n: int, limit: int | None) -> list[int]:
    """Return ``limit`` evenly spread numbers below ``n``."""
    n_taken = n if limit is None else min(n, limit)
    return [i * n // n_taken for i in range(n_taken)]


def _make_item(
    record: Document, name: str, schemas: Schemas, answers: Mapping[str, Mapping[str, Any]] | None
) -> WorkloadDocument:
    where = f"{name}:{record.line}"
    if record.category not in schemas:
        raise InputError(f"{where}: the schema has no category {record.category!r}")
    if answers is None:
        return WorkloadDocument(record.id, record.text, record.category)
    if record.id not in answers:
        raise InputError(f"{where}: the replay file has no answer for id {record.id!r}")
    schema = schemas.for_category(record.category)
    known = _single_values(schema, answers[record.id])
    answer = {own.name: complete_value(own, known.get(own.name)) for own in schema}
    return WorkloadDocument(record.id, record.text, record.category, answer)


def _load_answers(path: str | Path, id_field: str | None) -> dict[str, Mapping[str, Any]]:
    answers = {}
    # The rows may lack a text, so errors of such records are ignored.
    with RecordReader(path, id_field=id_field) as reader:
        for record in reader:
            row = record.row
            answer = next((row[key] for key in _ANSWERS if isinstance(row.get(key), Mapping)), None)
            if answer is None:
                raise InputError(
                    f"{reader.name}:{record.line}: no answer: looked for {', '.join(_ANSWERS)}"
                )
            identity = record.id if record.error is None else str(row.get("id", record.id))
            answers[identity] = answer
    return answers


def _single_values(schema: Schema, answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return one value for each attribute: the first one if several are right."""
    types = {attribute.name: attribute.type for attribute in schema}
    single = {}
    for name, value in answer.items():
        if types.get(name) not in ("array", "object") and isinstance(value, (Mapping, list)):
            value = next(iter(value), None)
        single[name] = None if value == GOLD_NULL else value
    return single


def _choose_warm_up(
    timed: Sequence[WorkloadDocument], items: Sequence[WorkloadDocument]
) -> Iterator[WorkloadDocument]:
    """Yield the first untimed document of each category, or a timed one if there is no other.

    The drafter must not learn from the documents that are timed.
    """
    chosen = {id(item) for item in timed}
    others = [item for item in items if id(item) not in chosen]
    for category in dict.fromkeys(item.category for item in timed):
        yield next(item for item in (*others, *timed) if item.category == category)


N_DOCUMENTS = 128
_N_WARM_UP = 2

_SENTENCES = {
    "Brand": ("Made by {}.", ("Alder", "Bramwell", "Corvo", "Estrella", "Fenwick", "Juniper")),
    "Product type": ("This is a {} that lasts.", ("backpack", "kettle", "lantern", "grinder")),
    "Color": ("The one shown is {}.", ("charcoal grey", "forest green", "navy", "off-white")),
    "Material": ("The body is {}.", ("ripstop nylon", "stainless steel", "waxed canvas")),
    "Weight": ("All in all it weighs {}.", ("0.8 kg", "1.4 kg", "2.3 kg", "650 g", "900 g")),
    "Capacity": ("It holds {} with ease.", ("2 liters", "18 liters", "0.75 liters", "40 liters")),
    "Warranty": ("It comes with a {} warranty.", ("two-year", "lifetime", "five-year", "90-day")),
    "Country of origin": ("Finished by hand in {}.", ("Portugal", "Vietnam", "Poland", "Japan")),
    "Model number": ("The label says {}.", ("KL-110", "TR-207", "XQ-498", "KQ-692", "TL-886")),
    "Closure": ("It shuts with a {}.", ("zipper", "roll-top", "magnetic snap", "screw cap")),
}
_FILLERS = (
    "We tested it for months, and it came back nearly new.",
    "Shipping takes a few days, and the box fits most parcel lockers.",
    "There is nothing to put together, and no tool is needed at any time.",
    "If something is not as you hoped, write to us and a person will answer.",
    "The edges are rounded, the seams are straight, and nothing rattles on the way.",
    "It stands on its own, packs flat, and does not mind being forgotten in a corner.",
    "We keep spare parts for everything that we sell, and are glad to send them.",
    "What you see on your screen may look different in daylight.",
)


def catalogue() -> Workload:
    """Return fixed listings of about 120 tokens that state half of the attributes."""
    rng = random.Random(0)
    items = [
        WorkloadDocument(str(n), _make_listing(rng), None)
        for n in range(1, N_DOCUMENTS + _N_WARM_UP + 1)
    ]
    return Workload(
        "made-up listings",
        load_schemas(list(_SENTENCES)),
        tuple(items[:N_DOCUMENTS]),
        tuple(items[N_DOCUMENTS:]),
        is_replay=False,
    )


def _make_listing(rng: random.Random) -> str:
    stated = rng.sample(sorted(_SENTENCES), len(_SENTENCES) // 2)
    sentences = [_SENTENCES[name][0].format(rng.choice(_SENTENCES[name][1])) for name in stated]
    sentences += rng.sample(_FILLERS, 4)
    rng.shuffle(sentences)
    return " ".join(sentences)
