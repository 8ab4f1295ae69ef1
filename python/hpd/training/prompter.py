"""Documents and fields into the tokens of a masked row: what `decode` reads and `data` teaches."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from hpd import prompt
from hpd.prompt import Path
from hpd.prompt.tokens import PromptTokenizer, Vocabulary
from hpd.schema.attributes import Schema
from hpd.training.masks import Mask
from hpd.training.rows import Prompt


class Prompter:
    """The prompts of one schema for one model, the same tokens as the engine's."""

    def __init__(self, vocabulary: Vocabulary, schema: Schema, mask: Mask) -> None:
        self._vocabulary = vocabulary
        self._schema = schema
        self._mask: Mask = mask
        self._tokenizers: dict[bool, PromptTokenizer] = {}

    def fields(self, documents: Sequence[str], paths: Sequence[Path]) -> Prompt:
        """A prompt with one key per path; several documents are stacked."""
        layout: prompt.Layout = "branch" if self._mask == "branch" else "skeleton"
        texts = prompt.key_texts(paths, layout)
        tokenizer = self._tokenizer(len(documents))
        if self._mask == "paper":
            # A value will stand between two keys, so no token may span them.
            first = tokenizer.tokenize(documents, texts[:1])
            rest = [
                self._vocabulary.tokenize(text[len(before) :])
                for before, text in itertools.pairwise(texts)
            ]
            return Prompt(first.prompt, [*first.keys, *rest], "paper")
        tokens = tokenizer.tokenize(documents, texts)
        if self._mask == "skeleton":
            return skeleton(tokens.prompt, tokens.keys)
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
                prompt.system_text(n_stacked),
                prompt.instruction_text(self._schema),
            )
        return self._tokenizers[is_stack]


def skeleton(tokens: Sequence[int], keys: Sequence[Sequence[int]]) -> Prompt:
    """Keys that each begin with the keys before them, as one prompt that holds each key once.

    Where a token spans two keys (``":,``), the keys do not begin with each other any more. Then
    each is a branch of its own: the same tokens see the same, only the row is longer.
    """
    own = []
    before: Sequence[int] = ()
    for key in keys:
        if list(key[: len(before)]) != list(before):
            return Prompt(tokens, keys, "branch")
        own.append(key[len(before) :])
        before = key
    return Prompt(tokens, own, "skeleton")
