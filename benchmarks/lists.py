"""Measures the right cells and the time of the three ways to read lists.

    python -m benchmarks.lists -m model.gguf [--sizes 3,10,30,60] [--texts N] [--batch]

The texts are generated, except for a few that are handwritten, and their values are known. *cells*
is the share of the known cells that are right, *rows* the number of rows found per known row,
*time* the seconds relative to ``ar``, which writes the whole list token by token. Texts are read
one after another, or together with ``--batch``. The times are those of the counted answers.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hpd

WAYS = ("ar", "names", "numbers")
ListRow = dict[str, Any]


@dataclass(frozen=True)
class ListText:
    """A text with a list, and its gold values."""

    kind: str
    document: str
    schema: str
    name: str
    """The attribute of the list."""
    gold: list[Any]


@dataclass
class ListTally:
    """Counts of the cells and rows that one way found in some texts."""

    n_right: int = 0
    n_cells: int = 0
    n_rows: int = 0
    n_known: int = 0
    seconds: float = 0.0
    steps: int = 0
    by_kind: dict[str, list[int]] = field(default_factory=dict)

    def take(self, text: ListText, extraction: hpd.Extraction[Any]) -> None:
        """Count the cells of one text."""
        found = (extraction.data or {}).get(text.name) or []
        n_right = cells_right(text.gold, found)
        n_cells = sum(len(cells(row)) for row in text.gold)
        self.n_right += n_right
        self.n_cells += n_cells
        self.n_rows += len(found)
        self.n_known += len(text.gold)
        self.steps += extraction.usage.steps if extraction.usage else 0
        own = self.by_kind.setdefault(text.kind, [0, 0])
        own[0] += n_right
        own[1] += n_cells


def cells(row: Any) -> dict[str, Any]:
    """Return the cells of a row; a row that is a plain value has one cell."""
    return row if isinstance(row, dict) else {"": row}


def is_same(known: Any, found: Any) -> bool:
    """Return whether a cell is right, ignoring case and blanks."""
    if isinstance(known, int | float) and isinstance(found, int | float):
        return abs(known - found) < 1e-9 * max(1.0, abs(known))
    if isinstance(known, str) and isinstance(found, str):
        return " ".join(known.casefold().split()) == " ".join(found.casefold().split())
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


def words(text: str) -> list[str]:
    return text.split()


_TESTS = words(
    "Hemoglobin Leukocytes Platelets Hematocrit Glucose Urea Creatinine Sodium Potassium Chloride "
    "Calcium Albumin Bilirubin Cholesterol Triglycerides Ferritin Iron Transferrin Magnesium "
    "Phosphate Lipase Amylase Lactate Ammonia Cortisol Insulin Prolactin Estradiol Folate Zinc "
    "Copper Selenium Lead Mercury Fibrinogen D-Dimer Troponin Myoglobin Haptoglobin Transketolase"
)
_GOODS = words(
    "Soap Powder Flakes Candles Matches Towels Napkins Buckets Brushes Sponges Gloves Aprons Cups "
    "Plates Bowls Spoons Forks Knives Pans Lids Jars Bottles Crates Boxes Labels Tape String Wire "
    "Nails Screws Bolts Nuts Washers Hinges Locks Keys Lamps Bulbs Cables Plugs"
)
_FIRST = words("Ann Bob Carla Dan Eva Finn Gina Hugo Ines Jan Kim Leo Mara Nils Olga Paul Rosa Sam")
_LAST = words("Lee Day Moss Berg Cruz Diaz Engel Ford Gray Holt Ivers Jung Kern Lind Mayer Noll")
_UNITS = ("g/dl", "mmol/l", "mg/l", "%", "U/l", "ng/ml")
_PLACES = ("Rome", "Oslo", "Lima", "Bonn", "Cork", "Gent", "Pisa", "Riga", "Vigo", "Turku")
_COLOURS = ("red", "blue", "green", "black", "white", "grey", "yellow", "brown")


def distinct(rng: random.Random, words: Sequence[str], n: int) -> list[str]:
    """Return ``n`` different names, some of them pairs of words if there are too few words."""
    names = [*words]
    rng.shuffle(names)
    pairs = (f"{a} {b}" for a in rng.sample(words, len(words)) for b in words if a != b)
    while len(names) < n:
        names.append(next(pairs))
    return names[:n]


def money(rng: random.Random, most: int = 900) -> float:
    """Return an amount with two decimals."""
    return rng.randint(100, most * 100) / 100


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[Any]], gap: str) -> str:
    """Return a table with columns separated by ``gap``."""
    return "\n".join([title, gap.join(head), *(gap.join(map(str, row)) for row in rows)])


def laboratory(rng: random.Random, n: int) -> ListText:
    """Return laboratory results with units and ranges."""
    gold = []
    for name in distinct(rng, _TESTS, n):
        low = rng.randint(1, 60)
        gold.append(
            {
                "test": name,
                "result": rng.randint(10, 900) / 10,
                "unit": rng.choice(_UNITS),
                "range": f"{low} - {low + rng.randint(3, 60)}",
            }
        )
    gap = rng.choice(("  ", " | ", "\t"))
    text = table(
        "TEST REPORT", ("Test", "Result", "Unit", "Range"), [[*r.values()] for r in gold], gap
    )
    return ListText(
        "laboratory", text, "results [{test, result float, unit, range}]", "results", gold
    )


def order(rng: random.Random, n: int) -> ListText:
    """Return an order, whose lines have codes and totals."""
    gold = []
    for number in rng.sample(range(1000, 9999), n):
        n_pieces, price = rng.randint(1, 40), money(rng, 50)
        gold.append(
            {
                "code": f"SKU-{number}",
                "quantity": n_pieces,
                "price": price,
                "total": round(n_pieces * price, 2),
            }
        )
    rows = [[r["code"], r["quantity"], f"{r['price']:.2f}", f"{r['total']:.2f}"] for r in gold]
    text = table(
        "ORDER 4711", ("Code", "Qty", "Price", "Total"), rows, rng.choice(("  ", " ", "; "))
    )
    schema = "lines [{code, quantity int, price float, total float}]"
    return ListText("order", text, schema, "lines", gold)


def packing(rng: random.Random, n: int) -> ListText:
    """Return a packing list, with several goods that begin with the same words."""
    gold = []
    names = rng.sample(_GOODS, max(2, min(len(_GOODS), (n + 1) // 2)))
    for i in range(n):
        size = f"{rng.choice((2, 4, 6, 8, 12))} X {i % 7 + 1}kg"
        gold.append(
            {"product": f"{names[i // 2 % len(names)]} {size}", "boxes": rng.randint(20, 900)}
        )
    text = table("PACKING LIST", ("Product", "Boxes"), [[*r.values()] for r in gold], "  ")
    return ListText("packing", text, "products [{product, boxes int}]", "products", gold)


def statement(rng: random.Random, n: int) -> ListText:
    """Return an account statement, with repeated descriptions."""
    words = ("Card payment", "Salary", "Rent", "Transfer", "Cash withdrawal", "Fee")
    gold, day, balance = [], 0, 2000.0
    for _ in range(n):
        day += rng.randint(0, 4)
        amount = money(rng, 90) * rng.choice((1, -1, -1))
        balance = round(balance + amount, 2)
        when = f"2024-{1 + day // 28 % 12:02d}-{1 + day % 28:02d}"
        what = rng.choice(words)
        gold.append({"date": when, "description": what, "amount": amount, "balance": balance})
    rows = [
        [r["date"], r["description"], f"{r['amount']:.2f}", f"{r['balance']:.2f}"] for r in gold
    ]
    text = table("STATEMENT OF ACCOUNT", ("Date", "Booking", "Amount", "Balance"), rows, "  ")
    schema = "bookings [{date date, description, amount float, balance float}]"
    return ListText("statement", text, schema, "bookings", gold)


def guests(rng: random.Random, n: int) -> ListText:
    """Return a running text about guests."""
    gold, said = [], []
    for name in rng.sample([f"{a} {b}" for a in _FIRST for b in _LAST], n):
        row = {"name": name, "room": rng.randint(1, 400), "city": rng.choice(_PLACES)}
        gold.append(row)
        said.append(
            rng.choice(
                (
                    f"{name} from {row['city']} is in room {row['room']}.",
                    f"In room {row['room']}: {name}, who comes from {row['city']}.",
                    f"{name} ({row['city']}), room {row['room']}.",
                )
            )
        )
    text = "Guests of this week. " + " ".join(said)
    return ListText("guests", text, "guests [{name, room int, city}]", "guests", gold)


def staff(rng: random.Random, n: int) -> ListText:
    """Return a staff list of eight columns."""
    gold = []
    for number, name in enumerate(rng.sample([f"{a} {b}" for a in _FIRST for b in _LAST], n)):
        gold.append(
            {
                "name": name,
                "number": 100 + 7 * number,
                "city": rng.choice(_PLACES),
                "team": rng.choice(("Sales", "Research", "Stores", "Office")),
                "since": rng.randint(1990, 2023),
                "hours": rng.choice((20, 25, 30, 35, 38.5, 40)),
                "pay": rng.randint(1800, 7000),
                "phone": f"{rng.randint(200, 999)}-{rng.randint(1000, 9999)}",
            }
        )
    head = ("Name", "No.", "City", "Team", "Since", "Hours", "Pay", "Phone")
    text = table("Staff list", head, [[*r.values()] for r in gold], rng.choice((",", " | ")))
    schema = "staff [{name, number int, city, team, since int, hours float, pay int, phone}]"
    return ListText("staff", text, schema, "staff", gold)


def sheets(rng: random.Random, n: int) -> ListText:
    """Return a catalogue with several lines per row, where some parts are missing."""
    gold, said = [], []
    for name in distinct(rng, _GOODS, n):
        row: ListRow = {"article": name, "colour": rng.choice(_COLOURS), "price": money(rng, 60)}
        if rng.random() < 0.2:
            row["colour"] = None
        gold.append(row)
        lines = [f"Article: {name}", f"Price: {row['price']:.2f} EUR"]
        if row["colour"]:
            lines.insert(1, f"Colour: {row['colour']}")
        said.append("\n".join(lines))
    text = "CATALOGUE\n\n" + "\n\n".join(said)
    return ListText("sheets", text, "articles [{article, colour, price float}]", "articles", gold)


def variants(rng: random.Random, n: int) -> ListText:
    """Return a price list with repeated names, which only the other columns distinguish."""
    gold = []
    names = rng.sample(_GOODS, max(1, min(len(_GOODS), n // 3)))
    for i in range(n):
        name = names[min(i // 3, len(names) - 1)] if i // 3 < len(names) else names[i % len(names)]
        size = ("small", "medium", "large")[i % 3]
        gold.append(
            {"product": name, "size": size, "price": money(rng, 30), "stock": rng.randint(0, 99)}
        )
    rows = [[r["product"], r["size"], f"{r['price']:.2f}", r["stock"]] for r in gold]
    text = table("PRICE LIST", ("Product", "Size", "Price", "Stock"), rows, " | ")
    return ListText(
        "variants", text, "prices [{product, size, price float, stock int}]", "prices", gold
    )


def figures(rng: random.Random, n: int) -> ListText:
    """Return a register with only numbers."""
    gold = [
        {"year": 1950 + i, "births": rng.randint(100, 999), "deaths": rng.randint(80, 900)}
        for i in range(n)
    ]
    text = table("Register", ("Year", "Births", "Deaths"), [[*r.values()] for r in gold], "  ")
    return ListText("figures", text, "years [{year int, births int, deaths int}]", "years", gold)


def keywords(rng: random.Random, n: int) -> ListText:
    """Return a text with a list of keywords."""
    gold = distinct(rng, [word.lower() for word in _GOODS], n)
    return ListText(
        "keywords",
        f"Notes on the store.\nKeywords: {', '.join(gold)}.",
        "keywords [str]",
        "keywords",
        gold,
    )


KINDS: tuple[Callable[[random.Random, int], ListText], ...] = (
    laboratory,
    order,
    packing,
    statement,
    guests,
    staff,
    sheets,
    variants,
    figures,
    keywords,
)

WRITTEN = (
    ListText(
        "written",
        "Menu\n\nStarters\nLentil soup 4.50\nBread with olives 3.20\n\nMains\n"
        "Grilled trout with potatoes 14.90\n"
        "Mushroom risotto 11.50 (vegan on request)\n\nTo end with\nLemon tart 5.00",
        "dishes [{dish, price float}]",
        "dishes",
        [
            {"dish": "Lentil soup", "price": 4.5},
            {"dish": "Bread with olives", "price": 3.2},
            {"dish": "Grilled trout with potatoes", "price": 14.9},
            {"dish": "Mushroom risotto", "price": 11.5},
            {"dish": "Lemon tart", "price": 5.0},
        ],
    ),
    ListText(
        "written",
        "Minutes of 3 May. Present: Rosa Lind (chair), Sam Kern, Eva Holt. Rosa will call the "
        "printer by Friday. Sam will order 40 chairs by 12 May. "
        "Eva will ask the town for a permit by 20 May.",
        "tasks [{who, what, by}]",
        "tasks",
        [
            {"who": "Rosa", "what": "call the printer", "by": "Friday"},
            {"who": "Sam", "what": "order 40 chairs", "by": "12 May"},
            {"who": "Eva", "what": "ask the town for a permit", "by": "20 May"},
        ],
    ),
    ListText(
        "written",
        "Departures\n07:12  Cork  platform 2\n07:40  Dublin  platform 1\n08:05  Cork  platform 2\n"
        "08:30  Galway  platform 4\n09:05  Cork  platform 3",
        "trains [{time, to, platform int}]",
        "trains",
        [
            {"time": "07:12", "to": "Cork", "platform": 2},
            {"time": "07:40", "to": "Dublin", "platform": 1},
            {"time": "08:05", "to": "Cork", "platform": 2},
            {"time": "08:30", "to": "Galway", "platform": 4},
            {"time": "09:05", "to": "Cork", "platform": 3},
        ],
    ),
    ListText(
        "written",
        "Estate of H. Moss. To my niece Ines I leave the piano. To the town museum go the two "
        "globes. Leo Ford, who cared for the garden, is to have 500 pounds.",
        "gifts [{to, gift}]",
        "gifts",
        [
            {"to": "Ines", "gift": "the piano"},
            {"to": "the town museum", "gift": "the two globes"},
            {"to": "Leo Ford", "gift": "500 pounds"},
        ],
    ),
)


# --- measuring ---


def texts_of(size: int, n_texts: int, seed: int, kinds: Sequence[str]) -> list[ListText]:
    """Return the texts of one size; for size 0, the handwritten ones."""
    if size == 0:
        return [*WRITTEN]
    makers = [make for make in KINDS if not kinds or make.__name__ in kinds]
    return [
        makers[i % len(makers)](random.Random(f"{seed} {size} {i}"), size)
        for i in range(n_texts or len(makers))
    ]


def measured(
    extractor: hpd.Extractor[Any], way: str, texts: Sequence[ListText], *, together: bool
) -> ListTally:
    """Measure one way's cells and time."""
    tally = ListTally()
    tasks = {text.schema: extractor.prepare(text.schema, lists=way) for text in texts}
    for schema, task in tasks.items():
        own = [text for text in texts if text.schema == schema]
        # Warm up, so that the shared instruction is not timed.
        _read(extractor, task, ["Nothing."])
        start = time.perf_counter()
        documents = [text.document for text in own]
        if together:
            found = _read(extractor, task, documents)
        else:
            found = [one for document in documents for one in _read(extractor, task, [document])]
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
    parser.add_argument("--kinds", default="", help="only these, separated by commas")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--batch", action="store_true", help="all texts of a schema together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-t", "--threads", type=int, default=0)
    parser.add_argument("-c", "--ctx-size", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, help="write the figures as JSON")
    arguments = parser.parse_args()
    extractor = hpd.Extractor(
        "text",
        arguments.model,
        dedupe=False,
        quiet=True,
        on_invalid="record",
        n_threads=arguments.threads,
        n_ctx=arguments.ctx_size,
    )
    found: list[dict[str, Any]] = []
    print(f"{'rows':>5} {'way':8} {'cells':>6} {'rows':>5} {'time':>6} {'seconds':>8} {'steps':>6}")
    for size in map(int, arguments.sizes.split(",")):
        texts = texts_of(
            size,
            arguments.texts,
            arguments.seed,
            arguments.kinds.split(",") if arguments.kinds else (),
        )
        tallies = {
            way: measured(extractor, way, texts, together=arguments.batch)
            for way in arguments.ways.split(",")
        }
        ar_seconds = tallies["ar"].seconds if "ar" in tallies else 0.0
        for way, tally in tallies.items():
            share = 100 * tally.n_right / tally.n_cells
            relative = tally.seconds / ar_seconds if ar_seconds else float("nan")
            print(
                f"{size:5} {way:8} {share:6.1f} {tally.n_rows / tally.n_known:5.2f} "
                f"{relative:6.2f} {tally.seconds:8.2f} {tally.steps:6}"
            )
            kinds = {k: f"{100 * a / b:.0f}" for k, (a, b) in tally.by_kind.items()}
            print(f"{'':5} {' '.join(f'{k} {v}' for k, v in kinds.items())}", flush=True)
            found.append(
                {
                    "rows": size,
                    "way": way,
                    "cells": share,
                    "seconds": tally.seconds,
                    "steps": tally.steps,
                    "kinds": tally.by_kind,
                }
            )
    if arguments.output:
        arguments.output.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
