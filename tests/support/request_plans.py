"""Plans of requests without a model."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from hpd.options import Options
from hpd.pipeline import Task, prepared
from hpd.schema.attributes import Schema
from hpd.serving.bodies import refusal_of
from hpd.serving.dispatcher import Plans

SCHEMA_BYTES = 4096

B = TypeVar("B", bound=BaseModel)


def plans_with(options: Options, own: Schema | None = None) -> Plans:
    """Plans of an extractor with some options, and perhaps a schema for requests without one."""
    filled = options.filled()

    def prepare(schema: Any, *, examples: Any = (), **settings: object) -> Task:
        return prepared(filled, schema, examples, None, settings)

    return Plans(prepare, SCHEMA_BYTES, own)


def parsed(kind: type[B], body: object) -> B:
    """A body as the server reads it; ``RefusedError`` where it refuses it."""
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        raise refusal_of(
            [{**each, "loc": ("body", *each["loc"])} for each in error.errors()]
        ) from None
