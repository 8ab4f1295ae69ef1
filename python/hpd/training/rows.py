"""Documents and fields as rows of masked tokens, for decoding and for training."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from hpd.prompt.questions import Question, Waves
from hpd.prompt.text import FieldPath, Layout, Lists, instruction_text, system_text
from hpd.prompt.tokens import PromptTokenizer, Vocabulary
from hpd.results import FieldValue
from hpd.schema.attributes import Schema
from hpd.training.masks import Mask, Roles, RowLayout
from hpd.values.answers import answer_leaf, split_list
from hpd.values.assembly import assemble
from hpd.values.parsing import parse_value

KeyedMask = Mask | Literal["label"]
"""A mask, or the mask ``branch`` with letters in place of keys."""

NO_TARGET = -100
"""Marks a token without a target; cross entropies ignore it."""


class TrainingVocabulary(Vocabulary, Protocol):
    """A vocabulary that can also tokenize the middle of a text."""

    eos: int
    """The token that ends a whole answer."""

    def tokenize_inside(self, text: str) -> list[int]:
        """Tokenize a text that follows other text."""


@dataclass(frozen=True, slots=True)
class TrainingPrompt:
    """A prompt's tokens and its fields' keys.

    With ``branch``, a key is everything between the prompt and its value. With ``paper`` and
    ``skeleton``, a key of the first wave is only the part after the previous key.
    """

    tokens: Sequence[int]
    keys: Sequence[Sequence[int]]
    mask: Mask = "branch"
    n_first: int | None = None
    """Number of keys of the first wave, which come first; None: all."""

    def layout(self, k_max: int) -> RowLayout:
        n_keys = [len(key) for key in self.keys]
        return RowLayout(self.mask, len(self.tokens), n_keys, k_max, self.n_first)


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """The tokens of a row with their roles and targets."""

    tokens: NDArray[np.int64]
    targets: NDArray[np.int64]
    """The next tokens; ``NO_TARGET`` where none is trained."""
    roles: Roles
    mask: Mask

    def __len__(self) -> int:
        return len(self.tokens)


def training_row(
    prompt: TrainingPrompt, values: Sequence[Sequence[int] | None], k_max: int
) -> TrainingRow:
    """Return the row of a prompt with its gold values, in natural order; None: not trained on.

    Values are cut at ``k_max`` tokens, as in decoding. The last token of a value is a target but
    never an input: once it is decoded, the field is done.
    """
    tokens = list(prompt.tokens)
    targets = [NO_TARGET] * len(tokens)
    n_values = []
    for key, value in zip(prompt.keys, values, strict=True):
        tokens += key
        targets += [NO_TARGET] * len(key)
        if value is None:
            n_values.append(0)
            continue
        wanted = list(value[:k_max])
        if not wanted:
            raise ValueError("a value must have at least one token")
        # Without a key the value follows the prompt.
        targets[len(tokens) - 1 if key else len(prompt.tokens) - 1] = wanted[0]
        tokens += wanted[:-1]
        targets += wanted[1:]
        n_values.append(len(wanted) - 1)
    roles = prompt.layout(k_max).whole(n_values)
    return TrainingRow(np.array(tokens), np.array(targets), roles, prompt.mask)


class Prompter:
    """Makes the prompts of one schema for one model, with the same tokens as the engine's."""

    layout: Layout
    """Layout of the first wave's keys."""

    def __init__(
        self,
        vocabulary: TrainingVocabulary,
        schema: Schema,
        mask: KeyedMask,
        instructions: str = "",
    ) -> None:
        self.layout = mask if mask in ("branch", "label") else "skeleton"
        self._instructions = instructions
        self._vocabulary = vocabulary
        self._schema = schema
        self._mask: Mask = "branch" if mask == "label" else mask
        self._tokenizers: dict[bool, PromptTokenizer] = {}

    def fields(
        self, documents: Sequence[str], keys: Sequence[str], n_first: int | None = None
    ) -> TrainingPrompt:
        """Return a prompt with its fields, of one or several waves.

        Args:
            documents: their texts; several are stacked.
            keys: each field's text between the prompt and its value, as in
                ``hpd.prompt.questions``.
            n_first: number of fields of the first wave, which come first; None: all.
        """
        tokenizer = self._tokenizer(len(documents))
        n_first = len(keys) if n_first is None else n_first
        if self._mask == "paper" and n_first:
            # A value comes between two keys, so no token may span them.
            tokens = tokenizer.tokenize(documents, [keys[0], *keys[n_first:]])
            rest = [
                self._vocabulary.tokenize_inside(text[len(before) :])
                for before, text in itertools.pairwise(keys[:n_first])
            ]
            own_keys = [tokens.keys[0], *rest, *tokens.keys[1:]]
            return TrainingPrompt(tokens.prompt, own_keys, "paper", n_first)
        tokens = tokenizer.tokenize(documents, keys)
        if self._mask == "skeleton":
            return skeleton(tokens.prompt, tokens.keys, n_first)
        return TrainingPrompt(tokens.prompt, tokens.keys, "branch")

    def answer(self, documents: Sequence[str]) -> TrainingPrompt:
        """Return a prompt with one field: the whole answer, decoded autoregressively."""
        tokens = self._tokenizer(len(documents)).tokenize(documents, [""])
        return TrainingPrompt(tokens.prompt, tokens.keys, "branch")

    def _tokenizer(self, n_stacked: int) -> PromptTokenizer:
        is_stack = n_stacked > 1
        if is_stack not in self._tokenizers:
            self._tokenizers[is_stack] = PromptTokenizer(
                self._vocabulary,
                system_text(n_stacked, self.layout),
                instruction_text(self._schema, layout=self.layout, instructions=self._instructions),
            )
        return self._tokenizers[is_stack]


def skeleton(
    tokens: Sequence[int], keys: Sequence[Sequence[int]], n_first: int | None = None
) -> TrainingPrompt:
    """Return a prompt that has each part of its keys only once.

    Each of the first ``n_first`` keys (None: all) begins with the previous key, unless a token
    spans two keys (``":,``). In that case each key becomes a branch: the same tokens see the same
    tokens, only the row is longer.
    """
    n_first = len(keys) if n_first is None else n_first
    own_keys = []
    before: Sequence[int] = ()
    for key in keys[:n_first]:
        if list(key[: len(before)]) != list(before):
            return TrainingPrompt(tokens, keys, "branch")
        own_keys.append(key[len(before) :])
        before = key
    return TrainingPrompt(tokens, [*own_keys, *keys[n_first:]], "skeleton", n_first)


class AnswerWalk:
    """Goes through the waves of questions, which depend on the values given so far.

    Args:
        schema: the schema of all documents.
        layout: of the first wave's keys.
        n_stacked: documents in the prompt.
        lists: how the rows of lists are asked for.
    """

    def __init__(self, schema: Schema, layout: Layout, n_stacked: int, lists: Lists) -> None:
        self._schema = schema
        self._waves = Waves(schema, layout, n_stacked, lists=lists)
        self._values: list[dict[FieldPath, FieldValue]] = [{} for _ in range(n_stacked)]
        self.questions: list[Question] = self._waves.first()
        """The questions of the current wave; empty at the end."""
        self.is_first = True
        """Whether the current wave is the first."""

    def take(self, texts: Sequence[str | None]) -> None:
        """Store the wave's values and continue with the next wave.

        Args:
            texts: the values as decoded, in the order of the questions; None: unknown.
        """
        pairs = zip(self.questions, texts, strict=True)
        values = [self._store(question, text) for question, text in pairs]
        self.questions = self._waves.next(
            values, self.data, lambda d, path: self._values[d].get(path, FieldValue()).value
        )
        self.is_first = False

    def _store(self, question: Question, text: str | None) -> Any:
        leaf, values = question.leaf, self._values[question.document]
        if text is None:
            return None
        if leaf.written is None:
            values[leaf.path] = parse_value(text, leaf.attribute)
            return values[leaf.path].value
        array = leaf.path[:-1]
        for stale in [path for path in values if path[: len(array)] == array]:
            del values[stale]  # The list may have been asked for before.
        for path, raw in split_list(leaf.attribute, text, array).items():
            if len(leaf.written.names) == 1 and path != leaf.path:
                path = (*path, *leaf.written.names)
            attribute = answer_leaf(self._schema, path)
            if attribute is not None:
                values[path] = raw.parse(attribute)
        return values[leaf.path].value

    def data(self, document: int) -> dict[str, Any]:
        """Return a document's values so far, nested as in the answer."""
        return assemble(self._schema, self._values[document], as_answer=True).data


def stacked_indexes(schemas: Sequence[Hashable], size: int) -> Iterator[list[int]]:
    """Yield the indexes of documents in stacks of up to ``size``, each of one schema.

    Args:
        schemas: a key for each document's schema.
        size: documents per prompt (paper, section 4.3.5).
    """
    by_schema: dict[Hashable, list[int]] = {}
    for index, schema in enumerate(schemas):
        by_schema.setdefault(schema, []).append(index)
    for indexes in by_schema.values():
        for start in range(0, len(indexes), size):
            yield indexes[start : start + size]
