"""What is asked of every document of one schema: its fields, their constraints, its prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hpd import prompt
from hpd._native import Field, Model
from hpd.grammar import enum_texts, value_grammar
from hpd.options import Options
from hpd.prompt import Path
from hpd.prompt.tokens import PromptTokenizer, TokenizedPrompt
from hpd.questions import Leaf, item_leaves, schema_leaves, stack_places
from hpd.schema.attributes import Attribute, Schema

Examples = Sequence[tuple[str, object]]
"""Documents with their answers, shown in the prompt."""

_N_ANSWER_ITEMS = 16
"""Items of an array for which an answer in one piece has room, if all are as long as can be."""
_N_NAME_TOKENS = 16


@dataclass(frozen=True, slots=True)
class Constraint:
    """What a value may be while it is decoded: a grammar, or one of a few texts."""

    grammar: str = ""
    choices: tuple[tuple[int, ...], ...] = ()


class Plan:
    """A schema, ready to be asked: for one model, with one prompt."""

    def __init__(
        self, model: Model, schema: Schema, options: Options, examples: Examples = ()
    ) -> None:
        self.schema = schema
        self.leaves = schema_leaves(schema)
        self._model = model
        self._options = options
        self._instruction = prompt.instruction_text(schema, examples)
        self._tokenizers: dict[bool, PromptTokenizer] = {}
        self._constraints: dict[str, Constraint] = {}
        self._n_later_tokens: int | None = None

    def tokenizer(self, n_stacked: int) -> PromptTokenizer:
        """The prompt's tokens; a stack of documents has a rule more."""
        is_stack = n_stacked > 1
        if is_stack not in self._tokenizers:
            system = prompt.system_text(n_stacked)
            self._tokenizers[is_stack] = PromptTokenizer(self._model, system, self._instruction)
        return self._tokenizers[is_stack]

    def first_keys(self, leaves: Sequence[Leaf], n_stacked: int) -> list[str]:
        """The keys of the first wave for every stacked document, one document after another."""
        paths = [(*place, *leaf.path) for place in stack_places(n_stacked) for leaf in leaves]
        return prompt.key_texts(paths, self._options.layout)

    def later_key(self, place: Path, leaf: Leaf, seen: Mapping[Path, object]) -> str:
        """The key of a field that waited for other values; it sees those it depends on."""
        return prompt.key_text(
            (*place, *leaf.path), {(*place, *path): value for path, value in seen.items()}
        )

    def fields(self, prompt_: TokenizedPrompt, leaves: Sequence[Leaf]) -> list[Field]:
        """The engine's fields for the keys of a prompt, one for each leaf."""
        fields = []
        for key, leaf in zip(prompt_.keys, leaves, strict=True):
            constraint = self._constraint(leaf.attribute)
            fields.append(
                Field(
                    key,
                    max_tokens=self._options.max_tokens,
                    grammar=constraint.grammar,
                    choices=constraint.choices,
                )
            )
        return fields

    def answer_field(self, prompt_: TokenizedPrompt, n_stacked: int) -> Field:
        """The one field of ``method="ar"``: the whole answer, as long as all values together."""
        n_tokens = sum(self._n_answer_tokens(leaf) for leaf in self.leaves)
        return Field(prompt_.keys[0], max_tokens=max(1, n_tokens) * n_stacked)

    @property
    def n_later_tokens(self) -> int:
        """By how many tokens the keys of later waves may be longer than those of the first."""
        if self._n_later_tokens is None:
            first = [leaf for leaf in self.leaves if leaf.wave == 0]
            later = [leaf for leaf in self.leaves if leaf.wave > 0]
            later += [item for leaf in self.leaves for item in _sample_items(leaf)]
            n_first = max(self._n_key_tokens(leaf) for leaf in first)
            n_later = max((self._n_key_tokens(leaf) for leaf in later), default=0)
            is_ar = self._options.method == "ar"
            self._n_later_tokens = 0 if is_ar else max(0, n_later - n_first)
        return self._n_later_tokens

    def _n_key_tokens(self, leaf: Leaf) -> int:
        """Of a field's key, with the values that it sees at their longest."""
        n_seen = sum(
            1 for path in leaf.after for other in self.leaves if other.path[: len(path)] == path
        )
        # A value that is seen comes with its name.
        n_each = self._options.max_tokens + _N_NAME_TOKENS
        return len(self._model.tokenize(prompt.key_text(leaf.path))) + n_seen * n_each

    def _n_answer_tokens(self, leaf: Leaf) -> int:
        n_own = len(self._model.tokenize(prompt.key_text(leaf.path)))
        items = _sample_items(leaf)
        if leaf.array is None or not items:
            return n_own + self._options.max_tokens
        most = _N_ANSWER_ITEMS if leaf.array.max_items is None else leaf.array.max_items
        n_items = max(1, min(most, _N_ANSWER_ITEMS))
        return n_own + n_items * sum(self._n_answer_tokens(item) for item in items)

    def _constraint(self, attribute: Attribute) -> Constraint:
        name = repr(attribute)  # equal attributes may differ: as choices, 1 equals True
        if name not in self._constraints:
            texts = enum_texts(attribute)
            if texts is not None:
                choices = tuple(tuple(self._model.tokenize(text)) for text in texts)
                self._constraints[name] = Constraint(choices=choices)
            else:
                self._constraints[name] = Constraint(grammar=value_grammar(attribute) or "")
        return self._constraints[name]


def _sample_items(leaf: Leaf) -> list[Leaf]:
    """The fields of an array's first item."""
    if leaf.array is None:
        return []
    return item_leaves(leaf, 1)
