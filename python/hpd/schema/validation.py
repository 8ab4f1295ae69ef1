"""Validates data against the user's JSON Schema, for rules beyond single fields."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from functools import lru_cache, partial, reduce
from typing import Any

from hpd.schema.checks import join_path
from hpd.schema.scalars import matches


def schema_violations(
    document: Any, data: Any, missing: Collection[str] = ()
) -> list[tuple[str, str]]:
    """Return the paths at which data violates a JSON Schema, with the reasons.

    Violations caused only by null at one of the ``missing`` paths are ignored.
    """
    try:
        faults = list(_validator(json.dumps(document)).iter_errors(data))
    except Exception as error:  # anything that patterns or references make the library raise
        return [("", f"the schema cannot be checked ({type(error).__name__}: {error})")]
    found = [(reduce(join_path, fault.absolute_path, ""), fault) for fault in faults]
    return [
        (path, fault.message[:200])
        for path, fault in found
        if not any(own == path or (fault.context and own.startswith(path)) for own in missing)
    ]


@lru_cache(maxsize=64)
def _validator(document: str) -> Any:
    from jsonschema import Draft202012Validator, validators
    from referencing import Registry

    schema = json.loads(document)
    base = validators.validator_for(schema, default=Draft202012Validator)
    extend: Any = validators.extend  # its stub has no types
    keywords = {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": partial(
            _additional_properties, base.VALIDATORS.get("additionalProperties")
        ),
    }
    known = {name: check for name, check in keywords.items() if name in base.VALIDATORS}
    # The registry is there because the library would open what a reference names.
    return extend(base, known)(schema, registry=Registry())


# jsonschema's own functions use ``re``, which does not support \p{L} and (?<name>...).
def _pattern(validator: Any, pattern: str, value: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if validator.is_type(value, "string") and not matches(pattern, value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Any, value: Any, _schema: Any) -> Iterator[Any]:
    if validator.is_type(value, "object"):
        for pattern, part in patterns.items():
            for name in value:
                if matches(pattern, name):
                    yield from validator.descend(value[name], part, path=name, schema_path=pattern)


def _additional_properties(
    check: Any, validator: Any, extra: Any, value: Any, schema: Any
) -> Iterator[Any]:
    patterns = schema.get("patternProperties", {})
    if patterns and validator.is_type(value, "object"):
        value = {
            name: part
            for name, part in value.items()
            if not any(matches(pattern, name) for pattern in patterns)
        }
        schema = {keyword: part for keyword, part in schema.items() if part is not patterns}
    yield from check(validator, extra, value, schema)
