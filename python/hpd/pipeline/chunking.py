"""Splits long documents into chunks, and merges the values of the chunks.

Chunks end with a row of a table, a record or a sentence; one that begins within a table also has
the table's header. A value is taken from the most confident chunk, preferably one whose text has
the value, with the name of its field just before it; it is null only if it is null in every chunk.
Attributes that depend on each other are taken from the same chunk. An array has the items of all
chunks, in the order of the text; an item that two chunks read at the same position is kept once.

A later pass with other chunk boundaries only adds to the earlier ones: values that are still null,
and array items that stand elsewhere in the document than those found so far.
"""

from __future__ import annotations

import json
import re
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from statistics import median_low
from typing import Any

from hpd.pipeline.callbacks import OnChunk
from hpd.pipeline.document_values import (
    DocumentValues,
    is_below,
    is_count,
    log_distance,
    min_margin,
)
from hpd.pipeline.text_rows import BreakLevel, TextRows
from hpd.prompt.text import COUNT_KEY, FieldPath
from hpd.results import Failure, FieldValue, Usage
from hpd.schema.attributes import Attribute, Schema
from hpd.values.words import is_joined

CountTokens = Callable[[str], int]
_Offsets = tuple[int, int]
"""The start and end offsets of a part of a text."""

_OVERLAP_DIVISOR = 8
"""Chunks overlap by the chunk size divided by this."""
_HEAD_DIVISOR = 4
"""A header is repeated if it takes at most the chunk size divided by this."""
_TITLE_DIVISOR = 8
"""A title is repeated if it takes at most the chunk size divided by this."""
_NAME_REACH = 80
"""How many characters before a value its name may stand."""
_MAX_BETWEEN = 2
"""Maximum number of words, such as a currency, between a label and its value."""
_NUMBER_BEFORE = re.compile(r"\d[\d.,' ]*")
_BLOCK = 64
"""Size in characters of the blocks by which items are looked up."""
_NAME_WORD = re.compile(r"[^\W_]+")
_CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MAX_WORD_LENGTH = 40
"""Longer words, such as sentences without blanks, are split into pieces."""

# Blanks belong to the word after them, as in most tokenizers.
_WORD = re.compile(r"\s*\S+|\s+\Z")
_LINE_END = re.compile(r"[\r\n]")
_SENTENCE_END = re.compile(r"[.!?…]+[\"'’”»)\]]*\Z|[。！？｡]+[」』”）]*\Z")  # noqa: RUF001
_INNER_END = re.compile(r"(?<=[。！？｡])(?![。！？｡」』”）])")  # noqa: RUF001


@dataclass(frozen=True, slots=True)
class Chunk:
    """The characters of a text from ``start`` to ``end``, below a head.

    The head has earlier lines of the text: its title, and the header of the table in which the
    chunk begins. Each is given by the offsets of its first character and of the one after its last.
    """

    start: int
    end: int
    head: tuple[_Offsets, ...] = ()

    def of(self, text: str) -> str:
        """Return the chunk of a text with its head."""
        return "".join(text[start:end] + between for start, end, between in self._parts(text))

    def origin(self, text: str, start: int, end: int) -> tuple[int, int] | None:
        """Return the position of the chunk's span in the text, or None if it crosses the head."""
        at = 0
        for low, high, between in self._parts(text):
            if at <= start and end <= at + high - low:
                return low + start - at, low + end - at
            at += high - low + len(between)
        return None

    def _parts(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield the start and end of each part, and the text between it and the next one."""
        for start, end in self.head:
            yield start, end, "\n"
        start = self.start
        while self.head and start < self.end and text[start] in "\r\n":
            start += 1
        yield start, self.end, ""


@dataclass(slots=True)
class _TextPiece:
    start: int
    end: int
    n_tokens: int
    level: BreakLevel = 0
    """How well the text can be cut after it."""
    in_table: bool = False


class TextSplitter:
    """Splits a text, which is analysed only once, into overlapping chunks."""

    def __init__(self, text: str, count_tokens: CountTokens) -> None:
        self._text = text
        self._count_tokens = count_tokens
        self._rows = TextRows(text)
        self._pieces = _pieces(text, count_tokens, self._rows)

    def chunks(self, room: int, first_room: int) -> list[Chunk]:
        """Return chunks of at most ``room`` tokens, with their heads.

        A chunk ends with a row of a table, a record or a sentence if one ends in its second half,
        else with a word; a line of a table is only cut if it does not fit. A chunk has at least
        one piece, however small ``room`` is. ``first_room`` limits the first chunk instead, which
        shifts all boundaries.
        """
        pieces = self._pieces
        found: list[Chunk] = []
        first = end = 0
        while end < len(pieces):
            min_end = end
            limit = room if found else first_room
            end = _end_of_chunk(pieces, first, limit)
            head, n_tokens = self._head(pieces[first].start, pieces[end - 1].end, limit)
            shorter = _end_of_chunk(pieces, first, limit - n_tokens)
            if shorter > min_end:
                end = shorter
            else:
                head = ()
            if end < len(pieces):
                end = _best_end(pieces, first, min_end, end)
            found.append(Chunk(pieces[first].start, pieces[end - 1].end, head))
            if end < len(pieces):
                # The next chunk must have room for the overlap and for new text.
                overlap = min(room // _OVERLAP_DIVISOR, room - pieces[end].n_tokens)
                first = _next_start(pieces, first, end, overlap)
        return found

    def _head(self, start: int, end: int, room: int) -> tuple[tuple[_Offsets, ...], int]:
        """Return the head of a part of the text, and its number of tokens."""
        header = self._rows.header_at(start, end)
        if header is None:
            return (), 0
        n_header = self._count(header)
        if n_header > room // _HEAD_DIVISOR:
            return (), 0
        title = self._rows.title
        if title is not None and title[1] < min(start, header[0]):
            n_title = self._count(title)
            if n_title <= room // _TITLE_DIVISOR:
                return (title, header), n_title + n_header
        return (header,), n_header

    def _count(self, span: tuple[int, int]) -> int:
        return self._count_tokens(self._text[span[0] : span[1]] + "\n")


def fitting_length(text: str, room: int, count_tokens: CountTokens) -> int:
    """Return the length of the longest prefix of whole words with at most ``room`` tokens."""
    n_tokens = 0
    for piece in _pieces(text, count_tokens):
        n_tokens += piece.n_tokens
        if n_tokens > room:
            return piece.start
    return len(text)


def _pieces(text: str, count_tokens: CountTokens, rows: TextRows | None = None) -> list[_TextPiece]:
    counts: dict[str, int] = {}
    pieces: list[_TextPiece] = []
    for match in _WORD.finditer(text):
        word_start = match.end() - len(match.group().lstrip())
        if pieces and rows is not None and _LINE_END.search(text, match.start(), word_start):
            pieces[-1].level = rows.level_before(word_start)
        in_table = rows is not None and rows.is_in_table(word_start)
        for start, end in _split_word(text, match.start(), match.end()):
            part = text[start:end]
            if part not in counts:
                counts[part] = count_tokens(part)
            is_end = not in_table and _SENTENCE_END.search(part) is not None
            pieces.append(_TextPiece(start, end, counts[part], 2 if is_end else 0, in_table))
    return pieces


def _split_word(text: str, start: int, end: int) -> list[tuple[int, int]]:
    if end - start <= _MAX_WORD_LENGTH:
        return [(start, end)]
    sentence_ends = (start + match.start() for match in _INNER_END.finditer(text[start:end]))
    cuts = [at for at in sentence_ends if at < end and not is_joined(text[at - 1], text[at])]
    parts = []
    for low, high in zip([start, *cuts], [*cuts, end], strict=True):
        while high - low > _MAX_WORD_LENGTH:
            cut = low + _MAX_WORD_LENGTH
            # Characters that are displayed as one stay together.
            while cut < high and is_joined(text[cut - 1], text[cut]):
                cut += 1
            parts.append((low, cut))
            low = cut
        if high > low:
            parts.append((low, high))
    return parts


def _end_of_chunk(pieces: list[_TextPiece], first: int, room: int) -> int:
    """Return the end of the longest run of pieces from ``first`` that fits."""
    n_tokens = pieces[first].n_tokens
    end = first + 1
    while end < len(pieces) and n_tokens + pieces[end].n_tokens <= room:
        n_tokens += pieces[end].n_tokens
        end += 1
    return end


def _best_end(pieces: list[_TextPiece], first: int, min_end: int, end: int) -> int:
    """Return the best end of a chunk after ``min_end``, up to ``end``."""
    half = max(min_end, first + (end - first) // 2)
    for level in (2, 1):
        for at in range(end, half, -1):
            if pieces[at - 1].level >= level:
                return at
    if not pieces[end - 1].in_table:
        return end
    return next((at for at in range(half, min_end, -1) if pieces[at - 1].level), end)


def _next_start(pieces: list[_TextPiece], first: int, end: int, room: int) -> int:
    """Return the start of the next chunk in the overlap: a row or a sentence, or else a word."""
    n_tokens = 0
    at = end
    while at - 1 > first and n_tokens + pieces[at - 1].n_tokens <= room:
        at -= 1
        n_tokens += pieces[at].n_tokens
    i = _first_of_level(pieces, max(at, 1), end, 2)
    if i is None and pieces[at].in_table:
        # No overlap is better than a part of a row.
        if pieces[end - 1].level == 2:
            return end
        i = _first_of_level(pieces, max(at, 1), end, 1) or end
    return at if i is None else i


def _first_of_level(pieces: list[_TextPiece], low: int, high: int, level: int) -> int | None:
    return next((i for i in range(low, high) if pieces[i - 1].level >= level), None)


def shift_spans(values: DocumentValues, chunk: Chunk, text: str) -> None:
    """Convert the spans of a chunk to offsets in the whole document.

    A value that was found partly in the head of the chunk has no span.
    """
    for path, result in values.fields.items():
        if result.start is not None and result.end is not None:
            span = chunk.origin(text, result.start, result.end)
            values.fields[path] = (
                replace(result, start=None, end=None, text=None, match="none")
                if span is None
                else replace(result, start=span[0], end=span[1])
            )


def merge_chunks(
    schema: Schema, chunks: Sequence[DocumentValues], text: str = "", starts: Sequence[int] = ()
) -> DocumentValues:
    """Merge the fields of a document's chunks, in the order of the text.

    Args:
        schema: the fields.
        chunks: the values of each chunk, with offsets in the whole document.
        text: the whole document.
        starts: the offset at which each chunk starts; spans before it are in the chunk's head.
    """
    merger = _ChunkMerger(chunks, text, starts or [0] * len(chunks))
    merger.merge_siblings(schema.attributes, ())
    return merger.whole


class _Merger(ABC):
    """Merges values into those of the whole document, one group of attributes after another."""

    def __init__(self, whole: DocumentValues) -> None:
        self.whole = whole

    def merge_siblings(self, attributes: Sequence[Attribute], prefix: FieldPath) -> None:
        for group in dependent_groups(attributes):
            first = group[0]
            path = (*prefix, first.name)
            if len(group) == 1 and first.type == "object":
                self.merge_siblings(first.attributes, path)
            elif len(group) == 1 and first.is_counted:
                self.merge_array(first, path)
            else:
                self.merge_values([(*prefix, attribute.name) for attribute in group])

    @abstractmethod
    def merge_values(self, roots: Sequence[FieldPath]) -> None:
        """Merge the values below some paths, which belong together."""

    @abstractmethod
    def merge_array(self, array: Attribute, path: FieldPath) -> None: ...

    def store_items(self, items: Iterable[_Item], path: FieldPath) -> None:
        """Store the items of an array in the order of the document."""
        for number, item in enumerate(sorted(items, key=attrgetter("start")), start=1):
            root = (*path, str(number))
            for inner, result in item.fields.items():
                self.whole.fields[root + inner] = result


class _ChunkMerger(_Merger):
    def __init__(self, chunks: Sequence[DocumentValues], text: str, starts: Sequence[int]) -> None:
        super().__init__(DocumentValues())
        self.chunks = chunks
        self.text = text
        self.starts = starts

    @cached_property
    def rows(self) -> TextRows:
        return TextRows(self.text)

    def merge_values(self, roots: Sequence[FieldPath]) -> None:
        """Take the best values below some paths, all from one chunk."""
        ranks = [_chunk_rank(chunk, roots, self.text) for chunk in self.chunks]
        best = max(range(len(ranks)), key=ranks.__getitem__)
        # Confidence decides between chunks that are otherwise equally good.
        decided = [
            log_distance(abs(rank[-1]), abs(ranks[best][-1]))
            for chunk, rank in zip(self.chunks, ranks, strict=True)
            if rank[:-1] == ranks[best][:-1] and chunk is not self.chunks[best]
        ]
        for path, result in self.chunks[best].fields.items():
            if is_below(path, roots):
                same = [chunk.fields[path] for chunk in self.chunks if path in chunk.fields]
                margins = [other.margin for other in same]
                if any(other.value != result.value for other in same):
                    margins += decided
                self.whole.fields[path] = replace(result, margin=min_margin(margins))

    def merge_array(self, array: Attribute, path: FieldPath) -> None:
        items: list[_Item] = []
        known: set[str] = set()
        not_found: set[str] = set()
        n_before = 0  # Number of leading items that end before the chunk, and so are not in it.
        for chunk, start in zip(self.chunks, self.starts, strict=True):
            while n_before < len(items) and items[n_before].end <= start:
                n_before += 1
            earlier = _ItemIndex(items, n_before)
            for item in _items(chunk, path, start):
                if item.is_null or item.is_in_head:
                    continue
                same = earlier.pop(item)
                if same is None:
                    compares_values = not item.spans or array.unique_items or self.is_mention(item)
                    if item.identity not in (known if compares_values else not_found):
                        items.append(item)
                elif items[same].n_known < item.n_known:
                    items[same] = item
            known |= {item.identity for item in items[n_before:]}
            not_found |= {item.identity for item in items[n_before:] if not item.spans}
        if array.max_items is not None and len(items) > array.max_items:
            limit = sorted((item.confidence for item in items), reverse=True)[array.max_items - 1]
            items = [item for item in items if item.confidence >= limit][: array.max_items]
        self.store_count(path, len(items))
        self.store_items(items, path)

    def is_mention(self, item: _Item) -> bool:
        """Return whether an item of words is in running text, which may repeat it."""
        if any(not isinstance(value, str) for value in item.values.values() if value is not None):
            return False
        return not any(self.rows.is_in_table(start) for start, _ in item.spans.values())

    def store_count(self, path: FieldPath, n_items: int) -> None:
        count_path = (*path, COUNT_KEY)
        results = [chunk.fields[count_path] for chunk in self.chunks if count_path in chunk.fields]
        if not results:
            return
        # A near tie in an item may also decide whether it duplicates an item of another chunk.
        margin = min_margin(
            result.margin
            for chunk in self.chunks
            for below, result in chunk.fields.items()
            if is_below(below, [path])
        )
        least_sure = min(results, key=lambda result: result.confidence or 0.0)
        if n_items:
            self.whole.fields[count_path] = FieldValue(
                least_sure.confidence, raw=f" {n_items}", value=n_items, margin=margin
            )
            return
        errors = [result.error for result in results if result.error]
        is_null = all(result.value is None for result in results)
        self.whole.fields[count_path] = replace(
            least_sure,
            value=None if is_null else 0,
            error=errors[0] if errors and is_null else None,
            margin=margin,
        )


def dependent_groups(attributes: Sequence[Attribute]) -> list[list[Attribute]]:
    """Group siblings that come ``after`` each other, directly or not, in schema order."""
    group_of: dict[str, set[str]] = {attribute.name: {attribute.name} for attribute in attributes}
    for attribute in attributes:
        for other in attribute.after:
            together = group_of[attribute.name] | group_of[other]
            for name in together:
                group_of[name] = together
    groups: list[list[Attribute]] = []
    done: set[str] = set()
    for attribute in attributes:
        if attribute.name not in done:
            members = group_of[attribute.name]
            groups.append([other for other in attributes if other.name in members])
            done |= members
    return groups


def _chunk_rank(
    chunk: DocumentValues, roots: Sequence[FieldPath], text: str
) -> tuple[int, int, int, int, float]:
    """Return a sort key for the quality of a chunk's values below some paths."""
    results = {path: result for path, result in chunk.fields.items() if is_below(path, roots)}
    filled = {path: result for path, result in results.items() if result.value is not None}
    n_grounded = sum(result.match not in (None, "none") for result in filled.values())
    n_named = sum(_rank_of_name(path, result, text) for path, result in filled.items())
    n_errors = sum(result.error is not None for result in results.values())
    # If all values are null, the least confident chunk wins.
    sign = 1 if filled else -1
    counted = (filled or results).values()
    mean = sum(result.confidence or 0.0 for result in counted) / max(1, len(counted))
    return n_grounded, len(filled), n_named, -n_errors, sign * mean


def _rank_of_name(path: FieldPath, result: FieldValue, text: str) -> int:
    """Return how surely the document names a field before its value.

    2: right before it, as in ``Closing balance: EUR 286.00``; 1: in the same paragraph; 0: not.
    """
    if result.start is None:
        return 0
    before = text[max(0, result.start - _NAME_REACH) : result.start].casefold()
    paragraph = before.rpartition("\n\n")[2]
    names = _NAME_WORD.findall(_CAMEL_CASE.sub(" ", path[-1]).casefold())
    words = _NAME_WORD.findall(paragraph)
    if not names or not all(name in words for name in names):
        return 0
    # There is no other value between a label and its value.
    beside = _NAME_WORD.findall(_NUMBER_BEFORE.split(paragraph)[-1])[-len(names) - _MAX_BETWEEN :]
    return 2 if all(name in beside for name in names) else 1


@dataclass(slots=True)
class _Item:
    """An item of an array.

    Args:
        fields: its fields, by their path in the item.
        spans: where its values stand, by their path in the item, without those in the head of the
            chunk, and without those that other items of the chunk have as well.
        start: where it stands, or where the item before it does.
        is_in_head: whether all of its values that were found are in the head of the chunk.
    """

    fields: dict[FieldPath, FieldValue]
    spans: dict[FieldPath, _Offsets]
    start: int
    is_in_head: bool
    identity: str = field(init=False)
    """Equal for items with equal values."""

    def __post_init__(self) -> None:
        values = ((path, repr(value)) for path, value in self.values.items())
        self.identity = json.dumps(sorted(values))

    @property
    def values(self) -> dict[FieldPath, Any]:
        """Its values, by their path in the item."""
        return {path: result.value for path, result in self.fields.items()}

    @property
    def is_null(self) -> bool:
        """Whether it has no value."""
        return all(result.value is None for result in self.fields.values())

    @property
    def end(self) -> int:
        """The end of its last value."""
        return max((end for _, end in self.spans.values()), default=self.start)

    @property
    def n_known(self) -> tuple[int, int]:
        """How many values were found, and how many it has."""
        return len(self.spans), sum(result.value is not None for result in self.fields.values())

    @property
    def confidence(self) -> float:
        """The least confidence of its values."""
        known = (result.confidence for result in self.fields.values())
        return min((each for each in known if each is not None), default=0.0)


def _items(values: DocumentValues, path: FieldPath, start: int = 0) -> list[_Item]:
    """Return the items of an array; spans before ``start`` are in the head of a chunk."""
    count = values.fields.get((*path, COUNT_KEY), FieldValue()).value
    n_items = count if isinstance(count, int) else 0
    found: list[dict[FieldPath, FieldValue]] = [{} for _ in range(n_items)]
    depth = len(path)
    for own, result in values.fields.items():
        if len(own) > depth and own[:depth] == path and own[depth] != COUNT_KEY:
            number = int(own[depth])
            if 1 <= number <= n_items:
                found[number - 1][own[depth + 1 :]] = result
    spans = [
        {
            inner: (result.start, result.end)
            for inner, result in fields.items()
            if result.start is not None and result.end is not None
        }
        for fields in found
    ]
    shared = Counter((inner, span) for own in spans for inner, span in own.items())
    items = []
    at = start
    for fields, placed in zip(found, spans, strict=True):
        body = {inner: span for inner, span in placed.items() if span[0] >= start}
        if body:
            at = median_low([low for low, _ in body.values()])
        single = {inner: span for inner, span in body.items() if shared[inner, span] == 1}
        items.append(_Item(fields, single, at, is_in_head=bool(placed) and not body))
    return items


class _ItemIndex:
    """Finds the items of earlier chunks, or passes, that were read again.

    Args:
        items: all items.
        first: the index of the first one that may be read again.
    """

    def __init__(self, items: Sequence[_Item], first: int = 0) -> None:
        self._items = items
        self._by_identity: dict[str, list[int]] = {}
        self._by_block: dict[tuple[FieldPath, int], list[int]] = {}
        for n in range(first, len(items)):
            self._by_identity.setdefault(items[n].identity, []).append(n)
            for path, (start, end) in items[n].spans.items():
                for block in range(start // _BLOCK, (end - 1) // _BLOCK + 1):
                    self._by_block.setdefault((path, block), []).append(n)
        self._returned: set[int] = set()

    def pop(self, item: _Item) -> int | None:
        """Return the index of the same item, or None; each index is returned only once.

        Two items are the same if at least half of the values that both have overlap. If one of
        them was not found in the text, they must have equal values.
        """
        near = {
            n
            for path, (start, end) in item.spans.items()
            for block in range(start // _BLOCK, (end - 1) // _BLOCK + 1)
            for n in self._by_block.get((path, block), ())
        }
        same = [n for n in sorted(near) if spans_overlap(item.spans, self._items[n].spans)]
        equal = self._by_identity.get(item.identity, ())
        same += [n for n in equal if not (item.spans and self._items[n].spans)]
        left = [n for n in same if n not in self._returned]
        if not left:
            return None
        best = next((n for n in left if self._items[n].identity == item.identity), left[0])
        self._returned.add(best)
        return best


def spans_overlap(one: dict[FieldPath, _Offsets], other: dict[FieldPath, _Offsets]) -> bool:
    both = [(span, other[path]) for path, span in one.items() if path in other]
    n_shared = sum(start < b and a < end for (start, end), (a, b) in both)
    return n_shared > 0 and 2 * n_shared >= len(both)


def add_pass(schema: Schema, whole: DocumentValues, later: DocumentValues) -> None:
    """Add the values of a later pass over the document to those of earlier passes.

    An array item is new if it overlaps no earlier one or, if it was not found in the text, if no
    other item has equal values. Items are in the order of the document. Attributes that
    depend on each other are taken together, if all of them are null.
    """
    _PassMerger(schema, whole, later).merge_siblings(schema.attributes, ())


class _PassMerger(_Merger):
    def __init__(self, schema: Schema, whole: DocumentValues, later: DocumentValues) -> None:
        super().__init__(whole)
        self.schema = schema
        self.later = later

    def merge_values(self, roots: Sequence[FieldPath]) -> None:
        """Copy the values below some paths, if there are none so far."""
        if not self.is_filled(self.whole, roots) and self.is_filled(self.later, roots):
            later = self.later.fields
            for path in [path for root in roots for path in later if is_below(path, [root])]:
                before = self.whole.fields.get(path, FieldValue())
                margin = min_margin([before.margin, later[path].margin])
                self.whole.fields[path] = replace(later[path], margin=margin)

    def is_filled(self, values: DocumentValues, roots: Sequence[FieldPath]) -> bool:
        return any(
            result.value is not None and not is_count(self.schema, path)
            for path, result in values.fields.items()
            if is_below(path, roots)
        )

    def merge_array(self, array: Attribute, path: FieldPath) -> None:
        items = _items(self.whole, path)
        n_known = len(items)
        index = _ItemIndex(items[:])
        for item in _items(self.later, path):
            if array.max_items is not None and len(items) >= array.max_items:
                break
            if index.pop(item) is None:
                items.append(item)
        if len(items) == n_known:
            return
        count_path = (*path, COUNT_KEY)
        for own in list(self.whole.fields):
            if own != count_path and is_below(own, [path]):
                del self.whole.fields[own]
        self.store_items(items, path)
        both = (self.whole, self.later)
        counts = [each.fields[count_path] for each in both if count_path in each.fields]
        self.whole.fields[count_path] = FieldValue(
            min((each.confidence for each in counts if each.confidence is not None), default=None),
            raw=f" {len(items)}",
            value=len(items),
            margin=min_margin(count.margin for count in counts),
        )


class SplitDocument:
    """A document that several prompts ask for: adds up their usage.

    Args:
        n_prompts: the number of prompts.
        usage: the usage to which theirs is added.
    """

    def __init__(self, n_prompts: int, usage: Usage) -> None:
        self.n_left = n_prompts
        """The number of prompts that are not finished."""
        self.usage = usage
        self.failure: Failure | None = None
        """The first error of a prompt."""
        self._started_at: float | None = None

    def count(self, usage: Usage, failure: Failure | None, started_at: float | None) -> None:
        """Count a finished prompt, which started at a time of ``perf_counter``."""
        self.n_left -= 1
        self.failure = self.failure or failure
        # The prompts are decoded together, so the time is that from the first start to now.
        starts = [start for start in (self._started_at, started_at) if start is not None]
        self._started_at = min(starts, default=None)
        seconds = 0.0 if self._started_at is None else time.perf_counter() - self._started_at
        self.usage = replace(self.usage + usage, seconds=seconds)


class ChunkedDocument(SplitDocument):
    """Collects the values of a document's chunks.

    Args:
        text: the whole document.
        n_chunks: the number of chunks in each pass.
        index: the document's index in the input.
        on_chunk: see ``OnChunk``.
    """

    def __init__(
        self, text: str, n_chunks: Sequence[int], index: int, on_chunk: OnChunk | None
    ) -> None:
        super().__init__(sum(n_chunks), Usage(n_chunks=sum(n_chunks)))
        self.text = text
        self._passes: list[dict[int, DocumentValues]] = [{} for _ in n_chunks]
        """The values of each pass, by the start of their chunk."""
        self._index = index
        self._on_chunk = on_chunk

    def report_progress(self) -> None:
        """Call ``on_chunk``."""
        if self._on_chunk is not None:
            n_chunks = self.usage.n_chunks
            self._on_chunk(self._index, n_chunks - self.n_left, n_chunks)

    def store(self, chunk: DocumentChunk, values: DocumentValues) -> None:
        """Store the values of a finished chunk."""
        shift_spans(values, chunk.chunk, self.text)
        self._passes[chunk.pass_index][chunk.chunk.start] = values
        self.report_progress()

    def merge(self, schema: Schema) -> DocumentValues:
        """Return the values of the whole document, once all chunks are finished."""
        if self.failure is not None:
            return DocumentValues()
        whole, *later = [
            merge_chunks(schema, [chunks[n] for n in sorted(chunks)], self.text, sorted(chunks))
            for chunks in self._passes
        ]
        for others in later:
            add_pass(schema, whole, others)
        return whole


@dataclass(frozen=True, slots=True)
class DocumentChunk:
    """Where a chunk belongs in its document."""

    whole: ChunkedDocument
    pass_index: int
    chunk: Chunk
