"""Documents and fields as rows of masked tokens: what decoding reads, and what training teaches."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from hpd.prompt.questions import Question, Waves, value_at
from hpd.prompt.text import DocumentRole, Layout, Lists, Path, instruction_text, system_text
from hpd.prompt.tokens import PromptTokenizer, Vocabulary
from hpd.schema.attributes import Schema
from hpd.training.masks import Mask, Roles, RowLayout
from hpd.values.answers import answer_leaf, split_list
from hpd.values.assembly import assemble
from hpd.values.parsing import ParsedValue, parse_value

KeyedMask = Mask | Literal["label"]
"""A mask, or the mask ``branch`` with letters in place of keys."""

NO_TARGET = -100
"""The target of a token after which nothing is taught; cross entropies skip it."""


class TrainingVocabulary(Vocabulary, Protocol):
    """A vocabulary that can also tokenize the middle of a text."""

    def tokenize_inside(self, text: str) -> list[int]:
        """The tokens of a text that stands behind other text."""


@dataclass(frozen=True, slots=True)
class TrainingPrompt:
    """A prompt's tokens and its fields' keys.

    With ``branch`` a key is all that stands between the prompt and its value; with ``paper`` and
    ``skeleton`` it is the part behind the key before it, in the first wave. In later ones it is
    always the whole key.
    """

    tokens: Sequence[int]
    keys: Sequence[Sequence[int]]
    mask: Mask = "branch"
    n_first: int | None = None
    """Keys of the first wave, which come first; None: all."""

    def layout(self, k_max: int) -> RowLayout:
        n_keys = [len(key) for key in self.keys]
        return RowLayout(self.mask, len(self.tokens), n_keys, k_max, self.n_first)


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """The tokens of a row, the role of each, and the tokens that should come next."""

    tokens: NDArray[np.int64]
    targets: NDArray[np.int64]
    """`NO_TARGET` where nothing is taught."""
    roles: Roles
    mask: Mask

    def __len__(self) -> int:
        return len(self.tokens)


def training_row(
    prompt: TrainingPrompt, values: Sequence[Sequence[int] | None], k_max: int
) -> TrainingRow:
    """A prompt with the right values, in natural order; None where nothing is taught.

    Values are cut at ``k_max`` tokens, as decoding cuts them. The last token of a value is a
    target and never fed: when it is decoded, the field is done.
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
            raise ValueError("a value has a token, if only that of null")
        # Without a key the value follows the prompt.
        targets[len(tokens) - 1 if key else len(prompt.tokens) - 1] = wanted[0]
        tokens += wanted[:-1]
        targets += wanted[1:]
        n_values.append(len(wanted) - 1)
    roles = prompt.layout(k_max).whole(n_values)
    return TrainingRow(np.array(tokens), np.array(targets), roles, prompt.mask)


class Prompter:
    """The prompts of one schema for one model, the same tokens as the engine's."""

    layout: Layout
    """Of the first wave's keys."""

    def __init__(
        self,
        vocabulary: TrainingVocabulary,
        schema: Schema,
        mask: KeyedMask,
        instructions: str = "",
        document_role: DocumentRole = "user",
    ) -> None:
        self.layout = mask if mask in ("branch", "label") else "skeleton"
        self._instructions = instructions
        self._document_role = document_role
        self._vocabulary = vocabulary
        self._schema = schema
        self._mask: Mask = "branch" if mask == "label" else mask
        self._tokenizers: dict[bool, PromptTokenizer] = {}

    def fields(
        self, documents: Sequence[str], keys: Sequence[str], n_first: int | None = None
    ) -> TrainingPrompt:
        """A prompt with its fields, from one wave or from several.

        Args:
            documents: their texts; several are stacked.
            keys: for each field the text between the prompt and its value, as
                ``hpd.prompt.questions`` gives it.
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
            return TrainingPrompt(tokens.prompt, own, "paper", n_first)
        tokens = tokenizer.tokenize(documents, keys)
        if self._mask == "skeleton":
            return skeleton(tokens.prompt, tokens.keys, n_first)
        return TrainingPrompt(tokens.prompt, tokens.keys, "branch")

    def answer(self, documents: Sequence[str]) -> TrainingPrompt:
        """A prompt with one field: the whole answer, as autoregression writes it."""
        tokens = self._tokenizer(len(documents)).tokenize(documents, [""])
        return TrainingPrompt(tokens.prompt, tokens.keys, "branch")

    def _tokenizer(self, n_stacked: int) -> PromptTokenizer:
        is_stack = n_stacked > 1
        if is_stack not in self._tokenizers:
            self._tokenizers[is_stack] = PromptTokenizer(
                self._vocabulary,
                system_text(n_stacked, self.layout),
                instruction_text(
                    self._schema,
                    layout=self.layout,
                    instructions=self._instructions,
                    document_role=self._document_role,
                ),
                self._document_role,
            )
        return self._tokenizers[is_stack]


def skeleton(
    tokens: Sequence[int], keys: Sequence[Sequence[int]], n_first: int | None = None
) -> TrainingPrompt:
    """Keys that each begin with the keys before them, as one prompt that holds each key once.

    That is so of the ``n_first`` keys of the first wave (of all, unless it is given). Where a token
    spans two keys (``":,``), the keys no longer begin with each other. Then each is a branch
    of its own: the same tokens see the same, only the row is longer.
    """
    n_first = len(keys) if n_first is None else n_first
    own = []
    before: Sequence[int] = ()
    for key in keys[:n_first]:
        if list(key[: len(before)]) != list(before):
            return TrainingPrompt(tokens, keys, "branch")
        own.append(key[len(before) :])
        before = key
    return TrainingPrompt(tokens, [*own, *keys[n_first:]], "skeleton", n_first)


class AnswerWalk:
    """The questions that are due, and the values that have been given so far.

    Args:
        schema: the schema of all documents.
        layout: of the first wave's keys.
        n_stacked: documents in the prompt.
        lists: how the rows of lists are asked for.
    """

    def __init__(
        self, schema: Schema, layout: Layout, n_stacked: int = 1, lists: Lists = "numbers"
    ) -> None:
        self._schema = schema
        self._waves = Waves(schema, layout, n_stacked, lists=lists)
        self._values: list[dict[Path, ParsedValue]] = [{} for _ in range(n_stacked)]
        self.questions: list[Question] = self._waves.first()
        """Those of the wave that is due; none when all has been asked."""
        self.is_first = True
        """Whether the first wave is due."""

    def take(self, texts: Sequence[str | None]) -> None:
        """Store the wave's values and go on to the next wave.

        Args:
            texts: the values as they are decoded, in the order of the questions; None: unknown.
        """
        pairs = zip(self.questions, texts, strict=True)
        values = [self._stored(question, text) for question, text in pairs]
        self.questions = self._waves.next(
            values, self.data, lambda d, path: value_at(self.data(d), path)
        )
        self.is_first = False

    def _stored(self, question: Question, text: str | None) -> Any:
        leaf, values = question.leaf, self._values[question.document]
        if text is None:
            return None
        if leaf.written is None:
            values[leaf.path] = parse_value(text, leaf.attribute)
            return values[leaf.path].value
        for path, raw in split_list(leaf.attribute, text, leaf.path[:-1]).items():
            if len(leaf.written.names) == 1 and path != leaf.path:
                path = (*path, *leaf.written.names)
            attribute = answer_leaf(self._schema, path)
            if attribute is not None:
                values[path] = raw.parse(attribute)
        return values[leaf.path].value

    def data(self, document: int) -> dict[str, Any]:
        """The values of a document so far, nested as in the answer."""
        return assemble(self._schema, self._values[document], as_answer=True).data


def stacked_indexes(schemas: Sequence[Hashable], size: int) -> Iterator[list[int]]:
    """Iterate over the indexes of documents in stacks of up to ``size``, each of one schema.

    Args:
        schemas: what tells each document's schema from others.
        size: documents in one prompt (paper, section 4.3.5).
    """
    by_schema: dict[Hashable, list[int]] = {}
    for index, schema in enumerate(schemas):
        by_schema.setdefault(schema, []).append(index)
    for indexes in by_schema.values():
        for start in range(0, len(indexes), size):
            yield indexes[start : start + size]
