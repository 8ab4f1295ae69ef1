"""What OpenAI's structured outputs can ask for, by its own client against ``hpd serve``."""

import json

import jsonschema
import pytest

for package in ("fastapi", "uvicorn", "httptools", "prometheus_client"):
    pytest.importorskip(package)
openai = pytest.importorskip("openai")


TEXTS = (
    "Ann Berg (ann@example.com), 30, lives at Main Street 5, Oslo. On 2024-05-31 at 09:30:00 she "
    'wrote from 10.0.0.1 that 8x + 7 = -23, so x = -3.75. Tags: maths, "school". 25 C.',
    "Nothing here.",
)
"""One that states some of what is asked, and one that states nothing."""

TEXT = {"type": "string"}
NUMBER = {"type": "number"}
NULL = {"type": "null"}
FORMATS = ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid")
CHECKER = jsonschema.FormatChecker(["date", "email", "ipv4", "ipv6", "uuid"])


def strict(properties, **more):
    """An object as it must be written there."""
    closed = {"required": [*properties], "additionalProperties": False}
    return {"type": "object", "properties": properties, **closed, **more}


def one_of(*variants):
    return {"anyOf": [*variants]}


def list_of(item, **more):
    return {"type": "array", "items": item, **more}


def text(**limits):
    return {**TEXT, **limits}


PERSON = strict({"kind": text(const="person"), "name": TEXT, "age": {"type": "integer"}})
PLACE = strict({"kind": text(const="place"), "street": TEXT, "city": TEXT})
NODE = strict({"value": NUMBER, "next": one_of({"$ref": "#/$defs/node"}, NULL)})
STEP = strict({"explanation": TEXT, "output": TEXT})
SHAPE = strict({"type": {"enum": ["div", "button"]}, "children": list_of({"$ref": "#"})})

SCHEMAS = {
    **{name: strict({"value": text(format=name)}) for name in FORMATS},
    "pattern": strict({"user": text(pattern="^@?[a-zA-Z0-9_]+$")}),
    "bounds": strict({"t": {**NUMBER, "minimum": -130, "maximum": 130}}),
    "bounds left out": strict({"t": {**NUMBER, "exclusiveMinimum": 26, "exclusiveMaximum": 27}}),
    "multiples": strict(
        {"n": {"type": "integer", "multipleOf": 7}, "m": {**NUMBER, "multipleOf": 0.75}}
    ),
    "boolean": strict({"is_adult": {"type": "boolean"}}),
    "enum": strict({"unit": {"type": ["string", "null"], "enum": ["C", "F", None]}}),
    "numbers as enum": strict({"n": {"enum": [5, 30]}}),
    "a thousand choices": strict({"word": text(enum=[f"w{i}" for i in range(1000)])}),
    "optional": strict({"name": {"type": ["string", "null"]}, "age": one_of(NUMBER, NULL)}),
    "items": strict({"tags": list_of(TEXT, minItems=2, maxItems=3)}),
    "objects as items": strict({"people": list_of(PERSON, minItems=1, maxItems=2)}),
    "variants": strict({"item": one_of(PERSON, PLACE)}),
    "variants of types": strict({"item": one_of(TEXT, NUMBER, list_of(TEXT))}),
    "definitions": strict(
        {"steps": list_of({"$ref": "#/$defs/step"}), "final": TEXT}, **{"$defs": {"step": STEP}}
    ),
    "recursion": strict({"list": {"$ref": "#/$defs/node"}}, **{"$defs": {"node": NODE}}),
    "recursion of the root": SHAPE,
    "five levels": strict({"a": strict({"b": strict({"c": strict({"d": strict({"e": TEXT})})})})}),
    "variants at the root": one_of(PERSON, PLACE),
}


@pytest.fixture(scope="module")
def client(server):
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as client:
        yield client


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_construct_is_answered_in_full(client, name):
    schema = SCHEMAS[name]
    for document in TEXTS:
        answered = client.chat.completions.create(
            model="gpt-4o",
            messages=[{"role": "user", "content": document}],
            response_format={
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": schema},
            },
        )
        data = json.loads(answered.choices[0].message.content)
        jsonschema.validate(data, schema, format_checker=CHECKER)
        # Parts come in the order of the schema.
        assert [*data] == [*schema.get("properties", data)]
        for field in answered.model_extra["hpd"]["fields"].values():
            if field.get("forced"):
                assert field["confidence"] <= 0.5
