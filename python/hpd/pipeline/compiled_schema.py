"""A schema compiled for one model: prompts, keys and constraints as tokens."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from typing import Final, Protocol, get_args

from hpd._native import Field, Model
from hpd.options import SHORT_VALUE_TOKENS, Options, values_identity
from hpd.pipeline.document_values import (
    MAX_RETRIES,
    MIN_ALLOWED_SHARE,
    MIN_CHOICE_SHARE,
    MIN_PROBABILITY,
    RETRY_KEY_TOKENS,
    UNTRAINED_NULL_THRESHOLD,
    ConfidenceLimits,
)
from hpd.pipeline.examples import Examples
from hpd.pipeline.recent import RecentlyUsed
from hpd.pipeline.reuse import fingerprint
from hpd.prompt.lists import LISTS_KEY
from hpd.prompt.questions import (
    UNKNOWN,
    Leaf,
    Question,
    Waves,
    item_leaves,
    known_waves,
    later_leaves,
    schema_leaves,
    stack_prefixes,
)
from hpd.prompt.text import (
    COUNT_KEY,
    LABEL_KEY,
    FieldPath,
    Labels,
    Lists,
    attribute_lines,
    instruction_text,
    key_text,
    system_text,
    written_value,
)
from hpd.prompt.tokens import PromptTokenizer, normalize_text
from hpd.schema.attributes import Attribute, Schema
from hpd.schema.scalars import STRING_FORMATS
from hpd.values.choices import Choices
from hpd.values.confidence import METADATA_KEY, ConfidenceMap
from hpd.values.grammar import (
    answer_grammar,
    choice_texts,
    contains_constrained,
    enum_texts,
    is_constrained,
    list_grammar,
    value_grammar,
)
from hpd.values.numbers import years_in
from hpd.values.quotes import ordered_list_grammar, ordered_part, quote_rule
from hpd.values.stated import STATED_KEY, StatedValues, can_list


@dataclass(frozen=True, slots=True)
class Request:
    """A prompt and the fields of one wave. Each wave of a prompt has its own request."""

    prompt: list[int]
    fields: list[Field]
    n_instruction: int
    """Number of leading tokens that all documents of the schema share."""
    n_cached: int
    """Number of leading tokens that the KV cache keeps for other prompts, or has from earlier
    waves."""
    keep_prompt: bool = False
    """Whether another wave of the prompt may follow."""
    min_tokens: Mapping[int, int] = field(default_factory=dict)
    """Minimum number of tokens of each field that may use all remaining room, by its index."""

    @property
    def n_cells(self) -> int:
        """Minimum number of KV cells that it needs, for the prompt and the longest field."""
        return len(self.prompt) + max(
            len(own.key) + self.min_tokens.get(index, own.max_tokens)
            for index, own in enumerate(self.fields)
        )


@dataclass(frozen=True, slots=True)
class Constraint:
    """The values that a field may have: those of a grammar, or a list of choices."""

    grammar: str = ""
    choices: tuple[tuple[int, ...], ...] = ()
    """The tokens of each choice."""
    normalizes: bool = False
    """Whether probabilities are normalized over the allowed values; not for free text."""
    counted_grammar: str = ""
    """A wider grammar to normalize probabilities over; if empty, ``grammar`` is used."""
    counted_choices: tuple[tuple[int, ...], ...] = ()
    """More choices to normalize probabilities over; if empty, ``choices`` are used."""
    quote_grammar: str = ""
    """For free text, the grammar of a quote from a document, without the ``quote_rule``."""


_MAX_KEPT = 4096  # The rows of lists may have attributes of their own in each document.


class Constraints:
    """Makes and caches the constraints of attributes.

    Args:
        model: the model whose tokens they consist of.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._cache: RecentlyUsed[Attribute, Constraint] = RecentlyUsed(_MAX_KEPT)
        self._choices: RecentlyUsed[Attribute, Choices] = RecentlyUsed(_MAX_KEPT)

    def constraint_for(self, attribute: Attribute) -> Constraint:
        """Return the constraint on the values of an attribute."""
        return self._cache.get_or_make(attribute, lambda: self._make_constraint(attribute))

    def choices_of(self, attribute: Attribute) -> Choices | None:
        """Return the choices of an enum or a boolean, null included; None for other types."""
        if attribute.type not in ("boolean", "enum"):
            return None
        return self._choices.get_or_make(attribute, lambda: self._make_choices(attribute))

    def _make_choices(self, attribute: Attribute) -> Choices:
        texts = choice_texts(attribute) or {}
        is_listed = enum_texts(attribute) is not None
        return Choices(
            [*texts.values()],
            [*texts],
            [[*self._spellings(text)] for text in texts] if is_listed else [],
            self._model.piece,
            self._model.ends_generation,
        )

    def _make_constraint(self, attribute: Attribute) -> Constraint:
        texts = enum_texts(attribute)
        if texts is None:
            quote_grammar = (
                value_grammar(attribute, is_quoted=True) if attribute.is_free_text else None
            )
            if attribute.type == "array":
                return Constraint(
                    list_grammar(attribute), normalizes=contains_constrained(attribute)
                )
            grammar, normalizes = value_grammar(attribute) or "", is_constrained(attribute)
            return Constraint(grammar, normalizes=normalizes, quote_grammar=quote_grammar or "")
        choices = (spelling for text in texts for spelling in self._spellings(text))
        return Constraint(choices=tuple(dict.fromkeys(choices)), normalizes=True)

    def _spellings(self, text: str) -> Iterator[tuple[int, ...]]:
        """Yield the ways to tokenize a choice as JSON, up to the token that completes it.

        What follows a value affects the tokens at its end: models often write ``",`` or ``)"}`` as
        one token. Some models write no blank after the key; the first character of the value may
        then share a token with the key, and is a token of its own after a given key.
        """
        for spelling, n_alone in ((f" {text}", 0), (text, 0), (text, 1)):
            first = self._tokens_after(_TEXTS_BEFORE_VALUE, spelling[:n_alone]) if n_alone else []
            keys = [key + spelling[:n_alone] for key in _TEXTS_BEFORE_VALUE]
            for after in _TEXTS_AFTER_VALUE:
                rest = self._tokens_after(keys, spelling[n_alone:] + after)
                tokens = first + rest
                beginnings = itertools.accumulate(map(self._model.piece, tokens))
                for n_tokens, piece in enumerate(beginnings, start=1):
                    if piece.startswith(spelling.encode()):
                        yield tuple(tokens[:n_tokens])
                        break

    def _tokens_after(self, keys: Iterable[str], text: str) -> list[int]:
        """Return the tokens of a text after the first key whose end is the end of a token."""
        for key in keys:
            tokens = self._model.tokenize(key + text)
            pieces = [self._model.piece(token) for token in tokens]
            start = len(b"".join(pieces)) - len(text.encode())
            ends = [0, *itertools.accumulate(map(len, pieces))]
            if start in ends:
                return tokens[ends.index(start) :]
        return []


_TEXTS_BEFORE_VALUE = ('"a":', "\n", "")
_TEXTS_AFTER_VALUE = ("", ",", "}", "]", "\n")


MAX_QUOTED_LENGTH = 2000
"""Maximum length of a document from which free text is quoted, in characters.

The grammar grows with the document; up to this length its cost is not measurable.
"""


class VerbatimConstraints:
    """Makes the constraints of attributes whose values must be stated in a document.

    Free text is a quote, in documents of at most ``MAX_QUOTED_LENGTH`` characters.

    Args:
        constraints: the constraints without a document.
        document: the text of the document.
    """

    def __init__(self, constraints: Constraints, document: str) -> None:
        self._constraints = constraints
        self._document = document
        self._cache: dict[Attribute, Constraint] = {}
        self._allowed: dict[Attribute, list[str] | None] = {}

    @cached_property
    def quote_rule(self) -> str:
        """The grammar rule for quotes from the document; empty if the document is too long."""
        return quote_rule(self._quotable)

    @cached_property
    def _quotable(self) -> str:
        """The document as the model sees it, with normalized blanks; empty if it is too long."""
        shown = normalize_text(self._document)
        return shown if len(shown) <= MAX_QUOTED_LENGTH else ""

    @cached_property
    def _stated(self) -> StatedValues:
        return StatedValues(self._document)

    def allowed_texts(self, attribute: Attribute) -> list[str] | None:
        """Return the values that the document states, even beyond the attribute's limits, or None.

        Such a value is rejected when it is parsed. If it were not allowed, the model would have to
        choose another one, with another meaning.
        """
        if attribute not in self._allowed:
            self._allowed[attribute] = self._stated.texts_for(attribute)
        return self._allowed[attribute]

    def constraint_for(self, attribute: Attribute) -> Constraint:
        """Return the constraint on the values of an attribute."""
        made = self._cache.get(attribute)
        if made is None:
            made = self._constraints.constraint_for(attribute)
            if attribute.type == "array":
                made = replace(made, grammar=self._list_grammar(attribute))
            elif made.quote_grammar:
                if self.quote_rule:
                    made = Constraint(made.quote_grammar + self.quote_rule)
            elif stated := self._stated.choices_of(attribute):
                made = self._constraints.constraint_for(replace(attribute, choices=stated))
            elif (allowed := self.allowed_texts(attribute)) is not None:
                grammar = value_grammar(attribute, lambda _: allowed) or ""
                made = Constraint(grammar, normalizes=True)
            self._cache[attribute] = made
        return made

    def _list_grammar(self, array: Attribute) -> str:
        part = ordered_part(array)
        # The grammar of ordered items does not count them.
        if part is not None and (array.min_items or 0) < 2:
            grammar = ordered_list_grammar(array, part, self._quotable, self.allowed_texts)
            if grammar:
                return grammar
        rule = self.quote_rule
        return list_grammar(array, self.allowed_texts, is_quoted=bool(rule)) + rule


MIN_LIST_TOKENS = 256
"""Minimum number of tokens reserved for a list."""
_MIN_VALUE_TOKENS = 16
"""The tokens reserved for a value in a row, however long the row's name is."""
_LIST_TOKENS_PER_TOKEN = 4
"""The tokens of a list per token of its document, without the names of its attributes."""
_NAME_TOKENS = 16
_ROW_NAME_TOKENS = 64
"""The tokens reserved in a later key for the name of a row."""
_N_FINGERPRINTS = 4096  # Kept for keys that come again; arrays may have many items.


NO_LIST_WEIGHT: Final = 3.0
"""How many times as likely null and an empty list count, with a model that was not trained for hpd.
Of lists of objects in handwritten documents, Qwen2.5-Coder-1.5B finds all 39, with it or without;
of 92 that a document lacks, 22 are null with it and 6 without. 10 would make 46 null, but loses two
of 18 lists of long real documents."""


class CompiledSchema:
    """Turns questions about stacked documents into requests.

    Args:
        model: the model that gets the requests.
        schema: the attributes to extract.
        options: layout, method, lengths and so on.
        examples: documents with their answers, shown before every document.
        system_prompt: replaces the default system prompt.
        confidence_map: calibrates confidences; None leaves them as they are.
        n_cells: the KV cells that a request may take; 0 for no limit.
    """

    def __init__(
        self,
        model: Model,
        schema: Schema,
        options: Options,
        examples: Examples = (),
        *,
        system_prompt: str | None = None,
        confidence_map: ConfidenceMap | None = None,
        n_cells: int = 0,
    ) -> None:
        self.schema = schema
        self._n_cells = n_cells
        self.options = options
        self.confidence_map = confidence_map
        # By default, the model file says whether values must be stated.
        verbatim = options.verbatim
        self._is_verbatim = model.metadata(STATED_KEY) == "on" if verbatim is None else verbatim
        self._is_restricted = self._is_verbatim and _are_any_restricted(schema.attributes)
        self._is_trained = _is_trained(model, options)
        self._default_threshold = 0.0
        if confidence_map is not None:
            self._default_threshold = confidence_map.null_threshold
        elif not (options.calibration or self._is_trained):
            self._default_threshold = UNTRAINED_NULL_THRESHOLD
        self.lists = options.lists or trained_lists(model, options)
        self.leaves = schema_leaves(schema, self.lists)
        self._model = model
        self._examples = examples
        self._system_prompt = system_prompt
        self.years = years_in(f"{options.instructions} {system_prompt or ''}")
        """The years that the prompt states outside its documents, such as that of today's date."""
        self._labels = Labels(schema) if options.layout == "label" else None
        self._instruction = instruction_text(schema, examples, options.layout, options.instructions)
        self._waves: dict[int, Waves] = {}
        """Unstarted waves, by the number of stacked documents."""
        self._tokenizers: dict[bool, PromptTokenizer] = {}
        self._constraints = Constraints(model)
        self._n_later_tokens: int | None = None
        self._fingerprints: RecentlyUsed[tuple[str, FieldPath], str] = RecentlyUsed(_N_FINGERPRINTS)
        self._limits: RecentlyUsed[tuple[Attribute, str], ConfidenceLimits] = RecentlyUsed(
            _MAX_KEPT
        )

    def waves(self, n_stacked: int) -> Waves:
        """Return the waves of questions for a new stack of documents."""
        if n_stacked not in self._waves:
            layout = self.options.layout
            self._waves[n_stacked] = Waves(
                self.schema,
                layout,
                n_stacked,
                leaves=self.leaves,
                lists=self.lists,
                indents_lists=not self._is_trained,
            )
        return self._waves[n_stacked].copy()

    def request(
        self, texts: Sequence[str], questions: Sequence[Question], *, first: bool, keep_prompt: bool
    ) -> Request:
        """Return the request for one wave of questions.

        Args:
            texts: the stacked documents.
            questions: the questions of the wave.
            first: whether it is the first wave, before the documents are in the KV cache.
            keep_prompt: whether another wave may follow.
        """
        uncached = {q.key for q in questions if q.shows_values}
        tokens = self._tokenizer(len(texts)).tokenize(texts, [q.key for q in questions], uncached)
        stated = [self._restrictions(text) for text in texts]
        n_document = len(tokens.prompt) - tokens.n_instruction
        fields: list[Field] = []
        min_tokens_of: dict[int, int] = {}
        for key, question in zip(tokens.keys, questions, strict=True):
            leaf = question.leaf
            max_tokens = self._max_tokens(leaf.attribute, n_document)
            if leaf.written is not None:
                max_tokens = self._max_list_tokens(leaf.attribute, n_document)
            if leaf.written is not None or leaf.rows:
                # The names of the rows may leave no room for a long value.
                min_tokens = max(MIN_LIST_TOKENS, self.options.max_tokens)
                min_tokens = min(_MIN_VALUE_TOKENS if leaf.rows else min_tokens, max_tokens)
                min_tokens_of[len(fields)] = min_tokens
                max_tokens = self._available_tokens(
                    len(tokens.prompt) + len(key), min_tokens, max_tokens
                )
            fields.append(self._make_field(key, leaf, stated[question.document], max_tokens))
        n_cached = tokens.n_instruction if first else len(tokens.prompt)
        return Request(
            tokens.prompt, fields, tokens.n_instruction, n_cached, keep_prompt, min_tokens_of
        )

    def choices_of(self, leaf: Leaf) -> Choices | None:
        """Return the choices whose probabilities are reported; None if there are none."""
        if not self.options.probabilities:
            return None
        asked = replace(leaf.attribute, forbids_null=False) if leaf.is_forced else leaf.attribute
        return self._constraints.choices_of(asked)

    def continuing_request(
        self, texts: Sequence[str], beginnings: Sequence[tuple[Question, Sequence[int]]]
    ) -> Request:
        """Return the request that continues values of questions from their first tokens."""
        questions = [question for question, _ in beginnings]
        request = self.request(texts, questions, first=False, keep_prompt=True)
        for own, (_, tokens) in zip(request.fields, beginnings, strict=True):
            own.replay = list(tokens)
            own.attribute = 0  # The drafter must not take them for values of the attribute.
        return request

    def answer_request(self, texts: Sequence[str]) -> Request:
        """Return the request of ``method="ar"``: one field with the whole answer."""
        n_stacked = len(texts)
        tokens = self._tokenizer(n_stacked).tokenize(texts, [""])
        leaves = schema_leaves(self.schema)
        # Not all values will be long: reserve room for one long value.
        n_long = max(0, self.options.max_tokens - SHORT_VALUE_TOKENS)
        min_tokens, max_tokens = (
            n_long + n_stacked * max(1, sum(self._answer_tokens(leaf, n) for leaf in leaves))
            for n in (_MIN_VALUE_TOKENS, SHORT_VALUE_TOKENS)
        )
        n_document = len(tokens.prompt) - tokens.n_instruction
        max_tokens += sum(
            self._max_list_tokens(leaf.array, n_document) for leaf in leaves if leaf.array
        )
        stated = self._restrictions("\n".join(texts))
        schema = self.stack_schema(n_stacked)
        field = Field(
            tokens.keys[0],
            max_tokens=self._available_tokens(
                len(tokens.prompt) + len(tokens.keys[0]), min_tokens, max_tokens
            ),
            grammar=_answer_grammar(schema, stated),
            # Free text is not normalized.
            normalizes=any(map(contains_constrained, self.schema.attributes)),
        )
        n_shared = tokens.n_instruction
        return Request(tokens.prompt, [field], n_shared, n_shared, min_tokens={0: min_tokens})

    def limits(
        self, attributes: Sequence[Attribute], kinds: Sequence[str]
    ) -> list[ConfidenceLimits]:
        """Return the limits below which values are rejected.

        Args:
            attributes: the attributes of the values.
            kinds: the kind of each for the calibration (``kind_of``).
        """
        return [
            self._limits.get_or_make((a, kind), partial(self._make_limits, a, kind))
            for a, kind in zip(attributes, kinds, strict=True)
        ]

    def _make_limits(self, attribute: Attribute, kind: str) -> ConfidenceLimits:
        if self.options.on_missing == "force" and attribute.forbids_null:
            return ConfidenceLimits()
        confidence_map = self.confidence_map
        needs_value = attribute.needs_value
        threshold = self.options.null_threshold
        if threshold is None:
            # The default threshold is for optional values.
            threshold = 0.0 if needs_value else self._default_threshold
        is_forced = attribute.forbids_null
        may_be_ruled_out = (needs_value or attribute.type == "enum") and not is_forced
        has_form = is_constrained(attribute) and not is_forced
        min_allowed_share = MIN_CHOICE_SHARE if attribute.type == "enum" else MIN_ALLOWED_SHARE
        return ConfidenceLimits(
            threshold,
            threshold if confidence_map is None else confidence_map.inverse(kind, threshold),
            MIN_PROBABILITY if may_be_ruled_out else 0.0,
            min_allowed_share if has_form else 0.0,
            choices_are_stated=self._is_verbatim and attribute.type == "enum" and not is_forced,
        )

    def context(self, *, include_schema: bool) -> str:
        """Return what a value depends on besides the model, its document and its question.

        Options that only filter values are left out, as they are applied afterwards.

        Args:
            include_schema: whether to include the other attributes, which the instruction names.
        """
        own = repr((self.options.instructions, self._examples))
        instruction = self._instruction if include_schema else own
        asked = values_identity(self.options, "prompt", "answer")
        system = system_text(1, self.options.layout, self._system_prompt)
        return repr((asked, self._is_verbatim, self.lists, system, instruction))

    def fingerprints(self, questions: Sequence[Question]) -> list[str]:
        """Return a fingerprint of each question, independent of the rest of the schema."""
        found = []
        for question in questions:
            make = partial(_fingerprint_of, question)
            if question.shows_values:  # Such keys are rarely shared between documents.
                found.append(make())
            else:
                name = (question.key, question.leaf.path)
                found.append(self._fingerprints.get_or_make(name, make))
        return found

    @property
    def answer_fingerprint(self) -> str:
        """A fingerprint of the question for a whole answer."""
        return fingerprint("answer", repr(self.schema.attributes))

    def stack_schema(self, n_stacked: int) -> Schema:
        """Return the schema of a stack's answer: an object for each document, by its number."""
        if n_stacked == 1:
            return self.schema
        return Schema(
            tuple(
                Attribute(prefix[0], "object", attributes=self.schema.attributes)
                for prefix in stack_prefixes(n_stacked)
            )
        )

    def token_ends(self, tokens: Sequence[int]) -> list[int]:
        """Return the byte offset of the end of each token."""
        ends = []
        n_bytes = 0
        for token in tokens:
            n_bytes += len(self._model.piece(token))
            ends.append(n_bytes)
        return ends

    def n_tokens(self, text: str) -> int:
        """Return the number of tokens of a text by itself."""
        return len(self._model.tokenize(text))

    def drafter_seeds(self) -> Iterator[tuple[int, list[int]]]:
        """Yield the values in the examples: an attribute id and the tokens of a value.

        The drafter learns them, like the values of earlier documents.
        """
        for _, answer in self._examples:
            if not isinstance(answer, Mapping):
                continue
            for wave in known_waves(self.schema, "branch", [answer], self.lists):
                for question, value in wave:
                    if value is not UNKNOWN:
                        tokens = self._model.tokenize(written_value(value))
                        yield attribute_id(question.leaf), tokens

    @property
    def n_later_tokens(self) -> int:
        """The number of tokens by which a key of a later wave can be longer than the first ones."""
        if self._n_later_tokens is None:
            first = [leaf for leaf in self.leaves if leaf.wave == 0]
            later = [leaf for leaf in self.leaves if leaf.wave > 0]
            later += [item for leaf in self.leaves for item in later_leaves(leaf)]
            n_first = max((self._key_tokens(leaf) for leaf in first), default=0)
            n_later = max((self._key_tokens(leaf) for leaf in later), default=0)
            is_ar = self.options.method == "ar"
            self._n_later_tokens = 0 if is_ar else max(0, n_later - n_first)
            if self.options.on_invalid == "retry":
                self._n_later_tokens += MAX_RETRIES * RETRY_KEY_TOKENS
        return self._n_later_tokens

    def _tokenizer(self, n_stacked: int) -> PromptTokenizer:
        """Return the prompt tokenizer; for stacks, the system prompt has one more rule."""
        is_stack = n_stacked > 1
        if is_stack not in self._tokenizers:
            system = system_text(n_stacked, self.options.layout, self._system_prompt)
            self._tokenizers[is_stack] = PromptTokenizer(self._model, system, self._instruction)
        return self._tokenizers[is_stack]

    def _restrictions(self, document: str) -> VerbatimConstraints | None:
        return VerbatimConstraints(self._constraints, document) if self._is_restricted else None

    def _available_tokens(self, n_before: int, min_tokens: int, max_tokens: int) -> int:
        """Return the maximum number of tokens of a field that may fill the rest of the context."""
        return (
            max(min_tokens, min(max_tokens, self._n_cells - n_before))
            if self._n_cells
            else max_tokens
        )

    def _make_field(
        self, key: list[int], leaf: Leaf, stated: VerbatimConstraints | None, max_tokens: int
    ) -> Field:
        # A document need not state how many items a list has.
        is_free = _is_count(leaf) or leaf.union is not None
        if stated is not None and leaf.is_forced and leaf.written is None:
            is_free = is_free or not stated.allowed_texts(leaf.attribute)
        constraints = self._constraints if stated is None or is_free else stated
        constraint = constraints.constraint_for(leaf.attribute)
        if leaf.is_forced:
            # The confidence is relative to what was allowed before, null included.
            asked = replace(leaf.attribute, forbids_null=False)
            wider = constraints.constraint_for(asked)
            constraint = replace(
                constraint, counted_grammar=wider.grammar, counted_choices=wider.choices
            )
        return Field(
            key,
            # A choice ends on its own.
            max_tokens=max(map(len, constraint.choices), default=max_tokens),
            grammar=constraint.grammar,
            choices=constraint.choices,
            counted_grammar=constraint.counted_grammar,
            counted_choices=constraint.counted_choices,
            attribute=attribute_id(leaf),
            first_bias=self._no_list_bias if self._is_biased(leaf) else [],
            normalizes=constraint.normalizes,
            records_branches=self.choices_of(leaf) is not None,
            copies=leaf.written is not None and _is_copied_text(leaf.attribute.item),
        )

    def null_confidence(self, leaf: Leaf, confidence: float | None) -> float | None:
        """Return the confidence in a null list, given the model's own probability of null."""
        if confidence is None or not self._is_biased(leaf):
            return confidence
        return confidence * NO_LIST_WEIGHT / (1.0 + confidence * (NO_LIST_WEIGHT - 1.0))

    def _is_biased(self, leaf: Leaf) -> bool:
        """Return whether null is weighted, as models rarely say that there is no list."""
        is_of_rows = leaf.written is not None and leaf.written.has_whole_rows
        may_weight = not self._is_trained and self.options.null_threshold is None
        return may_weight and is_of_rows and not leaf.is_forced

    @cached_property
    def _no_list_bias(self) -> list[tuple[int, float]]:
        """The bias of the tokens with which null and an empty list begin."""
        beginnings = (
            f"{blank}{text}{after}"
            for blank in ("", " ")
            for text in ("null", "[]")
            for after in ("", ",", "}", "\n", ",\n")
        )
        tokens = {self._model.tokenize(text)[0] for text in beginnings}
        return [
            (token, math.log(NO_LIST_WEIGHT))
            for token in sorted(tokens)
            if self._model.piece(token).strip().startswith((b"null", b"[]"))
        ]

    def _key_tokens(self, leaf: Leaf) -> int:
        """Return the maximum number of tokens of a field's key, with the values that it shows."""
        # A value is shown with its name.
        n_seen = sum(
            self._max_tokens(other.attribute) + _NAME_TOKENS
            for path in leaf.after
            for other in self.leaves
            if other.path[: len(path)] == path
        )
        key = (
            self._labels.key((), leaf.path)
            if self._labels
            else key_text(leaf.path, indents=not self._is_trained)
        )
        return self.n_tokens(key) + n_seen + _ROW_NAME_TOKENS * len(leaf.rows)

    def _max_tokens(self, attribute: Attribute, n_document: int | None = None) -> int:
        """Return the maximum number of tokens of a value, less in a document known to be short."""
        types = {attribute.type, *(variant.type for variant in attribute.attributes)}
        has_text = "string" in types or "enum" in types
        max_tokens = (
            self.options.max_tokens
            if has_text
            else min(SHORT_VALUE_TOKENS, self.options.max_tokens)
        )
        is_made_up = attribute.forbids_null  # It may not be text of the document.
        if n_document is not None and attribute.format in STRING_FORMATS and not is_made_up:
            # A copy of the document's text may be tokenized differently, and a bit longer.
            max_tokens = min(max_tokens, 2 * n_document + SHORT_VALUE_TOKENS // 2)
        return max_tokens

    def _answer_tokens(self, leaf: Leaf, max_tokens: int) -> int:
        """Return the tokens of a leaf in a whole answer, with ``max_tokens`` per value."""
        n_own = self.n_tokens(key_text(leaf.path))
        items = item_leaves(leaf, 1)
        if leaf.array is None or not items:
            return n_own + min(max_tokens, self.options.max_tokens)
        return n_own + sum(self._answer_tokens(item, max_tokens) for item in items)

    def _max_list_tokens(self, array: Attribute, n_document: int) -> int:
        """Return the maximum number of tokens of a list in a document of ``n_document`` tokens.

        The values are from the document; names and punctuation are repeated for each item.
        """
        n_names = self.n_tokens(" ".join(attribute_lines((array,))))
        return MIN_LIST_TOKENS + n_document * (_LIST_TOKENS_PER_TOKEN + n_names)


def _answer_grammar(schema: Schema, stated: VerbatimConstraints | None) -> str:
    """Return the grammar of a whole answer; in a stack, values may be from any document."""
    if stated is None:
        return answer_grammar(schema)
    rule = stated.quote_rule
    return answer_grammar(schema, stated.allowed_texts, is_quoted=bool(rule)) + rule


class ModelFile(Protocol):
    """What the files of a model and of its adapters say."""

    def metadata(self, key: str) -> str: ...

    def lora_metadata(self, key: str) -> Sequence[str]: ...


def trained_lists(model: ModelFile, options: Options) -> Lists:
    """Return how a model was trained to answer lists, as its file or an adapter says.

    If none of them does: ``whole`` if it was not trained for hpd, else ``ar``.
    """
    if options.layout == "label":
        return "numbers"
    said = [model.metadata(LISTS_KEY), *model.lora_metadata(LISTS_KEY)]
    for lists in get_args(Lists):
        if lists in said:
            return lists  # type: ignore[no-any-return]
    return "ar" if _is_trained(model, options) else "whole"


def _is_trained(model: ModelFile, options: Options) -> bool:
    """Return whether a model was taught to answer as hpd asks, by its file or an adapter."""
    keys = (LISTS_KEY, STATED_KEY, METADATA_KEY, LABEL_KEY)
    return bool(options.adapters) or any(map(model.metadata, keys))


def _fingerprint_of(question: Question) -> str:
    leaf = question.leaf
    return fingerprint(question.key, repr(leaf.path), repr(leaf.attribute))


def attribute_id(leaf: Leaf) -> int:
    """Return an id for the attribute of a leaf, equal for all items of an array and in any stack.

    The engine's drafter finds earlier values of the same attribute by it.
    """
    return _path_hash(leaf.path, "count" if _is_count(leaf) else "value")


def _is_copied_text(attribute: Attribute | None) -> bool:
    """Return whether values are texts that are copied from the document."""
    return attribute is not None and attribute.type == "string" and attribute.format is None


def _is_count(leaf: Leaf) -> bool:
    """Return whether a leaf is the item count of an array."""
    return leaf.path[-1] == COUNT_KEY and leaf.array is not None and leaf.written is None


@lru_cache(_N_FINGERPRINTS)
def _path_hash(path: FieldPath, kind: str) -> int:
    names = [name for name in path if not name.isdecimal()]
    digest = hashlib.blake2b("\0".join([kind, *names]).encode("utf-8", "replace"), digest_size=8)
    return int.from_bytes(digest.digest(), "little")


def _are_any_restricted(attributes: Sequence[Attribute]) -> bool:
    """Return whether a document restricts the values of any attribute."""
    return any(
        can_list(each)
        or each.type == "enum"
        or each.is_free_text
        or _are_any_restricted(each.attributes)
        or (each.item is not None and _are_any_restricted((each.item,)))
        for each in attributes
    )
