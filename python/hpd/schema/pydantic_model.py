"""Pydantic models as schemas; Pydantic itself is imported only when there is a model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hpd.errors import SchemaError
from hpd.schema.attributes import Schema
from hpd.schema.json_schema import read_json_schema


def is_model(source: object) -> bool:
    """Whether ``source`` is a Pydantic (version 2) model class."""
    return isinstance(source, type) and callable(getattr(source, "model_json_schema", None))


def _writer() -> Any:
    """Pydantic's own writer of JSON Schema, except that a decimal is a number only."""
    from pydantic.json_schema import GenerateJsonSchema

    class Writer(GenerateJsonSchema):
        def decimal_schema(self, schema: Any) -> Any:
            return self.float_schema(schema)

    return Writer


def read_model(model: Any) -> Schema:
    """The attributes of a Pydantic model; results become its instances."""
    try:
        document = model.model_json_schema(
            by_alias=True, mode="validation", schema_generator=_writer()
        )
    except Exception as error:  # Pydantic raises what its plugins and the model's own code raise.
        raise SchemaError(
            f"{model.__name__}: Pydantic cannot write it as JSON Schema ({error}). "
            "Give the attribute a plain type"
        ) from error
    try:
        return replace(read_json_schema(document), model=model)
    except SchemaError as error:
        raise SchemaError(f"{model.__name__}: {error}") from error
