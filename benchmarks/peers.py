"""Compares hpd with other programs that fill in a schema with the same GGUF file.

Measures documents per second, how much is right, and invalid answers, with titles, descriptions and
documents with lists. Each program is warmed up with a text that says nothing. Its answers are
parsed, validated and scored against the gold. Of a program that is not installed or fails, the row
has the error. Rows are kept, so that a part that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

import hpd
from benchmarks.documents import labelled_files, score
from benchmarks.harness.result import Finding, Rows, Table
from benchmarks.harness.workbench import MissingInputError, Workbench
from benchmarks.programs import (
    MANY_AT_ONCE,
    ONE_BY_ONE,
    TOGETHER,
    Program,
    Question,
    Setting,
    parsed,
)
from hpd.bench.workload import spread
from hpd.evaluation.rows import Example, load_examples
from hpd.evaluation.scores import evaluate
from hpd.schema import load_schemas
from hpd.schema.schemas import Schemas

Answers = Sequence[Mapping[str, Any] | None]
Row = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """Documents of one kind, and what they need."""

    name: str
    head: str
    """The heading of how much is right, in percent."""
    questions: Sequence[Question]
    schemas: Schemas
    max_tokens: int
    """Maximum number of tokens in an answer."""
    n_ctx: int
    right: Callable[[Answers], float]


def titles(bench: Workbench, n: int = 12) -> Kind:
    """Return titles of OA-Mine."""
    data = bench.data_set("oa-mine")
    return rows_of("titles", data.gold, load_schemas(data.schema), bench.count(n), 160)


def descriptions(bench: Workbench) -> Kind:
    """Return made-up descriptions."""
    n = bench.count(4)
    data = bench.catalogue(n, n_tokens=300)
    schema = with_nulls(json.loads(data.schema.read_text(encoding="utf-8")))
    return rows_of("descriptions", data.gold, load_schemas(schema), n, 320)


def rows_of(name: str, gold: Path, schemas: Schemas, n: int, max_tokens: int) -> Kind:
    """Return rows with gold, spread evenly over a file."""
    examples = list(load_examples(gold))
    chosen = [examples[i] for i in spread(len(examples), n)]
    asked = [Question(e.text, e.category, schemas.for_category(e.category)) for e in chosen]

    def right(answers: Answers) -> float:
        return _f1(chosen, asked, answers)

    of_these = schemas
    if schemas.single is None:
        of_these = Schemas({q.category: q.attributes for q in asked})
    return Kind(name, "F1", asked, of_these, max_tokens, 2048, right)


def _f1(examples: Sequence[Example], asked: Sequence[Question], answers: Answers) -> float:
    attributes = {q.category: [a.name for a in q.attributes] for q in asked}
    return evaluate(examples, answers, attributes).plain.micro.f1


def documents(bench: Workbench) -> Kind:
    """Return the shortest documents of DocuBench with a list, of which the text is known.

    A scan has a text of a few words, or none.
    """
    folder = (bench.data or Path("no --data")) / "docubench"
    if not folder.is_dir():
        raise MissingInputError("needs --data FOLDER with docubench in it")
    files = [
        (next(hpd.read_documents(file.path, whole=True)).text, file)
        for file in labelled_files(folder)
        if any(isinstance(value, list) and value for value in file.label.values())
    ]
    files = [(text, file) for text, file in files if _states(text, file.label)]
    files.sort(key=lambda each: len(each[0]) + len(json.dumps(each[1].label)))
    chosen = files[: bench.count(3)]
    schemas = load_schemas({file.id: with_nulls(file.schema) for _, file in chosen})
    asked = [Question(text, file.id, schemas.for_category(file.id)) for text, file in chosen]

    def right(answers: Answers) -> float:
        pairs = zip(answers, chosen, strict=True)
        return 100 * statistics.fmean(score(a, f.schema, f.label).all for a, (_, f) in pairs)

    return Kind("documents with lists", "right", asked, schemas, 512, 4096, right)


def _states(text: str, label: object) -> bool:
    """Return whether a text has most of the strings of a label."""
    strings = list(_strings(label))
    return sum(each in text for each in strings) > len(strings) / 2


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


def with_nulls(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON Schema in which every leaf may be null and every property is required.

    So all programs write the same keys, and can say that a document lacks something.
    """
    kind = schema.get("type")
    node = {key: value for key, value in schema.items() if key != "$schema"}
    if kind == "object":
        node["properties"] = {k: with_nulls(part) for k, part in schema["properties"].items()}
        node["required"] = list(schema["properties"])
    elif kind == "array":
        node["items"] = with_nulls(schema["items"])
    elif isinstance(kind, str):
        node["type"] = [kind, "null"]
        if "enum" in schema:
            node["enum"] = [*schema["enum"], None]
    return node


# --- measuring --------------------------------------------------------------------------------


def peers(bench: Workbench) -> Finding:
    """Measure all programs with the same file, each with its own answers."""
    n_threads = bench.n_threads or os.cpu_count() or 1
    model = bench.using(bench.model)
    found: list[tuple[Kind, dict[str, Row]]] = []
    for kind in (titles(bench), descriptions(bench), documents(bench)):
        rows = {}
        for name, program, n in _turns(len(kind.questions)):
            setting = Setting(
                model, kind.schemas, n_threads, kind.n_ctx, kind.max_tokens, n, bench.server
            )
            row = _kept(bench, kind, name, program, setting)
            known = rows.get(name)
            if known is None or row.get("seconds", float("inf")) < known.get("seconds", 0):
                rows[name] = row
        found.append((kind, rows))
    return Finding([table(found)], headline(found), _errors(found))


def _turns(n: int) -> Iterator[tuple[str, Program, int]]:
    """Yield each program with its number of documents in flight."""
    yield from ((name, program, 1) for name, program in ONE_BY_ONE.items())
    for name, program in TOGETHER.items():
        yield name, program, n
        if name == MANY_AT_ONCE and n > 3:
            yield name, program, n // 2


def _kept(bench: Workbench, kind: Kind, name: str, program: Program, setting: Setting) -> Row:
    """Return a program's row, measuring it unless an earlier call has."""
    n = setting.n_in_flight
    file_name = f"{kind.name}-{name}-{n}.json".replace(",", "").replace(" ", "-")
    path = bench.folder("peers") / file_name
    if bench.again:
        path.unlink(missing_ok=True)

    def write(unfinished: Path) -> None:
        row = measured(name, program, setting, kind)
        unfinished.write_text(json.dumps(row), encoding="utf-8")

    row: Row = json.loads(bench.made(path, write).read_text(encoding="utf-8"))
    if "error" in row:  # a program that was missing may be installed for the next call
        path.unlink()
    return row


def measured(name: str, program: Program, setting: Setting, kind: Kind) -> Row:
    """Return the row of one program, with its error if it is not installed or fails."""
    row: Row = {"program": name, "n_in_flight": setting.n_in_flight}
    first = kind.questions[0]
    try:
        with ExitStack() as stack:
            answer = program(setting, stack)
            answer([Question("Nothing.", first.category, first.attributes)])  # warm-up
            start = time.perf_counter()
            texts = answer(kind.questions)
            row["seconds"] = (time.perf_counter() - start) / len(texts)
        answers = [parsed(text) for text in texts]
        valid = [
            found is not None and Draft202012Validator(question.schema).is_valid(found)
            for question, found in zip(kind.questions, answers, strict=True)
        ]
        row |= {"right": kind.right(answers), "invalid": 1 - statistics.fmean(valid)}
        row["answers"] = texts
    except Exception as error:
        row = {"program": name, "error": f"{type(error).__name__}: {error}"}
    print({k: v for k, v in row.items() if k != "answers"}, file=sys.stderr, flush=True)
    return row


# --- the table --------------------------------------------------------------------------------


def table(found: Sequence[tuple[Kind, Mapping[str, Row]]]) -> Table:
    """Return a row for each program, with the figures of each kind of documents."""
    head = ["program"]
    for kind, _ in found:
        head += [f"{kind.name}/s", kind.head, "invalid"]
    made: Rows = [[*head]]
    for name in (*ONE_BY_ONE, *TOGETHER):
        told = [name]
        for _, rows in found:
            row = rows[name]
            if "error" in row:
                told += ["", "", ""]
            else:
                right, invalid = f"{row['right']:.1f}", f"{row['invalid']:.0%}"
                told += [f"{1 / row['seconds']:.3g}", right, invalid]
        made.append([*told])
    counts = ", ".join(f"{len(kind.questions)} {kind.name}" for kind, _ in found)
    return Table(f"{counts}; the first {len(ONE_BY_ONE)} programs read one after another", made)


def headline(found: Sequence[tuple[Kind, Mapping[str, Row]]]) -> str:
    """Return how much longer than hpd other programs take at best, for each kind.

    A program that finds almost nothing has little to write, and does not count.
    """
    told = []
    for kind, rows in found:
        done = {name: row for name, row in rows.items() if "error" not in row}
        own = done.get("hpd", {"seconds": 0.0, "right": 0.0})
        others = {
            row["seconds"]: name
            for name, row in done.items()
            if not name.startswith("hpd") and row["right"] > own["right"] / 2
        }
        if own["seconds"] and others:
            best = min(others)
            told.append(f"{best / own['seconds']:.1f} for {kind.name} ({others[best]})")
    return f"times as long as hpd, at best: {', '.join(told) or 'none ran'}"


def _errors(found: Sequence[tuple[Kind, Mapping[str, Row]]]) -> list[str]:
    """Return a note for each program that failed."""
    errors = {
        name: row["error"].splitlines()[0][:80]
        for _, rows in found
        for name, row in rows.items()
        if "error" in row
    }
    return [f"{name} failed: {error}." for name, error in errors.items()]
