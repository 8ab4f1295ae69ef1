"""Counts how many schemas of a collection hpd reads, and whether results obey them.

DATA/schemas.jsonl.xz has lines of ``{"id": "split/name", "schema": {...}}``. A schema is *read* if
it is not rejected. It is *obeyed* if, both for a text that states some values and for one that
states none, the data is valid (according to ``jsonschema``) or the document has an error, so that
no data is silently invalid. It is *filled* if the text that states values has valid data. Answers
are drawn at random within the constraints that a model would have, which tests everything except
the model. For a few schemas of each split, the model also answers. Needs rstr (the extra
``peers``).
"""

from __future__ import annotations

import json
import lzma
import random
import sys
import time
import warnings
from collections import Counter, defaultdict
from contextlib import suppress
from typing import Any

import jsonschema

import hpd
from benchmarks.harness.result import Finding, Rows, Table
from benchmarks.harness.workbench import MissingInputError, Workbench
from hpd.pipeline.document_values import DocumentValues
from hpd.prompt.questions import Question, Waves
from hpd.results import Extraction, FieldValue, Usage
from hpd.schema import load_schema
from hpd.schema.attributes import Attribute, Schema
from hpd.values.parsing import parse_value

N_ASKED = 4
"""Number of schemas in each split for which the model answers."""
MAX_QUESTIONS = 3000
WORDS = ("quick", "brown", "fox", "jumps", "over", "lazy", "dog", "rain", "Spain", "plain")
_FORMATS = {
    "date": "2024-05-31", "date-time": "2024-05-31T09:30:00", "time": "09:30:00Z",
    "duration": "P1D", "uuid": "123e4567-e89b-12d3-a456-426614174000", "email": "ann@example.com",
    "hostname": "example.com", "ipv4": "10.0.0.1", "ipv6": "::1",
}  # fmt: skip


def schemas(bench: Workbench) -> Finding:
    """Return the shares of schemas that are read, obeyed and filled, by split."""
    path = bench.data and bench.data / "schemas.jsonl.xz"
    if path is None or not path.exists():
        raise MissingInputError("needs --data FOLDER with schemas.jsonl.xz in it")
    with lzma.open(path, "rt") as lines:
        sources = {row["id"]: row["schema"] for row in map(json.loads, lines)}
    by_split: defaultdict[str, list[str]] = defaultdict(list)
    for id_ in sources:
        by_split[id_.split("/")[0]].append(id_)
    bench.using(bench.model)
    draw = random.Random(0)
    slowest = 0.0
    rows: Rows = [["Split", "Schemas", "Read", "Obeyed", "Filled", "Asked", "Obeyed", "Filled"]]
    total: Counter[str] = Counter()
    for split, ids in sorted(by_split.items()):
        asked = draw.sample(ids, min(N_ASKED, len(ids)))
        counts: Counter[str] = Counter()
        for id_ in ids[: bench.limit]:
            start = time.perf_counter()
            schema = _loaded(sources[id_])
            slowest = max(slowest, time.perf_counter() - start)
            if schema is not None:
                counts["read"] += 1
                stated = [_drawn(schema, random.Random(id_), share) for share in (0.7, 0.0)]
                _count(counts, id_, sources[id_], stated)
                if id_ in asked and (answered := _asked(schema, bench)):
                    counts["asked"] += 1
                    _count(counts, id_, sources[id_], answered, "asked ")
        n, n_asked = len(ids[: bench.limit]), counts["asked"]
        shares = [f"{counts[kind] / n:.3f}" for kind in ("read", "obeyed", "filled")]
        of_model = ["", ""]
        if n_asked:
            of_model = [f"{counts[f'asked {kind}'] / n_asked:.3f}" for kind in ("obeyed", "filled")]
        rows.append([split.replace("_", "-"), n, *shares, n_asked, *of_model])
        total += counts
    return Finding(
        [Table("Shares of the schemas", rows)],
        f"{total['read']} of {len(sources)} schemas are read, {total['obeyed']} obeyed; the "
        f"slowest takes {slowest:.2f} s",
    )


def _loaded(source: Any) -> Schema | None:
    with warnings.catch_warnings(), suppress(hpd.SchemaError):
        warnings.simplefilter("ignore")
        return load_schema(source)
    return None


def _count(
    counts: Counter[str], id_: str, source: Any, both: list[Extraction[Any]], kind: str = ""
) -> None:
    """Count whether the extractions of both texts are valid, and whether the first is filled."""
    faults = [_fault(source, extraction) for extraction in both]
    counts[f"{kind}obeyed"] += not any(faults)
    counts[f"{kind}filled"] += both[0].error is None and not faults[0]
    for extraction, fault in zip(both, faults, strict=True):
        if fault:
            data = json.dumps(extraction.data)[:300]
            print(f"{id_}: {fault}\n    {data}", file=sys.stderr)


def _fault(source: Any, extraction: Extraction[Any]) -> str | None:
    """Return what is silently invalid in an extraction, or None."""
    if extraction.error is not None:
        return None
    kind = jsonschema.validators.validator_for(source, default=jsonschema.Draft202012Validator)
    try:
        error = next(iter(kind(source).iter_errors(extraction.data)), None)
    except Exception as failure:  # jsonschema cannot read the schema
        return f"cannot be validated: {type(failure).__name__}: {failure}"[:300]
    return error and f"{error.json_path}: {error.message}"[:300]


def _asked(schema: Schema, bench: Workbench) -> list[Extraction[Any]]:
    """Return the extractions of both texts; none if the schema is too long for the model."""
    texts = [_text(schema), "Nothing to report today."]
    try:
        with hpd.Extractor(schema, bench.model, max_tokens=24) as extractor:
            return list(extractor.extract_many(texts, on_error="record"))
    except hpd.ContextOverflowError:  # the questions leave no room for a document
        return []


def _text(schema: Schema) -> str:
    draw = random.Random(0)
    parts = []
    for question in Waves(schema).first()[:20]:
        value = _value(question.leaf.attribute, draw)
        if draw.random() < 0.7:
            parts.append(f"{' '.join(question.leaf.path)}: {value}.")
    return " ".join(parts)


def _drawn(schema: Schema, draw: random.Random, stated: float) -> Extraction[Any]:
    """Return an extraction with random answers, of which the share ``stated`` is not null."""
    own = DocumentValues()
    waves = Waves(schema)
    asked = waves.first()
    n_questions = 0
    while asked and n_questions < MAX_QUESTIONS:
        n_questions += len(asked)
        values = [_store(own, question, draw, stated) for question in asked]
        asked = waves.next(values, lambda _: own.data(schema))
    return own.extraction(schema, None, Usage())


def _store(own: DocumentValues, question: Question, draw: random.Random, stated: float) -> Any:
    leaf = question.leaf
    is_answered = leaf.attribute.forbids_null or draw.random() < stated
    raw = json.dumps(_value(leaf.attribute, draw) if is_answered else None)
    parsed = parse_value(f" {raw},", leaf.attribute)
    result = FieldValue(0.9, raw=raw, value=parsed.value, error=parsed.error)
    return own.store(leaf.path, leaf.attribute, result)


def _value(attribute: Attribute, draw: random.Random) -> Any:
    """Return a random value that satisfies an attribute's constraint, if it has one."""
    match attribute.type:
        case "enum":
            return draw.choice(attribute.choices)
        case "boolean":
            return draw.random() < 0.5
        case "date" | "date-time":
            return _FORMATS[attribute.type]
        case "integer" | "number":
            return _number(attribute, draw)
    if attribute.pattern is not None:
        from rstr import Rstr

        try:
            return Rstr(draw).xeger(attribute.pattern)
        except Exception:  # not in Python's dialect
            return "x"
    text = " ".join(draw.sample(WORDS, 2))
    if attribute.format is not None:
        text = _FORMATS.get(attribute.format, "https://example.com")
    text = text.ljust(attribute.min_length or 0, "x")
    return text if attribute.max_length is None else text[: attribute.max_length]


def _number(attribute: Attribute, draw: random.Random) -> float:
    low, high = attribute.minimum, attribute.maximum
    if attribute.exclusive_minimum is not None:
        low = max(low or attribute.exclusive_minimum, attribute.exclusive_minimum + 1)
    if attribute.exclusive_maximum is not None:
        high = min(high or attribute.exclusive_maximum, attribute.exclusive_maximum - 1)
    if low is None:
        low = 0 if high is None else high - 3
    number = low + draw.randint(0, 3)
    if high is not None and number > high:
        number = low
    step = attribute.multiple_of
    return number // step * step if step else number
