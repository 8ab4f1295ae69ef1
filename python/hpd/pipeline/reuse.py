"""Reuse of values for documents that come again, in the same run or a later one."""

from __future__ import annotations

import hashlib
import math
import sqlite3
import threading
import warnings
import zlib
from array import array
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpd.errors import HpdError, HpdWarning
from hpd.models.cache import content_fingerprint
from hpd.models.gguf_files import part_names
from hpd.models.model_files import local_lora
from hpd.options import Options, engine_identity
from hpd.version import __version__

if TYPE_CHECKING:
    from hpd._native import Value

_ENCODING_ERRORS = "surrogateescape"  # A truncated value may end within a character.


class ReuseWarning(HpdWarning):
    """The cache folder cannot be read or written."""


@dataclass(frozen=True, slots=True)
class KnownValue:
    """A value that was decoded earlier, with the attributes of ``_native.Value``."""

    text: bytes
    finish: str
    tokens: array[int]
    logprobs: array[float]
    log_shares: array[float]
    margins: array[float]
    choices: tuple[tuple[int, float], ...] = ()
    """The index and probability of each choice whose probability is known."""

    @property
    def margin(self) -> float:
        """The smallest of the margins."""
        return min(self.margins, default=math.inf)

    @classmethod
    def of(cls, value: Value | KnownValue, choices: Sequence[tuple[int, float]] = ()) -> KnownValue:
        """Copy a value of the engine."""
        return cls(
            value.text,
            value.finish,
            array("i", value.tokens),
            array("f", value.logprobs),
            array("f", value.log_shares),
            array("f", value.margins),
            tuple(choices),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the value as JSON types; floats are restored bit for bit."""
        return {
            "text": self.text.decode("utf-8", _ENCODING_ERRORS),
            "finish": self.finish,
            "tokens": list(self.tokens),
            "logprobs": list(self.logprobs),
            "log_shares": list(self.log_shares),
            "margins": list(self.margins),
            "choices": self.choices,
        }

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> KnownValue:
        """Return the value that ``to_json`` converted.

        Raises:
            AttributeError, KeyError, OverflowError, TypeError, ValueError: ``kept`` is malformed.
        """
        return cls(
            kept["text"].encode("utf-8", _ENCODING_ERRORS),
            str(kept["finish"]),
            array("i", kept["tokens"]),
            array("f", kept["logprobs"]),
            array("f", kept["log_shares"]),
            array("f", kept["margins"]),
            tuple((int(number), float(p)) for number, p in kept["choices"]),
        )


class Reuse:
    """A table of values, used in a certain context.

    Args:
        table: the values by document and question.
        context: what a value depends on besides its document and question.
        by_field: whether to reuse a value even if the rest of the schema differs. Strictly, a value
            may depend on it, as the instruction names all attributes.
    """

    def __init__(self, table: ValueTable, context: Sequence[str] = (), *, by_field: bool) -> None:
        self.by_field = by_field
        self._table = table
        self._context = tuple(context)

    def within(self, context: str) -> Reuse:
        """Return a copy with more context."""
        return Reuse(self._table, (*self._context, context), by_field=self.by_field)

    def known_values(self, text: str) -> KnownValues:
        """Return the known values of a document."""
        return KnownValues(self._table, fingerprint(*self._context, text))

    def close(self) -> None:
        self._table.close()


class KnownValues:
    """The known values of one document, and the new ones to store."""

    def __init__(self, table: ValueTable, document: str) -> None:
        self._table = table
        self._document = document
        self._known = table.values_of(document)
        self._new: dict[str, KnownValue] = {}

    def find(self, questions: Sequence[str]) -> list[KnownValue | None]:
        """Return the known value of each question, or None."""
        return [self._known.get(question) for question in questions]

    def add(self, values: Mapping[str, Value | KnownValue]) -> None:
        """Add new values; ``store`` saves them."""
        self._new |= {
            question: value if isinstance(value, KnownValue) else KnownValue.of(value)
            for question, value in values.items()
        }

    def store(self) -> None:
        """Save the added values, once the document is finished."""
        if self._new:
            self._table.store(self._document, self._new)


def fingerprint(*parts: str) -> str:
    """Return a hash of some texts, as 32 hexadecimal digits."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        # The length keeps ("ab", "c") apart from ("a", "bc").
        digest.update(len(encoded).to_bytes(8, "little") + encoded)
    return digest.hexdigest()


MAX_KEPT_TOKENS = 4_000_000
"""Maximum number of tokens to keep, at 16 bytes each."""
VALUE_OVERHEAD = 50
"""The memory of a value's Python objects, counted in tokens."""


class MemoryTable:
    """Values in memory, by document and question; thread-safe.

    If there are too many, all values of the least recently used document are dropped.
    """

    def __init__(self, n_tokens: int = MAX_KEPT_TOKENS) -> None:
        self._max_tokens = n_tokens
        self._n_tokens = 0
        self._by_document: OrderedDict[str, dict[str, KnownValue]] = OrderedDict()
        self._lock = threading.Lock()

    def values_of(self, document: str) -> dict[str, KnownValue]:
        """Return the values of a document, by question."""
        with self._lock:
            if document not in self._by_document:
                return {}
            self._by_document.move_to_end(document)
            return dict(self._by_document[document])

    def store(self, document: str, values: Mapping[str, KnownValue]) -> None:
        """Store values of a document, in addition to those stored already."""
        with self._lock:
            known = self._by_document.setdefault(document, {})
            self._by_document.move_to_end(document)
            self._n_tokens -= _size_in_tokens(known)
            known.update(values)
            self._n_tokens += _size_in_tokens(known)
            while self._n_tokens > self._max_tokens:
                _, forgotten = self._by_document.popitem(last=False)
                self._n_tokens -= _size_in_tokens(forgotten)

    def close(self) -> None:
        """Drop all values."""
        with self._lock:
            self._by_document.clear()
            self._n_tokens = 0


def _size_in_tokens(values: Mapping[str, KnownValue]) -> int:
    return sum(VALUE_OVERHEAD + len(value.tokens) for value in values.values())


_MAX_FOLDER_BYTES = 4 * 1024**3
"""The size of the folder beyond which the oldest values are deleted."""


class FolderTable:
    """Values in a folder, by document and question, for any number of threads and processes.

    Stored values survive a killed process. An entry that cannot be read is decoded again, with a
    warning, and overwritten.

    Args:
        folder: created if it does not exist.

    Raises:
        HpdError: the folder cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        import diskcache

        self._folder = folder
        self._has_warned = False
        self._lock = threading.Lock()
        # A damaged database may raise any of these.
        self._errors = (
            *(OSError, sqlite3.Error, diskcache.Timeout, zlib.error),
            *(AttributeError, LookupError, OverflowError, TypeError, ValueError),
        )
        try:
            # Not pickle: anyone who can write to the folder could run code. The JSON is
            # compressed with a checksum, which detects damage.
            self._cache = diskcache.Cache(
                str(folder),
                disk=diskcache.JSONDisk,
                size_limit=_MAX_FOLDER_BYTES,
                eviction_policy="least-recently-stored",
            )
        except self._errors as error:
            advice = "delete it, or name another folder" if folder.exists() else "name another one"
            raise HpdError(f"{folder} cannot keep values ({error}): {advice}") from error

    def values_of(self, document: str) -> dict[str, KnownValue]:
        """Return the values of a document, by question; empty if they cannot be read."""
        try:
            return _read_values(self._cache.get(document))
        except self._errors as error:
            self._warn(f"some of the values in {self._folder} cannot be read", error)
            return {}

    def store(self, document: str, values: Mapping[str, KnownValue]) -> None:
        """Store values of a document, in addition to those stored already."""
        new = {question: value.to_json() for question, value in values.items()}
        try:
            # Another process may be storing values of the same document.
            with self._cache.transact():
                self._cache.set(document, {**self._read_document(document), **new})
        except self._errors as error:
            self._warn(f"{self._folder} takes no more values", error)

    def close(self) -> None:
        self._cache.close()

    def _read_document(self, document: str) -> dict[str, Any]:
        try:
            kept = self._cache.get(document)
            _read_values(kept)
        except self._errors:
            return {}
        return kept or {}

    def _warn(self, what: str, error: Exception) -> None:
        with self._lock:
            if self._has_warned:
                return
            self._has_warned = True
        warnings.warn(
            f"{what} ({type(error).__name__}: {error}), and this run continues without them: "
            "delete the folder, or name another one",
            ReuseWarning,
            stacklevel=3,
        )


def _read_values(kept: Mapping[str, Any] | None) -> dict[str, KnownValue]:
    return {question: KnownValue.from_json(value) for question, value in (kept or {}).items()}


ValueTable = MemoryTable | FolderTable
"""Where values are kept, by document and question."""


def reuse_of(model: Path, options: Options) -> Reuse | None:
    """Return the store of an extractor's values, or None if its options disable reuse.

    Args:
        model: the model file, or the first of its parts.
        options: the extractor's options.

    Raises:
        HpdError: the ``cache`` folder cannot be used.
    """
    if not options.reuses_values:
        return None
    if not options.cache:
        # An extractor has a single model and set of options.
        return Reuse(MemoryTable(), by_field=False)
    parts = [model.with_name(name) for name in part_names(model.name)]
    adapters = [(content_fingerprint(local_lora(path)), scale) for path, scale in options.adapters]
    context = (
        __version__,
        repr([content_fingerprint(part) for part in parts]),
        repr(adapters),
        repr(engine_identity(options)),
    )
    return Reuse(FolderTable(Path(options.cache).expanduser()), context, by_field=True)
