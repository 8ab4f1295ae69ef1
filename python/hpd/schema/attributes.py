"""A schema is a tree of attributes, the same for every form in which it can be written."""

from __future__ import annotations

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
"""The types whose values are one answer each."""

MAP_NAME, MAP_VALUE = "name", "value"
"""The parts of each item of a map."""

MAX_ITEMS = 1000
"""The most items that are asked for where the schema names no limit: a model that counts wildly
must not start a million fields."""

MAX_LEVELS = 5
"""The levels of an attribute within itself that are asked for."""

MAX_RECURSIVE = 1000
"""The questions about attributes within themselves that a document is asked."""

WHICH_KEY = "which"
"""The key of the question which of the variants of a union a document has."""


class Recursion:
    """An attribute that is a part of itself, expanded as far as a document goes.

    Args:
        name: of the definition in its schema.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.attribute: Attribute | None = None
        """What it stands for; set when that has been read."""

    def __repr__(self) -> str:
        # What it stands for is written out where it first occurs.
        return f"Recursion({self.name!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recursion) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True, slots=True)
class Attribute:
    """One thing to extract: a scalar, an array of one kind of item, or an object of attributes.

    A ``map`` is an object with names that the document says: its ``item`` has the attributes
    ``name`` and ``value``. The ``attributes`` of a ``tuple`` are its places, called 1, 2 and so on.
    Those of a ``union`` are its variants, of which a value is one.

    It has no path of its own: a path is the tuple of names that lead to it from the root, which
    is an object. On the way through a union, the name of the variant is one of them.
    """

    name: str
    type: Type = "string"
    description: str = ""
    examples: tuple[str, ...] = ()
    choices: tuple[str | int | float | bool, ...] = ()
    """The values of an ``enum``, in the order of the schema."""
    nullable: bool = True
    required: bool = False
    """If it is required and absent, its field has an error."""
    forbids_null: bool = False
    """Whether the model must answer neither null nor an empty list: for questions that have an
    answer in any case, unlike those about what a document may not state. No form of a schema can
    say so."""
    item: Attribute | None = None
    """The items of an ``array`` or a ``map``."""
    named_by: tuple[str, ...] = ()
    """The parts by which the items of an ``array`` are told apart; none: they are found out."""
    attributes: tuple[Attribute, ...] = ()
    """The parts of an ``object`` or a ``tuple``, the variants of a ``union``."""
    recursion: Recursion | None = None
    """What a ``recursive`` attribute stands for."""
    is_constant: bool = False
    """Whether its only choice is its value, without a question; null, if it has none."""
    forbids_others: bool = field(default=True, compare=False)
    """Whether an ``object`` may have no other parts, or a ``tuple`` no more items."""
    has_type: bool = field(default=True, compare=False)
    """Whether the schema names the type. Where it does not, any other value obeys it as well."""
    after: tuple[str, ...] = ()
    """Names of sibling attributes whose finished values this one sees."""
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

    @property
    def needs_a_value(self) -> bool:
        """Whether null is an error: it is required, and null is no value of it."""
        return self.required and not self.nullable

    @property
    def is_counted(self) -> bool:
        """Whether it has items, the number of which is asked for first."""
        return self.type in ("array", "map")

    @property
    def max_asked_items(self) -> int:
        """The most items that are asked for."""
        return MAX_ITEMS if self.max_items is None else self.max_items

    @property
    def is_scalar(self) -> bool:
        """Whether its value is one answer; that of a union is, if each of its variants' is."""
        if self.type == "union":
            return all(variant.is_scalar and not variant.is_constant for variant in self.attributes)
        return self.type in SCALAR_TYPES

    @property
    def expanded(self) -> Attribute:
        """What a recursive attribute stands for, one level deep; any other one itself."""
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
    """The attributes of one kind of document, however they were written down."""

    attributes: tuple[Attribute, ...]
    title: str = ""
    description: str = ""
    """What the schema says of the documents as a whole, which stands in the prompt."""
    model: Any = field(default=None, compare=False)
    """The Pydantic class that the schema was read from, if any: results become its instances."""
    has_unwrapped_root: bool = False
    """Whether the data is the value of the only attribute, and no object around it."""
    document: Any = field(default=None, compare=False)
    """The JSON Schema that data must obey beyond what the attributes say; None if that is all."""
    root: Attribute = field(
        default=Attribute("", "object", nullable=False), repr=False, compare=False
    )
    """The object whose parts the attributes are, without these."""
    _key: str = field(default="", init=False, repr=False, compare=False)

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.attributes)

    @property
    def key(self) -> str:
        """A text that differs for all schemas that differ, as long as one keeps them.

        Unlike ``==``, it tells 1 from True, and one class from another of the same name.
        """
        if not self._key:
            # It is long to write, and asked for with every document.
            object.__setattr__(self, "_key", f"{id(self.model)} {self!r}")
        return self._key
