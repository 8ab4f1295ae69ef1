"""Splits schemas that leave no room for a document, and puts the values of the parts together."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from hpd.pipeline.chunking import SplitDocument, dependent_groups
from hpd.pipeline.document_values import DocumentValues
from hpd.results import Usage
from hpd.schema.attributes import Attribute, Schema


def split_schema(schema: Schema) -> list[Schema]:
    """Return two schemas that together have the attributes of one; none if it cannot be split.

    Attributes that come ``after`` each other stay together. What concerns the whole data, such as
    checks, is left to the whole schema.
    """
    return [
        replace(schema, attributes=part, model=None, document=None, checks=(), has_checks=False)
        for part in ([] if schema.has_unwrapped_root else _split(schema.attributes))
    ]


def _split(attributes: Sequence[Attribute]) -> list[tuple[Attribute, ...]]:
    groups = dependent_groups(attributes)
    if len(groups) > 1:
        middle = len(groups) // 2
        return [tuple(itertools.chain(*half)) for half in (groups[:middle], groups[middle:])]
    if len(attributes) != 1 or attributes[0].type != "object":
        return []
    whole = attributes[0]
    return [(replace(whole, attributes=half, checks=()),) for half in _split(whole.attributes)]


def partial_answer(attributes: Sequence[Attribute], answer: object) -> object:
    """Return what an example's answer says about some attributes."""
    if not isinstance(answer, Mapping):
        return answer
    return {
        one.name: partial_answer(one.attributes, answer[one.name])
        if one.type == "object"
        else answer[one.name]
        for one in attributes
        if one.name in answer
    }


class DocumentInParts(SplitDocument):
    """Collects the values of a document that is asked for the parts of a schema.

    Args:
        schema: the whole schema.
        n_parts: the number of its parts.
    """

    def __init__(self, schema: Schema, n_parts: int) -> None:
        super().__init__(n_parts, Usage())
        self.schema = schema
        self.values = DocumentValues()

    def store(self, values: DocumentValues, n_chunks: int) -> None:
        """Store the values of a finished part, which was asked for in ``n_chunks`` chunks."""
        self.values.fields |= values.fields
        self.values.attributes |= values.attributes
        self.usage = replace(self.usage, n_chunks=max(self.usage.n_chunks, n_chunks))
