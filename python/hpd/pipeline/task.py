"""What a call extracts, checked before there is an engine."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hpd.errors import OptionError, SchemaError
from hpd.options import OPTIONS, Options, check_option_name, option_label
from hpd.pipeline.examples import Examples, ExamplesForm, read_examples
from hpd.schema.attributes import Attribute
from hpd.schema.schemas import Schemas
from hpd.surrogates import LONE_SURROGATE, is_unicode


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What a call extracts: schemas, options, examples and system prompt.

    Tasks are compared by identity: compiled prompts and grammars are kept per task.
    """

    schemas: Schemas
    options: Options
    """Each option is set. Those of the engine and the model are the same as the pipeline's."""
    examples: Examples | Mapping[str, Examples] = ()
    """Documents with their answers for the prompt; by category if ``schemas`` are, or for all."""
    system_prompt: str | None = None
    """Replaces the default system prompt."""


def prepare_task(
    options: Options,
    schemas: Schemas,
    examples: ExamplesForm | Mapping[str, ExamplesForm],
    system_prompt: str | None,
    settings: Mapping[str, object],
) -> Task:
    """Return a task with ``settings`` applied to ``options``.

    Raises:
        OptionError: an option is invalid, or cannot be set per call.
        SchemaError: the method does not support a schema.
    """
    for name in settings:
        check_option_name(name)
        if not OPTIONS[name].per_call:
            raise OptionError(f"{option_label(name)} cannot be set for a single call")
    return make_task(schemas, options.with_settings(settings), examples, system_prompt)


def make_task(
    schemas: Schemas,
    options: Options,
    examples: ExamplesForm | Mapping[str, ExamplesForm] = (),
    system_prompt: str | None = None,
) -> Task:
    """Return a task; reject combinations that cannot work, and text that UTF-8 cannot encode.

    Raises:
        OptionError: an example is invalid, a system prompt is given with a layout that has its own,
            or text cannot be encoded.
        SchemaError: the method does not support a schema, or it has text that cannot be encoded.
    """
    task = Task(schemas, options, read_examples(examples, schemas), system_prompt)
    check_method(options, schemas)
    for category, schema in schemas.by_category.items():
        _check_encodable(schema.attributes, f"category {category!r}: " if category else "")
        if category and not is_unicode(category):
            raise SchemaError(f"category {category!r}: {LONE_SURROGATE}")
    if system_prompt is not None and not is_unicode(system_prompt):
        raise OptionError(f"system_prompt: {LONE_SURROGATE}")
    groups = task.examples.values() if isinstance(task.examples, Mapping) else [task.examples]
    for number, (text, answer) in enumerate(itertools.chain(*groups), start=1):
        if not is_unicode(text + json.dumps(answer, ensure_ascii=False, default=str)):
            raise OptionError(f"example {number}: {LONE_SURROGATE}")
    if system_prompt is not None and options.layout == "label":
        raise OptionError("the layout label has a system prompt of its own: give none with it")
    return task


def _check_encodable(attributes: Iterable[Attribute], where: str) -> None:
    for each in attributes:
        texts = (each.name, each.description, each.pattern or "", *each.examples, *each.choices)
        if any(isinstance(text, str) and not is_unicode(text) for text in texts):
            raise SchemaError(f"{where}{each.name!r}: {LONE_SURROGATE}")
        inner = (each.item,) if each.item is not None else ()
        _check_encodable((*each.attributes, *inner), f"{where}{each.name}: ")


def check_method(options: Options, schemas: Schemas) -> None:
    """Reject a schema that the method of ``options`` does not support.

    ``ar`` writes attributes in the order of the schema, and each sees those before it. So an
    attribute must follow those that it comes ``after``, and some types are not supported.

    Raises:
        SchemaError: the schema has such an order or type.
    """
    if options.method != "ar":
        return
    for category, schema in schemas.by_category.items():
        where = "" if category is None else f"category {category!r}: "
        _check_order(schema.attributes, where)
        kind = next(filter(None, map(_type_ar_cannot_write, schema.attributes)), None)
        if kind:
            raise SchemaError(
                f"{where}method 'ar' cannot write a {kind} of this schema: use method 'hpd'"
            )


def _type_ar_cannot_write(attribute: Attribute) -> str | None:
    """Return the first type in an attribute that needs questions in waves, or None."""
    if attribute.type in ("map", "tuple", "recursive") or attribute.is_constant:
        return "constant" if attribute.is_constant else attribute.type
    if attribute.type == "union" and not attribute.is_scalar:
        return "choice between objects or lists"
    parts = (*attribute.attributes, *(() if attribute.item is None else (attribute.item,)))
    return next(filter(None, map(_type_ar_cannot_write, parts)), None)


def _check_order(attributes: Sequence[Attribute], where: str) -> None:
    written: set[str] = set()
    for attribute in attributes:
        for name in attribute.after:
            if name not in written:
                raise SchemaError(
                    f"{where}{attribute.name} comes after {name}, but stands before it in the "
                    "schema, and method 'ar' writes attributes in the order of the schema: put "
                    f"{name} first, or use method 'hpd'"
                )
        written.add(attribute.name)
        _check_order(attribute.attributes, f"{where}{attribute.name}: ")
        if attribute.item is not None:
            _check_order(attribute.item.attributes, f"{where}{attribute.name}: ")
