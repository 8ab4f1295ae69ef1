"""What a transformers model extracts, by the reference decoder: for validation and for labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hpd import prompt
from hpd.options import Method
from hpd.questions import Leaf, item_leaves, schema_leaves
from hpd.schema.attributes import Schema
from hpd.training.decode import Decoder
from hpd.training.masks import Mask
from hpd.training.prompter import Prompter
from hpd.training.vocabulary import CheckpointVocabulary
from hpd.values import (
    Parsed,
    answer_leaf,
    assemble,
    parse_value,
    split_answer,
)

MAX_ANSWER = 1024
"""Longest whole answer, in tokens."""


@dataclass(slots=True)
class Predictor:
    """Extracts greedily, without constraints."""

    model: Any
    vocabulary: CheckpointVocabulary
    method: Method = "hpd"
    mask: Mask = "branch"
    max_tokens: int = 64
    batch_size: int = 16

    def predict(self, texts: Sequence[str], schemas: Sequence[Schema]) -> list[dict[str, Any]]:
        """Each document's data."""
        prompters = {id(schema): Prompter(self.vocabulary, schema, self.mask) for schema in schemas}
        own = [prompters[id(schema)] for schema in schemas]
        decoder = Decoder(
            self.model, self.vocabulary.piece, self.vocabulary.end_tokens, self.max_tokens
        )
        if self.method == "ar":
            found = self._answers(decoder, texts, schemas, own)
        else:
            found = self._fields(decoder, texts, schemas, own)
        return [
            assemble(schema, values).data for schema, values in zip(schemas, found, strict=True)
        ]

    def _fields(
        self,
        decoder: Decoder,
        texts: Sequence[str],
        schemas: Sequence[Schema],
        prompters: Sequence[Prompter],
    ) -> list[Mapping[prompt.Path, Parsed]]:
        found: list[dict[prompt.Path, Parsed]] = [{} for _ in texts]
        pending: list[tuple[int, list[Leaf]]] = [
            (i, schema_leaves(schema)) for i, schema in enumerate(schemas)
        ]
        # Items of arrays are asked for once their number is known.
        while pending := [(i, leaves) for i, leaves in pending if leaves]:
            prompts = [
                prompters[i].fields([texts[i]], [leaf.path for leaf in leaves])
                for i, leaves in pending
            ]
            following = []
            decoded = decoder.decode(prompts, self.batch_size)
            for (i, leaves), values in zip(pending, decoded, strict=True):
                items: list[Leaf] = []
                for leaf, value in zip(leaves, values, strict=True):
                    parsed = parse_value(value.text, leaf.attribute)
                    found[i][leaf.path] = parsed
                    if leaf.array is not None and isinstance(parsed.value, int):
                        items += item_leaves(leaf, parsed.value)
                following.append((i, items))
            pending = following
        return list(found)

    def _answers(
        self,
        decoder: Decoder,
        texts: Sequence[str],
        schemas: Sequence[Schema],
        prompters: Sequence[Prompter],
    ) -> list[Mapping[prompt.Path, Parsed]]:
        n_fields = max((len(schema_leaves(schema)) for schema in schemas), default=1)
        longest = min(MAX_ANSWER, self.max_tokens * max(1, n_fields))
        prompts = [prompter.answer([text]) for text, prompter in zip(texts, prompters, strict=True)]
        decoded = replace(decoder, max_tokens=longest).decode(prompts, self.batch_size)
        found: list[Mapping[prompt.Path, Parsed]] = []
        for schema, (value,) in zip(schemas, decoded, strict=True):
            values = {}
            for path, raw in split_answer(schema, value.text).items():
                attribute = answer_leaf(schema, path)
                if attribute is not None:
                    values[path] = raw.parse(attribute)
            found.append(values)
        return found
