"""Schemas of requests, prepared once and used again by all that ask for the same."""

from __future__ import annotations

import json
import threading
import warnings
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hpd.errors import OptionError, SchemaError
from hpd.pipeline import Task
from hpd.schema import SchemaWarning, load_untrusted_schemas
from hpd.schema.attributes import Schema
from hpd.serving.refusals import RefusedError, bad_request

N_KEPT = 64


class Prepare(Protocol):
    """``Extractor.prepare``."""

    def __call__(
        self, schema: object, *, examples: Sequence[tuple[str, object]], **settings: object
    ) -> Task:
        """A schema with options of its own."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A task, and what its schema says that cannot be honoured to the letter."""

    task: Task
    warnings: tuple[str, ...] = ()


class Plans:
    """The plans of the latest requests; any number of threads may use them.

    Args:
        prepare: makes a task of a schema that has been read.
        schema_bytes: the most that a schema, with its options and examples, may have as JSON.
        own: the schema for requests that bring none.
    """

    def __init__(
        self,
        prepare: Prepare,
        schema_bytes: int,
        own: Schema | Mapping[str, Schema] | None = None,
    ) -> None:
        self._prepare = prepare
        self._schema_bytes = schema_bytes
        self._own = own
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Plan] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def plan(
        self,
        schema: object,
        settings: Mapping[str, Any],
        examples: Sequence[tuple[str, object]] = (),
        param: str = "schema",
    ) -> Plan:
        """The plan for a schema, as it stands in a request, with options and examples.

        Args:
            schema: in any form but the name of a file or a class; None for the server's own.
            settings: options by name.
            examples: documents with their answers.
            param: the part of the body that the schema is from.

        Raises:
            RefusedError: it cannot be read, or is too large.
        """
        try:
            key = json.dumps([schema, settings, examples])
        except RecursionError:
            raise _too_deep(param) from None
        if len(key) > self._schema_bytes:
            raise RefusedError(
                413,
                f"the schema with its options and examples has {len(key)} bytes as JSON, and "
                f"{self._schema_bytes} are allowed",
                code="schema_too_large",
                param=param,
            )
        # One at a time, as warnings are gathered for the whole process.
        with self._lock:
            plan = self._kept.get(key)
            if plan is None:
                plan = self._made(schema, settings, examples, param)
                self._kept[key] = plan
                if len(self._kept) > N_KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return plan

    def _made(
        self,
        schema: object,
        settings: Mapping[str, Any],
        examples: Sequence[tuple[str, object]],
        param: str,
    ) -> Plan:
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                read = self._own if schema is None else load_untrusted_schemas(schema)
                if read is None:
                    raise bad_request("the schema is missing", param, "missing_parameter")
                task = self._prepare(read, examples=examples, **settings)
        except SchemaError as error:
            raise bad_request(f"{param}: {error}", param, "invalid_schema") from None
        except OptionError as error:
            raise bad_request(str(error), "options", "invalid_option") from None
        except RecursionError:
            raise _too_deep(param) from None
        said = [str(each.message) for each in caught if issubclass(each.category, SchemaWarning)]
        return Plan(task, tuple(dict.fromkeys(said)))


def _too_deep(param: str) -> RefusedError:
    return bad_request("the schema is nested too deeply", param, "invalid_schema")
