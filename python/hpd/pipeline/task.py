"""A task: the questions for documents, and the way in which they are answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hpd.errors import OptionError
from hpd.options import OPTIONS, Options
from hpd.options.options import check_name, named
from hpd.pipeline.methods import check_method
from hpd.pipeline.questionnaire import Examples
from hpd.schema.attributes import Schema

Schemas = Schema | Mapping[str, Schema]
"""One schema, or one for each category."""


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """The questions for the documents of a call.

    Each is itself and no other: the prompts and grammars that were made for a task are used again
    for the same one only.
    """

    schemas: Schemas
    options: Options
    """All of them set; those that an engine or a model has been made with are the pipeline's."""
    examples: Examples | Mapping[str, Examples] = ()
    """Documents with their answers, shown in the prompt; by category, if the schemas are."""
    rules: str | None = None
    """The system's text, in place of the usual one."""

    def schema(self, category: str | None) -> Schema:
        """The schema for documents of a category."""
        return self.schemas if isinstance(self.schemas, Schema) else self.schemas[str(category)]


def prepared(
    options: Options,
    schemas: Schemas,
    examples: Examples | Mapping[str, Examples],
    rules: str | None,
    settings: Mapping[str, object],
) -> Task:
    """A task for which some options are set otherwise.

    Raises:
        OptionError: an option that a call cannot set for itself, or a value that it cannot have.
        SchemaError: the method cannot honour a schema.
    """
    for name in settings:
        check_name(name)
        if not OPTIONS[name].per_call:
            raise OptionError(f"{named(name)} cannot be set for a single call")
    task = Task(schemas, options.replaced(settings), examples, rules)
    check_task(task.options, schemas, rules)
    return task


def check_task(options: Options, schemas: Schemas, rules: str | None) -> None:
    """Refuse what does not go together.

    Raises:
        OptionError: rules where the layout has its own.
        SchemaError: the method cannot honour a schema.
    """
    check_method(options, schemas)
    if rules is not None and options.layout == "label":
        raise OptionError("the layout label has rules of its own: give no rules with it")


def examples_of(examples: Examples | Mapping[str, Examples], category: str | None) -> Examples:
    """The examples of a category; if they are not given by category, all of them."""
    return examples.get(category or "", ()) if isinstance(examples, Mapping) else examples
