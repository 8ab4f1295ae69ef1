"""Questions: a schema's leaves, their keys, and their waves.

Decoding, fine-tuning and validation share them, so that a model is trained and tested on the keys
that it will get. No model is needed.

All questions of a wave are decoded at once. A wave has the questions that earlier waves made
possible: items of arrays whose number is known, and attributes that come ``after`` others.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from hpd.prompt.lists import ListRow, WrittenList, list_to_write
from hpd.prompt.text import (
    COUNT_KEY,
    FieldPath,
    Labels,
    Layout,
    Lists,
    NameLayout,
    key_text,
    key_texts,
    to_answer,
)
from hpd.schema.attributes import MAX_LEVELS, MAX_RECURSIVE, VARIANT_KEY, Attribute, Schema
from hpd.schema.checks import first_waves

MAX_NAMED_ROWS = 4
"""Maximum number of rows that are asked for by their names where longer lists are decoded whole."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value to decode: its path in the answer and its attribute."""

    path: FieldPath
    attribute: Attribute
    array: Attribute | None = None
    """The array or map whose items this leaf counts; then the path ends in ``COUNT_KEY``."""
    written: WrittenList | None = None
    """The part of the array that is decoded instead of the number of its items."""
    rows: tuple[ListRow, ...] = ()
    """The rows that contain it, if they are named."""
    lists: Lists = "numbers"
    """How lists below it are asked for."""
    wave: int = 0
    """The first wave in which the leaf can start."""
    after: tuple[FieldPath, ...] = ()
    """Paths of attributes (not only leaves) whose finished values its key shows."""
    union: Attribute | None = None
    """The union of which this leaf chooses a variant; then the path ends in ``VARIANT_KEY``."""
    level: int = 0
    """How often recursive attributes have been expanded on the way to it."""
    is_forced: bool = False
    """Whether null is forbidden, as it was the previous answer."""
    is_recheck: bool = False
    """Whether it is asked again, after surer values of its row."""

    @property
    def opens_leaves(self) -> bool:
        """Whether its value may open other leaves."""
        if self.written is not None:
            is_whole = not self.written.names
            return self.written.has_rest or (is_whole and self.written.n_expected > 0)
        return self.array is not None or self.union is not None

    @property
    def as_forced(self) -> Leaf:
        """The same question without null or too few items as an answer."""
        if self.written is not None:
            return replace(self, attribute=self.written.as_forced, is_forced=True)
        attribute = replace(self.attribute, forbids_null=True)
        if self.array is not None:
            attribute = replace(attribute, minimum=max(1, self.array.min_items or 0))
        return replace(self, attribute=attribute, is_forced=True)


def schema_leaves(schema: Schema, lists: Lists = "numbers") -> list[Leaf]:
    """Return the leaves that are known before decoding, in the schema's order.

    An array is one leaf, which counts its items or is decoded as a list; a union is one leaf, which
    chooses a variant. ``opened_leaves`` returns the rest.
    """
    return _siblings(schema.attributes, (), _Context(lists=lists))


def opened_leaves(leaf: Leaf, value: object, *, wave: int | None = None) -> list[Leaf]:
    """Return the leaves that a leaf's value opens: items of an array, or parts of a variant."""
    if leaf.array is not None and isinstance(value, int) and not isinstance(value, bool):
        return item_leaves(leaf, value, wave=wave)
    if leaf.union is None:
        return []
    frame = _Context.below(leaf, wave)
    return [
        inner
        for variant in leaf.union.attributes
        if variant.name == value
        for inner in _expand(variant, (*leaf.path[:-1], variant.name), frame)
    ]


def later_leaves(leaf: Leaf) -> list[Leaf]:
    """Return the leaves that a leaf may open: those of one item, or of all variants."""
    if leaf.union is None:
        return item_leaves(leaf, 1)
    return [each for v in leaf.union.attributes for each in opened_leaves(leaf, v.name)]


def item_leaves(count: Leaf, n_items: int, *, wave: int | None = None) -> list[Leaf]:
    """Return the leaves of items 1 to ``n_items`` of an array, except parts decoded as a list.

    Args:
        count: a leaf with an ``array``.
        n_items: the number of items in the array.
        wave: the first wave in which the items can start; None: the one after the count's.
    """
    if count.array is None or count.array.item is None:
        return []
    item = count.array.item
    frame = _Context.below(count, wave)
    names: tuple[str, ...] = ()
    if count.written is not None:
        item, names = count.written.rest, count.written.names
        if not names:
            return []
    array_path = count.path[:-1]
    leaves = []
    for number in range(1, min(n_items, count.array.max_asked_items) + 1):
        path = (*array_path, str(number))
        own = replace(frame, rows=(*frame.rows, ListRow(path, names))) if names else frame
        leaves += _expand(item, path, own)
    return leaves


def count_attribute(array: Attribute) -> Attribute:
    """Return the attribute for an array's number of items; null means none.

    It has no maximum, which would make a model write another number.
    """
    description = f"how many items {array.name} has"
    return Attribute(COUNT_KEY, "integer", description=description, minimum=0)


def variant_attribute(union: Attribute) -> Attribute:
    """Return the attribute for the choice of a variant; null means none."""
    return Attribute(
        VARIANT_KEY,
        "enum",
        description=f"which of them {union.name} is",
        choices=tuple(variant.name for variant in union.attributes),
    )


@dataclass(frozen=True, slots=True)
class _Context:
    """What the leaves of an attribute inherit."""

    wave: int = 0
    after: tuple[FieldPath, ...] = ()
    level: int = 0
    lists: Lists = "numbers"
    rows: tuple[ListRow, ...] = ()

    @classmethod
    def below(cls, leaf: Leaf, wave: int | None) -> _Context:
        """Return the context of the leaves that a leaf's value opens."""
        wave = leaf.wave + 1 if wave is None else wave
        return cls(wave, leaf.after, leaf.level, leaf.lists, leaf.rows)


def _siblings(attributes: tuple[Attribute, ...], prefix: FieldPath, frame: _Context) -> list[Leaf]:
    starts = first_waves(attributes, ".".join(prefix))
    leaves = []
    for attribute in attributes:
        seen = (*frame.after, *((*prefix, name) for name in attribute.after))
        own = replace(frame, wave=frame.wave + starts[attribute.name], after=seen)
        leaves += _expand(attribute, (*prefix, attribute.name), own)
    return leaves


def _expand(attribute: Attribute, path: FieldPath, frame: _Context) -> list[Leaf]:
    if attribute.is_constant:
        return []
    if attribute.type == "recursive":
        return _expand(attribute.expanded, path, replace(frame, level=frame.level + 1))
    if attribute.type in ("object", "tuple"):
        return _siblings(attribute.attributes, path, frame)
    if frame.level >= MAX_LEVELS and _may_recurse(attribute):
        return []
    leaf = Leaf(
        path,
        attribute,
        wave=frame.wave,
        after=frame.after,
        level=frame.level,
        rows=frame.rows,
        lists=frame.lists,
    )
    if attribute.is_counted:
        written = list_to_write(attribute, frame.lists)
        asked = count_attribute(attribute) if written is None else written.attribute
        path = (*path, COUNT_KEY)
        return [replace(leaf, path=path, attribute=asked, array=attribute, written=written)]
    if attribute.type == "union" and not attribute.is_scalar:
        which = variant_attribute(attribute)
        return [replace(leaf, path=(*path, VARIANT_KEY), attribute=which, union=attribute)]
    return [leaf]


def _may_recurse(attribute: Attribute) -> bool:
    """Return whether an attribute may contain another level of a recursive one."""
    if attribute.type == "recursive":
        return True
    parts = attribute.attributes if attribute.item is None else (attribute.item,)
    return any(map(_may_recurse, parts))


class _Unknown:
    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = _Unknown()
"""The value of an attribute that a known answer lacks."""


@dataclass(frozen=True, slots=True)
class Question:
    """A field to decode for a document."""

    document: int
    """The document's index in the stack."""
    leaf: Leaf
    key: str
    """The text between the prompt and the value."""
    shows_values: bool = False
    """Whether the key has values of the document, so it is rarely shared between documents."""


@dataclass(frozen=True, slots=True)
class Retry:
    """A question whose values so far were rejected, with reasons."""

    document: int
    leaf: Leaf
    values: Sequence[tuple[object, str]]


def _nothing(_: int, __: FieldPath) -> Any:
    return None


def _never(_: int, __: str, ___: bool) -> int:
    return 0


class Waves:
    """The questions for stacked documents of one schema, wave by wave.

    ``first()`` returns the first wave, and ``next()`` each later one. In the first wave the layout
    decides which other keys a key sees (paper, section 4.3.1). A later wave's key sees only the
    finished values that its attribute comes ``after``.

    Args:
        schema: the schema.
        layout: layout of the first wave's keys.
        n_stacked: documents per prompt.
        leaves: ``schema_leaves(schema, lists)``, if already computed.
        lists: how the rows of lists are asked for.
        indents_lists: whether lists are decoded as JSON with a line for each member, as models
            that are not trained for hpd write them best.
    """

    def __init__(
        self,
        schema: Schema,
        layout: Layout = "branch",
        n_stacked: int = 1,
        *,
        leaves: Sequence[Leaf] | None = None,
        lists: Lists = "numbers",
        indents_lists: bool = False,
    ) -> None:
        self._indents_lists = indents_lists
        self._layout: NameLayout = "branch" if layout == "label" else layout
        self._labels = Labels(schema) if layout == "label" else None
        self._prefixes = stack_prefixes(n_stacked)
        if leaves is None:
            leaves = schema_leaves(schema, lists)
        self._waiting = {(d, leaf.path): leaf for d in range(n_stacked) for leaf in leaves}
        """Open leaves, by document and path."""
        self._n_finished = 0
        self._n_recursive: Counter[int] = Counter()
        """Number of questions about recursive attributes, by document."""
        self._asked = self._first()

    def copy(self) -> Waves:
        """Return the same waves for other documents, sharing the first wave's questions.

        Must be called before ``first()``.
        """
        other = copy.copy(self)
        other._waiting = self._waiting.copy()
        other._n_recursive = Counter()
        return other

    def first(self) -> list[Question]:
        """Return the first wave, one document after another."""
        return self._asked

    def _first(self) -> list[Question]:
        due = self._due()
        if self._labels:
            keys = [self._labels.key(self._prefixes[d], leaf.path) for d, leaf in due]
        else:
            paths = [(*self._prefixes[d], *_shown_path(leaf)) for d, leaf in due]
            keys = key_texts(paths, self._layout)
            if self._layout == "branch":
                keys = [
                    key_text(path, indents=True) if self._indents(leaf) else key
                    for key, path, (_, leaf) in zip(keys, paths, due, strict=True)
                ]
        return [Question(d, leaf, key) for (d, leaf), key in zip(due, keys, strict=True)]

    def next(
        self,
        values: Sequence[Any],
        data: Callable[[int], Mapping[str, Any]],
        get: Callable[[int, FieldPath], Any] = _nothing,
        n_times: Callable[[int, str, bool], int] = _never,
    ) -> list[Question]:
        """Return the next wave, empty at the end.

        Args:
            values: the values of the previous wave, in the order of its questions.
            data: returns a document's finished values, by its index in the stack, nested as in the
                answer. Called only for values that later keys show.
            get: returns the value at a path of a document, for the names of rows.
            n_times: returns how often a document has some words or, with True, how many of its
                lines begin with them.
        """
        self._n_finished += 1
        for question, value in zip(self._asked, values, strict=True):
            leaf = question.leaf
            following = self._next_list(question, value, get, n_times)
            if following is not None:
                self._waiting[question.document, leaf.path] = following
                continue
            opened = opened_leaves(leaf, value, wave=self._n_finished)
            if any(leaf.level for leaf in opened):
                # Endless recursion must not start a million fields.
                self._n_recursive[question.document] += len(opened)
                if self._n_recursive[question.document] > MAX_RECURSIVE:
                    continue
            self._waiting |= {(question.document, leaf.path): leaf for leaf in opened}
        self._asked = []
        while self._waiting and not self._asked:
            due = self._due()
            seen = {d: data(d) for d in {d for d, leaf in due if leaf.after}}
            self._asked = [
                Question(
                    d, leaf, self._later_key(d, leaf, seen, get), bool(leaf.after or leaf.rows)
                )
                for d, leaf in due
            ]
            self._n_finished += not self._asked
        return self._asked

    def ask_again(
        self,
        retries: Sequence[Retry],
        data: Callable[[int], Mapping[str, Any]],
        get: Callable[[int, FieldPath], Any] = _nothing,
    ) -> list[Question]:
        """Return a wave of questions to retry, once ``next`` has no more.

        Args:
            retries: the questions, with reasons.
            data: as for ``next``.
            get: as for ``next``.
        """
        seen = {d: data(d) for d in {r.document for r in retries if r.leaf.after}}
        self._asked = [
            Question(
                r.document, r.leaf, self._later_key(r.document, r.leaf, seen, get, r.values), True
            )
            for r in retries
        ]
        return self._asked

    def reopen(self, leaves: Sequence[tuple[int, Leaf]]) -> None:
        """Let ``next`` ask again for leaves, each with its document's index."""
        self._waiting |= {(d, leaf.path): leaf for d, leaf in leaves}

    @property
    def may_continue(self) -> bool:
        """Whether another wave may follow the last one."""
        return bool(self._waiting) or any(q.leaf.opens_leaves for q in self._asked)

    @property
    def waiting(self) -> set[str]:
        """The names of attributes with open questions."""
        return {path[0] for _, path in self._waiting}

    @staticmethod
    def _next_list(
        question: Question,
        value: Any,
        get: Callable[[int, FieldPath], Any],
        n_times: Callable[[int, str, bool], int],
    ) -> Leaf | None:
        """Return the next question for a list that is not finished, or None if it is.

        Once its names show that there are more than a few items, a whole list is asked for; if it
        has fewer than half as many items, it goes on by the names. A list of names is asked for
        again with more parts if the names do not tell its rows apart: if two are equal, or if more
        lines of the document begin with a name than the list has rows of it. Before a whole list,
        the rest of the document must not have the name either: LHR is in both ``ZRH-LHR`` and
        ``LHR-JFK``.
        """
        leaf, d, written = question.leaf, question.document, question.leaf.written
        if written is None or not isinstance(value, int):
            return None
        found = [
            {name: get(d, (*leaf.path[:-1], str(number), name)) for name in written.names}
            for number in range(1, value + 1)
        ]
        rows = [row for row in found if any(own is not None for own in row.values())]
        n_different = len(set(map(repr, rows)))

        def are_told_apart() -> bool:
            n_rows = Counter(str(row[written.name]) for row in rows)
            return n_different == len(rows) and all(
                n_times(d, name, not written.precedes_whole_list) <= n for name, n in n_rows.items()
            )

        following: WrittenList | None = None
        if written.precedes_whole_list:
            if len(rows) > MAX_NAMED_ROWS or not are_told_apart():
                # Some names may be made up, or be those of other rows.
                n_expected = (n_different + 1) // 2
                following = WrittenList(written.array, n_expected=n_expected)
        elif not written.names:
            if value < written.n_expected:
                following = list_to_write(written.array, "names")
        elif not are_told_apart():
            following = written.longer
        if following is None:
            return None
        return replace(leaf, attribute=following.attribute, written=following)

    def _due(self) -> list[tuple[int, Leaf]]:
        due = [(d, leaf) for (d, _), leaf in self._waiting.items() if leaf.wave <= self._n_finished]
        for d, leaf in due:
            del self._waiting[d, leaf.path]
        return due

    def _later_key(
        self,
        d: int,
        leaf: Leaf,
        seen: Mapping[int, Mapping[str, Any]],
        get: Callable[[int, FieldPath], Any],
        rejected: Sequence[tuple[object, str]] = (),
    ) -> str:
        prefix = self._prefixes[d]
        values = {path: value_at(seen[d], path) for path in leaf.after}
        if self._labels:
            return self._labels.key(prefix, leaf.path, values, rejected)
        rows = {}
        for row in leaf.rows:
            names = _names_of(row.path, row.names, d, get)
            values = {(*row.path, name): own for name, own in names.items()} | values
            # A row whose name was rejected comes after the one before.
            path = (*prefix, *row.path)
            rows[path] = {} if names else _names_of(row.path_before, row.names, d, get)
        seen_values = {(*prefix, *path): value for path, value in values.items()}
        return key_text(
            (*prefix, *_shown_path(leaf)),
            seen_values,
            rejected,
            rows,
            indents=self._indents(leaf),
        )

    def _indents(self, leaf: Leaf) -> bool:
        """Return whether a leaf is a whole list whose JSON has a line for each member."""
        return self._indents_lists and leaf.written is not None and not leaf.written.names


def known_waves(
    schema: Schema,
    layout: Layout,
    answers: Sequence[Mapping[str, Any]],
    lists: Lists = "numbers",
) -> Iterator[list[tuple[Question, Any]]]:
    """Yield the waves that decoding would have with these answers, one per document.

    Each question comes with its value, or with ``UNKNOWN`` if the answer lacks the attribute:
    decoding would ask for it, and other keys show its key.
    """
    waves = Waves(schema, layout, len(answers), lists=lists)
    answers = [to_answer(schema, answer) for answer in answers]
    questions = waves.first()
    while questions:
        asked = [(answers[q.document], q.leaf) for q in questions]
        values = [value_at(a, leaf.path) if leaf.path[0] in a else UNKNOWN for a, leaf in asked]
        yield [(q, known_answer(*each)) for q, each in zip(questions, asked, strict=True)]
        questions = waves.next(
            values, lambda d: answers[d], lambda d, path: value_at(answers[d], path)
        )


def known_answer(answer: Mapping[str, Any], leaf: Leaf) -> Any:
    """Return a known answer's value for a leaf; ``UNKNOWN`` if it lacks the attribute."""
    if leaf.path[0] not in answer:
        return UNKNOWN
    if leaf.written is None:
        return value_at(answer, leaf.path)
    return leaf.written.list_value(value_at(answer, leaf.path[:-1]))


def value_at(answer: Any, path: FieldPath) -> Any:
    """Return the value at a path of an answer, or None.

    Items of arrays are counted from 1, and ``COUNT_KEY`` stands for their number.
    """
    for name in path:
        if isinstance(answer, Mapping):
            answer = answer.get(name)
        elif isinstance(answer, Sequence) and not isinstance(answer, str):
            if name == COUNT_KEY:
                return len(answer)
            number = int(name)
            answer = answer[number - 1] if number <= len(answer) else None
        elif name == COUNT_KEY:
            return None if answer is None else 1  # A single value instead of a list.
        elif name != "1" or answer is None:
            return None
    return answer


def _names_of(
    row: FieldPath, names: Sequence[str], d: int, get: Callable[[int, FieldPath], Any]
) -> dict[str, Any]:
    """Return the parts that name a row, without those that were rejected."""
    found = {name: get(d, (*row, name)) for name in names}
    return {name: value for name, value in found.items() if value is not None}


def _shown_path(leaf: Leaf) -> FieldPath:
    """Return the path in the key of a leaf."""
    return leaf.path if leaf.written is None else leaf.written.shown_path(leaf.path[:-1])


def stack_prefixes(n_stacked: int) -> list[FieldPath]:
    """Return the path of each document's object in the answer: the root, or its number."""
    return [()] if n_stacked == 1 else [(str(number),) for number in range(1, n_stacked + 1)]
