"""A schema compiled for one model, with its prompts and constraints in tokens."""

from __future__ import annotations

import hashlib
import itertools
import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import get_args

from hpd._native import Field, Model
from hpd.options import SHORT_VALUE_TOKENS, Options, values_identity
from hpd.pipeline import Examples
from hpd.pipeline.document_values import (
    MAX_RETRIES,
    MIN_ALLOWED_SHARE,
    MIN_PROBABILITY,
    RETRY_KEY_TOKENS,
    UNTRAINED_NULL_THRESHOLD,
    ConfidenceLimits,
)
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
    Labels,
    Lists,
    Path,
    attribute_lines,
    instruction_text,
    key_text,
    system_text,
    value_text,
)
from hpd.prompt.tokens import PromptTokenizer, normalize_blanks
from hpd.schema.attributes import Attribute, Schema
from hpd.schema.scalars import FORMATS
from hpd.values.confidence import METADATA_KEY, ConfidenceMap
from hpd.values.grammar import (
    answer_grammar,
    enum_texts,
    holds_constrained,
    is_constrained,
    is_free_text,
    list_grammar,
    literal,
    one_of,
    value_grammar,
)
from hpd.values.stated import STATED_KEY, StatedValues, can_list
from hpd.values.words import quotable_pieces


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
    min_tokens: Mapping[int, int] = field(default_factory=dict)
    """The fields, by their places, that may be as long as there is room, and the tokens that each
    needs at least."""

    @property
    def n_cells(self) -> int:
        """The fewest KV cells with which it can be decoded: its prompt and its longest field."""
        return len(self.prompt) + max(
            len(own.key) + self.min_tokens.get(index, own.max_tokens)
            for index, own in enumerate(self.fields)
        )


@dataclass(frozen=True, slots=True)
class Constraint:
    """The values that a field may have: those of a grammar, or one of a few."""

    grammar: str = ""
    choices: tuple[tuple[int, ...], ...] = ()
    """The tokens of each choice."""
    normalizes: bool = False
    """Whether a probability is a share of what it allows, as it is of anything but free text."""
    counted_grammar: str = ""
    """A wider grammar, of which a probability is a share; that of the values if it is empty."""
    counted_choices: tuple[tuple[int, ...], ...] = ()
    """More choices, among which a probability is a share; those of the values if there are none."""
    quote_grammar: str = ""
    """Of free text, the grammar for what is quoted from a document, but for its ``quote_rule``."""

    def counted_among(self, wider: Constraint) -> Constraint:
        """The same constraint, where a probability is a share of what a wider one allows."""
        return replace(self, counted_grammar=wider.grammar, counted_choices=wider.choices)


_MAX_KEPT = 4096  # the numbers of items of arrays within arrays are new ones for each document


class Constraints:
    """The constraints of attributes, each of which is made once.

    Args:
        model: whose tokens they are made of.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._made: dict[str, Constraint] = {}
        self._known: dict[int, tuple[Attribute, Constraint]] = {}
        """Attributes by their identity, which is theirs as long as they are kept here."""

    def constraint_for(self, attribute: Attribute) -> Constraint:
        """The constraint on the values of an attribute that is neither array nor object."""
        known = self._known.get(id(attribute))
        if known is None:
            if len(self._known) >= _MAX_KEPT:
                self._known.clear()
            known = self._known[id(attribute)] = attribute, self._constraint(attribute)
        return known[1]

    def _constraint(self, attribute: Attribute) -> Constraint:
        name = repr(attribute)  # Attributes that differ may be equal, as 1 and True are.
        if name not in self._made:
            self._made[name] = self._new(attribute)
        return self._made[name]

    def _new(self, attribute: Attribute) -> Constraint:
        texts = enum_texts(attribute)
        if texts is None:
            quote_grammar = (
                value_grammar(attribute, is_quoted=True) if is_free_text(attribute) else None
            )
            if attribute.type == "array":
                return Constraint(list_grammar(attribute), normalizes=holds_constrained(attribute))
            grammar, normalizes = value_grammar(attribute) or "", is_constrained(attribute)
            return Constraint(grammar, normalizes=normalizes, quote_grammar=quote_grammar or "")
        choices = (spelling for text in texts for spelling in self._spellings(text))
        return Constraint(choices=tuple(dict.fromkeys(choices)), normalizes=True)

    def _spellings(self, text: str) -> Iterator[tuple[int, ...]]:
        """The tokens of a choice as JSON has it, up to the one that completes it.

        What comes behind a value decides how its end is cut into tokens: models often write
        ``",`` or ``)"}`` as one. Some write no blank between the key and the value, and then the
        first mark of the value may be one token with the key, and alone where the key is there.
        """
        for spelling, n_alone in ((f" {text}", 0), (text, 0), (text, 1)):
            first = self._tokens_behind(_TEXTS_BEFORE_VALUE, spelling[:n_alone]) if n_alone else []
            keys = [key + spelling[:n_alone] for key in _TEXTS_BEFORE_VALUE]
            for behind in _TEXTS_AFTER_VALUE:
                rest = self._tokens_behind(keys, spelling[n_alone:] + behind)
                tokens = first + rest
                begun = itertools.accumulate(map(self._model.piece, tokens))
                for n_tokens, piece in enumerate(begun, start=1):
                    if piece.startswith(spelling.encode()):
                        yield tuple(tokens[:n_tokens])
                        break

    def _tokens_behind(self, keys: Iterable[str], text: str) -> list[int]:
        """The tokens of a text behind the first key at whose end a token ends."""
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
"""The characters of the longest document from which free text is quoted.

The grammar grows with the document; up to this length it takes no time that can be measured.
"""


class VerbatimConstraints:
    """The constraints of attributes whose values must be stated in a document.

    Free text is quoted from a document of at most ``MAX_QUOTED_LENGTH`` characters.

    Args:
        constraints: of the attributes that no document restricts.
        document: its text.
    """

    def __init__(self, constraints: Constraints, document: str) -> None:
        self._constraints = constraints
        self._document = document
        self._made: dict[int, Constraint] = {}
        """By the identity of the attribute, which outlives its document."""
        self._allowed: dict[int, tuple[Attribute, list[str] | None]] = {}
        """Beside attributes that are theirs as long as they are kept here."""

    @cached_property
    def quote_rule(self) -> str:
        """The rule for free text that is quoted from the document; empty if it is too long."""
        # The model does not see the blanks of the document itself.
        seen = normalize_blanks(self._document)
        return quote_rule(seen) if len(seen) <= MAX_QUOTED_LENGTH else ""

    @cached_property
    def _stated(self) -> StatedValues:
        return StatedValues(self._document)

    def allowed(self, attribute: Attribute) -> list[str] | None:
        """The values that the document states, those beyond the limits of an attribute, too.

        Such a value is refused when it is parsed. Were it not allowed, the model would have to take
        another one, which means something else.
        """
        known = self._allowed.get(id(attribute))
        if known is None:
            known = self._allowed[id(attribute)] = attribute, self._stated.texts_for(attribute)
        return known[1]

    def constraint_for(self, attribute: Attribute) -> Constraint:
        """The constraint on the values of an attribute that is neither array nor object."""
        made = self._made.get(id(attribute))
        if made is None:
            made = self._constraints.constraint_for(attribute)
            if attribute.type == "array":
                rule = self.quote_rule
                grammar = list_grammar(attribute, self.allowed, is_quoted=bool(rule)) + rule
                made = Constraint(grammar, normalizes=made.normalizes)
            elif made.quote_grammar:
                if self.quote_rule:
                    made = Constraint(made.quote_grammar + self.quote_rule)
            elif (allowed := self.allowed(attribute)) is not None:
                grammar = value_grammar(attribute, lambda _: allowed) or ""
                made = Constraint(grammar, normalizes=True)
            self._made[id(attribute)] = made
        return made


def quote_rule(document: str) -> str:
    """The GBNF rule ``quote``: a document from any of its words to any later one.

    Empty if it has none. An accent may be written as a character of its own or as one with its
    letter; backslashes as JSON escapes them or, before other text, as the document has them.
    """
    pieces = quotable_pieces(document)

    def continuation(n: int) -> str:
        """The blank before a word, and the word: empty behind the last one."""
        if n >= len(pieces):
            return ""
        gap = document[pieces[n - 1][1] : pieces[n][0]]
        # The model sees one blank in place of several, and may write a break as one.
        blank = '(" " | "\\\\n") ' if "\n" in gap else '" " ' if gap else ""
        return f"{blank}w{n}"

    rules = []
    for n, (start, end) in enumerate(pieces):
        word = document[start:end]
        texts = {word} if word.isascii() else {word, unicodedata.normalize("NFC", word)}
        written = one_of(json.dumps(text, ensure_ascii=False)[1:-1] for text in texts)
        forms = [f"({written}) (" + " | ".join(filter(None, ('"\\""', continuation(n + 1)))) + ")"]
        if word == "\\":
            n_slashes = len(document) - start - len(document[start:].lstrip("\\"))
            behind = continuation(n + n_slashes)
            if behind and document[start + n_slashes] != '"':
                forms.append(f"{literal(word * n_slashes)} {behind}")
        rules.append(f"w{n} ::= {' | '.join(forms)}\n")
    first = " | ".join(f"w{n}" for n in range(len(pieces)))
    return f"quote ::= {first}\n{''.join(rules)}" if rules else ""


MIN_LIST_TOKENS = 256
"""The tokens for which a list has room in any case."""
_MIN_VALUE_TOKENS = 16
"""The tokens for which a value in a row must have room, however long the row's name is."""
_LIST_TOKENS_PER_TOKEN = 4
"""The tokens of a list for each of its document, without the names in it."""
_NAME_TOKENS = 16
_ROW_NAME_TOKENS = 64
"""The tokens for which a later key has room, for the name of a row."""
_MAX_FINGERPRINTS = 4096  # of keys that come again: items of arrays may be many


class CompiledSchema:
    """Turns questions about stacked documents into requests.

    Args:
        model: the model that will be asked.
        schema: its attributes.
        options: layout, method and lengths.
        examples: documents with their answers, shown before every document.
        system_prompt: the system's text, in place of the usual one.
        confidence_map: turns the model's confidence into the share that is right; None: it stays.
        n_cells: the KV cells that a request may take; 0: as many as it needs.
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
        # Unless someone asks for one or the other, the file of the model says which.
        asked = options.verbatim
        self._stated = model.metadata(STATED_KEY) == "on" if asked is None else asked
        self._is_restricted = self._stated and _any_restricted(schema.attributes)
        self._default_threshold = 0.0
        if confidence_map is not None:
            self._default_threshold = confidence_map.null_threshold
        elif not (options.calibration or options.adapters or _is_trained(model)):
            self._default_threshold = UNTRAINED_NULL_THRESHOLD
        self.lists = options.lists or trained_lists(model, options)
        self.leaves = schema_leaves(schema, self.lists)
        self._model = model
        self._examples = examples
        self._system_prompt = system_prompt
        self._labels = Labels(schema) if options.layout == "label" else None
        self._instruction = instruction_text(
            schema, examples, options.layout, options.instructions, options.document_role
        )
        self._waves: dict[int, Waves] = {}
        """Those that have not begun, by the number of documents in the stack."""
        self._tokenizers: dict[bool, PromptTokenizer] = {}
        self._constraints = Constraints(model)
        self._n_later_tokens: int | None = None
        self._fingerprints: dict[tuple[str, Path], str] = {}
        self._limits: dict[tuple[int, str], tuple[Attribute, ConfidenceLimits]] = {}

    def waves(self, n_stacked: int) -> Waves:
        """The questions for a new stack of documents."""
        if n_stacked not in self._waves:
            layout = self.options.layout
            self._waves[n_stacked] = Waves(
                self.schema, layout, n_stacked, leaves=self.leaves, lists=self.lists
            )
        return self._waves[n_stacked].copy()

    def request(
        self, texts: Sequence[str], questions: Sequence[Question], *, first: bool, keep_prompt: bool
    ) -> Request:
        """The request for one wave of questions.

        Args:
            texts: the stacked documents.
            questions: the questions of one wave.
            first: whether it is the first wave, when the documents have no KV cells yet.
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
                # The names of its rows may have taken the room of a long value.
                min_tokens = max(MIN_LIST_TOKENS, self.options.max_tokens)
                min_tokens = min(_MIN_VALUE_TOKENS if leaf.rows else min_tokens, max_tokens)
                min_tokens_of[len(fields)] = min_tokens
                max_tokens = self._available_tokens(
                    len(tokens.prompt) + len(key), min_tokens, max_tokens
                )
            fields.append(self._field(key, leaf, stated[question.document], max_tokens))
        n_cached = tokens.n_instruction if first else len(tokens.prompt)
        return Request(
            tokens.prompt, fields, tokens.n_instruction, n_cached, keep_prompt, min_tokens_of
        )

    def answer_request(self, texts: Sequence[str]) -> Request:
        """The request of ``method="ar"``: one field, which is the whole answer."""
        n_stacked = len(texts)
        tokens = self._tokenizer(n_stacked).tokenize(texts, [""])
        leaves = schema_leaves(self.schema)
        # It is unlikely that all values are long: there is room for one.
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
            # The confidence of free text is no share.
            normalizes=any(map(holds_constrained, self.schema.attributes)),
        )
        n_shared = tokens.n_instruction
        return Request(tokens.prompt, [field], n_shared, n_shared, min_tokens={0: min_tokens})

    def limits(
        self, attributes: Sequence[Attribute], kinds: Sequence[str]
    ) -> list[ConfidenceLimits]:
        """How likely the values of attributes must be, by their kinds for the calibration.

        Args:
            attributes: those of the schema.
            kinds: what each is for the calibration.
        """
        if len(self._limits) >= _MAX_KEPT:
            self._limits.clear()
        keys = [(id(a), kind) for a, kind in zip(attributes, kinds, strict=True)]
        for key, attribute in zip(keys, attributes, strict=True):
            if key not in self._limits:
                # With the attribute, which has its identity as long as it is kept here.
                self._limits[key] = attribute, self._new_limits(attribute, key[1])
        return [self._limits[key][1] for key in keys]

    def _new_limits(self, attribute: Attribute, kind: str) -> ConfidenceLimits:
        if self.options.on_missing == "force" and attribute.forbids_null:
            return ConfidenceLimits()
        confidence_map = self.confidence_map
        needs_a_value = attribute.needs_a_value
        threshold = self.options.null_threshold
        if threshold is None:
            # That of the calibration is about values that need not be there.
            threshold = 0.0 if needs_a_value else self._default_threshold
        is_forced = attribute.forbids_null
        may_be_ruled_out = (needs_a_value or attribute.type == "enum") and not is_forced
        has_form = is_constrained(attribute) and not is_forced
        return ConfidenceLimits(
            threshold,
            threshold if confidence_map is None else confidence_map.inverse(kind, threshold),
            MIN_PROBABILITY if may_be_ruled_out else 0.0,
            MIN_ALLOWED_SHARE if has_form else 0.0,
        )

    def context(self, *, include_schema: bool) -> str:
        """All that a value depends on besides the model, its document and its question.

        Options that only filter values are no part of it, as they are applied afterwards.

        Args:
            include_schema: whether the other attributes of the schema, which the instruction names,
                count as such.
        """
        own = repr((self.options.instructions, self._examples))
        instruction = self._instruction if include_schema else own
        asked = values_identity(self.options, "prompt", "answer")
        system = system_text(1, self.options.layout, self._system_prompt)
        return repr((asked, self._stated, self.lists, system, instruction))

    def fingerprints(self, questions: Sequence[Question]) -> list[str]:
        """A fingerprint of each question, however the rest of the schema is."""
        if len(self._fingerprints) >= _MAX_FINGERPRINTS:
            self._fingerprints.clear()
        found = []
        for question in questions:
            name = (question.key, question.leaf.path)
            known = self._fingerprints.get(name)
            if known is None:
                leaf = question.leaf
                known = fingerprint(question.key, repr(leaf.path), repr(leaf.attribute))
                if not question.shows_values:  # Such keys are rarely shared between documents.
                    self._fingerprints[name] = known
            found.append(known)
        return found

    @property
    def answer_fingerprint(self) -> str:
        """A fingerprint of the question for the whole answer."""
        return fingerprint("answer", repr(self.schema.attributes))

    def stack_schema(self, n_stacked: int) -> Schema:
        """The schema of a stack's answer: one object for each document, by its number."""
        if n_stacked == 1:
            return self.schema
        return Schema(
            tuple(
                Attribute(prefix[0], "object", attributes=self.schema.attributes)
                for prefix in stack_prefixes(n_stacked)
            )
        )

    def token_ends(self, tokens: Sequence[int]) -> list[int]:
        """The number of bytes of text up to the end of each token."""
        ends = []
        n_bytes = 0
        for token in tokens:
            n_bytes += len(self._model.piece(token))
            ends.append(n_bytes)
        return ends

    def n_tokens(self, text: str) -> int:
        """The number of tokens of a text by itself."""
        return len(self._model.tokenize(text))

    def drafter_seeds(self) -> Iterator[tuple[int, list[int]]]:
        """The answers of the examples: the number of an attribute, and a value in tokens.

        The drafter learns them, as it does the answers of earlier documents.
        """
        for _, answer in self._examples:
            if not isinstance(answer, Mapping):
                continue
            for wave in known_waves(self.schema, "branch", [answer], self.lists):
                for question, value in wave:
                    if value is not UNKNOWN:
                        tokens = self._model.tokenize(value_text(value))
                        yield attribute_id(question.leaf), tokens

    @property
    def n_later_tokens(self) -> int:
        """The most tokens that a key of a later wave can have more than those of the first."""
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
        """The tokenizer of prompts; for stacks, the instruction has one more rule."""
        is_stack = n_stacked > 1
        if is_stack not in self._tokenizers:
            system = system_text(n_stacked, self.options.layout, self._system_prompt)
            self._tokenizers[is_stack] = PromptTokenizer(
                self._model, system, self._instruction, self.options.document_role
            )
        return self._tokenizers[is_stack]

    def _restrictions(self, document: str) -> VerbatimConstraints | None:
        return VerbatimConstraints(self._constraints, document) if self._is_restricted else None

    def _available_tokens(self, n_before: int, min_tokens: int, max_tokens: int) -> int:
        """The tokens of a field that may be as long as the context has room for it."""
        return (
            max(min_tokens, min(max_tokens, self._n_cells - n_before))
            if self._n_cells
            else max_tokens
        )

    def _field(
        self,
        key: list[int],
        leaf: Leaf,
        stated: VerbatimConstraints | None,
        max_tokens: int,
    ) -> Field:
        # No document needs to state how many items a list has.
        is_free = _is_count(leaf) or leaf.union is not None
        if stated is not None and leaf.is_forced and not stated.allowed(leaf.attribute):
            is_free = True
        constraints = self._constraints if stated is None or is_free else stated
        constraint = constraints.constraint_for(leaf.attribute)
        if leaf.is_forced:
            # Its confidence says how likely it was beside null.
            asked = replace(leaf.attribute, forbids_null=False)
            constraint = constraint.counted_among(constraints.constraint_for(asked))
        return Field(
            key,
            # A choice ends by itself.
            max_tokens=max(map(len, constraint.choices), default=max_tokens),
            grammar=constraint.grammar,
            choices=constraint.choices,
            counted_grammar=constraint.counted_grammar,
            counted_choices=constraint.counted_choices,
            attribute=attribute_id(leaf),
            normalizes=constraint.normalizes,
        )

    def _key_tokens(self, leaf: Leaf) -> int:
        """The number of tokens in a field's key, if all values that it sees are the longest."""
        # A value that is seen comes with its name.
        n_seen = sum(
            self._max_tokens(other.attribute) + _NAME_TOKENS
            for path in leaf.after
            for other in self.leaves
            if other.path[: len(path)] == path
        )
        key = self._labels.key((), leaf.path) if self._labels else key_text(leaf.path)
        return self.n_tokens(key) + n_seen + _ROW_NAME_TOKENS * len(leaf.rows)

    def _max_tokens(self, attribute: Attribute, n_document: int | None = None) -> int:
        """The most tokens of a value; fewer if so many of its document are known."""
        types = {attribute.type, *(variant.type for variant in attribute.attributes)}
        has_text = "string" in types or "enum" in types
        max_tokens = (
            self.options.max_tokens
            if has_text
            else min(SHORT_VALUE_TOKENS, self.options.max_tokens)
        )
        is_made_up = attribute.forbids_null  # It may be no text of the document.
        if n_document is not None and attribute.format in FORMATS and not is_made_up:
            # Made of the document's text, it may have other tokens than there, and some more.
            max_tokens = min(max_tokens, 2 * n_document + SHORT_VALUE_TOKENS // 2)
        return max_tokens

    def _answer_tokens(self, leaf: Leaf, max_tokens: int) -> int:
        """The tokens of a leaf in a whole answer if no value has more than so many."""
        n_own = self.n_tokens(key_text(leaf.path))
        items = item_leaves(leaf, 1)
        if leaf.array is None or not items:
            return n_own + min(max_tokens, self.options.max_tokens)
        return n_own + sum(self._answer_tokens(item, max_tokens) for item in items)

    def _max_list_tokens(self, array: Attribute, n_document: int) -> int:
        """The most tokens of a list in a document of so many.

        Its values stand there; what each item has beside them is written again for each.
        """
        n_names = self.n_tokens(" ".join(attribute_lines((array,))))
        return MIN_LIST_TOKENS + n_document * (_LIST_TOKENS_PER_TOKEN + n_names)


def _answer_grammar(schema: Schema, stated: VerbatimConstraints | None) -> str:
    """The grammar of a whole answer; in a stack, a value may be one of another document in it."""
    if stated is None:
        return answer_grammar(schema)
    rule = stated.quote_rule
    return answer_grammar(schema, stated.allowed, is_quoted=bool(rule)) + rule


def trained_lists(model: Model, options: Options) -> Lists:
    """How a model was taught to read lists, as its file or an adapter says; by names if none does.

    Files that say that they were taught, but not how, are from before there was more than one way.
    """
    if options.layout == "label":
        return "numbers"
    said = [model.metadata(LISTS_KEY), *model.lora_metadata(LISTS_KEY)]
    for lists in get_args(Lists):
        if lists in said:
            return lists  # type: ignore[no-any-return]
    return "numbers" if _is_trained(model) else "names"


def _is_trained(model: Model) -> bool:
    """Whether a file says that its model was taught to answer as hpd asks."""
    return any(map(model.metadata, (LISTS_KEY, STATED_KEY, METADATA_KEY, LABEL_KEY)))


def attribute_id(leaf: Leaf) -> int:
    """A number for the attribute of a leaf, the same for all items of an array and in every stack.

    The engine's drafter uses it to know the earlier values of the same attribute.
    """
    return _path_hash(leaf.path, "count" if _is_count(leaf) else "value")


def _is_count(leaf: Leaf) -> bool:
    """Whether it is the number of items of an array."""
    return leaf.path[-1] == COUNT_KEY and leaf.array is not None


@lru_cache(_MAX_FINGERPRINTS)
def _path_hash(path: Path, kind: str) -> int:
    names = [name for name in path if not name.isdecimal()]
    digest = hashlib.blake2b("\0".join([kind, *names]).encode("utf-8", "replace"), digest_size=8)
    return int.from_bytes(digest.digest(), "little")


def _any_restricted(attributes: Sequence[Attribute]) -> bool:
    """Whether what a document states restricts the values of any of these attributes."""
    return any(
        can_list(each)
        or is_free_text(each)
        or _any_restricted(each.attributes)
        or (each.item is not None and _any_restricted((each.item,)))
        for each in attributes
    )
