"""A request to the engine: one prompt in tokens, with the fields to be decoded behind it."""

from __future__ import annotations

from dataclasses import dataclass

from hpd._native import Field


@dataclass(frozen=True, slots=True)
class Request:
    """One prompt and the fields of one wave; each wave of a prompt is a request."""

    prompt: list[int]
    fields: list[Field]
    n_instruction: int
    """The number of leading tokens that all documents of the schema share."""
    n_cached: int
    """The number of leading tokens whose KV cells are kept for others or from an earlier wave."""
    keep_prompt: bool = False
    """Whether another wave of the same prompt may follow."""

    @property
    def n_cells(self) -> int:
        """The fewest KV cells with which it can be decoded: its prompt and its longest field."""
        return len(self.prompt) + max(len(field.key) + field.max_tokens for field in self.fields)
