"""Documents and fields into the tokens of a masked row: what `decode` reads and `data` teaches."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Literal

from hpd import prompt
from hpd.prompt import DocumentTurn, Layout, PromptTokenizer
from hpd.schema.attributes import Schema
from hpd.training.masks import Mask
from hpd.training.rows import Prompt
from hpd.training.vocabulary import CheckpointVocabulary

KeyedMask = Mask | Literal["label"]
"""A mask, or the mask ``branch`` with letters in place of keys."""


class Prompter:
    """The prompts of one schema for one model, the same tokens as the engine's."""

    layout: Layout
    """Of the first wave's keys."""

    def __init__(
        self,
        vocabulary: CheckpointVocabulary,
        schema: Schema,
        mask: KeyedMask,
        instructions: str = "",
        document_turn: DocumentTurn = "user",
    ) -> None:
        self.layout = mask if mask in ("branch", "label") else "skeleton"
        self._instructions = instructions
        self._document_turn = document_turn
        self._vocabulary = vocabulary
        self._schema = schema
        self._mask: Mask = "branch" if mask == "label" else mask
        self._tokenizers: dict[bool, PromptTokenizer] = {}

    def fields(
        self, documents: Sequence[str], keys: Sequence[str], n_first: int | None = None
    ) -> Prompt:
        """A prompt with its fields, from one wave or from several.

        Args:
            documents: their texts; several are stacked.
            keys: for each field the text between the prompt and its value, as ``hpd.prompt.questions``
                gives it.
            n_first: how many of these belong to the first wave, and come first; all, unless it
                is given.
        """
        tokenizer = self._tokenizer(len(documents))
        n_first = len(keys) if n_first is None else n_first
        if self._mask == "paper" and n_first:
            # A value will stand between two keys, so no token may span them.
            tokens = tokenizer.tokenize(documents, [keys[0], *keys[n_first:]])
            rest = [
                self._vocabulary.tokenize_inside(text[len(before) :])
                for before, text in itertools.pairwise(keys[:n_first])
            ]
            own = [tokens.keys[0], *rest, *tokens.keys[1:]]
            return Prompt(tokens.prompt, own, "paper", n_first)
        tokens = tokenizer.tokenize(documents, keys)
        if self._mask == "skeleton":
            return skeleton(tokens.prompt, tokens.keys, n_first)
        return Prompt(tokens.prompt, tokens.keys, "branch")

    def answer(self, documents: Sequence[str]) -> Prompt:
        """A prompt with one field: the whole answer, as autoregression writes it."""
        tokens = self._tokenizer(len(documents)).tokenize(documents, [""])
        return Prompt(tokens.prompt, tokens.keys, "branch")

    def _tokenizer(self, n_stacked: int) -> PromptTokenizer:
        is_stack = n_stacked > 1
        if is_stack not in self._tokenizers:
            self._tokenizers[is_stack] = PromptTokenizer(
                self._vocabulary,
                prompt.system_text(n_stacked, self.layout),
                prompt.instruction_text(
                    self._schema,
                    layout=self.layout,
                    instructions=self._instructions,
                    document_turn=self._document_turn,
                ),
                self._document_turn,
            )
        return self._tokenizers[is_stack]


def skeleton(
    tokens: Sequence[int], keys: Sequence[Sequence[int]], n_first: int | None = None
) -> Prompt:
    """Keys that each begin with the keys before them, as one prompt that holds each key once.

    That is so of the ``n_first`` keys of the first wave (of all, unless it is given). Where a token
    spans two keys (``":,``), the keys do not begin with each other any more. Then each is a branch
    of its own: the same tokens see the same, only the row is longer.
    """
    n_first = len(keys) if n_first is None else n_first
    own = []
    before: Sequence[int] = ()
    for key in keys[:n_first]:
        if list(key[: len(before)]) != list(before):
            return Prompt(tokens, keys, "branch")
        own.append(key[len(before) :])
        before = key
    return Prompt(tokens, [*own, *keys[n_first:]], "skeleton", n_first)
