"""A schema as a tree of attributes, whatever form it was written in."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Type = Literal[
    "string",
    "integer",
    "number",
    "boolean",
    "date",
    "date-time",
    "enum",
    "array",
    "object",
    "map",
    "tuple",
    "union",
    "recursive",
]

SCALAR_TYPES = frozenset({"string", "integer", "number", "boolean", "date", "date-time", "enum"})
"""The types whose values are single answers."""

MAP_NAME, MAP_VALUE = "name", "value"
"""The parts of each item of a map."""

MAX_ITEMS = 1000
"""Maximum number of items if the schema has no limit, as a wrong count must not start a million
fields."""

MAX_LEVELS = 5
"""Maximum depth of a recursive attribute."""

MAX_RECURSIVE = 1000
"""Maximum number of questions about recursive attributes per document."""

VARIANT_KEY = "which"
"""Key of the question for a union's variant."""


class Recursion:
    """A reference to a recursive attribute, expanded as deeply as the document's values need.

    Args:
        name: name of the definition in its schema.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.attribute: Attribute | None = None
        """The attribute to which it refers; set once that attribute has been read."""

    def __repr__(self) -> str:
        # The attribute is shown where it first occurs.
        return f"Recursion({self.name!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recursion) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True, slots=True)
class Attribute:
    """One thing to extract: a scalar, an array of one kind of item, or an object of attributes.

    A ``map`` is an object whose names come from the document: its ``item`` has the attributes
    ``name`` and ``value``. The ``attributes`` of a ``tuple`` are its items, named 1, 2 and so on.
    Those of a ``union`` are its variants.

    A path, which is not stored, is the tuple of names from the root object to the attribute,
    including the names of variants of unions.
    """

    name: str
    type: Type = "string"
    description: str = ""
    examples: tuple[str, ...] = ()
    choices: tuple[str | int | float | bool, ...] = ()
    """The values of an ``enum``, in the order of the schema."""
    nullable: bool = True
    required: bool = False
    """Whether its field has an error if it is absent."""
    forbids_null: bool = False
    """Whether the model must not answer null or an empty list, for questions that always have an
    answer. No form of schema can set it."""
    item: Attribute | None = None
    """The items of an ``array`` or a ``map``."""
    named_by: tuple[str, ...] = ()
    """The parts that identify the items of an ``array``; inferred if empty."""
    attributes: tuple[Attribute, ...] = ()
    """The parts of an ``object`` or ``tuple``, or the variants of a ``union``."""
    recursion: Recursion | None = None
    """What a ``recursive`` attribute refers to."""
    is_constant: bool = False
    """Whether its value is its only choice, or null if it has none, and so is not asked for."""
    forbids_others: bool = field(default=True, compare=False)
    """Whether an ``object`` forbids other parts, or a ``tuple`` more items."""
    has_type: bool = field(default=True, compare=False)
    """Whether the schema has a type; if not, values of any type are valid."""
    after: tuple[str, ...] = ()
    """Names of siblings whose finished values its key shows."""
    pattern: str | None = None
    format: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: float | None = None
    exclusive_maximum: float | None = None
    multiple_of: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    min_items: int | None = None
    max_items: int | None = None
    unique_items: bool = False
    checks: tuple[str, ...] = ()
    """Expressions over the parts of an ``object`` that should be true."""
    _choice_types: tuple[builtins.type, ...] = field(default=(), init=False, repr=False)
    """The types of the choices, so that attributes with 1 and with True are not equal."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_choice_types", tuple(map(type, self.choices)))

    @property
    def needs_value(self) -> bool:
        """Whether null is an error: it is required and not nullable."""
        return self.required and not self.nullable

    @property
    def is_counted(self) -> bool:
        """Whether it has items, whose number is asked for first."""
        return self.type in ("array", "map")

    @property
    def max_asked_items(self) -> int:
        """Maximum number of items asked for."""
        return MAX_ITEMS if self.max_items is None else self.max_items

    @property
    def is_free_text(self) -> bool:
        """Whether a value can be any text."""
        limits = (self.pattern, self.format, self.min_length, self.max_length)
        return self.type == "string" and limits == (None, None, None, None)

    @property
    def is_scalar(self) -> bool:
        """Whether its value is a single answer; for a union, whether all its variants' are."""
        if self.type == "union":
            return all(variant.is_scalar and not variant.is_constant for variant in self.attributes)
        return self.type in SCALAR_TYPES

    @property
    def expanded(self) -> Attribute:
        """What a recursive attribute refers to, one level deep; for any other, itself."""
        if self.type != "recursive" or self.recursion is None or self.recursion.attribute is None:
            return self
        target = self.recursion.attribute
        return replace(
            target,
            name=self.name,
            description=self.description or target.description,
            nullable=self.nullable,
            required=self.required,
        )


@dataclass(frozen=True, slots=True)
class Schema:
    """The attributes of one kind of document."""

    attributes: tuple[Attribute, ...]
    title: str = ""
    description: str = ""
    """The schema's description of the documents, which is in the prompt."""
    model: Any = field(default=None, compare=False)
    """The Pydantic class of the schema, if any; results become its instances."""
    checks: tuple[str, ...] = ()
    """Expressions over the data that should be true, such as ``sum(lines.amount) == total``."""
    has_checks: bool = False
    """Whether it, or an object in it, has checks."""
    has_unwrapped_root: bool = False
    """Whether the data is the value of the only attribute, not an object."""
    document: Any = field(default=None, compare=False)
    """The JSON Schema to validate data with; None if the attributes express all of it."""
    root: Attribute = field(
        default=Attribute("", "object", nullable=False), repr=False, compare=False
    )
    """The root object, without its attributes."""
    _key: str = field(default="", init=False, repr=False, compare=False)

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.attributes)

    @property
    def key(self) -> str:
        """A text that identifies the schema while it exists.

        Unlike ``==``, it distinguishes 1 from True, and classes with the same name.
        """
        if not self._key:
            # Cached, as it takes long to format and is used for every document.
            object.__setattr__(self, "_key", f"{id(self.model)} {self!r}")
        return self._key
