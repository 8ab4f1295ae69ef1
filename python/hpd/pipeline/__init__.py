"""The way from documents to extractions, through one engine.

``pipeline`` puts documents of the same category into prompts; ``long_documents`` cuts those that
do not fit the context. A prompt (``prompts``) has its ``questionnaire`` make one request after
another, and the loop of ``pipeline`` takes these through the engine. The answers are the
``document_values``, of which the extraction is made. ``reuse`` knows the values of documents that
come again.

What others need to know of all this is here, and loads no engine.
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
from hpd.options import OPTIONS, Options, check_name, named
from hpd.prompt.text import LABEL_KEY
from hpd.results import plain_data
from hpd.schema.attributes import Attribute, Schema

if TYPE_CHECKING:
    from hpd._native import Model


Examples = Sequence[tuple[str, object]]
"""Documents with their answers, to be shown in the prompt."""

ExamplesForm = Sequence[tuple[str, object] | Mapping[str, object]]
"""Examples as they may be given: pairs, or objects with ``text`` and ``data``."""

OnChunk = Callable[[int, int, int], None]
"""Told of a document that is cut: its place in the input, the chunks that are finished (none when
it has just been cut), and the number of its chunks."""

OnSettled = Callable[[int, Mapping[str, Any]], None]
"""Told of values before their document is finished: its place in the input, and the data of its
leading attributes whose values nothing changes any more."""

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
    system_prompt: str | None = None
    """The system's text, in place of the usual one."""

    def schema(self, category: str | None) -> Schema:
        """The schema for documents of a category."""
        return self.schemas if isinstance(self.schemas, Schema) else self.schemas[str(category)]


def prepared(
    options: Options,
    schemas: Schemas,
    examples: ExamplesForm | Mapping[str, ExamplesForm],
    system_prompt: str | None,
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
    task = Task(
        schemas, options.replaced(settings), read_examples(examples, schemas), system_prompt
    )
    check_task(task.options, schemas, system_prompt, task.examples)
    return task


_PARTS = {"text", "data", "id", "category"}


def read_examples(
    examples: ExamplesForm | Mapping[str, ExamplesForm], schemas: Schemas
) -> Examples | Mapping[str, Examples]:
    """Examples in any of their forms as pairs; by category, if they are given so.

    Raises:
        OptionError: one has another form, or there is no schema for its category.
    """
    if not isinstance(examples, Mapping):
        return _pairs(examples, schemas, "example")
    if isinstance(schemas, Schema):
        raise OptionError(
            "examples: a list is expected, [(text, data), ...] or [{'text': ..., 'data': ...}, ...]"
        )
    for category in examples:
        if category not in schemas:
            raise OptionError(f"examples: there is no schema for the category {category!r}")
    return {
        category: _pairs(group, schemas[category], f"category {category!r}: example")
        for category, group in examples.items()
    }


def _pairs(examples: object, schemas: Schemas, name: str) -> Examples:
    if isinstance(examples, str | bytes) or not isinstance(examples, Sequence):
        raise OptionError(f"{name}s: a list is expected, not {type(examples).__name__}")
    return [
        _pair(example, schemas, f"{name} {number}")
        for number, example in enumerate(examples, start=1)
    ]


def _pair(example: object, schemas: Schemas, where: str) -> tuple[str, object]:
    if isinstance(example, Mapping) and {"text", "data"} <= {*example} <= _PARTS:
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
        data = plain_data(data)
    except Exception as error:  # whatever a class of the user's raises
        raise OptionError(f"{where}: the answer is no data: {error}") from error
    has_unwrapped_root = isinstance(schemas, Schema) and schemas.has_unwrapped_root
    if not has_unwrapped_root and not isinstance(data, Mapping):
        raise OptionError(
            f"{where}: the answer must be an object of the schema's attributes, as in "
            f"{{'name': 'value'}}, not {type(data).__name__}"
        )
    return text, data


def check_task(
    options: Options,
    schemas: Schemas,
    system_prompt: str | None,
    examples: Examples | Mapping[str, Examples] = (),
) -> None:
    """Refuse what does not go together, and what UTF-8 cannot encode.

    Raises:
        OptionError: rules where the layout has its own, or a text that is none.
        SchemaError: the method cannot honour a schema, or it has a text that is none.
    """
    check_method(options, schemas)
    by_category = {"": schemas} if isinstance(schemas, Schema) else schemas
    for category, schema in by_category.items():
        _check_texts(schema.attributes, f"category {category!r}: " if category else "")
        if is_broken(category):
            raise SchemaError(f"category {category!r}: {BROKEN}")
    if system_prompt is not None and is_broken(system_prompt):
        raise OptionError(f"system_prompt: {BROKEN}")
    groups = examples.values() if isinstance(examples, Mapping) else [examples]
    for number, (text, answer) in enumerate(itertools.chain(*groups), start=1):
        if is_broken(text) or is_broken(json.dumps(answer, ensure_ascii=False, default=str)):
            raise OptionError(f"example {number}: {BROKEN}")
    if system_prompt is not None and options.layout == "label":
        raise OptionError("the layout label has a system prompt of its own: give none with it")


BROKEN = "half of a surrogate pair is no text: it was cut within a character, or badly decoded"
"""The reason why a text is refused that UTF-8 cannot encode."""


def is_broken(text: str) -> bool:
    """Whether UTF-8 cannot encode a text, so that no tokenizer can read it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _check_texts(attributes: Iterable[Attribute], where: str) -> None:
    for each in attributes:
        texts = (each.name, each.description, each.pattern or "", *each.examples, *each.choices)
        if any(isinstance(text, str) and is_broken(text) for text in texts):
            raise SchemaError(f"{where}{each.name!r}: {BROKEN}")
        inner = (each.item,) if each.item is not None else ()
        _check_texts((*each.attributes, *inner), f"{where}{each.name}: ")


def examples_of(examples: Examples | Mapping[str, Examples], category: str | None) -> Examples:
    """The examples of a category; if they are not given by category, all of them."""
    return examples.get(category or "", ()) if isinstance(examples, Mapping) else examples


def check_method(options: Options, schemas: Schema | Mapping[str, Schema]) -> None:
    """Refuse a schema that the method of ``options`` cannot honour.

    ``ar`` writes attributes in the order of the schema, and each sees all that are written before
    it. So an attribute that comes ``after`` another one must stand behind it.

    Raises:
        SchemaError: an attribute stands before one that it comes after.
    """
    if options.method != "ar":
        return
    by_category = {None: schemas} if isinstance(schemas, Schema) else schemas
    for category, schema in by_category.items():
        where = "" if category is None else f"category {category!r}: "
        _check_order(schema.attributes, where)
        kind = next(filter(None, map(_unwritable, schema.attributes)), None)
        if kind:
            raise SchemaError(
                f"{where}method 'ar' cannot write a {kind} of this schema: use method 'hpd'"
            )


def _unwritable(attribute: Attribute) -> str | None:
    """The kind of a part that only questions in waves can ask for."""
    if attribute.type in ("map", "tuple", "recursive") or attribute.is_constant:
        return "constant" if attribute.is_constant else attribute.type
    if attribute.type == "union" and not attribute.is_scalar:
        return "choice between objects or lists"
    parts = (*attribute.attributes, *(() if attribute.item is None else (attribute.item,)))
    return next(filter(None, map(_unwritable, parts)), None)


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
    """Ends a call: what it has sent to the engine is cancelled, and it raises an error.

    Several threads may use it, before the call, during it and after it; it ends one call only.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._end: Callable[[], None] | None = None
        self.is_cancelled = False

    def cancel(self) -> None:
        """End the call; one that begins later ends at once."""
        with self._lock:
            self.is_cancelled = True
            end = self._end
        if end is not None:
            end()

    def attach(self, end: Callable[[], None]) -> None:
        """Say how the call is ended."""
        with self._lock:
            self._end = end
        if self.is_cancelled:
            end()


class ReuseWarning(HpdWarning):
    """Values that are kept in a folder cannot be used, or no more can be kept there."""


class LayoutWarning(HpdWarning):
    """A model is asked in the layout ``label``, and its file does not say that it was taught it."""


def warn_of_layout(model: Model, options: Options) -> None:
    """Warn if neither a model nor an adapter says that it was taught the layout it is asked in."""
    if options.layout != "label":
        return
    if "on" in (model.metadata(LABEL_KEY), *model.lora_metadata(LABEL_KEY)):
        return
    warnings.warn(
        f"layout 'label' ({OPTIONS['layout'].flag}): the file of this model does not say that it "
        "was taught letters in place of keys, without which values can be mostly wrong: "
        "hpd finetune --mask label teaches it, the layout 'branch' needs no teaching",
        LayoutWarning,
        stacklevel=3,
    )
