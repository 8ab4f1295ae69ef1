"""Measures the right cells and the time of the ways to read lists.

    python -m benchmarks.lists -m model.gguf [--sizes 3,10,30,60] [--texts N] [--batch]

The texts are generated, except for a few that are handwritten, and their values are known. *cells*
is the share of the known cells that are right, *rows* the number of rows found per known row,
*time* the seconds relative to the first way. ``tokens`` writes the answer token by token, without
drafts; the others are values of ``--set lists``. Texts are read one after another, or together
with ``--batch``. The times are those of the counted answers.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hpd

WAYS: dict[str, dict[str, Any]] = {
    "tokens": {"method": "ar", "drafts": False},
    "ar": {"lists": "ar"},
    "names": {"lists": "names"},
    "numbers": {"lists": "numbers"},
}
"""The settings of each way."""
OPTIONS: dict[str, Any] = {"on_invalid": "record", "dedupe": False, "quiet": True}
"""The settings of all ways."""


@dataclass(frozen=True)
class ListText:
    """A text with a list, and its gold values."""

    kind: str
    document: str
    schema: str
    gold: list[Any]

    @property
    def name(self) -> str:
        """The attribute of the list, which is the only one of the schema."""
        return self.schema.partition(" ")[0]


@dataclass
class ListTally:
    """Counts of the cells and rows that one way found in some texts."""

    n_right: Counter[str] = field(default_factory=Counter)
    """Right cells, by kind of text."""
    n_cells: Counter[str] = field(default_factory=Counter)
    """Known cells, by kind of text."""
    n_rows: int = 0
    n_known: int = 0
    seconds: float = 0.0
    steps: int = 0

    @property
    def share_right(self) -> float:
        """The share of cells that are right."""
        return self.n_right.total() / self.n_cells.total()

    def take(self, text: ListText, extraction: hpd.Extraction[Any]) -> None:
        """Count the cells of one text."""
        found = (extraction.data or {}).get(text.name) or []
        self.n_right[text.kind] += cells_right(text.gold, found)
        self.n_cells[text.kind] += sum(len(cells(row)) for row in text.gold)
        self.n_rows += len(found)
        self.n_known += len(text.gold)
        self.steps += extraction.usage.steps if extraction.usage else 0


def cells(row: Any) -> dict[str, Any]:
    """Return the cells of a row; a row that is a plain value has one cell."""
    return row if isinstance(row, dict) else {"": row}


def is_same(known: Any, found: Any) -> bool:
    """Return whether a cell is right, ignoring case and blanks."""
    if isinstance(known, int | float) and isinstance(found, int | float):
        return abs(known - found) < 1e-9 * max(1.0, abs(known))
    if isinstance(known, str) and isinstance(found, str):
        return known.casefold().split() == found.casefold().split()
    return bool(known == found)


def cells_right(gold: Sequence[Any], found: Sequence[Any]) -> int:
    """Count the right cells, with the best alignment of rows in order."""
    best = [0] * (len(found) + 1)
    for known in map(cells, gold):
        before, best = best, [0]
        for n, row in enumerate(map(cells, found)):
            n_same = sum(key in row and is_same(value, row[key]) for key, value in known.items())
            best.append(max(before[n + 1], best[n], before[n] + n_same))
    return best[-1]


# --- made-up texts ---

_DATA = json.loads(Path(__file__).with_name("lists.json").read_text(encoding="utf-8"))
_WORDS: dict[str, list[str]] = _DATA["words"]
_PEOPLE = [f"{first} {last}" for first in _WORDS["first"] for last in _WORDS["last"]]
_MONEY = {"price", "total", "amount", "balance"}
"""Columns that are written with two decimals."""

Maker = Callable[[random.Random, int], tuple[str, list[Any]]]
"""Returns a text with a list of some length, and its gold values."""
KINDS: dict[str, tuple[str, Maker]] = {}
"""The schema of each kind of text, and the function that makes one."""


def kind(schema: str) -> Callable[[Maker], Maker]:
    """Register a function as the maker of the kind of its name."""

    def register(make: Maker) -> Maker:
        KINDS[make.__name__] = schema, make
        return make

    return register


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


@kind("results [{test, result float, unit, range}]")
def laboratory(rng: random.Random, n: int) -> tuple[str, list[Any]]:
    """Return laboratory results with units and ranges."""
    gold = []
    for name in distinct(rng, _WORDS["tests"], n):
        low = rng.randint(1, 60)
        row = {"test": name, "result": rng.randint(10, 900) / 10}
        row["unit"] = rng.choice(_WORDS["units"])
        gold.append({**row, "range": f"{low} - {low + rng.randint(3, 60)}"})
    return table(
        "TEST REPORT", "Test Result Unit Range", gold, rng.choice(("  ", " | ", "\t"))
    ), gold


@kind("lines [{code, quantity int, price float, total float}]")
def order(rng: random.Random, n: int) -> tuple[str, list[Any]]:
    """Return an order, whose lines have codes and totals."""
    gold = []
    for number in rng.sample(range(1000, 9999), n):
        n_pieces, price = rng.randint(1, 40), money(rng, 50)
        row = {"code": f"SKU-{number}", "quantity": n_pieces, "price": price}
        gold.append({**row, "total": round(n_pieces * price, 2)})
    return table("ORDER 4711", "Code Qty Price Total", gold, rng.choice(("  ", " ", "; "))), gold


@kind("products [{product, boxes int}]")
def packing(rng: random.Random, n: int) -> tuple[str, list[Any]]:
    """Return a packing list, with several goods that begin with the same words."""
    gold = []
    names = rng.sample(_WORDS["goods"], max(2, min(len(_WORDS["goods"]), (n + 1) // 2)))
    for i in range(n):
        size = f"{rng.choice((2, 4, 6, 8, 12))} X {i % 7 + 1}kg"
        name = f"{names[i // 2 % len(names)]} {size}"
        gold.append({"product": name, "boxes": rng.randint(20, 900)})
    return table("PACKING LIST", "Product Boxes", gold, "  "), gold


@kind("bookings [{date date, description, amount float, balance float}]")
def statement(rng: random.Random, n: int) -> tuple[str, list[Any]]:
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


@kind("guests [{name, room int, city}]")
def guests(rng: random.Random, n: int) -> tuple[str, list[Any]]:
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


@kind("staff [{name, number int, city, team, since int, hours float, pay int, phone}]")
def staff(rng: random.Random, n: int) -> tuple[str, list[Any]]:
    """Return a staff list of eight columns."""
    gold = [
        {
            "name": name,
            "number": 100 + 7 * i,
            "city": rng.choice(_WORDS["places"]),
            "team": rng.choice(("Sales", "Research", "Stores", "Office")),
            "since": rng.randint(1990, 2023),
            "hours": rng.choice((20, 25, 30, 35, 38.5, 40)),
            "pay": rng.randint(1800, 7000),
            "phone": f"{rng.randint(200, 999)}-{rng.randint(1000, 9999)}",
        }
        for i, name in enumerate(rng.sample(_PEOPLE, n))
    ]
    head = "Name No. City Team Since Hours Pay Phone"
    return table("Staff list", head, gold, rng.choice((",", " | "))), gold


@kind("articles [{article, colour, price float}]")
def sheets(rng: random.Random, n: int) -> tuple[str, list[Any]]:
    """Return a catalogue with several lines per row, where some parts are missing."""
    gold, parts = [], []
    for name in distinct(rng, _WORDS["goods"], n):
        colour, price = rng.choice(_WORDS["colours"]), money(rng, 60)
        is_stated = rng.random() >= 0.2
        gold.append({"article": name, "colour": colour if is_stated else None, "price": price})
        stated = [f"Colour: {colour}"] if is_stated else []
        parts.append("\n".join([f"Article: {name}", *stated, f"Price: {price:.2f} EUR"]))
    return "CATALOGUE\n\n" + "\n\n".join(parts), gold


@kind("prices [{product, size, price float, stock int}]")
def variants(rng: random.Random, n: int) -> tuple[str, list[Any]]:
    """Return a price list with repeated names, which only the other columns distinguish."""
    gold = []
    names = rng.sample(_WORDS["goods"], max(1, min(len(_WORDS["goods"]), n // 3)))
    for i in range(n):
        name = names[i // 3 if i // 3 < len(names) else i % len(names)]
        row = {"product": name, "size": ("small", "medium", "large")[i % 3]}
        gold.append({**row, "price": money(rng, 30), "stock": rng.randint(0, 99)})
    return table("PRICE LIST", "Product Size Price Stock", gold, " | "), gold


@kind("years [{year int, births int, deaths int}]")
def figures(rng: random.Random, n: int) -> tuple[str, list[Any]]:
    """Return a register with only numbers."""
    gold = [
        {"year": 1950 + i, "births": rng.randint(100, 999), "deaths": rng.randint(80, 900)}
        for i in range(n)
    ]
    return table("Register", "Year Births Deaths", gold, "  "), gold


@kind("keywords [str]")
def keywords(rng: random.Random, n: int) -> tuple[str, list[Any]]:
    """Return a text with a list of keywords."""
    gold = distinct(rng, [word.lower() for word in _WORDS["goods"]], n)
    return f"Notes on the store.\nKeywords: {', '.join(gold)}.", [*gold]


# --- measuring ---


def texts_of(size: int, n_texts: int, seed: int, kinds: Sequence[str]) -> list[ListText]:
    """Return the texts of one size; for size 0, the handwritten ones."""
    if size == 0:
        return [ListText("written", **text) for text in _DATA["written"]]
    chosen = [name for name in KINDS if name in kinds]
    texts = []
    for i in range(n_texts or len(chosen)):
        name = chosen[i % len(chosen)]
        schema, make = KINDS[name]
        document, gold = make(random.Random(f"{seed} {size} {i}"), size)
        texts.append(ListText(name, document, schema, gold))
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-m", "--model", required=True)
    parser.add_argument(
        "--sizes", default="0,3,10,30,60", help="numbers of rows; 0: the handwritten texts"
    )
    parser.add_argument(
        "--texts", type=int, default=0, help="number of each size; 0: one of each kind"
    )
    parser.add_argument("--kinds", default=",".join(KINDS), help="only these [default: all]")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--batch", action="store_true", help="all texts of a schema together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-t", "--threads", type=int, default=0)
    parser.add_argument("-c", "--ctx-size", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, help="write the figures as JSON")
    asked = parser.parse_args()
    options: dict[str, Any] = {"n_threads": asked.threads, "n_ctx": asked.ctx_size}
    options |= OPTIONS
    found: list[dict[str, Any]] = []
    print(f"{'rows':>5} {'way':8} {'cells':>6} {'rows':>5} {'time':>6} {'seconds':>8} {'steps':>6}")
    for size in map(int, asked.sizes.split(",")):
        texts = texts_of(size, asked.texts, asked.seed, asked.kinds.split(","))
        tallies = {}
        for way in asked.ways.split(","):
            with hpd.Extractor("text", asked.model, **options, **WAYS[way]) as extractor:
                tallies[way] = measured(extractor, texts, together=asked.batch)
        first = next(iter(tallies.values()))
        for way, tally in tallies.items():
            share = 100 * tally.share_right
            print(
                f"{size:5} {way:8} {share:6.1f} {tally.n_rows / tally.n_known:5.2f} "
                f"{tally.seconds / first.seconds:6.2f} {tally.seconds:8.2f} {tally.steps:6}"
            )
            counts = {name: [tally.n_right[name], n] for name, n in tally.n_cells.items()}
            shares = (f"{name} {100 * right / n:.0f}" for name, (right, n) in counts.items())
            print(f"{'':5} {' '.join(shares)}", flush=True)
            row = {"rows": size, "way": way, "cells": share}
            found.append({**row, "seconds": tally.seconds, "steps": tally.steps, "kinds": counts})
    if asked.output:
        asked.output.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
