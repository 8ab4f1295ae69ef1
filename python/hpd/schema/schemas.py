"""One schema for all documents, or one per category."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hpd.schema.attributes import Schema


@dataclass(frozen=True, slots=True)
class Schemas:
    """One schema for all documents, or one per category."""

    by_category: Mapping[str | None, Schema]
    """By the name of the category; the only key is None if one schema is for all documents."""

    @classmethod
    def of(cls, schemas: Schema | Mapping[str, Schema]) -> Schemas:
        """Return one schema for all documents, or those of a mapping by category."""
        if isinstance(schemas, Schema):
            return cls({None: schemas})
        return cls(dict(schemas.items()))

    @property
    def single(self) -> Schema | None:
        """The schema for all documents; None if there is one per category."""
        return self.by_category.get(None)

    @property
    def categories(self) -> list[str]:
        """The names of the categories; empty if one schema is for all documents."""
        return [category for category in self.by_category if category is not None]

    def __contains__(self, category: str | None) -> bool:
        """Return whether documents of a category have a schema."""
        return self.single is not None or category in self.by_category

    def for_category(self, category: str | None) -> Schema:
        """Return the schema for documents of a category; raise ``KeyError`` if there is none."""
        single = self.single
        return self.by_category[category] if single is None else single

    @property
    def key(self) -> str:
        """A text that identifies the schemas while they exist, like ``Schema.key``."""
        single = self.single
        if single is not None:
            return single.key
        return repr([(category, schema.key) for category, schema in self.by_category.items()])
