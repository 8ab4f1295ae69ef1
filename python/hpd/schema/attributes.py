"""What a schema is made of: a tree of attributes, the same for every schema form."""

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

    ``path`` on the outside is the tuple of names from the root; the root itself is an object.
    """

    name: str
    type: Type = "string"
    description: str = ""
    examples: tuple[str, ...] = ()
    choices: tuple[str | int | float | bool, ...] = ()
    """The values of an ``enum``, in the order of the schema."""
    nullable: bool = True
    required: bool = False
    """Required and absent is an error on the field."""
    item: Attribute | None = None
    """What an ``array`` holds."""
    attributes: tuple[Attribute, ...] = ()
    """What an ``object`` holds."""
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


@dataclass(frozen=True, slots=True)
class Schema:
    """The attributes of one kind of document, however they were written down."""

    attributes: tuple[Attribute, ...]
    title: str = ""
    model: Any = field(default=None, compare=False)
    """The Pydantic class that results become instances of, if the schema was one."""

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.attributes)
