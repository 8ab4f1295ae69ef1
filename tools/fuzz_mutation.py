"""Mutations of bytes: inputs near those of a corpus, which get further than noise would."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

_MOST_BYTES = 1 << 16
_MOST_STEPS = 8
_INTERESTING = (0, 1, 2, 7, 8, 9, 31, 32, 127, 128, 255, 256, 65535, 65536, 2**31 - 1, 2**31)
_ATOMS: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 0.1, 1e308, -1e-308, 10**18, 10**400, "", " ", "a", "null", "\x00",
    "\ud800", "\ufeff", "é" * 300, "a.b", "a[0]", "$ref", "#/$defs/a", "#", "^(a+)+$", "[", [], {},
    [[]], {"": ""}, {"type": "object"}, {"$ref": "#"}, ["string", "null"], float("nan"),
)  # fmt: skip


def mutated(
    data: bytes, others: Sequence[bytes], words: Sequence[bytes], rng: random.Random
) -> bytes:
    """An input near ``data``.

    Args:
        data: an input of the corpus.
        others: all inputs of the corpus, whose parts may be taken over.
        words: what means something in this format.
        rng: decides all.
    """
    tree = _tree(data)
    if tree is not None and rng.random() < 0.5:
        for _ in range(rng.randint(1, 4)):
            tree = _changed(tree, words, rng)
        data = json.dumps(tree).encode()
        if rng.random() < 0.7:
            return data
    for _ in range(rng.randint(1, _MOST_STEPS)):
        data = rng.choice(_STEPS)(data, others, words, rng)[:_MOST_BYTES]
    return data


def _tree(data: bytes) -> Any:
    """The JSON in ``data``; None if it is none."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _changed(tree: Any, words: Sequence[bytes], rng: random.Random) -> Any:
    """The tree with one node exchanged, doubled, removed or given another key."""
    is_here = rng.random() < 0.25
    if isinstance(tree, dict) and tree and not (is_here and rng.random() < 0.3):
        key = rng.choice(list(tree))
        if not is_here:
            return {**tree, key: _changed(tree[key], words, rng)}
        other = rng.choice([*words, b"", b"type"]).decode("utf-8", "replace")
        match rng.randrange(3):
            case 0:
                return {name: value for name, value in tree.items() if name != key}
            case 1:
                return {**tree, other: tree[key]}
            case _:
                return {**tree, other: rng.choice(_ATOMS)}
    if isinstance(tree, list) and tree and not (is_here and rng.random() < 0.3):
        place = rng.randrange(len(tree))
        if not is_here:
            return [*tree[:place], _changed(tree[place], words, rng), *tree[place + 1 :]]
        return [*tree[:place], *(tree[place : place + 1] * rng.randint(0, 3)), *tree[place + 1 :]]
    return rng.choice(_ATOMS)


def _span(data: bytes, rng: random.Random) -> tuple[int, int]:
    begin = rng.randrange(len(data) + 1)
    length = rng.choice((1, 2, 4, 8, 64, len(data)))
    return begin, min(len(data), begin + rng.randint(0, length))


def _flip(data: bytes, others: Any, words: Any, rng: random.Random) -> bytes:
    if not data:
        return data
    place = rng.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :]


def _insert(data: bytes, others: Any, words: Sequence[bytes], rng: random.Random) -> bytes:
    place = rng.randrange(len(data) + 1)
    noise = bytes(rng.randrange(256) for _ in range(rng.randint(1, 8)))
    new = rng.choice(words) if words and rng.random() < 0.7 else noise
    many = rng.choice((1, 1, 1, 1, 2, 30, 3000))
    return data[:place] + new * many + data[place:]


def _delete(data: bytes, others: Any, words: Any, rng: random.Random) -> bytes:
    begin, end = _span(data, rng)
    return data[:begin] + data[end:]


def _double(data: bytes, others: Any, words: Any, rng: random.Random) -> bytes:
    begin, end = _span(data, rng)
    place = rng.randrange(len(data) + 1)
    return data[:place] + data[begin:end] * rng.choice((1, 2, 50)) + data[place:]


def _splice(data: bytes, others: Sequence[bytes], words: Any, rng: random.Random) -> bytes:
    other = rng.choice(others)
    begin, end = _span(other, rng)
    place = rng.randrange(len(data) + 1)
    return data[:place] + other[begin:end] + data[place + (end - begin) * rng.randrange(2) :]


def _overwrite(data: bytes, others: Any, words: Any, rng: random.Random) -> bytes:
    """A number in binary, as formats with lengths have it."""
    size = rng.choice((1, 2, 4, 8))
    value = rng.choice((*_INTERESTING, -1)) % (1 << 8 * size)
    place = rng.randrange(len(data) + 1)
    return data[:place] + value.to_bytes(size, "little") + data[place + size :]


_STEPS: tuple[Callable[..., bytes], ...] = (_flip, _insert, _delete, _double, _splice, _overwrite)
