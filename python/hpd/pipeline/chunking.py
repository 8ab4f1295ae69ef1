"""Long texts cut into parts, and the values of the parts put together to those of the whole.

A part ends where a sentence does. A value is taken from the part with the highest confidence,
preferably from one whose text holds the value, and names its field just before it; it is null only
if every part says so. Attributes
that depend on one another come from the same part. An array is the union of the parts' items,
without repeated ones.

What an earlier pass over the parts found stays. A later one gives values that are still null, and
items of arrays that stand elsewhere in the document than all items so far.
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
"""The denominator of the share of a part with which the next part begins once more."""
_NAME_REACH = 80
"""The characters before a value in which its name may stand."""
_NAME_WORD = re.compile(r"[^\W_]+")
_CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MAX_WORD_LENGTH = 40
"""The longest word; longer ones, such as sentences without blanks, are cut into pieces."""

# Blanks go with the word behind them, as they do in most tokenizers.
_WORD = re.compile(r"\s*\S+|\s+\Z")
_SENTENCE_END = re.compile(r"[.!?…]+[\"'’”»)\]]*\Z|[。！？｡]+[」』”）]*\Z")  # noqa: RUF001
_INNER_END = re.compile(r"(?<=[。！？｡])(?![。！？｡」』”）])")  # noqa: RUF001


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a text: its characters from ``start`` to ``end``."""

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
    """Parts of at most ``room`` tokens, which overlap each other and cover all of ``text``.

    A part ends with a sentence if one ends in its second half, else with a word; only very long
    words are cut. A part holds at least one piece, however small the room is. The first part has
    ``first_room`` tokens at most, if that is given, which moves all cuts.
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
            # The next part must have room for its overlap and for new text.
            overlap = min(room // _OVERLAP_DIVISOR, room - pieces[end].n_tokens)
            first = _next_start(pieces, first, end, overlap)
    return found


def fitting_length(text: str, room: int, count_tokens: CountTokens) -> int:
    """The number of leading characters, in whole words, that have at most ``room`` tokens."""
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
            # Characters that a reader sees as one stay in one piece.
            while cut < high and is_joined(text[cut - 1], text[cut]):
                cut += 1
            parts.append((low, cut))
            low = cut
        if high > low:
            parts.append((low, high))
    return parts


def _end_of_chunk(pieces: list[_Piece], first: int, room: int) -> int:
    """The end of the longest run of pieces from ``first`` on that fits."""
    n_tokens = pieces[first].n_tokens
    end = first + 1
    while end < len(pieces) and n_tokens + pieces[end].n_tokens <= room:
        n_tokens += pieces[end].n_tokens
        end += 1
    return end


def _last_sentence_end(pieces: list[_Piece], min_end: int, end: int) -> int:
    """The last end of a sentence between ``min_end`` and ``end``; ``end`` if there is none."""
    return next((at for at in range(end, min_end, -1) if pieces[at - 1].ends_sentence), end)


def _next_start(pieces: list[_Piece], first: int, end: int, room: int) -> int:
    """The start of the next part: that of a sentence within the overlap, or of a word."""
    n_tokens = 0
    at = end
    while at - 1 > first and n_tokens + pieces[at - 1].n_tokens <= room:
        at -= 1
        n_tokens += pieces[at].n_tokens
    return next((i for i in range(at, end) if i > 0 and pieces[i - 1].ends_sentence), at)


def shift_spans(values: DocumentValues, offset: int) -> None:
    """Move the spans of a chunk to where they are in the whole document."""
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
        # Of chunks that are as good otherwise, the confidence decides.
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
        seen: dict[str, int] = {}  # the chunk in which each was first
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
        # An item that might be another one might also be the same as one of another chunk.
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
        """Take an item of a chunk, with a new number."""
        for path, result in chunk.fields.items():
            if is_below(path, [root]):
                self.whole.fields[to + path[len(root) :]] = result


def dependent_groups(attributes: Sequence[Attribute]) -> list[list[Attribute]]:
    """Groups of siblings that come after one another, directly or not, in the schema's order."""
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
    """Return the quality of a chunk's values below some paths, to compare it with others."""
    results = {path: result for path, result in chunk.fields.items() if is_below(path, roots)}
    filled = {path: result for path, result in results.items() if result.value is not None}
    n_grounded = sum(result.match not in (None, "none") for result in filled.values())
    n_named = sum(_is_named(path, result, text) for path, result in filled.items())
    n_errors = sum(result.error is not None for result in results.values())
    # Where all values are null, the least confident chunk is taken.
    sign = 1 if filled else -1
    counted = (filled or results).values()
    mean = sum(result.confidence or 0.0 for result in counted) / max(1, len(counted))
    return n_grounded, len(filled), n_named, -n_errors, sign * mean


def _is_named(path: Path, result: FieldValue, text: str) -> bool:
    """Whether the document names a field just before its value: ``Closing balance 286.00``."""
    if result.start is None:
        return False
    before = text[max(0, result.start - _NAME_REACH) : result.start].casefold()
    paragraph = _NAME_WORD.findall(before.rpartition("\n\n")[2])
    names = _NAME_WORD.findall(_CAMEL_CASE.sub(" ", path[-1]).casefold())
    return bool(names) and all(name in paragraph for name in names)


def item_identity(chunk: DocumentValues, root: Path) -> str | None:
    """A key that is the same for items with the same values; None if all values are null."""
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
    """Add the values of a later pass on the whole document to those of the passes before it.

    Of an item, a value counts that the document holds. It is another item than one of before if
    more than half of these stand where the same attribute of the other has nothing of its value,
    and new if it is another one than all of them. An item with no such value is new if no other
    has the same values. Attributes that depend on one another are taken together, if all of them
    are null.
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
        """Take the values below some paths, if there are none so far."""
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
"""The place of each value of an item, by its path in the item."""


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
    """Whether at least half of the values of one item overlap the same attribute of another."""
    n_shared = sum(
        path in other and start < other[path][1] and other[path][0] < end
        for path, (start, end) in one.items()
    )
    return bool(one) and 2 * n_shared >= len(one)


class ChunkedDocument:
    """Gathers the values of a document's parts.

    Args:
        text: the whole document.
        n_chunks: the number of its parts in each pass.
        index: the document's, in the input.
        on_chunk: told of every finished part.
    """

    def __init__(
        self, text: str, n_chunks: Sequence[int], index: int, on_chunk: OnChunk | None
    ) -> None:
        self.text = text
        self._passes: list[dict[int, DocumentValues]] = [{} for _ in n_chunks]
        """The values of each pass, by the start of their part."""
        self._failure: Failure | None = None
        self._usage = Usage(n_chunks=sum(n_chunks))
        self._started_at: float | None = None
        self._n_finished = 0
        self._index = index
        self._on_chunk = on_chunk

    def announce(self) -> None:
        """Tell how many parts there are, and how many of them are finished."""
        if self._on_chunk is not None:
            self._on_chunk(self._index, self._n_finished, self._usage.n_chunks)

    @property
    def is_finished(self) -> bool:
        """Whether all of its parts are."""
        return self._n_finished == self._usage.n_chunks

    def take(
        self,
        chunk: DocumentChunk,
        values: DocumentValues,
        usage: Usage,
        failure: Failure | None,
        started_at: float | None,
    ) -> None:
        """Take in a finished part, and when the engine began with it."""
        shift_spans(values, chunk.start)
        self._n_finished += 1
        self._passes[chunk.pass_index][chunk.start] = values
        self._failure = self._failure or failure
        # Parts are decoded together: all of them take as long as from the first to the last.
        if started_at is not None:
            self._started_at = (
                started_at if self._started_at is None else min(started_at, self._started_at)
            )
        seconds = 0.0 if self._started_at is None else time.perf_counter() - self._started_at
        self._usage = replace(self._usage + usage, seconds=seconds)
        self.announce()

    def merged(self, schema: Schema) -> tuple[DocumentValues, Usage, Failure | None]:
        """The values of the whole document, once all of its parts are finished."""
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
    """The place of a part in the whole document."""

    whole: ChunkedDocument
    pass_index: int
    start: int
