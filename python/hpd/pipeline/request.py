"""A request to the engine: one prompt in tokens, with the fields to be decoded behind it."""

from __future__ import annotations

from dataclasses import dataclass

from hpd._native import Field


@dataclass(frozen=True, slots=True)
class Request:
    """One prompt and its fields; several waves of one prompt are as many requests."""

    prompt: list[int]
    fields: list[Field]
    n_instruction: int
    """Leading tokens of the prompt that all documents of the schema share."""
    n_cached: int
    """Leading tokens whose KV cells are kept for others, or from an earlier wave."""
    keep_prompt: bool = False
    """Whether more may be asked of the same prompt."""

    @property
    def n_cells(self) -> int:
        """KV cells that it takes at the very least: its prompt and its longest field."""
        return len(self.prompt) + max(len(field.key) + field.max_tokens for field in self.fields)
