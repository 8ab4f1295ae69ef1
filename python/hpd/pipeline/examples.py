"""Documents with their answers, to show in the prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hpd.errors import OptionError
from hpd.results import plain_data
from hpd.schema.attributes import Schema
from hpd.schema.schemas import Schemas
from hpd.values.example_answers import answer_fault

Examples = Sequence[tuple[str, object]]
"""Pairs of a document and its answer, shown in the prompt."""

ExamplesForm = Sequence[tuple[str, object] | Mapping[str, object]]
"""The accepted forms of examples: pairs, or objects with ``text`` and ``data``."""

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


def examples_for(examples: Examples | Mapping[str, Examples], category: str | None) -> Examples:
    """Return the examples of a category, or all if they are not by category."""
    return examples.get(category or "", ()) if isinstance(examples, Mapping) else examples
