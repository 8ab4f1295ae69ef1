"""How many schemas of a collection hpd reads, and whether what comes out obeys them.

    python benchmarks/schemas.py schemas.jsonl.xz [-m model.gguf] [--sample N] [-o result.json]

Each line of the file is ``{"id": "split/name", "schema": {...}}``. A schema is *read* if it is not
refused. It is *obeyed* if, of a text that states some of it and of one that states nothing, the
data is valid under the schema (by ``jsonschema``), or the document has an error: nothing is invalid
without a word. *filled* is the share of schemas whose data is valid for the text that states
something. Answers are drawn at random within the constraints that a model would have, which asks as
much of everything but the model. A model is also asked about ``--sample`` schemas of each split.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import platform
import random
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jsonschema

import hpd
from hpd.pipeline.document_values import DocumentValues
from hpd.prompt.questions import Question, Waves
from hpd.results import Extraction, FieldValue, Usage
from hpd.schema import load_schema
from hpd.schema.attributes import Attribute, Schema
from hpd.values.parsing import parse_value

SLOW = 1.0
"""Seconds; no schema should take longer to be read."""
MAX_QUESTIONS = 3000
WORDS = ("quick", "brown", "fox", "jumps", "over", "lazy", "dog", "rain", "Spain", "plain")


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("-m", "--model", help="ask this model, too")
    parser.add_argument(
        "--sample", type=int, default=5, help="ask it about so many of each split [default: 5]"
    )
    parser.add_argument("--refused", action="store_true", help="print why schemas are refused")
    parser.add_argument("--invalid", action="store_true", help="print what is silently invalid")
    parser.add_argument("-o", "--output", type=Path, help="write the result as JSON")
    arguments = parser.parse_args()
    table: dict[str, Counter[str]] = {}
    slowest = 0.0
    sources = _schemas(arguments.path)
    asked = _sample(sources, arguments.sample) if arguments.model else set()
    for id_, source in sources.items():
        row = table.setdefault(id_.split("/")[0], Counter())
        row["n"] += 1
        start = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                schema = load_schema(source)
        except hpd.SchemaError as error:
            if arguments.refused:
                print(f"{id_}: {error}"[:300])
            continue
        finally:
            seconds = time.perf_counter() - start
            slowest = max(slowest, seconds)
            row["slow"] += seconds > SLOW
        row["read"] += 1
        extractions = [_drawn(schema, random.Random(id_), stated) for stated in (0.7, 0.0)]
        if id_ in asked:
            answered = _asked(schema, arguments.model)
            extractions += answered
            row["asked" if answered else "too_long"] += 1
        faults = [_fault(source, extraction) for extraction in extractions]
        for kind, at in (("", 0), ("asked_", 2)):
            if extractions[at:]:
                row[f"{kind}obeyed"] += not any(faults[at : at + 2])
                row[f"{kind}filled"] += extractions[at].error is None and not faults[at]
        for extraction, fault in zip(extractions, faults, strict=True):
            if fault and arguments.invalid:
                print(f"{id_}: {fault}\n    {json.dumps(extraction.data)[:300]}")
    _print(table, slowest)
    if arguments.output:
        model = Path(arguments.model) if arguments.model else None
        report = {
            "command": f"python benchmarks/schemas.py {' '.join(map(_argument, sys.argv[1:]))}",
            "date": time.strftime("%Y-%m-%d"),
            "hardware": f"{os.cpu_count()} cores, {platform.machine()}",
            "hpd": hpd.__version__,
            "model": model and {"name": model.name, "bytes": model.stat().st_size},
            "slowest_seconds": round(slowest, 2),
            "splits": {split: dict(row) for split, row in sorted(table.items())},
        }
        arguments.output.write_text(json.dumps(report, indent=2) + "\n")
    return 0


def _argument(argument: str) -> str:
    return Path(argument).name if os.path.isabs(argument) else argument


def _schemas(path: Path) -> dict[str, Any]:
    with lzma.open(path, "rt") if path.suffix == ".xz" else path.open() as lines:
        entries = map(json.loads, lines)
        return {entry["id"]: entry["schema"] for entry in entries}


def _sample(sources: Iterable[str], n: int) -> set[str]:
    """So many of each split."""
    by_split: dict[str, list[str]] = {}
    for id_ in sources:
        by_split.setdefault(id_.split("/")[0], []).append(id_)
    draw = random.Random(0)
    return {id_ for ids in by_split.values() for id_ in draw.sample(ids, min(n, len(ids)))}


def _fault(source: Any, extraction: Extraction[Any]) -> str | None:
    """What is silently invalid."""
    if extraction.error is not None:
        return None
    kind = jsonschema.validators.validator_for(source, default=jsonschema.Draft202012Validator)
    try:
        error = next(iter(kind(source).iter_errors(extraction.data)), None)
    except Exception as failure:  # a schema that the library itself cannot read
        return f"not to be validated: {type(failure).__name__}: {failure}"[:300]
    return error and f"{error.json_path}: {error.message}"[:300]


def _asked(schema: Schema, model: str) -> list[Extraction[Any]]:
    """The extractions of both texts; none, if the schema is too long for the model."""
    texts = [_text(schema), "Nothing to report today."]
    try:
        with hpd.Extractor(schema, model=model, max_tokens=24) as extractor:
            return list(extractor.extract_many(texts, on_error="record"))
    except hpd.ContextOverflowError:  # no document fits beside the questions
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
    """The extraction from answers that are drawn, of which so many are not null."""
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
    is_answered = leaf.attribute.always_answered or draw.random() < stated
    raw = json.dumps(_value(leaf.attribute, draw) if is_answered else None)
    parsed = parse_value(f" {raw},", leaf.attribute)
    result = FieldValue(0.9, raw=raw, value=parsed.value, error=parsed.error)
    return own.store(leaf.path, leaf.attribute, result)


def _value(attribute: Attribute, draw: random.Random) -> Any:
    """A value within the constraint of an attribute, as far as it has one."""
    match attribute.type:
        case "enum":
            return draw.choice(attribute.choices)
        case "boolean":
            return draw.random() < 0.5
        case "date":
            return "2024-05-31"
        case "date-time":
            return "2024-05-31T09:30:00"
        case "integer" | "number":
            low, high = attribute.minimum, attribute.maximum
            if attribute.exclusive_minimum is not None:
                low = max(low or attribute.exclusive_minimum, attribute.exclusive_minimum + 1)
            if attribute.exclusive_maximum is not None:
                high = min(high or attribute.exclusive_maximum, attribute.exclusive_maximum - 1)
            low = low if low is not None else (high - 3 if high is not None else 0)
            number = low + draw.randint(0, 3)
            if high is not None and number > high:
                number = low
            step = attribute.multiple_of
            return number // step * step if step else number
    if attribute.pattern is not None:
        return _matching(attribute.pattern, draw)
    formats = {
        "uuid": "123e4567-e89b-12d3-a456-426614174000",
        "time": "09:30:00Z",
        "duration": "P1D",
        "email": "ann@example.com",
        "hostname": "example.com",
        "ipv4": "10.0.0.1",
        "ipv6": "::1",
    }
    text = " ".join(draw.sample(WORDS, 2))
    if attribute.format is not None:
        text = formats.get(attribute.format, "https://example.com")
    text = text.ljust(attribute.min_length or 0, "x")
    return text if attribute.max_length is None else text[: attribute.max_length]


def _matching(pattern: str, draw: random.Random) -> str:
    """A text that a pattern matches, mostly."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _sampled(re._parser.parse(pattern), draw)  # type: ignore[attr-defined]
    except Exception:  # a dialect that Python does not read
        return "x"


def _sampled(items: Any, draw: random.Random) -> str:
    text = ""
    for op, arg in items:
        name = str(op)
        if name == "LITERAL":
            text += chr(arg)
        elif name in ("NOT_LITERAL", "ANY"):
            text += "~" if arg != ord("~") else "a"
        elif name == "IN":
            text += _member(arg, draw)
        elif name == "BRANCH":
            text += _sampled(draw.choice(arg[1]), draw)
        elif name == "SUBPATTERN":
            text += _sampled(arg[3], draw)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            for _ in range(draw.randint(arg[0], min(arg[1], arg[0] + 2))):
                text += _sampled(arg[2], draw)
    return text


def _member(members: Any, draw: random.Random) -> str:
    allowed = re.compile("".join(_shown(*member) for member in members).join("[]"))
    return draw.choice([c for c in map(chr, range(33, 127)) if allowed.match(c)] or ["a"])


def _shown(op: Any, arg: Any) -> str:
    name = str(op)
    if name == "NEGATE":
        return "^"
    if name == "LITERAL":
        return re.escape(chr(arg))
    if name == "RANGE":
        return f"{re.escape(chr(arg[0]))}-{re.escape(chr(arg[1]))}"
    letter = str(arg).rsplit("_", 1)[-1][0].lower()
    return f"\\{letter.upper() if 'NOT' in str(arg) else letter}"


def _print(table: dict[str, Counter[str]], slowest: float) -> None:
    columns = ("read", "obeyed", "filled", "asked_obeyed", "asked_filled")
    print(f"{'split':<16} {'n':>5}" + "".join(f" {column:>12}" for column in columns))
    total: Counter[str] = Counter()
    for split, row in [*sorted(table.items()), ("all", total)]:
        shares = ""
        for column in columns:
            n = row["asked" if column.startswith("asked") else "n"]
            shares += f" {row[column] / n:12.3f}" if n else f" {'':12}"
        print(f"{split:<16} {row['n']:>5}{shares}")
        if split != "all":
            total.update(row)
    print(f"slowest to read: {slowest:.2f} s; more than {SLOW} s: {total['slow']}")


if __name__ == "__main__":
    sys.exit(main())
