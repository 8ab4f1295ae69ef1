"""Splits long documents into chunks, and merges the values of the chunks.

Chunks end with a sentence. A value is taken from the most confident chunk, preferably one whose
text has the value, with the name of its field just before it; it is null only if it is null in
every chunk. Attributes that depend on each
other are taken from the same chunk. An array has the items of all chunks, without duplicates.

A later pass with other chunk boundaries only adds to the earlier ones: values that are still null,
and array items that stand elsewhere in the document than those found so far.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from hpd.pipeline import OnChunk
from hpd.pipeline.document_values import (
    DocumentValues,
    is_below,
    is_count,
    log_distance,
    min_margin,
)
from hpd.prompt.text import COUNT_KEY, Path
from hpd.results import Failure, FieldValue, Usage
from hpd.schema.attributes import Attribute, Schema
from hpd.values.words import is_joined

CountTokens = Callable[[str], int]

_OVERLAP_DIVISOR = 8
"""Chunks overlap by the chunk size divided by this."""
_NAME_REACH = 80
"""The characters before a value in which its name may stand."""
_NAME_WORD = re.compile(r"[^\W_]+")
_CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MAX_WORD_LENGTH = 40
"""Longer words, such as sentences without blanks, are split into pieces."""

# Blanks belong to the word after them, as in most tokenizers.
_WORD = re.compile(r"\s*\S+|\s+\Z")
_SENTENCE_END = re.compile(r"[.!?…]+[\"'’”»)\]]*\Z|[。！？｡]+[」』”）]*\Z")  # noqa: RUF001
_INNER_END = re.compile(r"(?<=[。！？｡])(?![。！？｡」』”）])")  # noqa: RUF001


@dataclass(frozen=True, slots=True)
class Chunk:
    """The characters of a text from ``start`` to ``end``."""

    start: int
    end: int


@dataclass(slots=True)
class _Piece:
    start: int
    end: int
    n_tokens: int
    ends_sentence: bool = False


def split_text(
    text: str, room: int, count_tokens: CountTokens, first_room: int | None = None
) -> list[Chunk]:
    """Split ``text`` into overlapping chunks of at most ``room`` tokens.

    A chunk ends with a sentence if one ends in its second half, else with a word; only very long
    words are split. A chunk has at least one piece, however small ``room`` is. ``first_room``
    limits the first chunk instead, which shifts all boundaries.
    """
    pieces = _pieces(text, count_tokens)
    found: list[Chunk] = []
    first = end = 0
    while end < len(pieces):
        min_end, end = end, _end_of_chunk(pieces, first, room if found else first_room or room)
        if end < len(pieces):
            end = _last_sentence_end(pieces, max(min_end, first + (end - first) // 2), end)
        found.append(Chunk(pieces[first].start, pieces[end - 1].end))
        if end < len(pieces):
            # The next chunk must have room for the overlap and for new text.
            overlap = min(room // _OVERLAP_DIVISOR, room - pieces[end].n_tokens)
            first = _next_start(pieces, first, end, overlap)
    return found


def fitting_length(text: str, room: int, count_tokens: CountTokens) -> int:
    """Return the length of the longest prefix of whole words with at most ``room`` tokens."""
    pieces = _pieces(text, count_tokens)
    n_tokens = 0
    for piece in pieces:
        n_tokens += piece.n_tokens
        if n_tokens > room:
            return piece.start
    return len(text)


def _pieces(text: str, count_tokens: CountTokens) -> list[_Piece]:
    counts: dict[str, int] = {}
    pieces: list[_Piece] = []
    for match in _WORD.finditer(text):
        if pieces and "\n" in match.group()[: len(match.group()) - len(match.group().lstrip())]:
            pieces[-1].ends_sentence = True
        for start, end in _split_word(text, match.start(), match.end()):
            part = text[start:end]
            if part not in counts:
                counts[part] = count_tokens(part)
            is_end = _SENTENCE_END.search(part) is not None
            pieces.append(_Piece(start, end, counts[part], is_end))
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


def _end_of_chunk(pieces: list[_Piece], first: int, room: int) -> int:
    """Return the end of the longest run of pieces from ``first`` that fits."""
    n_tokens = pieces[first].n_tokens
    end = first + 1
    while end < len(pieces) and n_tokens + pieces[end].n_tokens <= room:
        n_tokens += pieces[end].n_tokens
        end += 1
    return end


def _last_sentence_end(pieces: list[_Piece], min_end: int, end: int) -> int:
    """Return the last sentence end between ``min_end`` and ``end``, or ``end`` if there is none."""
    return next((at for at in range(end, min_end, -1) if pieces[at - 1].ends_sentence), end)


def _next_start(pieces: list[_Piece], first: int, end: int, room: int) -> int:
    """Return the start of the next chunk: a sentence within the overlap, or else a word."""
    n_tokens = 0
    at = end
    while at - 1 > first and n_tokens + pieces[at - 1].n_tokens <= room:
        at -= 1
        n_tokens += pieces[at].n_tokens
    return next((i for i in range(at, end) if i > 0 and pieces[i - 1].ends_sentence), at)


def shift_spans(values: DocumentValues, offset: int) -> None:
    """Convert the spans of a chunk to offsets in the whole document."""
    for path, result in values.fields.items():
        if result.start is not None and result.end is not None:
            values.fields[path] = replace(
                result, start=result.start + offset, end=result.end + offset
            )


def merge_chunks(
    schema: Schema, chunks: Sequence[DocumentValues], text: str = ""
) -> DocumentValues:
    """Merge the fields of a document's chunks, in the order of the text.

    Args:
        schema: the fields.
        chunks: the values of each chunk, with offsets in the whole document.
        text: the whole document.
    """
    merger = _ChunkMerger(chunks, text)
    merger.siblings(schema.attributes, ())
    return merger.whole


class _ChunkMerger:
    def __init__(self, chunks: Sequence[DocumentValues], text: str) -> None:
        self.chunks = chunks
        self.text = text
        self.whole = DocumentValues()

    def siblings(self, attributes: Sequence[Attribute], prefix: Path) -> None:
        for group in dependent_groups(attributes):
            first = group[0]
            path = (*prefix, first.name)
            if len(group) > 1:
                paths = [(*prefix, attribute.name) for attribute in group]
                self.take_most_confident(paths)
            elif first.type == "object":
                self.siblings(first.attributes, path)
            elif first.is_counted:
                self.array(first, path)
            else:
                self.take_most_confident([path])

    def take_most_confident(self, roots: Sequence[Path]) -> None:
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

    def array(self, array: Attribute, path: Path) -> None:
        items: list[tuple[DocumentValues, Path, float]] = []
        seen: dict[str, int] = {}  # The chunk where each item first occurred.
        for n, chunk in enumerate(self.chunks):
            for root in _item_paths(chunk, path):
                identity = item_identity(chunk, root)
                if identity is not None and seen.setdefault(identity, n) == n:
                    items.append((chunk, root, _item_confidence(chunk, root)))
        if array.max_items is not None and len(items) > array.max_items:
            limit = sorted((item[2] for item in items), reverse=True)[array.max_items - 1]
            items = [item for item in items if item[2] >= limit][: array.max_items]
        self.count(path, len(items))
        for number, (chunk, root, _) in enumerate(items, start=1):
            self.move(chunk, root, (*path, str(number)))

    def count(self, path: Path, n_items: int) -> None:
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

    def move(self, chunk: DocumentValues, root: Path, to: Path) -> None:
        """Copy an item of a chunk under a new number."""
        for path, result in chunk.fields.items():
            if is_below(path, [root]):
                self.whole.fields[to + path[len(root) :]] = result


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
    chunk: DocumentValues, roots: Sequence[Path], text: str
) -> tuple[int, int, int, int, float]:
    """Return a sort key for the quality of a chunk's values below some paths."""
    results = {path: result for path, result in chunk.fields.items() if is_below(path, roots)}
    filled = {path: result for path, result in results.items() if result.value is not None}
    n_grounded = sum(result.match not in (None, "none") for result in filled.values())
    n_named = sum(_is_named(path, result, text) for path, result in filled.items())
    n_errors = sum(result.error is not None for result in results.values())
    # If all values are null, the least confident chunk wins.
    sign = 1 if filled else -1
    counted = (filled or results).values()
    mean = sum(result.confidence or 0.0 for result in counted) / max(1, len(counted))
    return n_grounded, len(filled), n_named, -n_errors, sign * mean


def _is_named(path: Path, result: FieldValue, text: str) -> bool:
    """Return whether the document names a field before its value: ``Closing balance 286.00``."""
    if result.start is None:
        return False
    before = text[max(0, result.start - _NAME_REACH) : result.start].casefold()
    paragraph = _NAME_WORD.findall(before.rpartition("\n\n")[2])
    names = _NAME_WORD.findall(_CAMEL_CASE.sub(" ", path[-1]).casefold())
    return bool(names) and all(name in paragraph for name in names)


def item_identity(chunk: DocumentValues, root: Path) -> str | None:
    """Return a key that is equal for items with equal values, or None if all are null."""
    values = {
        path[len(root) :]: result.value
        for path, result in chunk.fields.items()
        if is_below(path, [root])
    }
    if all(value is None for value in values.values()):
        return None
    return json.dumps(sorted((path, repr(value)) for path, value in values.items()))


def _item_confidence(chunk: DocumentValues, root: Path) -> float:
    below = [
        result.confidence
        for path, result in chunk.fields.items()
        if is_below(path, [root]) and result.confidence is not None
    ]
    return min(below, default=0.0)


def add_pass(schema: Schema, whole: DocumentValues, later: DocumentValues) -> None:
    """Add the values of a later pass over the document to those of earlier passes.

    An array item is new if it differs from all earlier ones: more than half of its grounded values
    do not overlap the same attribute of the other item. An item without grounded values is new if
    no other item has equal values. Attributes that depend on each other are taken together, if all
    of them are null.
    """
    _PassMerger(schema, whole, later).siblings(schema.attributes, ())


class _PassMerger:
    def __init__(self, schema: Schema, whole: DocumentValues, later: DocumentValues) -> None:
        self.schema = schema
        self.whole = whole
        self.later = later

    def siblings(self, attributes: Sequence[Attribute], prefix: Path) -> None:
        for group in dependent_groups(attributes):
            first = group[0]
            if len(group) == 1 and first.type == "object":
                self.siblings(first.attributes, (*prefix, first.name))
            elif len(group) == 1 and first.is_counted:
                self.array(first, (*prefix, first.name))
            else:
                self.fill([(*prefix, attribute.name) for attribute in group])

    def fill(self, roots: Sequence[Path]) -> None:
        """Copy the values below some paths, if there are none so far."""
        if not self.is_filled(self.whole, roots) and self.is_filled(self.later, roots):
            for root in roots:
                self.move(root, root)

    def is_filled(self, values: DocumentValues, roots: Sequence[Path]) -> bool:
        return any(
            result.value is not None and not is_count(self.schema, path)
            for path, result in values.fields.items()
            if is_below(path, roots)
        )

    def array(self, array: Attribute, path: Path) -> None:
        known = list(_item_paths(self.whole, path))
        identities = {item_identity(self.whole, root) for root in known}
        spans = [_item_spans(self.whole, root) for root in known]
        n_items = len(known)
        for root in _item_paths(self.later, path):
            if array.max_items is not None and n_items >= array.max_items:
                break
            own = _item_spans(self.later, root)
            is_known = item_identity(self.later, root) in identities
            if any(_is_same_item(own, others) for others in spans) or (is_known and not own):
                continue
            n_items += 1
            self.move(root, (*path, str(n_items)))
        if n_items > len(known):
            self.count((*path, COUNT_KEY), n_items)

    def count(self, path: Path, n_items: int) -> None:
        results = [
            values.fields[path] for values in (self.whole, self.later) if path in values.fields
        ]
        self.whole.fields[path] = FieldValue(
            min((r.confidence for r in results if r.confidence is not None), default=None),
            raw=f" {n_items}",
            value=n_items,
            margin=min_margin(result.margin for result in results),
        )

    def move(self, root: Path, to: Path) -> None:
        for path, result in self.later.fields.items():
            if is_below(path, [root]):
                target = to + path[len(root) :]
                before = self.whole.fields.get(target, FieldValue())
                margin = min_margin([before.margin, result.margin])
                self.whole.fields[target] = replace(result, margin=margin)


_ItemSpans = dict[Path, tuple[int, int]]
"""The span of each grounded value of an item, by its path in the item."""


def _item_paths(values: DocumentValues, path: Path) -> Iterator[Path]:
    count = values.fields.get((*path, COUNT_KEY), FieldValue()).value
    for number in range(1, (count if isinstance(count, int) else 0) + 1):
        yield (*path, str(number))


def _item_spans(values: DocumentValues, root: Path) -> _ItemSpans:
    return {
        path[len(root) :]: (result.start, result.end)
        for path, result in values.fields.items()
        if is_below(path, [root]) and result.start is not None and result.end is not None
    }


def _is_same_item(one: _ItemSpans, other: _ItemSpans) -> bool:
    """Return whether at least half of an item's values overlap the same attributes of another."""
    n_shared = sum(
        path in other and start < other[path][1] and other[path][0] < end
        for path, (start, end) in one.items()
    )
    return bool(one) and 2 * n_shared >= len(one)


class ChunkedDocument:
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
        self.text = text
        self._passes: list[dict[int, DocumentValues]] = [{} for _ in n_chunks]
        """The values of each pass, by the start of their chunk."""
        self._failure: Failure | None = None
        self._usage = Usage(n_chunks=sum(n_chunks))
        self._started_at: float | None = None
        self._n_finished = 0
        self._index = index
        self._on_chunk = on_chunk

    def announce(self) -> None:
        """Call ``on_chunk``."""
        if self._on_chunk is not None:
            self._on_chunk(self._index, self._n_finished, self._usage.n_chunks)

    @property
    def is_finished(self) -> bool:
        """Whether all chunks are finished."""
        return self._n_finished == self._usage.n_chunks

    def take(
        self,
        chunk: DocumentChunk,
        values: DocumentValues,
        usage: Usage,
        failure: Failure | None,
        started_at: float | None,
    ) -> None:
        """Store the values of a finished chunk."""
        shift_spans(values, chunk.start)
        self._n_finished += 1
        self._passes[chunk.pass_index][chunk.start] = values
        self._failure = self._failure or failure
        # Chunks are decoded together, so the time is that from the first start to now.
        if started_at is not None:
            self._started_at = (
                started_at if self._started_at is None else min(started_at, self._started_at)
            )
        seconds = 0.0 if self._started_at is None else time.perf_counter() - self._started_at
        self._usage = replace(self._usage + usage, seconds=seconds)
        self.announce()

    def merged(self, schema: Schema) -> tuple[DocumentValues, Usage, Failure | None]:
        """Return the values of the whole document, once all chunks are finished."""
        if self._failure is not None:
            return DocumentValues(), self._usage, self._failure
        whole, *later = [
            merge_chunks(schema, [chunks[start] for start in sorted(chunks)], self.text)
            for chunks in self._passes
        ]
        for others in later:
            add_pass(schema, whole, others)
        return whole, self._usage, None


@dataclass(frozen=True, slots=True)
class DocumentChunk:
    """Where a chunk belongs in its document."""

    whole: ChunkedDocument
    pass_index: int
    start: int
