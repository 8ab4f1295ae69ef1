"""From documents to extractions, through one engine.

``pipeline`` groups documents of one category into prompts, and ``prompt_maker`` splits those that
do not fit into the context. A prompt (``prompts``) makes one request per wave from its
``compiled_schema``; the loop in ``pipeline`` passes the requests to the engine. The answers become
``document_values``, which become the extraction. ``reuse`` keeps values, in case the same document
comes again.

This module has what the rest of the package needs, and does not load the engine.
"""

from __future__ import annotations

import itertools
import json
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpd.errors import HpdWarning, OptionError, SchemaError
from hpd.messages import caller_level, is_unicode
from hpd.options import OPTIONS, Options, check_name, option_label
from hpd.prompt.text import LABEL_KEY
from hpd.results import plain_data
from hpd.schema.attributes import Attribute, Schema
from hpd.schema.schemas import Schemas
from hpd.values.example_answers import answer_fault

if TYPE_CHECKING:
    from hpd._native import Model


Examples = Sequence[tuple[str, object]]
"""Pairs of a document and its answer, shown in the prompt."""

ExamplesForm = Sequence[tuple[str, object] | Mapping[str, object]]
"""The accepted forms of examples: pairs, or objects with ``text`` and ``data``."""

OnChunk = Callable[[int, int, int], None]
"""Called when a document is split into chunks and when a chunk is finished, with the document's
index in the input, the number of finished chunks and the number of all chunks."""

OnSettled = Callable[[int, Mapping[str, Any]], None]
"""Called before a document is finished, with its index in the input and the data of its leading
attributes that can no longer change."""


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
        check_name(name)
        if not OPTIONS[name].per_call:
            raise OptionError(f"{option_label(name)} cannot be set for a single call")
    task = Task(
        schemas, options.with_settings(settings), read_examples(examples, schemas), system_prompt
    )
    check_task(task.options, schemas, system_prompt, task.examples)
    return task


_EXAMPLE_KEYS = {"text", "data", "id", "category"}


def read_examples(
    examples: ExamplesForm | Mapping[str, ExamplesForm], schemas: Schemas
) -> Examples | Mapping[str, Examples]:
    """Return examples in any accepted form as pairs, by category if they are given by category.

    Raises:
        OptionError: an example is malformed, its answer does not fit the schema, or its category
            has no schema.
    """
    if not isinstance(examples, Mapping):
        return _read_examples(examples, [*schemas.by_category.values()], "example")
    if schemas.single is not None:
        raise OptionError(
            "examples: a list is expected, [(text, data), ...] or [{'text': ..., 'data': ...}, ...]"
        )
    for category in examples:
        if category not in schemas:
            raise OptionError(f"examples: there is no schema for the category {category!r}")
    return {
        category: _read_examples(
            group, [schemas.for_category(category)], f"category {category!r}: example"
        )
        for category, group in examples.items()
    }


def _read_examples(examples: object, schemas: Sequence[Schema], name: str) -> Examples:
    if isinstance(examples, str | bytes) or not isinstance(examples, Sequence):
        raise OptionError(f"{name}s: a list is expected, not {type(examples).__name__}")
    if isinstance(examples, tuple) and len(examples) == 2 and isinstance(examples[0], str):
        raise OptionError(f"{name}s: a list is expected, not a single pair: [(text, data)]")
    return [
        _read_example(example, schemas, f"{name} {number}")
        for number, example in enumerate(examples, start=1)
    ]


def _read_example(example: object, schemas: Sequence[Schema], where: str) -> tuple[str, object]:
    """Return an example as a pair; its answer must fit one of the schemas."""
    if isinstance(example, Mapping) and {"text", "data"} <= {*example} <= _EXAMPLE_KEYS:
        text, data = example["text"], example["data"]
    elif isinstance(example, tuple | list) and len(example) == 2:
        text, data = example
    else:
        shown = sorted(map(str, example)) if isinstance(example, Mapping) else repr(example)
        raise OptionError(
            f"{where}: a document with its answer is expected, (text, data) or "
            f"{{'text': ..., 'data': ...}}, not {str(shown)[:80]}"
        )
    if not isinstance(text, str):
        raise OptionError(f"{where}: the document must be text, not {type(text).__name__}")
    try:
        plain = plain_data(data)
    except Exception as error:  # whatever the user's class raises
        raise OptionError(f"{where}: the answer is not data: {error}") from error
    if not isinstance(plain, Mapping) and not any(each.has_unwrapped_root for each in schemas):
        raise OptionError(
            f"{where}: the answer must be an object of the schema's attributes, as in "
            f"{{'name': 'value'}}, not {type(data).__name__}"
        )
    # The class has checked its instances, which may have computed fields.
    faults = [None if type(data) is each.model else answer_fault(each, plain) for each in schemas]
    if None not in faults:
        raise OptionError(f"{where}: {faults[0]}")
    return text, plain


def check_task(
    options: Options,
    schemas: Schemas,
    system_prompt: str | None,
    examples: Examples | Mapping[str, Examples] = (),
) -> None:
    """Reject combinations that cannot work, and text that UTF-8 cannot encode.

    Raises:
        OptionError: a system prompt with a layout that has its own, or text that cannot be encoded.
        SchemaError: the method does not support a schema, or it has text that cannot be encoded.
    """
    check_method(options, schemas)
    for category, schema in schemas.by_category.items():
        _check_encodable(schema.attributes, f"category {category!r}: " if category else "")
        if category and not is_unicode(category):
            raise SchemaError(f"category {category!r}: {UNENCODABLE}")
    if system_prompt is not None and not is_unicode(system_prompt):
        raise OptionError(f"system_prompt: {UNENCODABLE}")
    groups = examples.values() if isinstance(examples, Mapping) else [examples]
    for number, (text, answer) in enumerate(itertools.chain(*groups), start=1):
        if not is_unicode(text + json.dumps(answer, ensure_ascii=False, default=str)):
            raise OptionError(f"example {number}: {UNENCODABLE}")
    if system_prompt is not None and options.layout == "label":
        raise OptionError("the layout label has a system prompt of its own: give none with it")


UNENCODABLE = "half of a surrogate pair is not text: a character was cut in two, or badly decoded"
"""Why text with a lone surrogate is rejected."""


def _check_encodable(attributes: Iterable[Attribute], where: str) -> None:
    for each in attributes:
        texts = (each.name, each.description, each.pattern or "", *each.examples, *each.choices)
        if any(isinstance(text, str) and not is_unicode(text) for text in texts):
            raise SchemaError(f"{where}{each.name!r}: {UNENCODABLE}")
        inner = (each.item,) if each.item is not None else ()
        _check_encodable((*each.attributes, *inner), f"{where}{each.name}: ")


def examples_of(examples: Examples | Mapping[str, Examples], category: str | None) -> Examples:
    """Return the examples of a category, or all if they are not by category."""
    return examples.get(category or "", ()) if isinstance(examples, Mapping) else examples


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


class Cancellation:
    """Cancels a call from another thread; the call then raises ``CallCancelledError``.

    Thread-safe, and usable before, during and after the call. Use one per call.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._end: Callable[[], None] | None = None
        self.is_cancelled = False

    def cancel(self) -> None:
        """Cancel the call, or the next one that is attached."""
        with self._lock:
            self.is_cancelled = True
            end = self._end
        if end is not None:
            end()

    def attach(self, end: Callable[[], None]) -> None:
        """Set the function that ends the call."""
        with self._lock:
            self._end = end
        if self.is_cancelled:
            end()


class ReuseWarning(HpdWarning):
    """The cache folder cannot be read or written."""


class LayoutWarning(HpdWarning):
    """The layout ``label`` is used with a model whose file does not say it was trained for it."""


def warn_of_layout(model: Model, options: Options) -> None:
    """Warn if neither the model nor an adapter is marked as trained for the layout ``label``."""
    if options.layout != "label":
        return
    if "on" in (model.metadata(LABEL_KEY), *model.lora_metadata(LABEL_KEY)):
        return
    warnings.warn(
        f"layout 'label' ({OPTIONS['layout'].flag}): the file of this model does not say that it "
        "was taught letters in place of keys, without which values can be mostly wrong: "
        "hpd finetune --mask label teaches it, the layout 'branch' needs no teaching",
        LayoutWarning,
        stacklevel=caller_level(),
    )
