"""Loads schemas from any source, by detecting their form."""

from __future__ import annotations

import functools
import importlib
import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import Any, Final, get_origin

from hpd.errors import SchemaError
from hpd.extras import import_extra
from hpd.schema.attributes import Attribute, Schema
from hpd.schema.checks import check, check_name, check_names, fail
from hpd.schema.json_schema import read_json_schema
from hpd.schema.one_line import parse_one_line, warn_of_type
from hpd.schema.references import ANNOTATIONS, CHECKED_AFTERWARDS, JSON_TYPES
from hpd.schema.scalars import typed_by_description
from hpd.schema.schemas import Schemas

FILE_SUFFIXES: Final = (".json", ".txt", ".schema")
_MODULE_CLASS = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_PROPERTY_KEYWORDS: Final = ("enum", "const", "anyOf", "oneOf", "allOf", "$ref")
_WRAPPER_KEYS: Final = (
    "schema",
    "json_schema",
    "schema_definition",
    "parameters",
    "input_schema",
    "function",
)
"""Keys of the JSON Schema of an answer in OpenAI's, Anthropic's and other APIs."""
_FORMS_HINT: Final = (
    'for a JSON Schema write {"type": "object", "properties": {...}}; for descriptions '
    '{"name": "description", ...} with text only; for one schema per category '
    '{"category": [names] or {...}, ...}'
)


def load_schema(source: object) -> Schema:
    """Load one schema, in any form that ``load_schemas`` reads.

    Raises ``SchemaError``.
    """
    loaded = load_schemas(source)
    if loaded.single is not None:
        return loaded.single
    names = loaded.categories
    shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
    raise SchemaError(
        f"this has one schema for each of {len(names)} categories ({shown}), but one schema is "
        "expected here: take one of them, or say which category a document has "
        "(--category-field on the command line)"
    )


def load_schemas(source: object) -> Schemas:
    """Load a schema, or one per category, in any of these forms.

    - a class: a Pydantic (version 2) model, a dataclass, a TypedDict, or a list of these;
    - a JSON Schema, as a dict;
    - a list of attribute names;
    - a dict of name to description;
    - text: the one-line form, JSON of any of the above, the name of a file with either
      (``.json``, ``.txt``, ``.schema``), or ``module:Class``;
    - a dict of category to any of the above except text;
    - a loaded ``Schema`` or ``Schemas``.

    Raises ``SchemaError``.
    """
    if isinstance(source, Schemas):
        return source
    if isinstance(source, str):
        return _from_text(source)
    if isinstance(source, os.PathLike):
        return _from_file(Path(source))
    if isinstance(source, Mapping):
        return _from_mapping(source)
    return Schemas.of(_one_schema(source, ""))


def as_schemas(source: object) -> Schemas:
    """Load schemas like ``load_schemas``, except that text is never the name of a file or class.

    Text is the one-line form or JSON, so untrusted text reads no file and imports no code.

    Raises ``SchemaError``, also for the name of a file or class.
    """
    if not isinstance(source, str):
        return Schemas.of(source) if isinstance(source, Schema) else load_schemas(source)
    text = source.strip()
    if text[:1] in ("{", "["):
        return _from_json(text, "the schema")
    if _is_file_name(text) or _MODULE_CLASS.fullmatch(text):
        raise SchemaError(
            f"{text[:80]!r} names a file or a Python class, and text is not looked up: give the "
            f"schema itself, or what hpd.load_schemas({text[:80]!r}) returns (in the one-line "
            "form, put a blank after a colon)"
        )
    return _from_line(text)


def _one_schema(source: object, where: str) -> Schema:
    """Load one schema from anything except text and paths."""
    try:
        if isinstance(source, Schema):
            return check(source)
        if is_model_class(source):
            return check(read_model(source))
        if isinstance(source, list | tuple):
            return check(_from_names(source))
        if isinstance(source, Mapping):
            return check(
                read_json_schema(source)
                if _is_json_schema(source) or _has_only_choices(source)
                else _from_descriptions(source)
            )
    except SchemaError as error:
        raise (fail(where, str(error)) if where else error) from error
    raise fail(where, _not_a_schema(source))


def _not_a_schema(source: object) -> str:
    """Return why an object is not a schema, and what to give instead."""
    if is_model_class(type(source)):
        return f"an instance of {type(source).__name__} is not a schema: give the class itself"
    is_type = isinstance(source, type) or get_origin(source) is not None
    kind = str(source) if get_origin(source) else getattr(source, "__name__", None)
    hint = "; for a single value of this type, give a class with one field" if is_type else ""
    return (
        f"{kind or type(source).__name__} is not a schema: a class (a Pydantic model, a dataclass, "
        "a TypedDict, or a list of these), a JSON Schema, a list of names, a dict of name to "
        f"description or the one-line form is expected{hint}"
    )


def _from_names(names: list[object] | tuple[object, ...]) -> Schema:
    checked = [check_name(name, f"[{index}]") for index, name in enumerate(names)]
    check_names(checked, "the list of names")
    return Schema(tuple(Attribute(name) for name in checked))


def _from_descriptions(descriptions: Mapping[Any, Any]) -> Schema:
    attributes = []
    for name, description in descriptions.items():
        check_name(name, "the dict of descriptions")
        if description is not None and not isinstance(description, str):
            kind = type(description).__name__
            raise fail(str(name), f"a description must be text, not {kind}: {_FORMS_HINT}")
        text = " ".join((description or "").split())
        warn_of_type(name, text, "types need a JSON Schema or the one-line form")
        attributes.append(typed_by_description(Attribute(name, description=text)))
    return Schema(tuple(attributes))


def _is_json_schema(source: Mapping[Any, Any]) -> bool:
    """Return whether a dict is a JSON Schema, not descriptions; raise if it is unclear."""
    kind = source.get("type")
    # Certain if "type" is "object", or another key cannot be a description.
    if kind == "object" or isinstance(source.get("properties"), Mapping):
        return True
    if kind == "array" and isinstance(source.get("items"), Mapping):
        return True
    if any(isinstance(source.get(keyword), str) for keyword in ("$ref", "$schema")):
        return True
    if any(isinstance(source.get(keyword), list) for keyword in ("allOf", "anyOf", "oneOf")):
        return True
    # An attribute named "type" would have a description other than a type's name.
    return isinstance(kind, list) or (isinstance(kind, str) and kind in JSON_TYPES)


def _from_mapping(source: Mapping[Any, Any]) -> Schemas:
    if not source:
        raise SchemaError("the schema is empty: it needs at least one attribute")
    inner = _unwrap(source)
    if inner is not source:
        return Schemas.of(_one_schema(inner, ""))
    if _is_by_category(source):
        schemas = {}
        for category, schema in source.items():
            if not isinstance(category, str) or not category.strip():
                raise SchemaError(f"a category must have a name, not {category!r}")
            schemas[category] = _one_schema(schema, f"category {category!r}")
        return Schemas.of(schemas)
    return Schemas.of(_one_schema(source, ""))


def _unwrap(source: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return the JSON Schema in a wrapper of other tools, such as ``{"name": ..., "schema": ...}``.

    The wrapper's description is used if the schema has none.
    """
    if _is_json_schema(source) and not isinstance(source.get("json_schema"), Mapping):
        return source
    names = [name for name in _WRAPPER_KEYS if isinstance(source.get(name), Mapping)]
    others = [value for name, value in source.items() if name not in names[:1]]
    if len(names) != 1 or any(isinstance(other, list | Mapping) for other in others):
        return source
    inner = _unwrap(source[names[0]])
    if inner is source[names[0]] and not _is_json_schema(inner):
        return source
    description = source.get("description")
    if isinstance(description, str) and "description" not in inner:
        return {**inner, "description": description}
    return inner


def _is_by_category(source: Mapping[Any, Any]) -> bool:
    """Return whether each value of a dict is a schema; raise if it is unclear."""
    holders = [
        key
        for key, value in source.items()
        if isinstance(value, list | tuple | Mapping | Schema) or is_model_class(value)
    ]
    if _has_only_choices(source) or _has_types(source):
        return False
    if len(holders) == len(source):
        # {"properties": {...}} is a JSON Schema, unless other keys are not keywords.
        if [*source] == ["properties"] or _has_only_keywords(source):
            return False
        if isinstance(source.get("properties"), Mapping):
            raise SchemaError(
                'this is either a JSON Schema (it has "properties"), or contains one schema per '
                'category, one of them called "properties": for the former add "type": "object", '
                "for the latter rename that category"
            )
        if all(_is_property(value) for value in source.values()):
            raise SchemaError(
                "this looks like the properties of a JSON Schema, or like one schema per category: "
                + _FORMS_HINT
            )
        return True
    if not holders or _is_json_schema(source):
        return False
    other = next(key for key in source if key not in holders)
    raise SchemaError(
        f"{holders[0]!r} is a {type(source[holders[0]]).__name__}, but {other!r} is "
        f"a {type(source[other]).__name__}, so this is neither a list of descriptions "
        f"nor one schema per category: {_FORMS_HINT}"
    )


def _has_only_choices(source: Mapping[Any, Any]) -> bool:
    """Return whether a dict is a JSON Schema with choices and annotations only."""
    return isinstance(source.get("enum"), list) and {*source} <= ANNOTATIONS


def _has_types(source: Mapping[Any, Any]) -> bool:
    """Return whether a dict is a JSON Schema with several types."""
    types = source.get("type")
    return isinstance(types, list) and bool(types) and all(kind in JSON_TYPES for kind in types)


def _has_only_keywords(source: Mapping[Any, Any]) -> bool:
    shapes = {"properties", "allOf", "anyOf", "oneOf"}
    others = {"required", "checks", "$defs", "definitions", *CHECKED_AFTERWARDS}
    return {*source} <= shapes | others and bool(shapes & {*source})


def _is_property(value: object) -> bool:
    """Return whether a dict is a JSON Schema of a property, not of a whole document."""
    if not isinstance(value, Mapping) or isinstance(value.get("properties"), Mapping):
        return False
    kind = value.get("type")
    if isinstance(kind, list) or (isinstance(kind, str) and kind in JSON_TYPES):
        return True
    return any(not isinstance(value.get(key, ""), str) for key in _PROPERTY_KEYWORDS)


def _from_text(text: str) -> Schemas:
    stripped = text.strip()
    if not stripped:
        raise SchemaError("the schema is empty: it needs at least one attribute")
    if stripped[0] in "{[":
        return _from_json(stripped, "the schema")
    # A one-line schema may also end in .txt, but then it has a blank.
    if _is_file_name(stripped) or (_has_file_suffix(stripped) and os.path.isfile(stripped)):
        return _from_file(Path(stripped))
    if _MODULE_CLASS.fullmatch(stripped):
        return _from_module(stripped)
    if ("." in stripped or os.sep in stripped) and os.path.exists(stripped):
        raise SchemaError(
            f"{stripped} is a file or a folder; the file of a schema has a name that ends in "
            f"{', '.join(FILE_SUFFIXES)}"
        )
    return _from_line(text)


def _has_file_suffix(text: str) -> bool:
    return "\n" not in text and text.lower().endswith(FILE_SUFFIXES)


def _is_file_name(text: str) -> bool:
    return _has_file_suffix(text) and not re.search(r"\s", text)


def _from_file(path: Path) -> Schemas:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SchemaError(f"the schema file {path} cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise SchemaError(f"the schema file {path} is not UTF-8 text ({error})") from error
    try:
        if path.suffix.lower() == ".json" or text.lstrip()[:1] in ("{", "["):
            return _from_json(text, "the file")
        return _from_line(text)
    except SchemaError as error:
        raise SchemaError(f"{path}: {error}") from error


def _from_json(text: str, what: str) -> Schemas:
    try:
        source = json.loads(text, object_pairs_hook=_object_without_duplicates)
    except json.JSONDecodeError as error:
        raise SchemaError(
            f"{what} is not valid JSON: {error.msg} (line {error.lineno}, character {error.colno})"
        ) from error
    except RecursionError:
        raise SchemaError(f"{what} is nested too deeply") from None
    except SchemaError:
        raise
    except ValueError as error:  # a number of thousands of digits
        raise SchemaError(f"{what} cannot be read: {error}") from error
    if isinstance(source, str):
        return _from_line(source)
    return load_schemas(source)


def _from_line(text: str) -> Schemas:
    if not text.strip():
        raise SchemaError("the schema is empty: it needs at least one attribute")
    return Schemas.of(check(Schema(parse_one_line(text))))


def _object_without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    check_names([name for name, _ in pairs], "the JSON")
    return dict(pairs)


def _from_module(reference: str) -> Schemas:
    module_name, _, qualified_name = reference.partition(":")
    # The current folder is searched, as with ``python -m``.
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        target: Any = importlib.import_module(module_name)
    except ImportError as error:
        raise SchemaError(
            f"{reference}: the module {module_name!r} cannot be imported ({error}). "
            f"If it is meant as name and description, put a blank after the colon"
        ) from error
    except KeyboardInterrupt:
        raise
    # Anything that the user's module raises on import, including SystemExit.
    except BaseException as error:
        kind = type(error).__name__
        raise SchemaError(f"{reference}: importing {module_name!r} failed: {kind}: {error}") from (
            error
        )
    for name in qualified_name.split("."):
        if not hasattr(target, name):
            raise SchemaError(f"{reference}: {module_name!r} has no {qualified_name!r}")
        target = getattr(target, name)
    if isinstance(target, str) and _MODULE_CLASS.fullmatch(target.strip()):
        raise SchemaError(f"{reference}: it is text that refers to {target!r}: name that directly")
    return load_schemas(target)


def is_model_class(source: object) -> bool:
    """Return whether ``source`` is a Pydantic (version 2) model, a dataclass, a TypedDict, or a
    list such as ``list[Person]`` or ``list[str]``."""
    if get_origin(source) is list:
        return True
    if not isinstance(source, type):
        return False
    is_typed_dict = issubclass(source, dict) and hasattr(source, "__required_keys__")
    return callable(getattr(source, "model_json_schema", None)) or (
        is_dataclass(source) or is_typed_dict
    )


def validate_data(model: Any, data: Any) -> Any:
    """Convert ``data`` to an instance of a class; raise Pydantic's ``ValidationError``."""
    # As JSON, from which even a strict class accepts dates, decimals and sets.
    return _adapter(model).validate_json(json.dumps(data))


def dump_data(data: Any) -> tuple[Any, Any]:
    """Return an instance of a class as JSON types, and as Python's own types."""
    kind: Any = type(data)
    adapter = _adapter(kind)
    return adapter.dump_python(data, mode="json", by_alias=True), adapter.dump_python(
        data, by_alias=True
    )


@functools.lru_cache(maxsize=64)
def _adapter(model: Any) -> Any:
    what = f"the schema {model.__name__}, a class,"
    return import_extra("pydantic", "pydantic", "pydantic", what).TypeAdapter(model)


def _schema_generator() -> Any:
    """Return Pydantic's JSON Schema generator, changed to write decimals as numbers."""
    from pydantic.json_schema import GenerateJsonSchema

    class Writer(GenerateJsonSchema):
        def decimal_schema(self, schema: Any) -> Any:
            return {**self.float_schema(schema), "format": "decimal"}

    return Writer


def read_model(model: Any) -> Schema:
    """Read the schema of a class; results become its instances."""
    try:
        write = getattr(model, "model_json_schema", None) or _adapter(model).json_schema
        document = write(by_alias=True, mode="validation", schema_generator=_schema_generator())
    except SchemaError:
        raise
    except Exception as error:  # Anything that plugins and the model's own code raise.
        if getattr(error, "code", None) == "typed-dict-version":
            raise SchemaError(
                f"{model.__name__}: Python before 3.12 needs typing_extensions.TypedDict in place "
                "of typing.TypedDict"
            ) from error
        raise SchemaError(
            f"{model.__name__}: Pydantic cannot write it as JSON Schema: "
            f"{str(error).partition(chr(10))[0].rstrip('.')}; give the attribute a plain type"
        ) from error
    try:
        return replace(read_json_schema(document), model=model)
    except SchemaError as error:
        raise SchemaError(f"{model.__name__}: {error}") from error
