"""Plans of requests without a model."""

from pydantic import ValidationError

from hpd.pipeline.task import prepare_task
from hpd.serving.bodies import http_error_of
from hpd.serving.dispatcher import PlanCache

SCHEMA_BYTES = 4096


def plans_with(options):
    """Plans of an extractor with some options."""
    filled = options.with_defaults()

    def prepare(schema, *, examples=(), **settings):
        return prepare_task(filled, schema, examples, None, settings)

    return PlanCache(prepare, SCHEMA_BYTES, None)


def parsed(kind, body):
    """A body as the server reads it; ``HttpError`` where it refuses it."""
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        raise http_error_of(
            [{**each, "loc": ("body", *each["loc"])} for each in error.errors()]
        ) from None
