"""Samples of documents, drawn for each category."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random

from hpd.files import Record


@dataclass(frozen=True, slots=True)
class Sample:
    """Documents of one category that are shown to the model together."""

    category: str
    texts: tuple[str, ...]


def draw_samples(
    records: Iterable[Record], *, n_samples: int, size: int, seed: int = 0
) -> Iterator[Sample]:
    """The samples of each category, in the order in which the categories appear.

    Documents are drawn without replacement, in one pass; a category with fewer than
    ``n_samples * size`` of them has fewer samples, and the last one may be smaller.

    Raises:
        InputError: a record cannot be read.
    """
    for category, texts in _drawn(records, n_samples * size, Random(seed)).items():
        for start in range(0, len(texts), size):
            yield Sample(category, tuple(texts[start : start + size]))


def _drawn(records: Iterable[Record], n: int, chance: Random) -> Mapping[str, list[str]]:
    """So many texts of each category at most: reservoirs (Vitter's algorithm R), then shuffled."""
    reservoirs: dict[str, list[str]] = {}
    n_seen: dict[str, int] = {}
    for record in records:
        if record.error is not None:
            raise record.error
        category = record.category or ""
        texts = reservoirs.setdefault(category, [])
        n_seen[category] = n_seen.get(category, 0) + 1
        if len(texts) < n:
            texts.append(record.text)
            continue
        place = chance.randrange(n_seen[category])
        if place < n:
            texts[place] = record.text
    for texts in reservoirs.values():
        chance.shuffle(texts)
    return reservoirs
