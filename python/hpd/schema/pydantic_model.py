"""Pydantic models, dataclasses and TypedDicts as schemas; Pydantic reads them all.

It is imported only when there is such a class.
"""

from __future__ import annotations

import functools
from dataclasses import is_dataclass, replace
from typing import Any

from hpd.errors import SchemaError
from hpd.schema.attributes import Schema
from hpd.schema.json_schema import read_json_schema
from hpd.version import install_command


def is_model(source: object) -> bool:
    """Whether ``source`` is a Pydantic (version 2) model, a dataclass or a TypedDict."""
    if not isinstance(source, type):
        return False
    is_typed_dict = issubclass(source, dict) and hasattr(source, "__required_keys__")
    return callable(getattr(source, "model_json_schema", None)) or (
        is_dataclass(source) or is_typed_dict
    )


def validated(model: Any, data: Any) -> Any:
    """``data`` as an instance of a class; Pydantic's ``ValidationError`` says what it refuses."""
    return _adapter(model).validate_python(data)


def dumped(data: Any) -> tuple[Any, Any]:
    """An instance of a class as JSON types, and as Python's own."""
    kind: Any = type(data)
    adapter = _adapter(kind)
    return adapter.dump_python(data, mode="json", by_alias=True), adapter.dump_python(
        data, by_alias=True
    )


@functools.lru_cache(maxsize=64)
def _adapter(model: Any) -> Any:
    try:
        from pydantic import TypeAdapter
    except ImportError as error:
        raise SchemaError(
            f"{model.__name__}: classes as schemas need pydantic: run "
            f"`{install_command('pydantic')}`"
        ) from error
    return TypeAdapter(model)


def _writer() -> Any:
    """Pydantic's own writer of JSON Schema, except that a decimal is a number only."""
    from pydantic.json_schema import GenerateJsonSchema

    class Writer(GenerateJsonSchema):
        def decimal_schema(self, schema: Any) -> Any:
            return self.float_schema(schema)

    return Writer


def read_model(model: Any) -> Schema:
    """The attributes of a class; results become its instances."""
    try:
        write = getattr(model, "model_json_schema", None) or _adapter(model).json_schema
        document = write(by_alias=True, mode="validation", schema_generator=_writer())
    except SchemaError:
        raise
    except Exception as error:  # Pydantic raises what its plugins and the model's own code raise.
        raise SchemaError(
            f"{model.__name__}: Pydantic cannot write it as JSON Schema ({error}). "
            "Give the attribute a plain type"
        ) from error
    try:
        return replace(read_json_schema(document), model=model)
    except SchemaError as error:
        raise SchemaError(f"{model.__name__}: {error}") from error
