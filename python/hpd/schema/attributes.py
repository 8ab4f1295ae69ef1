"""A schema is a tree of attributes, the same for every form in which it can be written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

Type = Literal[
    "string", "integer", "number", "boolean", "date", "date-time", "enum", "array", "object"
]


@dataclass(frozen=True, slots=True)
class Attribute:
    """One thing to extract: a scalar, an array of one kind of item, or an object of attributes.

    It has no path of its own: a path is the tuple of names that lead to it from the root, which
    is an object.
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
    always_answered: bool = False
    """Whether the model must not answer null: for questions that have an answer in any case, unlike
    those about what a document may not state. No form of a schema can say so."""
    item: Attribute | None = None
    """The items of an ``array``."""
    attributes: tuple[Attribute, ...] = ()
    """The parts of an ``object``."""
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


@dataclass(frozen=True, slots=True)
class Schema:
    """The attributes of one kind of document, however they were written down."""

    attributes: tuple[Attribute, ...]
    title: str = ""
    model: Any = field(default=None, compare=False)
    """The Pydantic class that the schema was read from, if any: results become its instances."""
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
