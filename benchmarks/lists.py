"""Made-up texts with lists, and the right cells and the time that an extractor needs for them."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hpd

WAYS: Sequence[dict[str, Any]] = ({"method": "ar", "drafts": False}, {})
"""The settings that write the whole answer token by token, and the defaults."""
OPTIONS: dict[str, Any] = {"on_invalid": "record", "dedupe": False, "quiet": True}
"""The settings of all ways."""


@dataclass(frozen=True)
class ListText:
    """A text with a list, and its gold values."""

    document: str
    schema: str
    gold: list[dict[str, Any]]

    @property
    def name(self) -> str:
        """The attribute of the list, which is the only one of the schema."""
        return self.schema.partition(" ")[0]


@dataclass
class ListTally:
    """Counts of the cells that one way found in some texts."""

    n_right: int = 0
    n_cells: int = 0
    """Known cells."""
    seconds: float = 0.0
    """The time of the counted answers."""
    steps: int = 0

    @property
    def share_right(self) -> float:
        """The share of cells that are right."""
        return self.n_right / self.n_cells

    def take(self, text: ListText, extraction: hpd.Extraction[Any]) -> None:
        """Count the cells of one text."""
        found = (extraction.data or {}).get(text.name) or []
        self.n_right += cells_right(text.gold, found)
        self.n_cells += sum(len(row) for row in text.gold)
        self.steps += extraction.usage.steps if extraction.usage else 0


def is_same(known: Any, found: Any) -> bool:
    """Return whether a cell is right, ignoring case and blanks."""
    if isinstance(known, int | float) and isinstance(found, int | float):
        return abs(known - found) < 1e-9 * max(1.0, abs(known))
    if isinstance(known, str) and isinstance(found, str):
        return known.casefold().split() == found.casefold().split()
    return bool(known == found)


def cells_right(gold: Sequence[Mapping[str, Any]], found: Sequence[Mapping[str, Any]]) -> int:
    """Count the right cells, with the best alignment of rows in order."""
    best = [0] * (len(found) + 1)
    for known in gold:
        before, best = best, [0]
        for n, row in enumerate(found):
            n_same = sum(key in row and is_same(value, row[key]) for key, value in known.items())
            best.append(max(before[n + 1], best[n], before[n] + n_same))
    return best[-1]


# --- made-up texts ---

_WORDS: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("lists.json").read_text(encoding="utf-8")
)
_PEOPLE = [f"{first} {last}" for first in _WORDS["first"] for last in _WORDS["last"]]
_MONEY = {"price", "total", "amount", "balance"}
"""Columns that are written with two decimals."""


def distinct(rng: random.Random, words: Sequence[str], n: int) -> list[str]:
    """Return ``n`` different names, some of them pairs of words if there are too few words."""
    names = [*words]
    rng.shuffle(names)
    pairs = (f"{a} {b}" for a in rng.sample(words, len(words)) for b in words if a != b)
    while len(names) < n:
        names.append(next(pairs))
    return names[:n]


def money(rng: random.Random, most: int) -> float:
    """Return an amount with two decimals."""
    return rng.randint(100, most * 100) / 100


def table(title: str, head: str, rows: Sequence[Mapping[str, Any]], gap: str) -> str:
    """Return a table with columns separated by ``gap``."""
    lines = [
        [f"{value:.2f}" if name in _MONEY else str(value) for name, value in row.items()]
        for row in rows
    ]
    return "\n".join([title, *(gap.join(line) for line in (head.split(), *lines))])


def order(rng: random.Random, n: int) -> tuple[str, list[dict[str, Any]]]:
    """Return an order, whose lines have codes and totals."""
    gold = []
    for number in rng.sample(range(1000, 9999), n):
        n_pieces, price = rng.randint(1, 40), money(rng, 50)
        row = {"code": f"SKU-{number}", "quantity": n_pieces, "price": price}
        gold.append({**row, "total": round(n_pieces * price, 2)})
    return table("ORDER 4711", "Code Qty Price Total", gold, rng.choice(("  ", " ", "; "))), gold


def statement(rng: random.Random, n: int) -> tuple[str, list[dict[str, Any]]]:
    """Return an account statement, with repeated descriptions."""
    descriptions = ("Card payment", "Salary", "Rent", "Transfer", "Cash withdrawal", "Fee")
    gold, day, balance = [], 0, 2000.0
    for _ in range(n):
        day += rng.randint(0, 4)
        amount = money(rng, 90) * rng.choice((1, -1, -1))
        balance = round(balance + amount, 2)
        row = {"date": f"2024-{1 + day // 28 % 12:02d}-{1 + day % 28:02d}"}
        row["description"] = rng.choice(descriptions)
        gold.append({**row, "amount": amount, "balance": balance})
    return table("STATEMENT OF ACCOUNT", "Date Booking Amount Balance", gold, "  "), gold


def guests(rng: random.Random, n: int) -> tuple[str, list[dict[str, Any]]]:
    """Return a running text about guests."""
    gold, sentences = [], []
    for name in rng.sample(_PEOPLE, n):
        room, city = rng.randint(1, 400), rng.choice(_WORDS["places"])
        gold.append({"name": name, "room": room, "city": city})
        forms = (
            f"{name} from {city} is in room {room}.",
            f"In room {room}: {name}, who comes from {city}.",
            f"{name} ({city}), room {room}.",
        )
        sentences.append(rng.choice(forms))
    return "Guests of this week. " + " ".join(sentences), gold


def sheets(rng: random.Random, n: int) -> tuple[str, list[dict[str, Any]]]:
    """Return a catalogue with several lines per row, where some parts are missing."""
    gold, parts = [], []
    for name in distinct(rng, _WORDS["goods"], n):
        colour, price = rng.choice(_WORDS["colours"]), money(rng, 60)
        is_stated = rng.random() >= 0.2
        gold.append({"article": name, "colour": colour if is_stated else None, "price": price})
        stated = [f"Colour: {colour}"] if is_stated else []
        parts.append("\n".join([f"Article: {name}", *stated, f"Price: {price:.2f} EUR"]))
    return "CATALOGUE\n\n" + "\n\n".join(parts), gold


KINDS = {
    "order": ("lines [{code, quantity int, price float, total float}]", order),
    "statement": ("bookings [{date date, description, amount float, balance float}]", statement),
    "guests": ("guests [{name, room int, city}]", guests),
    "sheets": ("articles [{article, colour, price float}]", sheets),
}
"""The schema of each kind of text, and the function that makes one of a length, with its gold."""


# --- measuring ---


def texts_of(size: int, n_texts: int, kinds: Sequence[str]) -> list[ListText]:
    """Return texts of some kinds in turn, with lists of one size."""
    texts = []
    for i in range(n_texts):
        schema, make = KINDS[kinds[i % len(kinds)]]
        document, gold = make(random.Random(f"1 {size} {i}"), size)
        texts.append(ListText(document, schema, gold))
    return texts


def measured(
    extractor: hpd.Extractor[Any], texts: Sequence[ListText], *, together: bool
) -> ListTally:
    """Measure the cells and the time of an extractor."""
    tally = ListTally()
    for schema in dict.fromkeys(text.schema for text in texts):
        task = extractor.prepare(schema)
        own = [text for text in texts if text.schema == schema]
        # Warm up, so that the shared instruction is not timed.
        _read(extractor, task, ["Nothing."])
        documents = [text.document for text in own]
        batches = [documents] if together else [[each] for each in documents]
        start = time.perf_counter()
        found = [each for batch in batches for each in _read(extractor, task, batch)]
        tally.seconds += time.perf_counter() - start
        for text, extraction in zip(own, found, strict=True):
            tally.take(text, extraction)
    return tally


def _read(
    extractor: hpd.Extractor[Any], task: hpd.Task, documents: Sequence[str]
) -> list[hpd.Extraction[Any]]:
    """Return the extractions of some documents, in order."""
    placed = extractor.iter_indexed(documents, schema=task, on_error="record")
    return [extraction for _, extraction in sorted(placed, key=lambda each: each[0])]
