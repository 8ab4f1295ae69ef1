"""Plans of requests without a model."""

from __future__ import annotations

from typing import Any

from hpd.options import Options
from hpd.pipeline import Task, prepared
from hpd.schema.attributes import Schema
from hpd.serving.plans import Plans

SCHEMA_BYTES = 4096


def plans_with(options: Options, own: Schema | None = None) -> Plans:
    """Plans of an extractor with some options, and perhaps a schema for requests without one."""
    filled = options.filled()

    def prepare(schema: Any, *, examples: Any = (), **settings: object) -> Task:
        return prepared(filled, schema, examples, None, settings)

    return Plans(prepare, SCHEMA_BYTES, own)
