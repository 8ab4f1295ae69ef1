"""The readers that ``tests/fuzz`` feeds: what each does with an input, and what it may raise."""

from __future__ import annotations

import io
import json
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from hpd._core import testing
from hpd.documents import Document
from hpd.errors import InputError, ModelLoadError, SchemaError
from hpd.evaluation.run_status import read_status
from hpd.files.journal import journal_path
from hpd.files.reader import RecordReader, columns_of, has_fields
from hpd.files.rows import Format
from hpd.files.writer import FileWriter, line_bytes
from hpd.models.gguf_files import read_gguf_header
from hpd.models.memory import memory_need
from hpd.options import Options
from hpd.prompt.questions import schema_leaves
from hpd.prompt.text import instruction_text
from hpd.results import Extraction
from hpd.schema import Schemas, describe, load_schema, load_schemas, to_json_schema
from hpd.schema.attributes import Attribute, Schema
from hpd.schema.one_line import parse_one_line
from hpd.serving.bodies import ChatBody, ExtractBody, HttpError, http_error_of, json_of
from hpd.values.answers import split_answer
from hpd.values.assembly import assemble
from hpd.values.grammar import answer_grammar, value_grammar
from hpd.values.parsing import parse_value

B = TypeVar("B", bound=BaseModel)


@dataclass(frozen=True)
class Target:
    """Something that reads input from outside."""

    run: Callable[[bytes, str], None]
    """Read an input; its suffix, such as ``.csv``, is that of its file in the corpus."""
    errors: tuple[type[Exception], ...]
    """All that may come out."""


def scan_json(data: bytes, suffix: str) -> None:
    """The scanner that knows when a value is complete: it must not matter how the text is cut."""
    whole = testing.scan_json([data], True)
    cuts = sorted({0, len(data), *(byte * len(data) // 256 for byte in data[:9])})
    assert testing.scan_json([data[a:b] for a, b in pairwise(cuts)], True) == whole
    assert 0 <= whole[1] <= len(data)
    text = data.decode("latin-1")
    n_blank = len(text) - len(text.lstrip(" \t\r\n"))
    try:
        value, end = _STRICT.raw_decode(text, n_blank)
    except (ValueError, RecursionError):
        return
    if isinstance(value, str | dict | list):
        assert whole == ("complete", end), whole


def read_json_schema(data: bytes, suffix: str) -> None:
    """All forms of schemas that are JSON."""
    source = _json(data)
    if isinstance(source, dict | list):
        for schema in load_schemas(source).by_category.values():
            _use(schema)
    text = data.decode("utf-8", "replace").lstrip()
    # Text that begins like JSON is read as such; other text might name a file.
    if text[:1] not in ("{", "["):
        text = "{" + text
    load_schemas(text)


def read_one_line(data: bytes, suffix: str) -> None:
    """The one-line form."""
    text = data.decode("utf-8", "surrogateescape")
    _use(load_schema(Schema(parse_one_line(text))))


def read_records(data: bytes, suffix: str) -> None:
    """A file of documents, in the format of its suffix."""
    format = cast(Format, suffix.removeprefix("."))  # noqa: A001
    for name in (None, "text") if has_fields(format) else (None,):
        with RecordReader(io.BytesIO(data), format=format, text_field=name) as reader:
            for record in reader:
                record.text.encode()  # as tokenizing does
                assert record.error is None or isinstance(record.error, InputError)
                line_bytes({"id": record.id, **columns_of(record)})


def parse_values(data: bytes, suffix: str) -> None:
    """The text of a model, as a value of each type and as a whole answer."""
    text = data.decode("utf-8", "replace")
    for attribute in _ATTRIBUTES:
        parsed = parse_value(text, attribute)
        line_bytes({"value": parsed.value, "error": parsed.error})
    raw = split_answer(_NESTED, text)
    attributes = {leaf.path: leaf.attribute for leaf in schema_leaves(_NESTED)}
    values = {path: raw[path].parse(attributes[path]) for path in raw if path in attributes}
    line_bytes(assemble(_NESTED, values).data)


def resume_journal(data: bytes, suffix: str) -> None:
    """A journal that something has damaged, beside an output that is as it was."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "out.jsonl"
        output.write_bytes(b"".join(line_bytes({"id": name, "data": {}}) for name in "abcd"))
        journal_path(output).write_bytes(data)
        read_status(output)
        with FileWriter(output, {"schema": "s"}, resume=True) as writer:
            records = [Document(name, name) for name in "abcdef"]
            for place, record in writer.pending(records):
                writer.write(place, record, {"id": record.id}, failed=False)
        for line in output.read_bytes().splitlines():
            json.loads(line)


def read_requests(data: bytes, suffix: str) -> None:
    """The body of a request to hpd serve, to both of its addresses, and an answer to it."""
    from hpd.pipeline.task import Task, prepare_task
    from hpd.serving import ServerLimits
    from hpd.serving.chat import ServedModel, parse_chat
    from hpd.serving.dispatcher import ParsedRequest, PlanCache, parse_extract

    options = Options().with_defaults()

    def prepare(schema: Any, *, examples: Any, **settings: object) -> Task:
        return prepare_task(options, schema, examples, None, settings)

    def read_extract(plans: PlanCache) -> ParsedRequest:
        return parse_extract(_body(ExtractBody, data), plans, ServerLimits())

    def read_chat(plans: PlanCache) -> ParsedRequest:
        return parse_chat(_body(ChatBody, data), plans, ServedModel("m", options, 0))

    for read in (read_extract, read_chat):
        try:
            asked = read(PlanCache(prepare, ServerLimits().schema_bytes))
        except HttpError as http_error:
            _check_refusal(http_error)
            continue
        for schema in asked.plan.task.schemas.by_category.values():
            _use(schema)
        for document in asked.documents:
            document.text.encode()  # as tokenizing does
        asked.answer([_extraction(asked.plan.task.schemas, each) for each in asked.documents])


def _body(kind: type[B], data: bytes) -> B:
    try:
        return kind.model_validate(json_of(data))
    except ValidationError as error:
        raise http_error_of(error.errors()) from None


def _check_refusal(http_error: HttpError) -> None:
    assert 400 <= http_error.status < 500, http_error
    json.loads(http_error.body)


def _extraction(schemas: Schemas, document: Document) -> Extraction[Any]:
    """An extraction with nothing found."""
    known = document.category in schemas
    data = assemble(schemas.for_category(document.category), {}).data if known else {}
    return Extraction(document.id, data)


def read_gguf(data: bytes, suffix: str) -> None:
    """The header of a model, and the memory that it would take."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.gguf"
        path.write_bytes(data)
        read_gguf_header(path)
        memory_need(path, Options())


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_STRICT = json.JSONDecoder(strict=False, parse_constant=_no_constant)

_ATTRIBUTES = (
    Attribute("a"),
    Attribute("a", required=True, nullable=False),
    Attribute("a", pattern="^[A-Z]{2}-[0-9]+$"),
    Attribute("a", format="ipv4"),
    Attribute("a", format="uri"),
    Attribute("a", "integer", minimum=1, maximum=10),
    Attribute("a", "number", multiple_of=0.1),
    Attribute("a", "boolean"),
    Attribute("a", "date"),
    Attribute("a", "date-time"),
    Attribute("a", "enum", choices=("red", "36", 36, True, "")),
)
_NESTED = Schema(
    (
        Attribute("name"),
        Attribute("n", "integer"),
        Attribute("maker", "object", attributes=(Attribute("name"), Attribute("since", "date"))),
        Attribute("tags", "array", item=Attribute("item")),
        Attribute(
            "lines",
            "array",
            item=Attribute("item", "object", attributes=(Attribute("qty", "number"),)),
        ),
    )
)

TARGETS = {
    "json_scanner": Target(scan_json, ()),
    "json_schema": Target(read_json_schema, (SchemaError,)),
    "one_line": Target(read_one_line, (SchemaError,)),
    "records": Target(read_records, (InputError,)),
    "values": Target(parse_values, ()),
    "journal": Target(resume_journal, (InputError,)),
    "requests": Target(read_requests, ()),
    "gguf": Target(read_gguf, (ModelLoadError,)),
}


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _use(schema: Schema) -> None:
    """All that is made of a schema before the first document is read."""
    describe(schema)
    instruction_text(schema)
    answer_grammar(schema)
    for leaf in schema_leaves(schema):
        value_grammar(leaf.attribute)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # What is printed of a schema can be read again.
        load_schema(json.loads(json.dumps(to_json_schema(schema))))
