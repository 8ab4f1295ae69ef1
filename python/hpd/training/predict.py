"""Predictions of a transformers model by the reference decoder, for validation and labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hpd.options import Method
from hpd.prompt.questions import schema_leaves, stack_prefixes
from hpd.prompt.text import FieldPath, Lists
from hpd.results import FieldValue
from hpd.schema.attributes import Attribute, Schema
from hpd.training.decode import Decoder
from hpd.training.network import GgufVocabulary
from hpd.training.rows import AnswerWalk, KeyedMask, Prompter, stacked_indexes
from hpd.values.answers import answer_leaf, split_answer
from hpd.values.assembly import assemble

MAX_ANSWER = 1024
"""Maximum length of a document's whole answer, in tokens."""


@dataclass(slots=True)
class Predictor:
    """Extracts greedily, without constraints."""

    model: Any
    vocabulary: GgufVocabulary
    method: Method = "hpd"
    mask: KeyedMask = "branch"
    max_tokens: int = 64
    stack: int = 1
    """Documents per prompt."""
    instructions: str = ""
    """The user's instructions."""
    lists: Lists = "numbers"
    """How the rows of lists are asked for."""

    def predict(self, texts: Sequence[str], schemas: Sequence[Schema]) -> list[dict[str, Any]]:
        """Return each document's data."""
        prompters = {
            schema.key: Prompter(self.vocabulary, schema, self.mask, self.instructions)
            for schema in schemas
        }
        groups = [
            _Stack(indexes, [texts[i] for i in indexes], schemas[indexes[0]])
            for indexes in stacked_indexes([schema.key for schema in schemas], self.stack)
        ]
        own = [prompters[group.schema.key] for group in groups]
        decoder = Decoder(
            self.model, self.vocabulary.piece, self.vocabulary.end_tokens, self.max_tokens
        )
        predict = self._answers if self.method == "ar" else self._fields
        predicted: list[dict[str, Any]] = [{} for _ in texts]
        for group, data in zip(groups, predict(decoder, groups, own), strict=True):
            for index, document in zip(group.indexes, data, strict=True):
                predicted[index] = document
        return predicted

    def _fields(
        self, decoder: Decoder, groups: Sequence[_Stack], prompters: Sequence[Prompter]
    ) -> list[list[dict[str, Any]]]:
        walks = [
            AnswerWalk(group.schema, prompter.layout, len(group.texts), self.lists)
            for group, prompter in zip(groups, prompters, strict=True)
        ]
        # The next waves of all stacks are decoded together.
        while unfinished := [i for i, walk in enumerate(walks) if walk.questions]:
            prompts = []
            for i in unfinished:
                keys = [question.key for question in walks[i].questions]
                n_first = len(keys) if walks[i].is_first else 0
                prompts.append(prompters[i].fields(groups[i].texts, keys, n_first))
            for i, values in zip(unfinished, decoder.decode(prompts), strict=True):
                walks[i].take([value.text for value in values])
        return [
            [walk.data(document) for document in range(len(group.texts))]
            for group, walk in zip(groups, walks, strict=True)
        ]

    def _answers(
        self, decoder: Decoder, groups: Sequence[_Stack], prompters: Sequence[Prompter]
    ) -> list[list[dict[str, Any]]]:
        n_fields = max((len(schema_leaves(group.schema)) for group in groups), default=1)
        longest = min(MAX_ANSWER, self.max_tokens * max(1, n_fields)) * self.stack
        prompts = [
            prompter.answer(group.texts) for group, prompter in zip(groups, prompters, strict=True)
        ]
        decoded = replace(decoder, max_tokens=longest).decode(prompts)
        return [group.split(value.text) for group, (value,) in zip(groups, decoded, strict=True)]


@dataclass(frozen=True, slots=True)
class _Stack:
    """The documents of one prompt, and their indexes."""

    indexes: Sequence[int]
    texts: Sequence[str]
    schema: Schema

    def split(self, answer: str) -> list[dict[str, Any]]:
        """Return each document's data from a whole answer; a stack's has an object per number."""
        paths = stack_prefixes(len(self.texts))
        schema = self.schema
        if len(paths) > 1:
            objects = (
                Attribute(path_of_document[0], "object", attributes=schema.attributes)
                for path_of_document in paths
            )
            schema = Schema(tuple(objects))
        values: Mapping[FieldPath, FieldValue] = {
            path: raw.parse(attribute)
            for path, raw in split_answer(schema, answer).items()
            if (attribute := answer_leaf(schema, path)) is not None
        }
        return [
            assemble(
                self.schema,
                {
                    path[len(path_of_document) :]: value
                    for path, value in values.items()
                    if path[: len(path_of_document)] == path_of_document
                },
            ).data
            for path_of_document in paths
        ]
