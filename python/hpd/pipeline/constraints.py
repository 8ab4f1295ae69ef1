"""The constraints on values while they are decoded, in the engine's form."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from hpd._native import Model
from hpd.schema.attributes import Attribute
from hpd.values import check_value
from hpd.values.grammar import decided, enum_texts, is_choice, is_closed, value_grammar
from hpd.values.stated import Stated, is_held


@dataclass(frozen=True, slots=True)
class Constraint:
    """The values that a field may have: those of a grammar, or one of a few."""

    grammar: str = ""
    choices: tuple[tuple[int, ...], ...] = ()
    """The tokens of each choice."""
    closed: bool = False
    """Whether a probability is a share of what it allows, as it is of anything but free text."""
    counted_grammar: str = ""
    """A wider grammar, of which a probability is a share; that of the values if it is empty."""
    counted_choices: tuple[tuple[int, ...], ...] = ()
    """More choices, among which a probability is a share; those of the values if there are none."""

    def counting(self, wider: Constraint) -> Constraint:
        """The same constraint, where a probability is a share of what a wider one allows."""
        return replace(self, counted_grammar=wider.grammar, counted_choices=wider.choices)


_N_KNOWN = 4096  # the numbers of items of arrays within arrays are new ones for each document

FREE = Constraint()
"""No constraint at all."""


def can_be_decided(attribute: Attribute, *, stated: bool) -> bool:
    """Whether ``--decide`` takes the best of the values that an attribute may have.

    Args:
        attribute: one that is neither array nor object.
        stated: whether values are held to what the document states (``--stated``).
    """
    return is_choice(attribute) or (stated and is_held(attribute))


class Constraints:
    """The constraints of attributes, each of which is made once.

    Args:
        model: whose tokens they are made of.
        decide: whether null only counts beside choices, and is not taken.
    """

    def __init__(self, model: Model, *, decide: bool = False) -> None:
        self._model = model
        self.decide = decide
        self._made: dict[str, Constraint] = {}
        self._known: dict[int, tuple[Attribute, Constraint]] = {}
        """Attributes by their identity, which is theirs as long as they are kept here."""

    def of(self, attribute: Attribute) -> Constraint:
        """The constraint on the values of an attribute that is neither array nor object."""
        known = self._known.get(id(attribute))
        if known is None:
            if len(self._known) >= _N_KNOWN:
                self._known.clear()
            known = self._known[id(attribute)] = attribute, self._constraint(attribute)
        return known[1]

    def _constraint(self, attribute: Attribute) -> Constraint:
        name = repr(attribute)  # Attributes that differ may be equal, as 1 and True are.
        if name not in self._made:
            made = self._allowing(attribute)
            if self.decide and can_be_decided(attribute, stated=False):
                made = self._allowing(decided(attribute)).counting(made)
            self._made[name] = made
        return self._made[name]

    def _allowing(self, attribute: Attribute) -> Constraint:
        """The constraint that allows all values of an attribute."""
        texts = enum_texts(attribute)
        if texts is None:
            return Constraint(value_grammar(attribute) or "", closed=is_closed(attribute))
        continued = _continued(texts)
        choices = (spelling for text in texts for spelling in self._spellings(text, continued))
        return Constraint(choices=tuple(choices), closed=True)

    def _spellings(self, text: str, continued: set[str]) -> list[tuple[int, ...]]:
        """The tokens of a choice, and those that end it with what comes behind it (``",``).

        Models often write the two as one token. Where another choice goes on at that place, it
        would win although the model ends the value there.
        """
        spellings = [tuple(self._model.tokenize(text))]
        if text in continued:
            for delimiter in (",", "}"):
                tokens = tuple(self._model.tokenize(text + delimiter))
                if tokens[: len(spellings[0])] != spellings[0]:
                    spellings.append(tokens)
        return spellings


class Held:
    """The constraints of attributes whose values are held to what a document states.

    Args:
        constraints: of those attributes that no document can hold to anything.
        document: its text.
    """

    def __init__(self, constraints: Constraints, document: str) -> None:
        self._constraints = constraints
        self._stated = Stated(document)
        self._made: dict[int, Constraint] = {}
        """By the identity of the attribute, which outlives its document."""
        self._allowed: dict[int, tuple[Attribute, list[str] | None]] = {}
        """Beside attributes that are theirs as long as they are kept here."""

    def allowed(self, attribute: Attribute) -> list[str] | None:
        """The values that the document states, of those that are good for an attribute."""
        known = self._allowed.get(id(attribute))
        if known is None:
            texts = self._stated.texts(attribute)
            if texts is not None:
                texts = [t for t in texts if check_value(json.loads(t), attribute).error is None]
            known = self._allowed[id(attribute)] = attribute, texts
        return known[1]

    def of(self, attribute: Attribute) -> Constraint:
        """The constraint on the values of an attribute that is neither array nor object."""
        made = self._made.get(id(attribute))
        if made is None:
            allowed = self.allowed(attribute)
            if allowed is None:
                made = self._constraints.of(attribute)
            else:
                made = _one_of(attribute, allowed)
                if self._constraints.decide and allowed:
                    answered = replace(attribute, always_answered=True)
                    made = _one_of(answered, allowed).counting(made)
            self._made[id(attribute)] = made
        return made

    def decides(self, attribute: Attribute) -> bool:
        """Whether the best of the values that it has in this document is taken."""
        # Not if the document states none, or more than it can be held to.
        return can_be_decided(attribute, stated=bool(self.allowed(attribute)))


def _one_of(attribute: Attribute, allowed: Sequence[str]) -> Constraint:
    return Constraint(value_grammar(attribute, lambda _: allowed) or "", closed=True)


def _continued(texts: Sequence[str]) -> set[str]:
    """Those of some JSON texts that are strings, and go on in another of them."""
    open_ = sorted({text[:-1] for text in texts if text.endswith('"')})
    # In this order, whatever begins with a string stands right behind it.
    return {f'{one}"' for one, other in pairwise(open_) if other.startswith(one)}
