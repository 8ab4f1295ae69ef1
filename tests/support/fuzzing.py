"""Mutations of the inputs in ``tests/fuzz``, and limits for what reads them."""

from __future__ import annotations

import contextlib
import json
import re
import resource
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from hypothesis import strategies as st

from fuzz_targets import Target

CORPUS = Path(__file__).resolve().parents[1] / "fuzz"
SECONDS = 5
"""Of processor time, for one execution: other programs do not count."""

_MORE_BYTES = 1 << 31
"""Beyond the memory at the start of an execution; pyarrow reserves half of it when it starts."""
_MAX_BYTES = 1 << 16
"""Of an input."""

_ODD = (
    *(b"", b"\x00", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xfe\xff", b"\r\n", b"1" * 400),
    *(n.to_bytes(size, "little") for size in (1, 2, 4, 8) for n in (0, 1, 127, 128, 255)),
    *(b"\xff" * size for size in (2, 4, 8)),
    *rb'{ } [ ] " : , \ null true -1 1e999 NaN \u \ud800 #/$defs/a ^(a+)+$'.split(),
)
"""Bytes that mean something in many formats, or should not be there."""
_ATOMS: tuple[Any, ...] = (
    *(None, True, 0, -1, 0.1, 1e308, 10**400, float("nan"), "", "null", "\x00", "\ud800"),
    *("é" * 300, "a.b", "a[0]", "$ref", "#", "^(a+)+$", [], {}, [[]], {"": ""}, {"$ref": "#"}),
)
"""JSON that takes the place of a node."""


class HungError(BaseException):
    """An execution that took too long; no ``except Exception`` on the way catches it."""


def corpus(name: str) -> list[tuple[bytes, str]]:
    """The inputs of a target with their suffixes, in a fixed order."""
    files = sorted(path for path in (CORPUS / name).iterdir() if path.is_file())
    return [(path.read_bytes(), path.suffix) for path in files]


def words_of(inputs: Sequence[tuple[bytes, str]]) -> list[bytes]:
    """What means something in a format: the words of a corpus."""
    return sorted({word for data, _ in inputs for word in re.findall(rb"[\w.$/-]+", data)})


def mutations(
    inputs: Sequence[tuple[bytes, str]], words: Sequence[bytes]
) -> st.SearchStrategy[tuple[bytes, str]]:
    """Inputs near those of a corpus, which get further than noise would."""
    at = st.integers(0, _MAX_BYTES)
    length = st.sampled_from((0, 0, 1, 2, 4, 8, 64, _MAX_BYTES))
    part = st.builds(_part, st.sampled_from([data for data, _ in inputs]), at, length)
    added = st.sampled_from((*_ODD, *words)) | st.binary(max_size=8) | part
    edits = st.tuples(at, length, added, st.sampled_from((1, 1, 1, 2, 30, 3000)))
    tree_edits = st.tuples(at, at, st.integers(0, 3), st.sampled_from(_ATOMS))
    return st.builds(
        _mutated,
        st.sampled_from(inputs),
        st.lists(tree_edits, max_size=3),
        st.lists(edits, max_size=4),
    )


def _part(data: bytes, at: int, length: int) -> bytes:
    start = at % (len(data) + 1)
    return data[start : start + length]


def _mutated(
    original: tuple[bytes, str],
    tree_edits: Sequence[tuple[int, int, int, Any]],
    edits: Sequence[tuple[int, int, bytes, int]],
) -> tuple[bytes, str]:
    data, suffix = original
    tree = _tree(data) if tree_edits else None
    if isinstance(tree, dict | list):
        for edit in tree_edits:
            _edit_tree(tree, *edit)
        data = json.dumps(tree).encode()
    for at, n_removed, added, times in edits:
        begin = at % (len(data) + 1)
        data = (data[:begin] + added * times + data[begin + n_removed :])[:_MAX_BYTES]
    return data, suffix


def _tree(data: bytes) -> Any:
    """The JSON in ``data``; None if it is none."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _edit_tree(tree: Any, one: int, other: int, kind: int, atom: Any) -> None:
    """Replace, remove or double a node of a tree, in place."""
    spots = [(tree, key) for key in _keys(tree)]
    for holder, key in spots:  # which grow on the way
        spots += [(holder[key], inner) for inner in _keys(holder[key])]
    if not spots:
        return
    holder, key = spots[one % len(spots)]
    if kind == 0:
        del holder[key]
    elif kind > 1:
        holder[key] = json.loads(json.dumps(atom))
    elif isinstance(holder, dict):
        holder[str(spots[other % len(spots)][1])] = json.loads(json.dumps(holder[key]))
    else:
        holder.insert(key, json.loads(json.dumps(holder[key])))


def _keys(tree: Any) -> Sequence[Any]:
    if isinstance(tree, dict):
        return list(tree)
    return range(len(tree)) if isinstance(tree, list) else ()


def execute(target: Target, data: bytes, suffix: str) -> None:
    """One execution.

    Raises:
        BaseException: whatever should not come out; ``HungError`` after too long a time.
    """
    with _time_limit(), _memory_limit(), contextlib.suppress(*target.errors):
        target.run(data, suffix)


@contextlib.contextmanager
def _time_limit() -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise HungError(f"more than {SECONDS} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@contextlib.contextmanager
def _memory_limit() -> Iterator[None]:
    """Lets no execution take all memory (Linux)."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    statm = Path("/proc/self/statm")
    if statm.exists():
        n_bytes = int(statm.read_text().split()[0]) * resource.getpagesize() + _MORE_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
